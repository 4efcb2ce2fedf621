// SPDX-License-Identifier: MIT
// Before other headers of device code:
#include "hopper/testing/check_on_host.h"
// and what it checks.
#include <cstdint>

#include "core/conv/problem.h"
#include "core/launch/part_kernel.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "hopper/dense_halo/kernel.h"
#include "hopper/dense_halo/plan.h"
#include "hopper/operands/forms.h"

namespace gridwise::hopper {
namespace {

template <HaloDenseConfig kC>
void CheckDense(const ConvProblem& problem, int splits = 1, Values values = Values::kFinite) {
  ASSERT_EQ(Why(RejectProblem(kC, problem)), "");
  Check(
      problem, [](const PartRequest& request) { return PlanHalo(kC, request); },
      RunRoles<kC.warpgroups(), HaloDenseRoles<kC>, HaloArgs>, splits, values);
}

TEST(HaloDense, FewColumns) {
  CheckDense<HaloDenseConfig{}>(Problem(Direction::kForward, 1, 136, 36, Axis(9), Axis(17)));
  CheckDense<HaloDenseConfig{}>(Problem(Direction::kForward, 1, 136, 36, Axis(9), Axis(17)), 4);
  constexpr HaloDenseConfig kResident = {.consumers = 2, .reps = 1, .stages = 2, .resident = 4};
  CheckDense<kResident>(Problem(Direction::kForward, 1, 136, 36, Axis(9), Axis(17)));
  CheckDense<kResident>(Problem(Direction::kForward, 1, 200, 40, Axis(9), Axis(17)), 3);
  constexpr HaloDenseConfig k64 = {.columns = 64, .consumers = 1, .reps = 2, .stages = 2};
  constexpr HaloDenseConfig kLarge = {.consumers = 3, .reps = 2, .stages = 2};
  CheckDense<kLarge>(Problem(Direction::kForward, 1, 136, 36, Axis(9), Axis(17)));
  CheckDense<k64>(Problem(Direction::kForward, 1, 64, 50, Axis(13, 2), Axis(10)));
}

TEST(HaloDense, TensorsOfTheEpilogue) {
  for (const int tensors : {1, 2}) {
    const ConvProblem problem = Problem(Direction::kForward, 1, 72, 36, Axis(9), Axis(17));
    CheckDense<HaloDenseConfig{}>(WithTensors(tensors, problem));
    constexpr HaloDenseConfig kMerged = {
        .columns = 36, .consumers = 2, .reps = 2, .merges_taps = true};
    CheckDense<kMerged>(WithTensors(tensors, problem));
    CheckDense<kMerged>(
        WithTensors(tensors, Problem(Direction::kForward, 1, 72, 34, Axis(9), Axis(17))));
  }
}

TEST(HaloDense, MergedTaps) {
  constexpr HaloDenseConfig kRow = {.columns = 36, .consumers = 2, .reps = 2, .merges_taps = true};
  CheckDense<kRow>(Problem(Direction::kForward, 1, 136, 36, Axis(9), Axis(17)));
  CheckDense<kRow>(Problem(Direction::kForward, 1, 136, 3, Axis(9, 2), Axis(17)), 4);
  constexpr HaloDenseConfig kPingpong = {
      .columns = 36, .consumers = 2, .reps = 2, .stages = 3, .merges_taps = true, .pingpong = true};
  CheckDense<kPingpong>(Problem(Direction::kForward, 1, 256, 36, Axis(13), Axis(30)));
  CheckDense<kPingpong>(Problem(Direction::kForward, 1, 136, 36, Axis(9), Axis(17)), 4);
}

TEST(HaloDense, KTilesOfFewChannels) {
  constexpr HaloDenseConfig k16 = {
      .columns = 48, .consumers = 4, .stages = 4, .merges_taps = true, .k_tile = 16};
  CheckDense<k16>(Problem(Direction::kForward, 1, 40, 48, Axis(9), Axis(17)));
  constexpr HaloDenseConfig k32 = {.columns = 96, .consumers = 2, .stages = 2, .k_tile = 32};
  CheckDense<k32>(Problem(Direction::kForward, 1, 72, 96, Axis(9, 2), Axis(30, 2)));
  CheckDense<k32>(Problem(Direction::kForward, 1, 64, 88, Axis(9), Axis(17)), 2);
  constexpr HaloDenseConfig kFive = {.columns = 64, .filter = 5, .consumers = 4, .k_tile = 16};
  const Dim five = {.in = 13, .filter = 5, .pad_begin = 2, .pad_end = 2};
  CheckDense<kFive>(Problem(Direction::kForward, 1, 24, 64, five, five));
  constexpr HaloDenseConfig kWideFive = {
      .columns = 96, .filter = 5, .consumers = 4, .stages = 2, .k_tile = 16};
  CheckDense<kWideFive>(Problem(Direction::kForward, 1, 40, 88, five, five));
}

/// The last of the k tiles that stay is one that channels fill partly.
TEST(HaloDense, ResidentKTilesOfFewChannels) {
  constexpr HaloDenseConfig kMerged = {
      .columns = 40, .consumers = 4, .stages = 4, .resident = 3, .merges_taps = true, .k_tile = 16};
  CheckDense<kMerged>(Problem(Direction::kForward, 1, 40, 40, Axis(30), Axis(31)));
  constexpr HaloDenseConfig kWide = {
      .columns = 80, .consumers = 4, .stages = 4, .resident = 5, .k_tile = 16};
  CheckDense<kWide>(Problem(Direction::kForward, 1, 72, 72, Axis(30), Axis(31)));
  CheckDense<kWide>(Problem(Direction::kForward, 1, 72, 80, Axis(9, 2), Axis(17, 2)), 2);
}

TEST(HaloDense, Volumes) {
  constexpr HaloDenseConfig kResident = {
      .columns = 16, .consumers = 4, .stages = 4, .resident = 3, .merges_taps = true, .k_tile = 16};
  const Dim depth = {.in = 5, .filter = 3, .pad_begin = 2};  // causal
  CheckDense<kResident>(
      WithDepth(Problem(Direction::kForward, 1, 16, 16, Axis(6), Axis(21)), Axis(4)));
  CheckDense<kResident>(WithDepth(Problem(Direction::kForward, 1, 8, 16, Axis(6), Axis(9)), depth));
  constexpr HaloDenseConfig kBoth = {.columns = 40, .consumers = 2, .stages = 2, .k_tile = 32};
  CheckDense<kBoth>(
      WithDepth(Problem(Direction::kForward, 1, 48, 40, Axis(9, 2), Axis(10, 2)), Axis(6, 2)));
  constexpr HaloDenseConfig kBack = {.direction = Direction::kBackwardData,
                                     .columns = 32,
                                     .consumers = 4,
                                     .resident = 3,
                                     .merges_taps = true,
                                     .k_tile = 32};
  CheckDense<kBack>(
      WithDepth(Problem(Direction::kBackwardData, 1, 32, 24, Axis(6), Axis(13)), depth));
}

TEST(HaloDense, BackwardData) {
  constexpr HaloDenseConfig kMerged = {.direction = Direction::kBackwardData,
                                       .columns = 24,
                                       .consumers = 2,
                                       .reps = 2,
                                       .merges_taps = true,
                                       .k_tile = 16};
  CheckDense<kMerged>(Problem(Direction::kBackwardData, 1, 24, 40, Axis(9), Axis(17)));
  CheckDense<kMerged>(Problem(Direction::kBackwardData, 1, 24, 64, Axis(8, 1, 0), Axis(30)), 3);
  // 18 channels, and 24 columns of zeros and channels in a copy of w.
  const ConvProblem few = Problem(Direction::kBackwardData, 1, 18, 40, Axis(9), Axis(17));
  CheckDense<kMerged>(WithPixels(Spaced(), few));
  constexpr HaloDenseConfig k48 = {
      .direction = Direction::kBackwardData, .columns = 48, .consumers = 2, .k_tile = 16};
  CheckDense<k48>(WithPixels(Spaced(), few));
  constexpr HaloDenseConfig kWide = {
      .direction = Direction::kBackwardData, .columns = 96, .consumers = 4, .k_tile = 32};
  CheckDense<kWide>(Problem(Direction::kBackwardData, 1, 96, 72, Axis(9), Axis(17)));
  CheckDense<kWide>(Problem(Direction::kBackwardData, 1, 56, 56, Axis(9, 1, 2), Axis(17)), 2);
  constexpr HaloDenseConfig kFive = {.direction = Direction::kBackwardData,
                                     .columns = 32,
                                     .filter = 5,
                                     .consumers = 2,
                                     .k_tile = 16};
  const Dim five = {.in = 13, .filter = 5, .pad_begin = 2, .pad_end = 2};
  CheckDense<kFive>(Problem(Direction::kBackwardData, 1, 24, 64, five, five));
  constexpr HaloDenseConfig kWideFive = {.direction = Direction::kBackwardData,
                                         .columns = 64,
                                         .filter = 5,
                                         .consumers = 4,
                                         .stages = 3,
                                         .k_tile = 16};
  CheckDense<kWideFive>(Problem(Direction::kBackwardData, 1, 56, 40, five, five));
  constexpr HaloDenseConfig kTwice = {.direction = Direction::kBackwardData,
                                      .columns = 64,
                                      .consumers = 4,
                                      .reps = 2,
                                      .k_tile = 32};
  CheckDense<kTwice>(Problem(Direction::kBackwardData, 1, 56, 56, Axis(30), Axis(31)));
}

TEST(HaloDense, BackwardDataIsRefused) {
  constexpr HaloDenseConfig kRow = {
      .direction = Direction::kBackwardData, .columns = 32, .merges_taps = true, .k_tile = 32};
  EXPECT_THAT(
      Why(RejectProblem(kRow, Problem(Direction::kBackwardData, 1, 24, 32, Axis(9), Axis(9)))),
      ::testing::HasSubstr("taps of w are 24 elements apart; the instance is for one group, at "
                           "most 32 output channels as far apart"));
  EXPECT_THAT(
      Why(RejectProblem(kRow, Problem(Direction::kBackwardData, 1, 32, 32, Axis(9, 2), Axis(9)))),
      ::testing::HasSubstr("phases"));
  EXPECT_THAT(Why(RejectProblem(kRow, Problem(Direction::kForward, 1, 32, 32, Axis(9), Axis(9)))),
              ::testing::HasSubstr("direction"));
}

/// With w of backward-data as the pass transposes it.
template <HaloDenseConfig kC>
void CheckTF32(ConvProblem problem, int splits = 1, Values values = Values::kFinite) {
  problem.type = DataType::kTF32;
  CheckDense<kC>(WithPixels(SpacedPatches(), problem), splits, values);
}

constexpr HaloDenseConfig OfTF32(Direction direction, int columns, int consumers, int k_tile) {
  return {.direction = direction,
          .type = DataType::kTF32,
          .columns = columns,
          .consumers = consumers,
          .k_tile = k_tile};
}
constexpr HaloDenseConfig Merged(HaloDenseConfig config, int reps = 1, int resident = 0) {
  config.reps = reps;
  config.resident = resident;
  config.merges_taps = true;
  return config;
}

TEST(HaloDense, TF32) {
  constexpr Direction kForward = Direction::kForward;
  constexpr HaloDenseConfig kMerged = Merged(OfTF32(kForward, 36, 2, 32), /*reps=*/2);
  CheckTF32<kMerged>(Problem(kForward, 1, 72, 36, Axis(9), Axis(17)));
  CheckTF32<kMerged>(Problem(kForward, 1, 36, 35, Axis(9, 2), Axis(17)), /*splits=*/2);
  constexpr HaloDenseConfig kShort = OfTF32(kForward, 48, 4, 8);
  CheckTF32<kShort>(Problem(kForward, 1, 24, 48, Axis(9, 2), Axis(17, 2)));
  for (const Values values : {Values::kInfinity, Values::kUnrounded}) {
    CheckTF32<kShort>(Problem(kForward, 1, 24, 8, Axis(3), Axis(3)), 1, values);
  }
  constexpr HaloDenseConfig kResident = Merged(OfTF32(kForward, 16, 4, 16), 2, /*resident=*/3);
  CheckTF32<kResident>(WithDepth(Problem(kForward, 1, 16, 16, Axis(6), Axis(21)), Axis(4)));
  constexpr HaloDenseConfig kFive = [] {
    HaloDenseConfig config = OfTF32(Direction::kForward, 64, 4, 8);
    config.filter = 5;
    return config;
  }();
  const Dim of_five = {.in = 13, .filter = 5, .pad_begin = 2, .pad_end = 2};
  CheckTF32<kFive>(Problem(kForward, 1, 24, 64, of_five, of_five));
}

TEST(HaloDense, BackwardDataOfTF32) {
  constexpr Direction kData = Direction::kBackwardData;
  constexpr HaloDenseConfig kMerged = Merged(OfTF32(kData, 24, 4, 8));
  CheckTF32<kMerged>(Problem(kData, 1, 24, 40, Axis(9), Axis(17)));
  CheckTF32<kMerged>(Problem(kData, 1, 20, 24, Axis(8, 1, 0), Axis(30)), /*splits=*/3);
  CheckTF32<kMerged>(Problem(kData, 1, 8, 32, Axis(3), Axis(3)), 1, Values::kInfinity);
  constexpr HaloDenseConfig k64 = OfTF32(kData, 64, 2, 16);
  CheckTF32<k64>(Problem(kData, 1, 56, 40, Axis(9, 1, 2), Axis(17)));
  const Dim depth = {.in = 5, .filter = 3, .pad_begin = 2};  // causal
  CheckTF32<k64>(WithDepth(Problem(kData, 1, 64, 16, Axis(6), Axis(13)), depth));
  constexpr HaloDenseConfig kResident = Merged(OfTF32(kData, 32, 4, 16), 1, /*resident=*/6);
  CheckTF32<kResident>(WithDepth(Problem(kData, 1, 32, 32, Axis(6), Axis(13)), depth));
}

TEST(HaloDense, EightColumns) {
  constexpr HaloDenseConfig kMerged = {
      .columns = 8, .consumers = 4, .stages = 3, .merges_taps = true};
  constexpr HaloDenseConfig kOneTap = {.columns = 8, .filter = 1, .consumers = 4, .stages = 3};
  for (const std::int64_t k : {1, 3, 4, 8}) {
    CheckDense<kMerged>(Problem(Direction::kForward, 1, 136, k, Axis(9), Axis(17)));
    const ConvProblem one_tap = Problem(Direction::kForward, 1, 72, k, Dim{.in = 9}, Dim{.in = 65});
    CheckDense<kOneTap>(one_tap);
    CheckDense<kOneTap>(one_tap, /*splits=*/3);
  }
  ConvProblem finished = Problem(Direction::kForward, 1, 72, 3, Axis(9), Axis(17));
  finished.epilogue.alpha = 0.5;
  finished.epilogue.low = 0;
  CheckDense<kMerged>(finished);
}

}  // namespace
}  // namespace gridwise::hopper
