// SPDX-License-Identifier: MIT
// Before other headers of device code:
#include "hopper/testing/check_on_host.h"
// and what it checks.
#include <cstdint>

#include "core/conv/problem.h"
#include "core/launch/part_kernel.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "hopper/halo_weight/kernel.h"
#include "hopper/halo_weight/plan.h"
#include "hopper/operands/forms.h"

namespace gridwise::hopper {
namespace {

template <HaloWeightConfig kC = {}>
void CheckHaloWeight(const ConvProblem& problem, int splits, Values values = Values::kFinite) {
  ASSERT_EQ(Why(RejectProblem(kC, problem)), "");
  Check(
      problem, [](const PartRequest& request) { return PlanHalo(kC, request); },
      RunRoles<kC.warpgroups(), HaloWeightRoles<kC>, HaloArgs>, splits, values);
}

TEST(HaloWeight, OfGroupsAndStrides) {
  for (const std::int64_t channels : {1, 2, 8, 16, 32}) {
    const std::int64_t groups = 64 / channels + 1;
    const Direction weight = Direction::kBackwardWeight;
    CheckHaloWeight(Problem(weight,
                            channels == 1   ? 72
                            : channels == 2 ? 36
                                            : groups,
                            channels, channels, Axis(7), Axis(10)),
                    1);
    CheckHaloWeight(Problem(weight, 128 / channels, channels, channels, Axis(9, 2), Axis(8, 2)), 3);
  }
}

TEST(HaloWeight, OfOneGroup) {
  constexpr Direction kWeight = Direction::kBackwardWeight;
  CheckHaloWeight(Problem(kWeight, 1, 72, 40, Axis(7), Axis(10)), 2);
  CheckHaloWeight(Problem(kWeight, 1, 40, 136, Axis(9, 2), Axis(8, 2)), 1);
}

TEST(HaloWeight, MergesTaps) {
  constexpr HaloWeightConfig kMerged = {.merges_taps = true};
  constexpr Direction kWeight = Direction::kBackwardWeight;
  CheckHaloWeight<kMerged>(Problem(kWeight, 3, 32, 32, Axis(7), Axis(10)), 1);
  CheckHaloWeight<kMerged>(Problem(kWeight, 1, 72, 40, Axis(9, 2), Axis(10)), 2);
  CheckHaloWeight<kMerged>(Problem(kWeight, 1, 64, 64, Axis(5), Axis(19)), 2);
  Dim dilated = Axis(9);
  dilated.dilation = 2;
  CheckHaloWeight<kMerged>(Problem(kWeight, 2, 16, 16, Axis(9), dilated), 1);
}

TEST(HaloWeight, AnInfinityReachesItsTaps) {
  CheckHaloWeight(Problem(Direction::kBackwardWeight, 8, 8, 8, Axis(9), Axis(9)), 1,
                  Values::kInfinity);
}

TEST(HaloWeight, OfGroupsApart) {
  const auto check = [](std::int64_t groups, std::int64_t c, std::int64_t k, Dim height, Dim width,
                        int splits, Values values = Values::kFinite) {
    const ConvProblem problem = Problem(Direction::kBackwardWeight, groups, c, k, height, width);
    CheckHaloWeight(WithPixels(SpacedGroups(), problem), splits, values);
  };
  check(5, 12, 12, Axis(7), Axis(10), 1);
  check(3, 20, 30, Axis(9, 2), Axis(8, 2), 3);
  check(9, 3, 5, Axis(7), Axis(10), 2);
  check(5, 12, 9, Axis(9), Axis(9), 1, Values::kInfinity);
}

TEST(HaloWeight, Depth) {
  const Dim one = {.in = 7}, five = {.in = 6, .filter = 5, .pad_begin = 2, .pad_end = 2};
  const ConvProblem problem = Problem(Direction::kBackwardWeight, 72, 1, 1, one, Axis(9));
  CheckHaloWeight(WithDepth(problem, Axis(4)), 2);
  CheckHaloWeight(WithDepth(Problem(Direction::kBackwardWeight, 9, 8, 8, one, one), five), 1);
  CheckHaloWeight(WithDepth(problem, Axis(5, 2)), 1, Values::kInfinity);
  const ConvProblem pairs = Problem(Direction::kBackwardWeight, 9, 8, 8, one, Axis(9));
  constexpr HaloWeightConfig kMerged = {.merges_taps = true};
  EXPECT_TRUE(RejectProblem(kMerged, WithDepth(pairs, Axis(4))).has_value());
}

TEST(HaloWeight, DividesSlices) {
  constexpr Direction kWeight = Direction::kBackwardWeight;
  constexpr HaloWeightConfig kMerged = {.merges_taps = true};
  const Dim causal = {.in = 4, .filter = 3, .pad_begin = 2};
  CheckHaloWeight(WithDepth(Problem(kWeight, 1, 72, 40, Axis(5), Axis(10)), Axis(3)), 2);
  CheckHaloWeight<kMerged>(WithDepth(Problem(kWeight, 1, 32, 72, Axis(6), Axis(9)), causal), 1);
  CheckHaloWeight(WithDepth(Problem(kWeight, 1, 16, 32, Axis(9, 2), Axis(8, 2)), Axis(5, 2)), 1);
  CheckHaloWeight<kMerged>(WithDepth(Problem(kWeight, 5, 16, 16, Axis(6), Axis(9)), Axis(3)), 2,
                           Values::kInfinity);
  const Dim line = {.in = 9, .filter = 3, .pad_begin = 1, .pad_end = 1}, one = {.in = 5};
  const Dim five = {.in = 6, .filter = 5, .pad_begin = 2, .pad_end = 2};
  EXPECT_THAT(Why(RejectProblem(kMerged, WithDepth(Problem(kWeight, 1, 16, 16, one, line), five))),
              ::testing::HasSubstr("a slice of the filter has 3 taps"));
}

}  // namespace
}  // namespace gridwise::hopper
