#include "tile/plan/bwd_weight.h"

#include <cstdint>
#include <optional>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace gridwise::tile {
namespace {

using ::testing::HasSubstr;

constexpr TileConfig kPairs = {.tile = {128, 128, 32},
                               .waves = {2, 2},
                               .mma = {MmaUnit::kMfma, 32, 32, 8},
                               .patch_a = {8, 2},
                               .patch_b = {8, 2}};
static_assert(Reject(kPairs, Gfx::k942) == nullptr);

// Straight to LDS, a cell at a time.
constexpr TileConfig kSingleCells = [] {
  TileConfig c = kPairs;
  c.mma.k = 16;
  c.patch_a = c.patch_b = {1, 8};
  c.pipeline = {Schedule::kDirect, 2};
  return c;
}();
static_assert(Reject(kSingleCells, Gfx::k950) == nullptr);

ConvProblem Square(std::int64_t in, std::int64_t filter, std::int64_t c, std::int64_t k) {
  const Dim dim = {.in = in, .filter = filter, .pad_begin = filter / 2, .pad_end = filter / 2};
  return {.direction = Direction::kBackwardWeight,
          .batch = 2,
          .c = c,
          .k = k,
          .dims = {Dim{}, dim, dim}};
}

BwdWeightPlan PlanOf(const ConvProblem& problem, Sharing sharing = {}) {
  const DeviceFacts device = Gfx::k942;
  return PlanBwdWeight(kPairs, {device, problem, /*sub_gemms=*/{}, sharing});
}

TEST(PlanBwdWeight, TilesAreExactWhereSizesDivide) {
  const BwdWeightPlan plan = PlanOf(Square(16, 3, 256, 128));
  EXPECT_EQ(plan.shape.workgroups[0], 18u);  // 128 / 128 by 9 * 256 / 128
  EXPECT_EQ(plan.shape.workgroups[1], 1u);
  EXPECT_EQ(plan.args.terms, 9 * 256);
}

// 32 cells a step, in runs of 8 along w.
TEST(PlanBwdWeight, StepsCoverTheImageInTheFewest) {
  const auto args = [](std::int64_t in) { return PlanOf(Square(in, 1, 64, 64)).args; };
  EXPECT_EQ(args(32).step_rows, 1);  // a row of 4 runs
  EXPECT_EQ(args(32).steps_h * args(32).steps_w, 32);
  EXPECT_EQ(args(16).step_rows, 2);  // two rows of 2 runs
  EXPECT_EQ(args(16).steps_h * args(16).steps_w, 8);
  EXPECT_EQ(args(7).step_rows, 4);  // four rows of one
  EXPECT_EQ(args(7).steps_h * args(7).steps_w, 2);
  EXPECT_EQ(args(7).step_rows << args(7).log2_step_runs, 4);
}

TEST(PlanBwdWeight, SplitsCoverAllSteps) {
  const ConvProblem problem = Square(30, 3, 64, 64);
  for (const int splits : {1, 2, 3, 7, 64, 1000}) {
    const BwdWeightArgs args = PlanOf(problem, {.splits = splits}).args;
    const int steps = args.batch * args.out[0] * args.steps_h * args.steps_w;
    EXPECT_GE(args.split_steps * splits, steps) << splits;
    EXPECT_LT((args.split_steps - 1) * splits, steps) << splits;
  }
}

// A line of cells, as 1x1 filters have after simplification: 32 cells of a step lie along it, so no
// offset reaches over lines that there are not.
TEST(PlanBwdWeight, OffsetsReachOverTheCellsOfTheStepsAlone) {
  const std::int64_t cells = 320'000, bytes = cells * 512 * 2;  // of dy
  ConvProblem problem = Square(cells, 1, 256, 512);
  problem.dims[1] = Dim{};
  for (const TileConfig& row : {kPairs, kSingleCells}) {
    EXPECT_FALSE(TooLargeForBwdWeight(row, problem, bytes + 1).has_value());
    EXPECT_THAT(TooLargeForBwdWeight(row, problem, bytes).value().reason,
                HasSubstr("offsets reach over 327680000 bytes of an image of dy"));
  }
}

TEST(PlanBwdWeight, RejectionsNameTheirValues) {
  ConvProblem problem = Square(8, 3, 64, 64);
  EXPECT_EQ(RejectBwdWeight(kPairs, problem), std::nullopt);
  problem.k = 63;
  EXPECT_THAT(RejectBwdWeight(kPairs, problem).value_or(""),
              HasSubstr("a group has k 63 and c 64; the row loads 2 and 2 at a time"));
  problem.k = 64;
  problem.type = DataType::kF32;
  EXPECT_THAT(RejectBwdWeight(kPairs, problem).value_or(""), HasSubstr("type is f32"));
  problem.type = DataType::kF16;
  problem.direction = Direction::kForward;
  EXPECT_THAT(RejectBwdWeight(kPairs, problem).value_or(""), HasSubstr("direction is fwd"));
  EXPECT_THAT(TooLargeForBwdWeight(kPairs, Square(30000, 3, 64, 64)).value().reason,
              HasSubstr("each must be below 2147483648"));
}

}  // namespace
}  // namespace gridwise::tile
