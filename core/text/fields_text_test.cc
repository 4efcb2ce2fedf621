// SPDX-License-Identifier: MIT
#include "core/text/fields_text.h"

#include <iterator>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/fields.h"
#include "core/base/types.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace gridwise {
namespace {

enum class Schedule { kDirect, kDirectToLds };
constexpr const char* Name(Schedule schedule) {
  switch (schedule) {
    case Schedule::kDirect:
      return "direct";
    case Schedule::kDirectToLds:
      return "direct_to_lds";
  }
  return "?";
}

struct Extent {
  int m = 1, n = 1, k = 1;
  static constexpr void Fields(auto& self, auto&& visit) {
    auto& [m, n, k] = self;
    visit("", m);
    visit("", n);
    visit("", k);
  }
  bool operator==(const Extent&) const = default;
};

struct Config {
  DataType type = DataType::kF16;
  Extent tile;
  Extent mma = {.m = 32, .n = 32, .k = 8};
  Schedule schedule = Schedule::kDirect;
  signed char offset = 0;
  bool swizzle = false;
  static constexpr void Fields(auto& self, auto&& visit) {
    auto& [type, tile, mma, schedule, offset, swizzle] = self;
    visit("", type);
    visit("t", tile);
    visit("mma", mma);
    visit("", schedule);
    visit("o", offset);
    visit("s", swizzle);
  }
  bool operator==(const Config&) const = default;
};

constexpr Config kExample = {.type = DataType::kBF16,
                             .tile = {.m = 256, .n = 128, .k = 32},
                             .schedule = Schedule::kDirectToLds,
                             .offset = -3,
                             .swizzle = true};
constexpr std::string_view kExampleName = "bf16_t256x128x32_mma32x32x8_direct_to_lds_o-3_s1";

/// A config is a value that a kernel is a template of; visiting it is a constant expression.
template <Config kC>
constexpr int CountFields() {
  int count = 0;
  ForEachField(kC, [&](const char*, const auto&) { ++count; });
  return count;
}
static_assert(CountFields<kExample>() == 6);
static_assert(HasFields<Config> && HasFields<const Extent> && !HasFields<int>);

TEST(ForEachField, LetsFieldsBeChanged) {
  Extent extent;
  ForEachField(extent, [value = 3](const char*, int& field) mutable { field = value++; });
  EXPECT_EQ(extent, (Extent{3, 4, 5}));
}

TEST(PrintFields, ShowsEveryFieldAfterItsTag) {
  EXPECT_EQ(PrintFields(kExample), kExampleName);
  EXPECT_EQ(PrintFields(Config{}), "f16_t1x1x1_mma32x32x8_direct_o0_s0");
}

struct Route {
  Schedule schedule = Schedule::kDirectToLds;
  int lanes = 16, bytes = 4;
  static constexpr void Fields(auto& self, auto&& visit) {
    auto& [schedule, lanes, bytes] = self;
    visit("", schedule);
    visit("", lanes);
    visit("", bytes);
  }
  bool operator==(const Route&) const = default;
};
struct Copy {
  Route route;
  static constexpr void Fields(auto& self, auto&& visit) {
    auto& [route] = self;
    visit("r", route);
  }
  bool operator==(const Copy&) const = default;
};

TEST(PrintFields, NumbersOfANestedStructFollowItsEnumeratorDirectly) {
  EXPECT_EQ(PrintFields(Copy{}), "rdirect_to_lds16x4");
  const auto parsed = ParseFields<Copy>("rdirect8x2");
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  EXPECT_EQ(parsed->route, (Route{Schedule::kDirect, 8, 2}));
}

TEST(ParseFields, InvertsPrinting) {
  const auto parsed = ParseFields<Config>(kExampleName);
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  EXPECT_EQ(*parsed, kExample);

  std::mt19937 random(1);
  const auto pick = [&](int below) {
    return static_cast<int>(random() % static_cast<unsigned>(below));
  };
  std::set<std::string> names;
  for (int i = 0; i < 2000; ++i) {
    const Config config = {.type = kAllDataTypes[pick(static_cast<int>(std::size(kAllDataTypes)))],
                           .tile = {pick(300), pick(300), pick(300)},
                           .mma = {pick(3), pick(3), pick(3)},
                           .schedule = static_cast<Schedule>(pick(2)),
                           .offset = static_cast<signed char>(pick(256) - 128),
                           .swizzle = pick(2) == 1};
    const auto again = ParseFields<Config>(PrintFields(config));
    ASSERT_TRUE(again.ok()) << again.status();
    ASSERT_EQ(*again, config);
    names.insert(PrintFields(config));
  }
  EXPECT_GT(names.size(), 1990u) << "different values have different names";
}

struct Optional {
  Schedule schedule = Schedule::kDirect;
  int count = 1;
  static constexpr bool kOmitDefault = true;
  static constexpr void Fields(auto& self, auto&& visit) {
    auto& [schedule, count] = self;
    visit("", schedule);
    visit("", count);
  }
  bool operator==(const Optional&) const = default;
};
struct WithOptional {
  Optional first = {};
  int k = 0;
  Optional last = {};
  static constexpr void Fields(auto& self, auto&& visit) {
    auto& [first, k, last] = self;
    visit("f", first);
    visit("k", k);
    visit("", last);
  }
  bool operator==(const WithOptional&) const = default;
};

TEST(PrintFields, OptionalFieldsAreLeftOutWhereTheyHaveTheirDefault) {
  const struct {
    WithOptional value;
    std::string_view name;
  } kCases[] = {{{.k = 3}, "k3"},
                {{.first = {.count = 2}, .k = 3}, "fdirect2_k3"},
                {{.k = 3, .last = {Schedule::kDirectToLds, 1}}, "k3_direct_to_lds1"},
                {{.first = {.count = 2}, .k = 3, .last = {.count = 4}}, "fdirect2_k3_direct4"}};
  for (const auto& [value, name] : kCases) {
    EXPECT_EQ(PrintFields(value), name);
    const absl::StatusOr<WithOptional> parsed = ParseFields<WithOptional>(name);
    ASSERT_TRUE(parsed.ok()) << parsed.status();
    EXPECT_EQ(*parsed, value);
  }
  EXPECT_FALSE(ParseFields<WithOptional>("k3_direct1").ok());  // the default, spelled out
  EXPECT_FALSE(ParseFields<WithOptional>("k3_direct").ok());
  EXPECT_FALSE(ParseFields<WithOptional>("k3_").ok());
}

TEST(ParseFields, ErrorsNameTheTextThePlaceAndTheRule) {
  struct Case {
    std::string_view text, message;
  };
  const std::vector<Case> cases = {
      {"", "name \"\" has \"\" at character 0; must have one of f16, bf16, f32, "},
      {"f64_t1x1x1", "has \"f64_t1x1x1\" at character 0; must have one of f16, bf16, f32, "},
      {"f16", "has \"\" at character 3; must have \"_\" there"},
      {"f16_q1", "has \"q1\" at character 4; must have \"t\" there"},
      {"f16_t1x1_", "has \"_\" at character 8; must have \"x\" there"},
      {"f16_tx", "has \"x\" at character 5; must have an integer from -2147483648 to 2147483647"},
      {"f16_t99999999999x1", "has \"99999999999x1\" at character 5; must have an integer from"},
      {"f16_t1x1x1_mma1x1x1_odd",
       "has \"odd\" at character 20; must have one of direct, direct_to"},
      {"f16_t1x1x1_mma1x1x1_direct_o200_s1", "must have an integer from -128 to 127 there"},
      {"f16_t1x1x1_mma1x1x1_direct_o0_s2", "must have an integer from 0 to 1 there"},
      {"f16_t1x1x1_mma1x1x1_direct_o0_s1_", "has \"_\" at character 32; must have its end there"},
      {"f16_t01x1x1_mma1x1x1_direct_o0_s1",
       "name \"f16_t01x1x1_mma1x1x1_direct_o0_s1\" must be spelled "
       "\"f16_t1x1x1_mma1x1x1_direct_o0_s1\""},
  };
  for (const Case& c : cases) {
    EXPECT_THAT(ParseFields<Config>(c.text).status().message(), ::testing::HasSubstr(c.message));
  }
}

}  // namespace
}  // namespace gridwise
