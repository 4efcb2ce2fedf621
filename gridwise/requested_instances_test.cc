// SPDX-License-Identifier: MIT
// Instances that are built in because others have them, and that plans take on request alone.

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "core/arch/target.h"
#include "core/base/types.h"
#include "core/conv/problem.h"
#include "core/launch/instance_shape.h"
#include "core/planning/family.h"
#include "gmock/gmock.h"
#include "gridwise/conv.h"
#include "gridwise/instances.h"
#include "gtest/gtest.h"

namespace gridwise {
namespace {

using ::testing::Contains;
using ::testing::IsEmpty;
using ::testing::Not;

ConvProblem Square(Direction direction, std::int64_t filter) {
  const Dim dim = {.in = 16, .filter = filter, .pad_begin = filter / 2, .pad_end = filter / 2};
  return {.direction = direction, .batch = 8, .c = 256, .k = 256, .dims = {Dim{}, dim, dim}};
}

/// The requested instances of f16 that compute a problem.
std::vector<std::string> Requested(const ConvProblem& problem, Gfx gfx) {
  std::vector<std::string> names;
  for (const InstanceExplanation& explanation : ExplainInstances(problem, gfx)) {
    if (!explanation.reason && explanation.ranked_cycles == kNotRanked)
      names.push_back(explanation.instance);
  }
  return names;
}

std::vector<std::string> Ranked(const ConvProblem& problem, Gfx gfx, const PlanOptions& options) {
  const absl::StatusOr<std::vector<Plan>> plans = RankPlans(problem, gfx, /*n=*/1000, options);
  EXPECT_TRUE(plans.ok()) << plans.status();
  std::vector<std::string> names;
  for (const Plan& plan : *plans) names.push_back(plan.instance());
  return names;
}

TEST(RequestedInstances, ArePassedOverUnlessTheyOrTheirOpAreNamed) {
  for (const std::int64_t filter : {1, 3}) {
    const ConvProblem problem = Square(Direction::kBackwardWeight, filter);
    for (const Gfx gfx : {Gfx::k90a, Gfx::k942, Gfx::k950}) {
      const std::vector<std::string> requested = Requested(problem, gfx);
      ASSERT_THAT(requested, Not(IsEmpty())) << Name(gfx);
      const std::vector<std::string> plain = Ranked(problem, gfx, {});
      const std::vector<std::string> of_family = Ranked(problem, gfx, {.family = "ck"});
      const std::vector<std::string> of_op = Ranked(problem, gfx, {.op = "wavelet"});
      for (const std::string& instance : requested) {
        EXPECT_THAT(plain, Not(Contains(instance)));
        EXPECT_THAT(of_family, Not(Contains(instance)));
        EXPECT_THAT(of_op, Contains(instance));
        EXPECT_THAT(Ranked(problem, gfx, {.instance = instance}), Contains(instance));
      }
    }
  }
  const ConvProblem data = Square(Direction::kBackwardData, 3);
  const std::vector<std::string> requested = Requested(data, Gfx::k950);
  ASSERT_EQ(requested.size(), 1u);
  EXPECT_THAT(Ranked(data, Gfx::k950, {}), Not(Contains(requested[0])));
  EXPECT_THAT(Ranked(data, Gfx::k950, {.instance = requested[0]}), Contains(requested[0]));
}

// What is published (ROCm/rocm-libraries#5652, "Instance coverage"): each for 2-D and for 1x1 with
// stride 1 and without padding, some for 3-D, with loads of several elements.
struct Published {
  int load_waves, math_waves;
  int tile_m, tile_n;
  bool is_3d;
};
constexpr Published kWavelet[] = {
    {4, 4, 128, 128, true}, {4, 4, 64, 64, true},   {4, 4, 128, 64, true}, {4, 4, 64, 128, true},
    {4, 2, 64, 64, false},  {4, 2, 128, 64, false}, {4, 2, 64, 128, false}};

/// Instances of the op whose B is found so: "even", "check2-", "check3-".
int CountInstances(const Published& published, DataType type, Gfx gfx, std::string_view walk) {
  const std::vector<InstanceInfo> instances = ListInstances();
  return static_cast<int>(std::ranges::count_if(instances, [&](const InstanceInfo& instance) {
    const InstanceShape& shape = instance.shape;
    return instance.op == "wavelet" && instance.gfx == gfx && instance.type == type &&
           shape.load_waves == published.load_waves && shape.waves == published.math_waves &&
           shape.tile_m == published.tile_m && shape.tile_n == published.tile_n &&
           shape.vector_b > 1 && absl::StrContains(instance.name, absl::StrCat("_b", walk));
  }));
}

TEST(PublishedInstances, OfClassicWaveletAreAllThere) {
  for (const Gfx gfx : {Gfx::k90a, Gfx::k942, Gfx::k950}) {
    for (const DataType type : {DataType::kF16, DataType::kBF16}) {
      for (const Published& published : kWavelet) {
        SCOPED_TRACE(absl::StrCat(Name(gfx), " ", Name(type), " (", published.load_waves, ", ",
                                  published.math_waves, ") ", published.tile_m, "x",
                                  published.tile_n));
        EXPECT_GE(CountInstances(published, type, gfx, "check2-"), 1);
        EXPECT_GE(CountInstances(published, type, gfx, "even"), 1);
        if (published.is_3d) EXPECT_GE(CountInstances(published, type, gfx, "check3-"), 1);
      }
    }
  }
}

TEST(PublishedInstances, OfTheOpWaveletHaveWavesThatOnlyLoad) {
  int instances = 0;
  for (const InstanceInfo& instance : ListInstances()) {
    if (instance.op != "wavelet") continue;
    ++instances;
    EXPECT_GT(instance.shape.load_waves, 0) << instance.name;
  }
  EXPECT_GT(instances, 60);
}

// ROCm/rocm-libraries#8220: seven a type, among them 256/128/64, one with loads of 4 channels and
// one that merges 32 groups.
TEST(PublishedInstances, OfTileWaveletAreAllThere) {
  for (const DataType type : {DataType::kF16, DataType::kBF16}) {
    int all = 0, big = 0, of_4 = 0, merged = 0;
    for (const InstanceInfo& instance : ListInstances()) {
      if (instance.family != "tile" || instance.direction != Direction::kBackwardData ||
          instance.gfx != Gfx::k950 || instance.type != type || instance.shape.load_waves == 0) {
        continue;
      }
      const InstanceShape& shape = instance.shape;
      ++all;
      big += shape.tile_m == 256 && shape.tile_n == 128 && shape.tile_k == 64;
      of_4 += shape.vector_a == 4;
      merged += shape.merged_groups == 32;
    }
    EXPECT_GE(all, 7) << Name(type);
    EXPECT_EQ(big, 1) << Name(type);
    EXPECT_GE(of_4, 1) << Name(type);
    EXPECT_GE(merged, 1) << Name(type);
  }
}

}  // namespace
}  // namespace gridwise
