// SPDX-License-Identifier: MIT
#include "tools/tune/tile_engine.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string_view>

#include "absl/status/status.h"
#include "absl/strings/str_format.h"
#include "absl/strings/strip.h"
#include "core/arch/mma_shape.h"
#include "core/base/parse_type.h"
#include "core/base/types.h"
#include "core/conv/problem.h"
#include "core/text/instance_fields.h"
#include "tools/tune/our_words.h"

namespace gridwise {
namespace {

namespace json = llvm::json;

/// A tile of the tile engine, the waves that multiply it, and the edge of their matrix instruction.
struct Tile {
  int m, n, k, waves_m, waves_n, mma;
};
constexpr Tile kTiles[] = {
    {16, 64, 64, 1, 4, 16},   {32, 64, 64, 2, 2, 16},  {64, 64, 64, 4, 1, 16},
    {32, 128, 64, 1, 4, 32},  {64, 128, 64, 2, 2, 32}, {128, 128, 64, 4, 4, 32},
    {16, 64, 128, 1, 4, 16},  {32, 64, 128, 2, 2, 16}, {64, 64, 128, 4, 1, 16},
    {128, 64, 128, 8, 2, 16},
};

constexpr std::string_view kKeys[] = {
    "data_type",          "pipeline",    "scheduler",     "ndim_spatial", "num_groups_to_merge",
    "double_smem_buffer", "split_image", "explicit_gemm", "two_stage"};

/// The values of a trait; nothing where the file does not name it.
absl::StatusOr<std::optional<json::Array>> ReadValues(const json::Object& traits,
                                                      std::string_view key) {
  const json::Value* const trait = traits.get(llvm::StringRef(key.data(), key.size()));
  if (trait == nullptr) return std::nullopt;
  const json::Object* const object = trait->getAsObject();
  const json::Array* const values = object == nullptr ? nullptr : object->getArray("values");
  if (values != nullptr) return *values;
  return absl::InvalidArgumentError(
      absl::StrFormat("trait_config has the key %s without {\"values\": [...]}", key));
}

/// Values that are texts; `all` where the file does not name the trait.
absl::StatusOr<std::vector<std::string>> ReadTexts(const json::Object& traits, std::string_view key,
                                                   std::vector<std::string> all) {
  const absl::StatusOr<std::optional<json::Array>> values = ReadValues(traits, key);
  if (!values.ok()) return values.status();
  if (!*values) return all;
  std::vector<std::string> texts;
  for (const json::Value& value : **values) {
    const auto text = value.getAsString();
    if (!text)
      return absl::InvalidArgumentError(absl::StrFormat("%s has no text for a value", key));
    texts.push_back(text->str());
  }
  return texts;
}

absl::Status CheckKeys(const json::Object& file, const json::Object& traits) {
  for (const auto& [name, value] : file) {
    if (name != "variant" && name != "trait_config") {
      return absl::InvalidArgumentError(
          absl::StrFormat("the key %s is none of variant, trait_config", name.str()));
    }
  }
  for (const auto& [name, value] : traits) {
    const std::string key = name.str();
    if (std::ranges::find(kKeys, key) == std::end(kKeys)) {
      return absl::InvalidArgumentError(
          absl::StrFormat("trait_config has the key %s; there is no such trait", key));
    }
    if (absl::Status status = ReadValues(traits, key).status(); !status.ok()) return status;
  }
  return absl::OkStatus();
}

/// The schedules of the pipelines and schedulers that a file allows, as the trait is written.
absl::StatusOr<json::Array> Pipelines(const json::Object& traits,
                                      std::vector<std::string>& unknown) {
  std::vector<std::string> all;
  for (const PipelineElsewhere& known : PipelinesElsewhere()) all.emplace_back(known.name);
  const auto names = ReadTexts(traits, "pipeline", std::move(all));
  const auto schedulers = ReadTexts(traits, "scheduler", {"intrawave", "interwave"});
  if (!names.ok()) return names.status();
  if (!schedulers.ok()) return schedulers.status();
  json::Array pipelines;
  std::vector<Pipeline> taken;
  for (const std::string& name : *names) {
    const auto is_called = [&](const PipelineElsewhere& known) { return known.name == name; };
    if (std::ranges::none_of(PipelinesElsewhere(), is_called)) unknown.push_back(name);
    for (const PipelineElsewhere& known : PipelinesElsewhere()) {
      if (!is_called(known) ||
          std::ranges::find(*schedulers, known.scheduler) == schedulers->end() ||
          std::ranges::find(taken, known.pipeline) != taken.end()) {
        continue;
      }
      taken.push_back(known.pipeline);
      pipelines.push_back(json::Array{Name(known.pipeline.schedule), known.pipeline.count});
    }
  }
  return pipelines;
}

/// The target's matrix instruction of that edge, or where it has none of 16; of a type that its
/// matrix unit lacks, vector FMAs.
json::Array ChooseMma(const TargetTraits& target, int edge, DataType type) {
  for (const MmaUnit unit : {target.mma_unit, MmaUnit::kFma}) {
    for (const int m : {edge, 16}) {
      const int k = target.Has(unit) ? MmaK(unit, m, type, target.mfma_generation) : 0;
      if (k > 0) return json::Array{std::string(absl::StripSuffix(Name(unit), "-")), m, m, k};
    }
  }
  return json::Array{"mfma", edge, edge, 1};  // this is refused
}

/// The configs of a tile in a type.
json::Object ProductOf(const Tile& tile, DataType type, Direction direction, Gfx gfx,
                       const json::Array& pipelines, const json::Array& merged) {
  const int pack = 16 / SizeOf(type);
  // Runs along k; where k are instances in memory, patches that are transposed.
  const int instances_a = direction == Direction::kBackwardWeight ? 2 : 1;
  const int instances_b = direction == Direction::kForward ? 1 : 2;
  return json::Object{
      {"family", "tile"},
      {"direction", Name(direction)},
      {"traits", json::Object{{"type", Name(type)},
                              {"tile", json::Array{json::Array{tile.m, tile.n, tile.k}}},
                              {"waves", json::Array{json::Array{tile.waves_m, tile.waves_n}}},
                              {"mma", json::Array{ChooseMma(TraitsOf(gfx), tile.mma, type)}},
                              {"patch_a", json::Array{json::Array{pack, instances_a}}},
                              {"patch_b", json::Array{json::Array{pack, instances_b}}},
                              {"pipeline", json::Array(pipelines)},
                              {"merge_groups", json::Array(merged)}}}};
}

}  // namespace

bool IsTileEngineFile(const json::Object& file) { return file.get("variant") != nullptr; }

absl::StatusOr<TileEngineTraits> ReadTileEngineFile(const json::Object& file, Gfx gfx) {
  const json::Object empty;
  const json::Object* const given = file.getObject("trait_config");
  const json::Object& traits = given == nullptr ? empty : *given;
  if (absl::Status status = CheckKeys(file, traits); !status.ok()) return status;
  const std::string variant = file.getString("variant").value_or("").str();
  const auto direction = ParseDirection(OurWord(WordKind::kDirection, variant));
  if (!direction) {
    return absl::InvalidArgumentError(
        absl::StrFormat("variant is '%s'; must be forward, bwd_data or bwd_weight", variant));
  }
  TileEngineTraits result;
  const auto pipelines = Pipelines(traits, result.unknown);
  if (!pipelines.ok()) return pipelines.status();
  const auto types = ReadTexts(traits, "data_type", {"fp16", "bf16"});
  if (!types.ok()) return types.status();
  const auto merged = ReadValues(traits, "num_groups_to_merge");
  if (!merged.ok()) return merged.status();
  for (const std::string& word : *types) {
    const std::optional<DataType> type = ParseDataType(OurWord(WordKind::kType, word));
    if (!type) {
      return absl::InvalidArgumentError(
          absl::StrFormat("data_type has the value %s; there is no such type", word));
    }
    for (const Tile& tile : kTiles) {
      result.products.push_back(
          ProductOf(tile, *type, *direction, gfx, *pipelines, merged->value_or(json::Array{1})));
    }
  }
  return result;
}

}  // namespace gridwise
