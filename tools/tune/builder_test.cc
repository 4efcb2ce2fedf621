// SPDX-License-Identifier: MIT
/// Configs as lists of numbers, conditions on them, and instances from files of traits.

#include "tools/tune/builder.h"

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "core/planning/family.h"
#include "gmock/gmock.h"
#include "gridwise/families.h"
#include "gtest/gtest.h"
#include "tools/text/read_file.h"
#include "tools/tune/config_space.h"
#include "tools/tune/filter.h"

namespace gridwise {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

const ConfigSpace& FindSpace(std::string_view family) { return **FindConfigSpace(family); }

TEST(ConfigSpace, HasEveryInstanceThatIsBuiltIn) {
  int instances = 0;
  for (const KernelFamily* family : Families()) {
    const ConfigSpace& space = FindSpace(family->name());
    for (const Gfx gfx : kAmdGfx) {
      for (const Direction direction : kAllDirections) {
        for (const InstanceInfo& instance : family->Instances(direction, gfx)) {
          const absl::StatusOr<ConfigSpace::Values> values = space.Parse(instance.name, direction);
          ASSERT_TRUE(values.ok()) << values.status();
          EXPECT_EQ(values->size(), space.traits().size());
          EXPECT_EQ(space.NameOf(*values, direction), instance.name);
          EXPECT_TRUE(space.Check(*values, direction, gfx).ok())
              << instance.name << ": " << space.Check(*values, direction, gfx);
          EXPECT_EQ(space.MakeKernel(*values, direction, gfx, {})->name(), instance.name);
          ++instances;
        }
      }
    }
  }
  EXPECT_GT(instances, 400);
}

// Some of what it divides by is zero, or too large, unless limits are checked before.
TEST(ConfigSpace, AnyNumbersAreChecked) {
  std::mt19937 random(1);
  const int interesting[] = {-1, 0, 1, 2, 3, 4, 8, 16, 17, 32, 64, 128, 256, 4096, 5000};
  int accepted = 0;
  for (const ConfigSpace* space : ConfigSpaces()) {
    for (int i = 0; i < 20000; ++i) {
      ConfigSpace::Values values;
      for (const Trait& trait : space->traits()) {
        values.push_back(trait.is_text() ? static_cast<int>(random() % trait.enumerators.size())
                                         : interesting[random() % std::size(interesting)]);
      }
      const Direction direction = kAllDirections[random() % 3];
      accepted +=
          space->Check(values, direction, kAllGfx[random() % std::size(kAllGfx)]).ok() ? 1 : 0;
    }
  }
  EXPECT_LT(accepted, 80000);
}

TEST(ConfigSpace, SourceIsALineOfInstances) {
  const ConfigSpace& tile = FindSpace("tile");
  const ConfigSpace::Values values =
      tile.Parse("f16_t64x16x32_w4x1_mfma16x16x16_a8x1_b8x1_o4_double4", Direction::kForward)
          .value();
  EXPECT_THAT(
      tile.Source(values, Direction::kForward),
      HasSubstr("\nFORWARD(.type = Number{0}, .tile = {Number{64}, Number{16}, Number{32}}, "
                ".waves = {Number{4}, Number{1}}, "));
  EXPECT_EQ(tile.Symbol(), "gridwise_tile_requested");
}

/// An instance of the family that is built in, as a line of source.
std::string SourceOfSome(const std::string& family, Direction direction, Gfx gfx) {
  for (const KernelFamily* each : Families()) {
    if (each->name() != family) continue;
    for (const InstanceInfo& instance : each->Instances(direction, gfx)) {
      const auto values = FindSpace(family).Parse(instance.name, direction);
      if (values.ok()) return FindSpace(family).Source(*values, direction);
    }
  }
  return "";
}

// Lists have fields that no space of the family knows only in lines of other macros.
TEST(ConfigSpace, FieldsOfSourcesAreThoseOfLists) {
  int fields = 0;
  for (const auto& [family, gfx] : {std::pair<std::string, Gfx>("tile", Gfx::k942),
                                    {"direct", Gfx::k942},
                                    {"ck", Gfx::k942},
                                    {"hopper", Gfx::kSm90a}}) {
    const std::string list =
        ReadFile(absl::StrCat("instances/", family, "/", std::string(Name(gfx)), "_instances.inc"))
            .value();
    for (const Direction direction : kAllDirections) {
      const std::string source = SourceOfSome(family, direction, gfx);
      ASSERT_FALSE(source.empty()) << family << " " << Name(direction);
      const std::string_view line_of_source =
          std::string_view(source).substr(source.rfind('\n', source.size() - 2) + 1);
      const std::string_view macro = line_of_source.substr(0, line_of_source.find('(') + 1);
      for (std::string_view line : absl::StrSplit(list, '\n')) {
        if (!absl::StartsWith(line, macro)) continue;
        for (const std::string_view part : absl::StrSplit(line, " = ")) {
          const std::size_t dot = part.rfind('.');
          if (dot == std::string_view::npos || part.find_first_of(" ,)", dot) != part.npos)
            continue;
          EXPECT_THAT(source, HasSubstr(absl::StrCat(part.substr(dot), " = "))) << line;
          ++fields;
        }
      }
    }
  }
  EXPECT_GT(fields, 1000);
}

bool Holds(std::string_view filter, std::string_view name) {
  const ConfigSpace& tile = FindSpace("tile");
  const absl::StatusOr<Filter> parsed = ParseFilter(filter, tile.traits());
  EXPECT_TRUE(parsed.ok()) << parsed.status();
  return (*parsed)(tile.Parse(name, Direction::kForward).value());
}

TEST(Filter, SaysWhatItSays) {
  constexpr char kRow[] = "f16_t64x16x32_w4x1_mfma16x16x16_a8x1_b8x1_o4_wavelet2";
  for (const char* filter : {"tile_n >= 16",
                             "tile_n >= 16 and schedule == 'wavelet'",
                             "not tile_n > 16",
                             "type == \"f16\" or occupancy == 7",
                             "tile_m * tile_n == 1024 and tile_m - 2 * 16 == 32",
                             "(tile_m < 8 or tile_k != 8) and pipeline_count % 2 == 0",
                             "tile_m / 0 == 0",
                             "(0 - 9223372036854775807 - 1) / (0 - 1) < 0",
                             "(0 - 9223372036854775807 - 1) % (0 - 1) == 0",
                             "not (type == 'f32' or tile_m * tile_n > 64 * 64)",
                             "groups == 1",
                             "unit == 'mfma'",
                             "occupancy",
                             "tile_m - 32 - 32 == 0",
                             "c.tile_n >= 16 and c.pipeline == 'wavelet'",
                             "pipeline != 'compv3'",
                             "c.scheduler == 'interwave'",
                             "c.wave_m == 4 and wave_n == 1",
                             "c.dtype == 'fp16'",
                             "tile_m in [32, 64]",
                             "tile_m not in (32, 2 * 64)",
                             "c.pipeline in ['compv3', \"wavelet\"] and type in ('f16')",
                             "tile_n > 16 || tile_m == 64 && not tile_m in [16]",
                             "c.num_groups_to_merge == 1 and c.warp_tile_k == 16"}) {
    EXPECT_TRUE(Holds(filter, kRow)) << filter;
    EXPECT_FALSE(Holds(absl::StrCat("not (", filter, ")"), kRow)) << filter;
  }
}

TEST(Filter, ErrorsSayWhere) {
  const auto error = [](std::string_view filter) {
    return std::string(ParseFilter(filter, FindSpace("tile").traits()).status().message());
  };
  EXPECT_THAT(error("speed > 3"),
              HasSubstr("has \"speed > 3\" at character 0; must have a number"));
  EXPECT_THAT(error("tile_m >"), HasSubstr("at character 8"));
  EXPECT_THAT(error("type > 3"), HasSubstr("two numbers or two texts"));
  EXPECT_THAT(error("type"), HasSubstr("a condition, not a text"));
  EXPECT_THAT(error("type and 1"), HasSubstr("not a text"));
  EXPECT_THAT(error("(tile_m > 3"), HasSubstr("must have \")\""));
  EXPECT_THAT(error("tile_m > 3 tile_n"), HasSubstr("its end or an operator"));
  EXPECT_THAT(error("type == 'f16"), HasSubstr("a text that is closed"));
  EXPECT_THAT(error("m > 3"), HasSubstr("one of type, tile_m")) << "which m?";
  EXPECT_THAT(error("c.speed > 3"), HasSubstr("has \"speed > 3\" at character 2"));
  EXPECT_THAT(error("tile_m in 64"), HasSubstr("must have \"[\" or \"(\" there"));
  EXPECT_THAT(error("tile_m in [64"), HasSubstr("at character 13; must have \",\" or \"]\""));
  EXPECT_THAT(error("tile_m in []"), HasSubstr("at character 11"));
  EXPECT_THAT(error("tile_m in ['f16']"), HasSubstr("two numbers or two texts"));
  EXPECT_THAT(error("tile_m not [64]"), HasSubstr("must have \"in\""));
  EXPECT_THAT(error("c > 3"), HasSubstr("has \"c > 3\" at character 0"));
}

TEST(Filter, HasLimits) {
  const auto nested = [](int levels) {
    return absl::StrCat(std::string(levels, '('), "tile_m > 3", std::string(levels, ')'));
  };
  EXPECT_TRUE(ParseFilter(nested(100), FindSpace("tile").traits()).ok());
  EXPECT_THAT(ParseFilter(nested(101), FindSpace("tile").traits()).status().message(),
              HasSubstr("at character 101; must have at most 100 levels of parentheses there"));
  std::string sum = "1";
  while (sum.size() < 4095) sum += "+1";
  const absl::StatusOr<Filter> parsed = ParseFilter(sum, FindSpace("tile").traits());
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  EXPECT_TRUE((*parsed)({}));
  EXPECT_EQ(ParseFilter(sum + "+1", FindSpace("tile").traits()).status().message(),
            "the filter has 4097 characters; at most 4096 are read");
}

TEST(Filter, NamesTheSchedulesAsTheTileEngineDoes) {
  for (const auto& [pipeline, suffix] : {std::pair("compv3", ""),
                                         {"compv4", "_double1"},
                                         {"compv5", "_double2"},
                                         {"mem", "_double4"},
                                         {"mem", "_single2"},
                                         {"comp_async", "_direct3"},
                                         {"wavelet", "_wavelet3"}}) {
    EXPECT_TRUE(Holds(absl::StrCat("c.pipeline == '", pipeline, "'"),
                      absl::StrCat("f16_t64x16x32_w4x1_mfma16x16x16_a8x1_b8x1_o4", suffix)))
        << pipeline;
  }
}

constexpr char kTraits[] = R"({"family": "tile", "direction": "fwd", "traits": {
  "type": ["f16", "f32"], "tile": [[64, 64, 32], [128, 128, 32]], "waves_m": 2, "waves_n": [1, 2],
  "mma": [["mfma", 32, 32, 8]], "patch_a": [[8, 1]], "patch_b": [[8, 1]], "occupancy": [2, 3],
  "pipeline": [["single", 1], ["single", 3]]}})";

