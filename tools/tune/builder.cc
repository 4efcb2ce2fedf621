// SPDX-License-Identifier: MIT
#include "tools/tune/builder.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "core/arch/parse_gfx.h"
#include "gridwise/version.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "tools/text/json.h"
#include "tools/tune/config_space.h"
#include "tools/tune/filter.h"
#include "tools/tune/our_words.h"
#include "tools/tune/tile_engine.h"

namespace gridwise {
namespace {

namespace json = llvm::json;

/// Traits that take their values together, and these.
struct Axis {
  std::vector<std::size_t> traits;
  std::vector<std::vector<int>> values;
};

std::string ToText(const json::Value& value) {
  if (const auto text = value.getAsString()) return text->str();
  if (const auto number = value.getAsInteger()) return absl::StrCat(*number);
  if (const auto boolean = value.getAsBoolean()) return *boolean ? "1" : "0";
  return llvm::formatv("{0}", value).str();
}

/// The elements of an array, or the value alone.
std::vector<json::Value> ToList(const json::Value& value) {
  if (const json::Array* array = value.getAsArray()) return {array->begin(), array->end()};
  return {value};
}

/// One of an axis's values: a number, or a list of as many as it has traits.
absl::StatusOr<std::vector<int>> ParseOption(const Axis& axis, const json::Value& value,
                                             const std::vector<Trait>& traits) {
  const std::vector<json::Value> parts = ToList(value);
  if (parts.size() != axis.traits.size()) {
    return absl::InvalidArgumentError(absl::StrFormat("%s has the value %s; must be a list of %d",
                                                      traits[axis.traits[0]].group, ToText(value),
                                                      axis.traits.size()));
  }
  std::vector<int> numbers;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const Trait& trait = traits[axis.traits[i]];
    const std::string text = ToText(parts[i]);
    const absl::StatusOr<int> number =
        ParseValue(trait, trait.name() == "type" ? OurWord(WordKind::kType, text) : text);
    if (!number.ok()) return number.status();
    numbers.push_back(*number);
  }
  return numbers;
}

/// The traits that a key means: the one of its name, or those of its group.
std::vector<std::size_t> TraitsOfKey(std::string_view key, const std::vector<Trait>& traits) {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < traits.size(); ++i) {
    if (traits[i].name() == key) return {i};
    if (traits[i].group == key) found.push_back(i);
  }
  return found;
}

/// A cross product: an axis for every trait, or group of them.
absl::StatusOr<std::vector<Axis>> ParseAxes(const json::Object& object,
                                            const std::vector<Trait>& traits) {
  std::map<std::size_t, Axis> axes;  // by the first of their traits
  std::set<std::size_t> given;
  for (const auto& [name, value] : object) {
    const std::string key = name.str();
    Axis axis = {.traits = TraitsOfKey(key, traits), .values = {}};
    if (axis.traits.empty()) {
      return absl::InvalidArgumentError(
          absl::StrFormat("traits has the key %s; there is no such "
                          "trait",
                          key));
    }
    for (const std::size_t trait : axis.traits) {
      if (given.insert(trait).second) continue;
      return absl::InvalidArgumentError(
          absl::StrFormat("trait %s is given twice", traits[trait].name()));
    }
    for (const json::Value& each : ToList(value)) {
      absl::StatusOr<std::vector<int>> option = ParseOption(axis, each, traits);
      if (!option.ok()) return option.status();
      axis.values.push_back(*std::move(option));
    }
    axes.emplace(axis.traits[0], std::move(axis));
  }
  for (std::size_t i = 0; i < traits.size(); ++i) {
    if (given.contains(i)) continue;
    if (!traits[i].is_text() && traits[i].fallback < traits[i].least) {
      return absl::InvalidArgumentError(
          absl::StrFormat("trait %s is missing; it has no default", traits[i].name()));
    }
    axes.emplace(i, Axis{.traits = {i}, .values = {{traits[i].fallback}}});
  }
  std::vector<Axis> result;
  for (auto& [first, axis] : axes) result.push_back(std::move(axis));
  return result;
}

