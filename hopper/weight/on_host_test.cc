// SPDX-License-Identifier: MIT
// Before other headers of device code:
#include "hopper/testing/check_on_host.h"
// and what it checks.
#include <cstddef>
#include <cstdint>

#include "core/conv/problem.h"
#include "core/launch/part_kernel.h"
#include "gtest/gtest.h"
#include "hopper/gather/plan.h"
#include "hopper/operands/forms.h"
#include "hopper/weight/kernel.h"
#include "hopper/weight/plan.h"

namespace gridwise::hopper {
namespace {

template <Config kC>
void CheckWeight(ConvProblem problem, int splits, Values values = Values::kFinite) {
  problem.type = kC.type;
  ASSERT_EQ(Why(RejectProblem(kC, problem)), "");
  Check(
      problem, [](const PartRequest& request) { return PlanWeight(kC, request); },
      RunRoles<kC.warpgroups(), WeightRoles<kC>, WeightArgs>, splits, values);
}

TEST(Weight, SplitsAndNot) {
  constexpr Config kC = {
      .direction = Direction::kBackwardWeight, .consumers = 1, .columns = 128, .stages = 2};
  CheckWeight<kC>(Problem(Direction::kBackwardWeight, 1, 72, 40, Axis(7), Axis(9, 2)), 1);
  CheckWeight<kC>(Problem(Direction::kBackwardWeight, 2, 24, 24, Axis(7), Axis(6)), 4);
  CheckWeight<kC>(Problem(Direction::kBackwardWeight, 1, 72, 600, Axis(5), Axis(6)), 2);
  constexpr Config kWide = {
      .direction = Direction::kBackwardWeight, .consumers = 3, .columns = 256, .stages = 2};
  CheckWeight<kWide>(Problem(Direction::kBackwardWeight, 1, 72, 168, Axis(7), Axis(9, 2)), 2);
}

TEST(Weight, TilesOfOneBlock) {
  constexpr Direction kWeight = Direction::kBackwardWeight;
  constexpr Config kC = {
      .direction = kWeight, .consumers = 1, .columns = 96, .stages = 2, .epilogue_columns = 24};
  CheckWeight<kC>(Problem(kWeight, 1, 96, 40, Axis(7), Axis(9, 2)), 1);
  CheckWeight<kC>(Problem(kWeight, 1, 200, 24, Axis(7), Axis(6)), 4);
  CheckWeight<kC>(Problem(kWeight, 1, 64, 72, Axis(5), Axis(6)), 2);  // the second box is not there
  CheckWeight<kC>(Problem(kWeight, 2, 104, 72, Axis(5), Axis(6)), 1);
  CheckWeight<kC>(WithDepth(Problem(kWeight, 1, 136, 32, Axis(4), Axis(5)), Axis(3)), 1);
  constexpr Config kWide = {
      .direction = kWeight, .consumers = 3, .columns = 160, .stages = 2, .epilogue_columns = 40};
  CheckWeight<kWide>(Problem(kWeight, 1, 160, 168, Axis(7), Axis(9)), 2);
  CheckWeight<kWide>(Problem(kWeight, 1, 168, 40, Axis(7), Axis(9)), 1);
}

TEST(Weight, OfGroupsApart) {
  constexpr Config kC = {
      .direction = Direction::kBackwardWeight, .consumers = 1, .columns = 128, .stages = 2};
  const auto check = [&](std::int64_t groups, std::int64_t c, std::int64_t k, Dim width,
                         int splits) {
    const ConvProblem problem = Problem(Direction::kBackwardWeight, groups, c, k, Axis(7), width);
    CheckWeight<kC>(WithPixels(Spaced(), problem), splits);
  };
  check(3, 12, 100, Axis(9, 2), 2);
  check(5, 20, 20, Axis(6), 1);
  check(2, 72, 75, Axis(6), 1);
}

TEST(Weight, PixelsOverlap) {
  constexpr Config kC = {
      .direction = Direction::kBackwardWeight, .consumers = 1, .columns = 128, .stages = 2};
  constexpr Config kParts = {.direction = Direction::kBackwardWeight,
                             .type = DataType::kF32,
                             .consumers = 1,
                             .columns = 64,
                             .stages = 2,
                             .k_tile = 32};
  ConvProblem problem = Problem(Direction::kBackwardWeight, 1, 72, 40, Axis(7), {.in = 6});
  for (const std::int64_t pixel : {24, 48}) {  // of three taps, with strides of 1 and 2
    const std::int64_t line = 5 * pixel + 72;
    problem.strides[static_cast<std::size_t>(Tensor::kX)] = {7 * line, 7 * line, line,
                                                             pixel,    72,       1};
    CheckWeight<kC>(problem, 1);
    CheckWeight<kC>(problem, 3);
    CheckWeight<kParts>(problem, 1);
  }
}

TEST(Weight, LanesLoadPixels) {
  constexpr Config kC = {.direction = Direction::kBackwardWeight,
                         .consumers = 1,
                         .columns = 128,
                         .stages = 3,
                         .lanes = true};
  constexpr Direction kWeight = Direction::kBackwardWeight;
  CheckWeight<kC>(Problem(kWeight, 1, 72, 36, Axis(7), Axis(9, 2)), 1);
  CheckWeight<kC>(Problem(kWeight, 1, 24, 100, Axis(7), Axis(6)), 4);
  CheckWeight<kC>(Problem(kWeight, 1, 64, 4, Axis(5), Axis(7)), 1);
}

/// A tile of 64 x 64 of f32 or tf32.
constexpr Config SmallTile(DataType type) {
  return {.direction = Direction::kBackwardWeight,
          .type = type,
          .consumers = 1,
          .columns = 64,
          .stages = 2,
          .k_tile = 32};
}

TEST(Weight, PartsOfFloats) {
  constexpr Direction kWeight = Direction::kBackwardWeight;
  constexpr Config kC = SmallTile(DataType::kF32);
  CheckWeight<kC>(Problem(kWeight, 1, 40, 72, Axis(5), Axis(6, 2)), 1);
  const ConvProblem grouped = Problem(kWeight, 8, 8, 16, Axis(4), Axis(5));  // four a tile
  CheckWeight<kC>(grouped, 2);
  CheckWeight<kC>(grouped, 1, Values::kInfinity);
  // Groups of 24 bytes of a part, of which a tile's four begin at multiples of 16.
  CheckWeight<kC>(Problem(kWeight, 8, 12, 10, Axis(4), Axis(5)), 2);
  const ConvProblem small = Problem(kWeight, 1, 24, 8, Axis(3), Axis(3));
  CheckWeight<kC>(small, 1, Values::kTiny);
  CheckWeight<kC>(small, 1, Values::kHuge);
}

TEST(Weight, TF32) {
  constexpr Direction kWeight = Direction::kBackwardWeight;
  constexpr Config kC = SmallTile(DataType::kTF32);
  CheckWeight<kC>(Problem(kWeight, 1, 40, 72, Axis(5), Axis(6, 2)), 1);
  CheckWeight<kC>(Problem(kWeight, 1, 24, 100, Axis(7), Axis(9)), 3);
  CheckWeight<kC>(Problem(kWeight, 1, 36, 28, Axis(7), Axis(9, 2, 2)), 1);
  CheckWeight<kC>(WithDepth(Problem(kWeight, 1, 36, 32, Axis(4), Axis(5)), Axis(3)), 1);
  const ConvProblem grouped = Problem(kWeight, 8, 8, 16, Axis(4), Axis(5));  // four a tile
  CheckWeight<kC>(grouped, 2);
  CheckWeight<kC>(grouped, 1, Values::kInfinity);
  CheckWeight<kC>(grouped, 1, Values::kInfinityInB);
  CheckWeight<kC>(grouped, 1, Values::kUnrounded);
  CheckWeight<kC>(Problem(kWeight, 3, 36, 68, Axis(5), Axis(6)), 1);
  // Groups of 40 and 24 bytes, of which a tile's four begin at multiples of 16.
  CheckWeight<kC>(Problem(kWeight, 8, 10, 6, Axis(4), Axis(5)), 2);
}

TEST(Weight, WideTilesOfTF32) {
  constexpr Direction kWeight = Direction::kBackwardWeight;
  constexpr Config kTall = {.direction = kWeight,
                            .type = DataType::kTF32,
                            .consumers = 2,
                            .reps = 2,
                            .columns = 128,
                            .stages = 3,
                            .k_tile = 32};
  CheckWeight<kTall>(Problem(kWeight, 1, 40, 200, Axis(7), Axis(9)), 1);
  CheckWeight<kTall>(Problem(kWeight, 1, 64, 264, Axis(7), Axis(6, 2)), 2);
  constexpr Config kWide = {.direction = kWeight,
                            .type = DataType::kTF32,
                            .consumers = 3,
                            .columns = 192,
                            .stages = 2,
                            .k_tile = 32};
  CheckWeight<kWide>(Problem(kWeight, 1, 72, 168, Axis(7), Axis(9, 2)), 2);
  constexpr Config kOdd = {.direction = kWeight,
                           .type = DataType::kTF32,
                           .consumers = 1,
                           .columns = 96,
                           .stages = 3,
                           .k_tile = 32};
  CheckWeight<kOdd>(Problem(kWeight, 1, 32, 40, Axis(7), Axis(9)), 1);
  // Tiles that begin with a block of 4 channels, the last of a tap.
  CheckWeight<kOdd>(Problem(kWeight, 1, 100, 24, Axis(5), Axis(6)), 1);
  CheckWeight<kOdd>(Problem(kWeight, 2, 100, 24, Axis(5), Axis(6)), 2);
}

constexpr Config WithXAsA(int consumers, int reps, int columns) {
  return {.direction = Direction::kBackwardWeight,
          .type = DataType::kTF32,
          .consumers = consumers,
          .reps = reps,
          .columns = columns,
          .stages = 3,
          .k_tile = 32,
          .x_is_a = {true}};
}

/// Rows that are channels of x.
TEST(Weight, XIsAOfTF32) {
  constexpr Direction kWeight = Direction::kBackwardWeight;
  constexpr Config kC = WithXAsA(/*consumers=*/1, /*reps=*/1, /*columns=*/40);
  CheckWeight<kC>(Problem(kWeight, 1, 40, 36, Axis(5), Axis(6, 2)), 1);
  CheckWeight<kC>(Problem(kWeight, 1, 64, 36, Axis(7), Axis(9)), 3);
  CheckWeight<kC>(Problem(kWeight, 1, 24, 100, Axis(7), Axis(9, 2, 2)), 1);
  CheckWeight<kC>(WithDepth(Problem(kWeight, 1, 36, 32, Axis(4), Axis(5)), Axis(3)), 1);
  CheckWeight<kC>(Problem(kWeight, 1, 64, 36, Axis(7), Axis(9)), 1, Values::kInfinity);
  constexpr Config kTall = WithXAsA(/*consumers=*/2, /*reps=*/2, /*columns=*/48);
  CheckWeight<kTall>(Problem(kWeight, 1, 48, 48, Axis(7), Axis(9)), 2);
  constexpr Config kThree = WithXAsA(/*consumers=*/3, /*reps=*/1, /*columns=*/64);
  CheckWeight<kThree>(Problem(kWeight, 1, 96, 64, Axis(5), Axis(8)), 1);
}

TEST(Weight, XIsAIsForOneGroup) {
  constexpr Config kC = WithXAsA(/*consumers=*/1, /*reps=*/1, /*columns=*/40);
  ConvProblem problem = Problem(Direction::kBackwardWeight, 2, 32, 32, Axis(5), Axis(8));
  problem.type = DataType::kTF32;
  EXPECT_EQ(Why(RejectProblem(kC, problem)), "there are 2 groups; the instance is for one");
}

TEST(Weight, OverlappingPixelsOfTF32) {
  constexpr Config kC = {.direction = Direction::kBackwardWeight,
                         .type = DataType::kTF32,
                         .consumers = 1,
                         .columns = 128,
                         .stages = 2,
                         .k_tile = 32};
  ConvProblem problem = Problem(Direction::kBackwardWeight, 1, 72, 40, Axis(7), {.in = 6});
  const std::int64_t pixel = 24, line = 5 * pixel + 72;
  problem.strides[static_cast<std::size_t>(Tensor::kX)] = {7 * line, 7 * line, line, pixel, 72, 1};
  CheckWeight<kC>(problem, 1);
  CheckWeight<kC>(problem, 3);
}

}  // namespace
}  // namespace gridwise::hopper