TEST(Builder, ConfigsAreKeptOrCounted) {
  const absl::StatusOr<Built> built = BuildInstances(kTraits, Gfx::k942, "occupancy == 2");
  ASSERT_TRUE(built.ok()) << built.status();
  EXPECT_EQ(built->configs, 2 * 2 * 2 * 2 * 2);
  EXPECT_EQ(built->filtered, 16);
  EXPECT_EQ(built->instances.size(), 4u);
  EXPECT_EQ(built->instances[0], (BuiltInstance{"tile", Direction::kForward,
                                                "f16_t64x64x32_w2x1_mfma32x32x8_a8x1_b8x1_o2"}));
  ASSERT_EQ(built->refused.size(), 2u);
  EXPECT_EQ(built->refused[0].first, "the target has no such mma for the type");
  EXPECT_EQ(built->refused[0].second, 8);
  EXPECT_EQ(built->refused[1].first, "with one LDS buffer, 1 or 2 k tiles are in flight");
  EXPECT_EQ(built->refused[1].second, 4);
}

// Its name would say what its schedule is not.
TEST(Builder, WaveletIsNoOtherSchedule) {
  constexpr char kBoth[] = R"({"family": "ck", "direction": "bwd_weight", "traits": {
      "op": ["wavelet", "cshuffle_v3"], "type": "f16", "tile": [[64, 64, 32]], "waves": [[2, 2]],
      "mma": [["mfma", 32, 32, 16]], "a": [["even", 1, 8]], "b": [["check2", 1, 8]],
      "occupancy": 4, "pipeline": [["single", 1], ["double", 2], ["wavelet", 4]]}})";
  const absl::StatusOr<Built> built = BuildInstances(kBoth, Gfx::k950, "");
  ASSERT_TRUE(built.ok()) << built.status();
  EXPECT_EQ(built->instances.size(), 4u);
  ASSERT_EQ(built->refused.size(), 1u);
  EXPECT_EQ(built->refused[0].first,
            "the op is wavelet and its schedule is another one: no waves would only load");
  EXPECT_EQ(built->refused[0].second, 2);
}

