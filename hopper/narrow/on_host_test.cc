// SPDX-License-Identifier: MIT
// Before other headers of device code:
#include "hopper/testing/check_on_host.h"
// and what it checks.
#include <cstdint>
#include <cstring>

#include "core/conv/problem.h"
#include "core/launch/part_kernel.h"
#include "gtest/gtest.h"
#include "hopper/narrow/kernel.h"
#include "hopper/narrow/plan.h"
#include "hopper/operands/forms.h"

namespace gridwise::hopper {
namespace {

/// Runs a kernel in shared memory of large numbers where NaN would not be noticed: kernels that
/// walk rows compute sums that are NaN once more.
template <NarrowWeightConfig kC>
void RunKernel(const HaloArgs& args) {
  constexpr int kLarge = 0x7b;  // of each byte
  if (kC.walks_rows && ThreadId() == 0) {
    std::memset(dynamic_shared_memory, kLarge, sizeof(dynamic_shared_memory));
  }
  RunWarpRoles<NarrowWeightRoles<kC>>(args);
}

template <NarrowWeightConfig kC>
void CheckNarrowWeight(const ConvProblem& problem, int splits, Values values = Values::kFinite) {
  ASSERT_EQ(Why(RejectProblem(kC, problem)), "");
  Check(
      problem, [](const PartRequest& request) { return PlanNarrow(kC, request); }, RunKernel<kC>,
      splits, values);
}

TEST(NarrowWeight, OfGroupsApart) {
  const auto check = [](std::int64_t groups, std::int64_t c, std::int64_t k, Dim height, Dim width,
                        int splits, Values values = Values::kFinite) {
    const ConvProblem problem = Problem(Direction::kBackwardWeight, groups, c, k, height, width);
    CheckNarrowWeight<NarrowWeightConfig{.warps = 8, .stages = 2}>(
        WithPixels(SpacedGroups(), problem), splits, values);
  };
  check(5, 12, 12, Axis(7), Axis(10), 1);
  check(36, 1, 4, Axis(7), Axis(10), 2);
  check(7, 8, 16, Axis(9, 2), Axis(8, 2), 1);
  check(7, 11, 3, Axis(9), Axis(9), 1, Values::kInfinity);
}

TEST(NarrowWeight, Depth) {
  constexpr NarrowWeightConfig kAny = {.filter = 0, .warps = 16, .stages = 2};
  const ConvProblem problem = Problem(Direction::kBackwardWeight, 72, 1, 1, Axis(6), Axis(9));
  CheckNarrowWeight<kAny>(WithDepth(problem, Axis(4)), 2);
  CheckNarrowWeight<kAny>(WithDepth(problem, Axis(7, 2, 0)), 1, Values::kInfinity);
  const ConvProblem strided = Problem(Direction::kBackwardWeight, 18, 4, 4, Axis(9, 2), Axis(8, 2));
  CheckNarrowWeight<kAny>(WithDepth(strided, Axis(3)), 1);
}

TEST(NarrowWeight, OfGroupsAndStrides) {
  constexpr NarrowWeightConfig k16 = {.warps = 8, .stages = 2};
  constexpr Direction kWeight = Direction::kBackwardWeight;
  CheckNarrowWeight<k16>(Problem(kWeight, 72, 1, 1, Axis(7), Axis(10)), 1);
  CheckNarrowWeight<k16>(Problem(kWeight, 9, 8, 8, Axis(7), Axis(10)), 2);
  CheckNarrowWeight<k16>(Problem(kWeight, 5, 16, 16, Axis(9, 2), Axis(8, 2)), 3);
  constexpr NarrowWeightConfig k32 = {.channels = 32, .warps = 8, .stages = 2};
  CheckNarrowWeight<k32>(Problem(kWeight, 3, 32, 32, Axis(9), Axis(9)), 1);
  CheckNarrowWeight<k16>(Problem(kWeight, 8, 8, 8, Axis(9), Axis(9)), 1, Values::kInfinity);
}

TEST(NarrowWeight, WalksRows) {
  constexpr NarrowWeightConfig k16 = {.warps = 12, .stages = 2, .walks_rows = {true}};
  constexpr NarrowWeightConfig k32 = {
      .channels = 32, .warps = 8, .stages = 3, .walks_rows = {true}};
  constexpr Direction kWeight = Direction::kBackwardWeight;
  CheckNarrowWeight<k16>(Problem(kWeight, 9, 8, 8, Axis(7), Axis(10)), 1);
  CheckNarrowWeight<k16>(Problem(kWeight, 5, 16, 16, Axis(30), Axis(17)), 2);
  CheckNarrowWeight<k16>(Problem(kWeight, 72, 1, 1, Axis(12), Axis(57)), 3);
  CheckNarrowWeight<k16>(WithPixels(SpacedGroups(), Problem(kWeight, 5, 12, 9, Axis(9), Axis(8))),
                         1);
  CheckNarrowWeight<k16>(Problem(kWeight, 3, 16, 16, Axis(1), Axis(1)), 1);
  CheckNarrowWeight<k32>(Problem(kWeight, 3, 32, 32, Axis(14), Axis(14)), 2);
  CheckNarrowWeight<k32>(Problem(kWeight, 5, 32, 32, Axis(9), Axis(24)), 1);
  for (const Values values : {Values::kInfinity, Values::kInfinityInB}) {
    CheckNarrowWeight<k16>(Problem(kWeight, 8, 8, 8, Axis(9), Axis(9)), 1, values);
    CheckNarrowWeight<k16>(Problem(kWeight, 4, 16, 16, Axis(15), Axis(11)), 2, values);
    CheckNarrowWeight<k32>(Problem(kWeight, 3, 32, 32, Axis(7), Axis(9)), 1, values);
  }
}

/// The second row of a tile has no pixels of dy, but meets the infinity, which is in the first.
TEST(NarrowWeight, RowsThatDoNotExistHaveNoTerms) {
  constexpr NarrowWeightConfig kRows = {.warps = 8, .stages = 2, .walks_rows = {true}};
  constexpr Direction kWeight = Direction::kBackwardWeight;
  for (const int splits : {1, 2}) {
    const ConvProblem pairs = Problem(kWeight, 6, 8, 8, Axis(1), Axis(9));
    CheckNarrowWeight<kRows>(pairs, splits, Values::kInfinityInB);
    const ConvProblem elements =
        WithPixels(SpacedGroups(), Problem(kWeight, 5, 9, 9, Axis(1), Axis(9)));
    CheckNarrowWeight<kRows>(elements, splits, Values::kInfinityInB);
  }
}

/// Lanes store pairs of adjacent sums where they can, and otherwise elements.
TEST(NarrowWeight, StoresAnyOutput) {
  constexpr NarrowWeightConfig kRows = {.warps = 8, .stages = 3, .walks_rows = {true}};
  const ConvProblem problem = Problem(Direction::kBackwardWeight, 6, 8, 8, Axis(3), Axis(9));
  ConvProblem wide = problem, clamped = problem, by_taps = problem;
  wide.out_type = DataType::kF32;
  clamped.epilogue = {.alpha = -0.75, .low = -0.5, .high = 0.25};
  by_taps.weight_layout = WeightLayout::kKYXGC;
  for (const ConvProblem& stored :
       {wide, clamped, by_taps, WithTensors(2, problem), WithTensors(1, wide), WithFarAxes(wide)}) {
    CheckNarrowWeight<kRows>(stored, 1);
  }
  CheckNarrowWeight<kRows>(WithDepth(problem, {.in = 3, .stride = 2, .pad_begin = 1}), 2);
  CheckNarrowWeight<kRows>(Problem(Direction::kBackwardWeight, 4, 16, 16, Axis(1), Axis(1)), 5);
}

TEST(NarrowWeight, RejectsRowsApart) {
  constexpr NarrowWeightConfig kRows = {.warps = 16, .walks_rows = {true}};
  EXPECT_EQ(
      Why(RejectProblem(kRows, Problem(Direction::kBackwardWeight, 9, 8, 8, Axis(9, 2), Axis(8)))),
      "stride and dilation along h are 2 and 1; the instance is for 1 and 1");
}

TEST(NarrowWeight, OfAnyFilter) {
  constexpr NarrowWeightConfig k16 = {.filter = 0, .warps = 8, .stages = 2};
  const auto check = [&](std::int64_t groups, std::int64_t channels, std::int64_t filter,
                         std::int64_t stride, int splits, Values values = Values::kFinite) {
    const auto axis = [&](std::int64_t in) {
      return Dim{.in = in,
                 .filter = filter,
                 .stride = stride,
                 .pad_begin = filter / 2,
                 .pad_end = filter / 2};
    };
    CheckNarrowWeight<k16>(
        Problem(Direction::kBackwardWeight, groups, channels, channels, axis(9), axis(11)), splits,
        values);
  };
  check(72, 1, 5, 1, 2);
  check(72, 1, 7, 1, 1);
  check(16, 4, 7, 2, 3);
  check(8, 8, 4, 1, 1);
  check(5, 16, 5, 1, 1);
  check(72, 1, 5, 1, 1, Values::kInfinity);
}

}  // namespace
}  // namespace gridwise::hopper