/// Calls visit(values) for every combination of the axes' values, the last axis fastest.
void ForEachConfig(const std::vector<Axis>& axes, std::size_t traits, auto&& visit) {
  std::vector<std::size_t> digits(axes.size(), 0);
  ConfigSpace::Values values(traits, 0);
  for (;;) {
    for (std::size_t i = 0; i < axes.size(); ++i) {
      for (std::size_t j = 0; j < axes[i].traits.size(); ++j) {
        values[axes[i].traits[j]] = axes[i].values[digits[i]][j];
      }
    }
    visit(values);
    std::size_t i = axes.size();
    while (i > 0 && ++digits[i - 1] == axes[i - 1].values.size()) digits[--i] = 0;
    if (i == 0) return;
  }
}

/// The number of combinations, or max + 1 if there are more than `max`.
std::int64_t Product(const std::vector<Axis>& axes, std::int64_t max) {
  std::int64_t product = 1;
  for (const Axis& axis : axes) {
    product = std::min(product * static_cast<std::int64_t>(axis.values.size()), max + 1);
  }
  return product;
}

absl::StatusOr<std::vector<Direction>> ParseDirections(const json::Value* value) {
  std::vector<Direction> directions;
  if (value == nullptr) return std::vector(std::begin(kAllDirections), std::end(kAllDirections));
  for (const json::Value& each : ToList(*value)) {
    const std::optional<Direction> direction =
        ParseDirection(OurWord(WordKind::kDirection, ToText(each)));
    if (!direction) {
      return absl::InvalidArgumentError(
          absl::StrFormat("direction is %s; must be fwd, bwd_data or bwd_weight", ToText(each)));
    }
    directions.push_back(*direction);
  }
  return directions;
}

/// What one object of the file adds.
class Builder {
 public:
  Builder(Gfx gfx, std::string_view filter, std::int64_t max_configs)
      : gfx_(gfx), filter_(filter), max_configs_(max_configs) {}

  absl::Status Add(const json::Object& object) {
    if (!IsTileEngineFile(object)) return AddProduct(object);
    const absl::StatusOr<TileEngineTraits> traits = ReadTileEngineFile(object, gfx_);
    if (!traits.ok()) return traits.status();
    for (const std::string& pipeline : traits->unknown) {
      ++refused_[absl::StrFormat("there is no schedule like the pipeline %s", pipeline)];
    }
    for (const json::Object& product : traits->products) {
      if (absl::Status status = AddProduct(product); !status.ok()) return status;
    }
    return absl::OkStatus();
  }

  /// What a filter names that no object has is a mistake.
  absl::StatusOr<Built> Finish() && {
    if (!filtered_ && !lacking_.ok()) return absl::InvalidArgumentError(lacking_.message());
    built_.refused.assign(refused_.begin(), refused_.end());
    std::stable_sort(built_.refused.begin(), built_.refused.end(),
                     [](const auto& a, const auto& b) { return a.second > b.second; });
    return std::move(built_);
  }

 private:
  absl::Status AddProduct(const json::Object& object) {
    for (const auto& [name, value] : object) {
      const std::string key = name.str();
      if (key == "family" || key == "direction" || key == "traits") continue;
      return absl::InvalidArgumentError(
          absl::StrFormat("the key %s is none of family, direction, traits", key));
    }
    const absl::StatusOr<const ConfigSpace*> space =
        FindConfigSpace(object.getString("family").value_or("").str());
    if (!space.ok()) return space.status();
    const absl::StatusOr<std::vector<Direction>> directions =
        ParseDirections(object.get("direction"));
    if (!directions.ok()) return directions.status();
    const json::Object* const traits = object.getObject("traits");
    if (traits == nullptr) return absl::InvalidArgumentError("the key traits is missing");
    const absl::StatusOr<std::vector<Axis>> axes = ParseAxes(*traits, (*space)->traits());
    if (!axes.ok()) return axes.status();
    const std::int64_t product = Product(*axes, max_configs_);
    if (product > max_configs_) {
      return absl::InvalidArgumentError(
          absl::StrFormat("the traits have more than %d combinations", max_configs_));
    }
    absl::StatusOr<Filter> filter = [](const ConfigSpace::Values&) { return true; };
    if (!filter_.empty() && product > 0) filter = ParseFilter(filter_, (*space)->traits());
    if (absl::IsNotFound(filter.status())) {  // a condition on what these do not have: on no part
      lacking_ = filter.status();
      built_.configs += product * static_cast<std::int64_t>(directions->size());
      return absl::OkStatus();
    }
    if (!filter.ok()) return filter.status();
    filtered_ = true;
    for (const Direction direction : *directions) {
      if (product == 0) continue;  // an empty list
      ForEachConfig(*axes, (*space)->traits().size(), [&](const ConfigSpace::Values& values) {
        ++built_.configs;
        if ((*filter)(values)) Keep(**space, values, direction);
      });
    }
    return absl::OkStatus();
  }