TEST(Builder, ExamplesHaveInstancesForEveryTarget) {
  for (const char* direction : {"fwd", "bwd_data", "bwd_weight"}) {
    const std::string json =
        ReadFile(absl::StrCat("tools/tune/examples/", direction, ".json")).value();
    for (const Gfx gfx : kAmdGfx) {
      const absl::StatusOr<Built> built = BuildInstances(json, gfx, "");
      ASSERT_TRUE(built.ok()) << built.status();
      EXPECT_GT(built->instances.size(), 4u) << direction << " " << Name(gfx);
      std::int64_t refused = 0;
      for (const auto& [reason, count] : built->refused) refused += count;
      EXPECT_EQ(built->configs, built->filtered);
      EXPECT_EQ(built->filtered, refused + static_cast<std::int64_t>(built->instances.size()));
      std::set<std::string> names;
      for (const BuiltInstance& instance : built->instances) {
        EXPECT_EQ(Name(instance.direction), std::string(direction));
        EXPECT_TRUE(names.insert(absl::StrCat(instance.family, " ", instance.name)).second)
            << instance.name;
      }
    }
  }
}

// The second object's family has no tile_n.
TEST(Builder, AConditionSelectsFromTheObjectsThatHaveItsTraits) {
  const std::string both = absl::StrCat("[", kTraits, R"(, {"family": "direct", "direction": "fwd",
      "traits": {"type": "f16", "channels": [1, 2]}}])");
  const absl::StatusOr<Built> tile = BuildInstances(both, Gfx::k942, "c.tile_n >= 128");
  ASSERT_TRUE(tile.ok()) << tile.status();
  EXPECT_EQ(tile->configs, 32 + 2);
  EXPECT_EQ(tile->filtered, 16);
  for (const BuiltInstance& instance : tile->instances) EXPECT_EQ(instance.family, "tile");
  const absl::StatusOr<Built> direct = BuildInstances(both, Gfx::k942, "channels == 1");
  ASSERT_TRUE(direct.ok()) << direct.status();
  EXPECT_EQ(direct->filtered, 1);
  EXPECT_THAT(std::string(BuildInstances(both, Gfx::k942, "tile_o >= 128").status().message()),
              HasSubstr("has \"tile_o >= 128\" at character 0"));
}

