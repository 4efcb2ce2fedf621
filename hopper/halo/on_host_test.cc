// SPDX-License-Identifier: MIT
// Before other headers of device code:
#include "hopper/testing/check_on_host.h"
// and what it checks.
#include <bit>
#include <cmath>
#include <cstdint>
#include <random>

#include "core/arch/factor.h"
#include "core/base/types.h"
#include "core/conv/problem.h"
#include "core/launch/part_kernel.h"
#include "core/reference/elements.h"
#include "gtest/gtest.h"
#include "hopper/halo/kernel.h"
#include "hopper/halo/plan.h"
#include "hopper/halo/rounded.h"
#include "hopper/operands/forms.h"

namespace gridwise::hopper {
namespace {

template <HaloConfig kC>
void CheckHalo(ConvProblem problem, int splits = 1, Values values = Values::kFinite) {
  problem.direction = kC.direction;
  problem.type = kC.type;
  ASSERT_EQ(Why(RejectProblem(kC, problem)), "");
  Check(
      problem, [](const PartRequest& request) { return PlanHalo(kC, request); },
      RunRoles<kC.warpgroups(), HaloRoles<kC>, HaloArgs>, splits, values);
}

constexpr HaloConfig kForward16 = {.teams = 2, .consumers = 1, .reps = 2, .stages = 2};

TEST(Halo, Forward) {
  const ConvProblem problem = Problem(Direction::kForward, 8, 16, 16, Axis(9), Axis(13));
  CheckHalo<kForward16>(problem);
  CheckHalo<kForward16>(WithFarAxes(problem));
  CheckHalo<HaloConfig{.teams = 2, .consumers = 2, .reps = 1, .stages = 4}>(problem);
  CheckHalo<HaloConfig{.teams = 2, .consumers = 1, .reps = 1, .stages = 3}>(problem);
  CheckHalo<HaloConfig{.teams = 2, .consumers = 1, .reps = 4, .stages = 3}>(problem);
  ConvProblem f32 = problem;
  f32.out_type = DataType::kF32;
  CheckHalo<kForward16>(f32);
  CheckHalo<kForward16>(problem, /*splits=*/3);
}

TEST(Halo, TensorsOfTheEpilogue) {
  for (const int tensors : {1, 2}) {
    for (const std::int64_t of_group : {16, 4, 1}) {  // groups without gaps are stored as one
      CheckHalo<kForward16>(WithTensors(tensors, Problem(Direction::kForward, 128 / of_group,
                                                         of_group, of_group, Axis(9), Axis(13))));
    }
    const ConvProblem groups = Problem(Direction::kForward, 5, 16, 12, Axis(9), Axis(13));
    CheckHalo<kForward16>(WithTensors(tensors, groups));
    ConvProblem apart =
        WithTensors(tensors, Problem(Direction::kForward, 8, 4, 4, Axis(9), Axis(13)));
    apart.epilogue.d[0].stride[4] = 8;
    CheckHalo<kForward16>(apart);
  }
}

TEST(Halo, ForwardOfOtherGroupsStridesAndFilters) {
  for (const std::int64_t channels : {1, 4, 8}) {
    CheckHalo<kForward16>(
        Problem(Direction::kForward, 80 / channels, channels, channels, Axis(6), Axis(9)));
  }
  constexpr HaloConfig k32 = {.channels = 32, .teams = 2, .consumers = 1, .stages = 2};
  CheckHalo<k32>(Problem(Direction::kForward, 3, 32, 32, Axis(10, 2), Axis(15, 2, 0)));
  constexpr HaloConfig k64 = {.channels = 64, .filter = 0, .teams = 1, .consumers = 2, .stages = 2};
  const Dim dilated = {.in = 14, .filter = 2, .dilation = 3, .pad_begin = 2, .pad_end = 1};
  CheckHalo<k64>(Problem(Direction::kForward, 1, 64, 64, dilated, Axis(11, 2)));
  constexpr HaloConfig kAny = {.filter = 0, .teams = 2, .consumers = 1, .stages = 2};
  const Dim seven = {.in = 12, .filter = 7, .pad_begin = 3, .pad_end = 3};
  CheckHalo<kAny>(Problem(Direction::kForward, 72, 1, 1, seven, seven));
}

TEST(Halo, Depth) {
  constexpr HaloConfig kAny = {.filter = 0, .teams = 2, .consumers = 1, .stages = 2};
  constexpr HaloConfig kData = {
      .direction = Direction::kBackwardData, .filter = 0, .teams = 2, .consumers = 1, .stages = 2};
  const ConvProblem forward = Problem(Direction::kForward, 72, 1, 1, Axis(6), Axis(9));
  CheckHalo<kAny>(WithDepth(forward, Axis(4)));
  CheckHalo<kAny>(WithDepth(forward, {.in = 9, .filter = 2, .stride = 2, .dilation = 3}));
  CheckHalo<kAny>(WithDepth(forward, Axis(5)), 1, Values::kInfinity);
  const ConvProblem strided = Problem(Direction::kForward, 18, 4, 4, Axis(9, 2), Axis(8, 2));
  CheckHalo<kAny>(WithDepth(strided, Axis(3)));
  ConvProblem f32 = WithDepth(forward, Axis(4));
  f32.out_type = DataType::kF32;
  CheckHalo<kAny>(f32);
  const ConvProblem data = Problem(Direction::kBackwardData, 72, 1, 1, Axis(6), Axis(9));
  CheckHalo<kData>(WithDepth(data, {.in = 5, .filter = 4, .pad_begin = 2, .pad_end = 1}));
  const auto rejects = [](const HaloConfig& row, const ConvProblem& problem, Dim depth) {
    return RejectProblem(row, WithDepth(problem, depth)).has_value();
  };
  EXPECT_TRUE(rejects(kForward16, forward, Axis(4))) << "products are of 9 taps";
  constexpr HaloConfig k64 = {.channels = 64, .filter = 0, .teams = 1, .stages = 2};
  const ConvProblem one = Problem(Direction::kForward, 1, 64, 64, Axis(6), Axis(9));
  EXPECT_FALSE(rejects(k64, one, Dim{.in = 4}));
  EXPECT_TRUE(rejects(k64, one, Axis(4))) << "gather instances are faster";
  EXPECT_TRUE(rejects(kData, data, Axis(4, 2))) << "dx has two phases along d";
}

TEST(Halo, Bytes) {
  constexpr HaloConfig k32 = {.type = DataType::kI8, .channels = 32, .consumers = 1, .reps = 2};
  for (const std::int64_t channels : {1, 4, 16, 32}) {  // elements and runs of the filter
    ConvProblem problem =
        Problem(Direction::kForward, 96 / channels, channels, channels, Axis(9), Axis(13, 2));
    CheckHalo<k32>(problem);
    problem.out_type = DataType::kF32;
    problem.epilogue.alpha = 0.01;
    problem.epilogue.high = 40;
    CheckHalo<k32>(problem);
  }
  constexpr HaloConfig k64 = {
      .type = DataType::kI8, .channels = 64, .filter = 0, .teams = 1, .consumers = 2, .stages = 2};
  const Dim dilated = {.in = 14, .filter = 2, .dilation = 3, .pad_begin = 2, .pad_end = 1};
  CheckHalo<k64>(Problem(Direction::kForward, 2, 64, 64, dilated, Axis(11, 2)));
  ConvProblem apart = Problem(Direction::kForward, 9, 1, 4, Axis(9), Axis(13));
  apart.type = DataType::kI8;
  CheckHalo<k32>(WithPixels(SpacedGroups(), apart));
}

// Blocks of 32 channels, whose filter lanes round as TMA rounds pixels.
TEST(Halo, TF32) {
  constexpr Direction kForward = Direction::kForward;
  constexpr HaloConfig k8 = {
      .type = DataType::kTF32, .channels = 8, .teams = 2, .consumers = 2, .stages = 4};
  for (const std::int64_t channels : {1, 4, 8}) {  // boxes; elements and runs of the filter
    CheckHalo<k8>(Problem(kForward, 80 / channels, channels, channels, Axis(9), Axis(13)));
  }
  constexpr HaloConfig k16 = {.type = DataType::kTF32, .teams = 2, .consumers = 1, .reps = 4};
  ConvProblem problem = Problem(kForward, 8, 16, 16, Axis(9), Axis(13, 2));
  problem.type = DataType::kTF32;
  CheckHalo<k16>(problem);
  CheckHalo<k16>(problem, /*splits=*/3);
  CheckHalo<k16>(problem, 1, Values::kUnrounded);
  CheckHalo<k16>(problem, 1, Values::kUnroundedB);
  CheckHalo<k8>(Problem(kForward, 20, 4, 4, Axis(9), Axis(13)), 1, Values::kUnroundedB);
  CheckHalo<k16>(WithTensors(1, problem));
  CheckHalo<k16>(WithTensors(2, problem));
  constexpr HaloConfig k32 = {
      .type = DataType::kTF32, .channels = 32, .filter = 0, .teams = 1, .stages = 2};
  CheckHalo<k32>(Problem(kForward, 3, 32, 32, Axis(10, 2), Axis(15, 2, 0)));
  CheckHalo<k32>(WithDepth(Problem(kForward, 3, 32, 32, Axis(6), Axis(9)), Axis(4)));
  const auto apart = [](Direction direction, std::int64_t groups, std::int64_t c, std::int64_t k) {
    ConvProblem of = Problem(direction, groups, c, k, Axis(9), Axis(10));
    of.type = DataType::kTF32;
    return WithPixels(SpacedGroups(), of);
  };
  CheckHalo<k16>(apart(kForward, 5, 12, 12));
  CheckHalo<k16>(apart(kForward, 5, 9, 16), /*splits=*/2);
  CheckHalo<k32>(apart(kForward, 3, 20, 24));
  const ConvProblem wide = apart(kForward, 3, 40, 24);
  EXPECT_EQ(wide.AxesOf(Tensor::kX).stride[4], 40) << "64 channels of f32 are no line";
  EXPECT_NE(Why(RejectProblem(k32, wide)), "");
}

TEST(Halo, LanesRoundToTF32) {
  std::mt19937 random(3);
  const auto check = [](std::uint32_t bits) {
    const auto value = std::bit_cast<float>(bits);
    if (std::isnan(value)) {
      EXPECT_TRUE(std::isnan(std::bit_cast<float>(RoundedWord<DataType::kTF32>(bits) & kTF32Bits)));
      return;
    }
    EXPECT_EQ(RoundedWord<DataType::kTF32>(bits),
              std::bit_cast<std::uint32_t>(RoundTo(DataType::kTF32, value)));
  };
  for (int i = 0; i < 100000; ++i) check(static_cast<std::uint32_t>(random()));
  for (const std::uint32_t bits : {0x0u, 0x80000000u, 0x7f800000u, 0x7f800001u, 0x7f7fffffu}) {
    check(bits);
  }
}

TEST(Halo, BackwardDataOfTF32) {
  constexpr Direction kData = Direction::kBackwardData;
  constexpr HaloConfig k8 = {
      .direction = kData, .type = DataType::kTF32, .channels = 8, .teams = 2, .stages = 2};
  CheckHalo<k8>(Problem(kData, 10, 8, 8, Axis(9), Axis(10)));
  CheckHalo<k8>(Problem(kData, 20, 2, 2, Axis(9), Axis(10)), /*splits=*/2);
  CheckHalo<k8>(Problem(kData, 10, 8, 8, Axis(9), Axis(10)), 1, Values::kUnrounded);
  CheckHalo<k8>(Problem(kData, 10, 8, 8, Axis(9), Axis(10)), 1, Values::kUnroundedB);
  CheckHalo<k8>(Problem(kData, 20, 2, 2, Axis(9), Axis(10)), 1, Values::kInfinity);
  ConvProblem apart = Problem(kData, 5, 3, 7, Axis(9), Axis(10));
  apart.type = DataType::kTF32;
  CheckHalo<k8>(WithPixels(SpacedGroups(), apart));
  constexpr HaloConfig k16 = {
      .direction = kData, .type = DataType::kTF32, .up = 2, .consumers = 1, .stages = 4};
  CheckHalo<k16>(Problem(kData, 5, 16, 16, Axis(9, 2), Axis(12, 2)));
  CheckHalo<k16>(Problem(kData, 5, 16, 16, Axis(9, 2, 0), Axis(12, 2, 1)));
  constexpr HaloConfig k32 = {.direction = kData, .type = DataType::kTF32, .channels = 32};
  CheckHalo<k32>(Problem(kData, 4, 32, 32, Axis(9), Axis(12)));
}

TEST(Halo, BackwardData) {
  constexpr HaloConfig k1 = {
      .direction = Direction::kBackwardData, .teams = 2, .consumers = 1, .stages = 2};
  CheckHalo<k1>(Problem(Direction::kBackwardData, 8, 8, 8, Axis(9), Axis(10)));
  constexpr HaloConfig k2 = {
      .direction = Direction::kBackwardData, .up = 2, .teams = 2, .consumers = 1, .stages = 2};
  CheckHalo<k2>(Problem(Direction::kBackwardData, 5, 16, 16, Axis(9, 2), Axis(12, 2)));
  CheckHalo<k2>(Problem(Direction::kBackwardData, 5, 16, 16, Axis(9, 2, 0), Axis(12, 2, 1)));
  CheckHalo<k2>(Problem(Direction::kBackwardData, 16, 4, 4, Axis(11, 2, 1), Axis(8, 2, 2)), 2);
  constexpr HaloConfig k5 = {.direction = Direction::kBackwardData,
                             .filter = 5,
                             .up = 2,
                             .teams = 2,
                             .consumers = 1,
                             .stages = 2};
  const Dim five = {.in = 11, .filter = 5, .stride = 2, .pad_begin = 2, .pad_end = 2};
  CheckHalo<k5>(Problem(Direction::kBackwardData, 72, 1, 1, five, five));
}

TEST(Halo, OfGroupsApart) {
  const auto problem = [](Direction direction, std::int64_t groups, std::int64_t c, std::int64_t k,
                          std::int64_t stride = 1) {
    return WithPixels(SpacedGroups(),
                      Problem(direction, groups, c, k, Axis(9, stride), Axis(10, stride)));
  };
  constexpr Direction kForward = Direction::kForward, kData = Direction::kBackwardData;
  CheckHalo<kForward16>(problem(kForward, 5, 12, 12));
  ConvProblem f32 = problem(kForward, 5, 12, 12);
  f32.out_type = DataType::kF32;
  CheckHalo<kForward16>(f32);
  CheckHalo<kForward16>(problem(kForward, 7, 1, 4, 2));
  CheckHalo<kForward16>(problem(kForward, 9, 16, 8));
  CheckHalo<kForward16>(problem(kForward, 6, 3, 5), 2);
  CheckHalo<kForward16>(problem(kForward, 7, 11, 3), 1, Values::kInfinity);
  constexpr HaloConfig k32 = {.channels = 32, .teams = 2, .consumers = 1, .stages = 2};
  CheckHalo<k32>(problem(kForward, 3, 20, 24));
  constexpr HaloConfig k1 = {.direction = kData, .teams = 2, .consumers = 1, .stages = 2};
  CheckHalo<k1>(problem(kData, 5, 12, 12));
  CheckHalo<k1>(problem(kData, 16, 1, 4));
  constexpr HaloConfig k2 = {.direction = kData, .up = 2, .teams = 2, .consumers = 1, .stages = 2};
  CheckHalo<k2>(problem(kData, 5, 8, 16, 2));
  CheckHalo<k2>(problem(kData, 9, 3, 7, 2), 1, Values::kInfinity);
}

TEST(Halo, AnInfinityStaysInItsGroup) {
  constexpr HaloConfig kTF32 = {
      .type = DataType::kTF32, .channels = 8, .teams = 2, .consumers = 1, .stages = 2};
  CheckHalo<kTF32>(Problem(Direction::kForward, 32, 4, 4, Axis(9), Axis(9)), 1, Values::kInfinity);
  CheckHalo<kForward16>(Problem(Direction::kForward, 32, 4, 4, Axis(9), Axis(9)), 1,
                        Values::kInfinity);
  CheckHalo<kForward16>(Problem(Direction::kForward, 5, 16, 16, Axis(9), Axis(9)), /*splits=*/2,
                        Values::kInfinity);
  constexpr HaloConfig k2 = {
      .direction = Direction::kBackwardData, .up = 2, .teams = 2, .consumers = 1, .stages = 2};
  const ConvProblem strided = Problem(Direction::kBackwardData, 8, 8, 8, Axis(9, 2), Axis(9, 2));
  CheckHalo<k2>(strided, 1, Values::kInfinity);
  CheckHalo<k2>(strided, /*splits=*/3, Values::kInfinity);
}

}  // namespace
}  // namespace gridwise::hopper