  void Keep(const ConfigSpace& space, const ConfigSpace::Values& values, Direction direction) {
    ++built_.filtered;
    if (const absl::Status status = space.Check(values, direction, gfx_); !status.ok()) {
      ++refused_[std::string(status.message())];
      return;
    }
    BuiltInstance instance = {std::string(space.family()), direction,
                              space.NameOf(values, direction)};
    const auto key = std::tuple(instance.family, direction, instance.name);
    if (known_.insert(key).second) built_.instances.push_back(std::move(instance));
  }

  const Gfx gfx_;
  const std::string_view filter_;
  const std::int64_t max_configs_;
  bool filtered_ = false;  // whether some object was filtered
  absl::Status lacking_;   // what another one lacks
  Built built_;
  std::map<std::string, std::int64_t> refused_;
  std::set<std::tuple<std::string, Direction, std::string>> known_;
};

}  // namespace

absl::StatusOr<Built> BuildInstances(std::string_view text, Gfx gfx, std::string_view filter,
                                     std::int64_t max_configs) {
  const absl::StatusOr<json::Value> value = ParseJson(text);
  if (!value.ok()) return value.status();
  Builder builder(gfx, filter, max_configs);
  for (const json::Value& each : ToList(*value)) {
    const json::Object* const object = each.getAsObject();
    if (object == nullptr) return absl::InvalidArgumentError("the traits are no JSON object");
    if (absl::Status status = builder.Add(*object); !status.ok()) return status;
  }
  return std::move(builder).Finish();
}

std::string PrintInstances(const std::vector<BuiltInstance>& instances, Gfx gfx) {
  // An instance is a line, so that files are compared line by line.
  std::string text = absl::StrFormat("{\"version\": \"%s\", \"target\": \"%s\", \"instances\": [",
                                     kVersion, Name(gfx));
  for (std::size_t i = 0; i < instances.size(); ++i) {
    absl::StrAppendFormat(
        &text, "%s\n  {\"family\": \"%s\", \"direction\": \"%s\", \"name\": \"%s\"}",
        i == 0 ? "" : ",", instances[i].family, Name(instances[i].direction), instances[i].name);
  }
  return absl::StrCat(text, "\n]}\n");
}

absl::StatusOr<std::pair<Gfx, std::vector<BuiltInstance>>> ParseInstances(std::string_view text) {
  const absl::StatusOr<json::Value> value = ParseJson(text);
  if (!value.ok()) return value.status();
  const json::Object* const object = value->getAsObject();
  const json::Array* const array = object == nullptr ? nullptr : object->getArray("instances");
  if (array == nullptr)
    return absl::InvalidArgumentError("the key instances, an array, is missing");
  const std::string target = object->getString("target").value_or("").str();
  const std::optional<Gfx> gfx = ParseGfx(target);
  if (!gfx) {
    return absl::InvalidArgumentError(absl::StrFormat("target is %s; there is none such", target));
  }
  std::vector<BuiltInstance> instances;
  for (const json::Value& each : *array) {
    const json::Object* const instance = each.getAsObject();
    const std::optional<Direction> direction =
        instance == nullptr ? std::nullopt
                            : ParseDirection(instance->getString("direction").value_or("").str());
    if (!direction || !instance->getString("family") || !instance->getString("name")) {
      return absl::InvalidArgumentError(
          absl::StrFormat("instance %d has no family, direction and name", instances.size()));
    }
    instances.push_back(
        {instance->getString("family")->str(), *direction, instance->getString("name")->str()});
  }
  return std::pair(*gfx, std::move(instances));
}

}  // namespace gridwise