constexpr char kTileEngine[] = R"({"variant": "forward", "trait_config": {
  "data_type": {"values": ["bf16"]}, "pipeline": {"values": ["compv3", "compv4", "compv5"]},
  "ndim_spatial": {"values": [2]}}})";

TEST(Builder, ReadsFilesOfTheTileEngine) {
  for (const Gfx gfx : kAmdGfx) {
    const absl::StatusOr<Built> built = BuildInstances(kTileEngine, gfx, "");
    ASSERT_TRUE(built.ok()) << built.status();
    EXPECT_EQ(built->configs, 10 * 3) << "tiles, schedules";
    EXPECT_GE(built->instances.size(), 15u) << Name(gfx);
    for (const BuiltInstance& instance : built->instances) {
      EXPECT_EQ(instance.direction, Direction::kForward);
      EXPECT_THAT(instance.name, ::testing::StartsWith("bf16_t"));
    }
  }
  const absl::StatusOr<Built> some =
      BuildInstances(kTileEngine, Gfx::k950, "c.tile_n >= 128 and c.pipeline == 'compv5'");
  ASSERT_TRUE(some.ok()) << some.status();
  EXPECT_EQ(some->filtered, 3);
  EXPECT_FALSE(some->instances.empty());
  for (const BuiltInstance& instance : some->instances)
    EXPECT_THAT(instance.name, HasSubstr("x128x64_"));
  for (const BuiltInstance& instance : some->instances)
    EXPECT_THAT(instance.name, HasSubstr("_double2"));
}

TEST(Builder, CountsPipelinesThatHaveNoCounterpart) {
  const absl::StatusOr<Built> built = BuildInstances(
      R"({"variant": "bwd-data", "trait_config": {"data_type": {"values": ["fp16", "fp32"]},
          "pipeline": {"values": ["mem", "compv6"]}, "scheduler": {"values": ["interwave"]}}})",
      Gfx::k942, "");
  ASSERT_TRUE(built.ok()) << built.status();
  EXPECT_EQ(built->configs, 2 * 10);
  for (const BuiltInstance& instance : built->instances) {
    EXPECT_EQ(instance.direction, Direction::kBackwardData);
    EXPECT_THAT(instance.name, HasSubstr("_wavelet4"));
  }
  EXPECT_THAT(built->refused, ::testing::Contains(::testing::Pair(
                                  "there is no schedule like the pipeline compv6", 1)));
}

TEST(Builder, InstancesAreReadAsTheyWereWritten) {
  const std::vector<BuiltInstance> instances = BuildInstances(kTraits, Gfx::k942, "")->instances;
  const auto read = ParseInstances(PrintInstances(instances, Gfx::k942));
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->first, Gfx::k942);
  EXPECT_EQ(read->second, instances);
  EXPECT_THAT(ParseInstances(PrintInstances({}, Gfx::k942))->second, IsEmpty());
}

TEST(Builder, ErrorsNameTheKey) {
  const auto error = [](std::string_view json, std::string_view filter = "") {
    return std::string(BuildInstances(json, Gfx::k942, filter).status().message());
  };
  EXPECT_THAT(error("{"), HasSubstr("not JSON"));
  EXPECT_THAT(error("3"), HasSubstr("no JSON object"));
  EXPECT_THAT(error(R"({"family": "fast", "traits": {}})"),
              HasSubstr("family is fast; must be one of tile, direct, ck, hopper"));
  EXPECT_THAT(error(R"({"family": "tile"})"), HasSubstr("the key traits is missing"));
  EXPECT_THAT(error(R"({"family": "tile", "traits": {}, "speed": 1})"), HasSubstr("key speed"));
  EXPECT_THAT(error(R"({"family": "tile", "direction": "up", "traits": {}})"),
              HasSubstr("direction is up"));
  EXPECT_THAT(error(R"({"family": "tile", "traits": {"type": "f16"}})"),
              HasSubstr("trait tile_m is missing"));
  EXPECT_THAT(error(R"({"family": "tile", "traits": {"type": "f17"}})"),
              HasSubstr("type is f17; must be one of f16, bf16"));
  EXPECT_THAT(error(R"({"family": "tile", "traits": {"tile": [[1, 2]]}})"),
              HasSubstr("tile has the value [1,2]; must be a list of 3"));
  EXPECT_THAT(error(R"({"family": "tile", "traits": {"tile": [[1, 2, 3]], "tile_m": 3}})"),
              HasSubstr("is given twice"));
  EXPECT_THAT(error(R"({"family": "tile", "traits": {"size": 3}})"), HasSubstr("the key size"));
  EXPECT_THAT(error(kTraits, "speed > 1"), HasSubstr("filter \"speed > 1\""));
  EXPECT_THAT(error(R"({"variant": "sideways"})"),
              HasSubstr("variant is 'sideways'; must be forward, bwd_data or bwd_weight"));
  EXPECT_THAT(error(R"({"variant": "forward", "traits": {}})"),
              HasSubstr("the key traits is none of variant, trait_config"));
  EXPECT_THAT(error(R"({"variant": "forward", "trait_config": {"speed": {"values": []}}})"),
              HasSubstr("trait_config has the key speed"));
  EXPECT_THAT(error(R"({"variant": "forward", "trait_config": {"pipeline": ["mem"]}})"),
              HasSubstr("the key pipeline without {\"values\": [...]}"));
  EXPECT_THAT(
      error(R"({"variant": "forward", "trait_config": {"data_type": {"values": ["f17"]}}})"),
      HasSubstr("data_type has the value f17"));
}

}  // namespace
}  // namespace gridwise
