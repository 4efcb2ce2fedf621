// SPDX-License-Identifier: MIT
#include "tile/plan/bwd_weight.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tile/block_sums.h"
#include "tile/reject.h"

namespace gridwise::tile {
namespace {

using ::testing::Each;
using ::testing::HasSubstr;

constexpr TileConfig kPairs = {.tile = {128, 128, 32},
                               .waves = {2, 2},
                               .mma = {MmaUnit::kMfma, 32, 32, 8},
                               .patch_a = {8, 2},
                               .patch_b = {8, 2}};
static_assert(Reject(kPairs, Gfx::k942) == nullptr);

// Straight to LDS, a pixel at a time.
constexpr TileConfig kSinglePixels = [] {
  TileConfig c = kPairs;
  c.mma.k = 16;
  c.patch_a = c.patch_b = {1, 8};
  c.pipeline = {Schedule::kDirect, 2};
  return c;
}();
static_assert(Reject(kSinglePixels, Gfx::k950) == nullptr);

// For groups of 8 channels, with a halo of stride 1, and of 2.
constexpr TileConfig kBlocks = {.tile = {32, 72, 32},
                                .waves = {1, 3},
                                .mma = {MmaUnit::kMfma, 16, 16, 16},
                                .patch_a = {1, 8},
                                .patch_b = {1, 8},
                                .occupancy = 3,
                                .merge = {4},
                                .halo = {144}};
constexpr TileConfig kStridedBlocks = [] {
  TileConfig c = kBlocks;
  c.stride = {2};
  return c;
}();
static_assert(Reject(kBlocks, Gfx::k942) == nullptr);
static_assert(Reject(kStridedBlocks, Gfx::k942) == nullptr);
// For groups of at most 16 channels, which are loaded by fours.
constexpr TileConfig kFilledBlocks = [] {
  TileConfig c = kBlocks;
  c.tile.n = 144;
  c.merge = {2};
  c.patch_a = c.patch_b = {1, 4};
  return c;
}();
static_assert(Reject(kFilledBlocks, Gfx::k942) == nullptr);
constexpr TileConfig kPackedBlocks = [] {
  TileConfig config = kBlocks;
  config.pixel = {4};
  return config;
}();
constexpr TileConfig kBlocksOfTaps = [] {
  TileConfig config = kBlocks;
  config.taps_in_lds = {1};
  return config;
}();
// On RDNA4, whose lanes hold 8 pixels too, and RDNA3, whose hold 16: those of a step, twice.
constexpr TileConfig BlocksOf(MmaUnit unit) {
  TileConfig c = kBlocks;
  c.mma.unit = unit;
  return c;
}
static_assert(Reject(BlocksOf(MmaUnit::kWmma12), Gfx::k1201) == nullptr);
static_assert(Reject(BlocksOf(MmaUnit::kWmma11), Gfx::k1100) == nullptr);
static_assert(BlockSums{BlocksOf(MmaUnit::kWmma12)}.step_pixels() == 16 &&
              BlockSums{BlocksOf(MmaUnit::kWmma11)}.step_pixels() == 16 &&
              BlockSums{BlocksOf(MmaUnit::kWmma11)}.run_pixels() == 16);

ConvProblem Square(std::int64_t in, std::int64_t filter, std::int64_t c, std::int64_t k) {
  const Dim dim = {.in = in, .filter = filter, .pad_begin = filter / 2, .pad_end = filter / 2};
  return {.direction = Direction::kBackwardWeight,
          .batch = 2,
          .c = c,
          .k = k,
          .dims = {Dim{}, dim, dim}};
}

BwdWeightPlan PlanOf(const ConvProblem& problem, SplitK split_k = {}) {
  const DeviceFacts device = Gfx::k942;
  return PlanBwdWeight(kPairs, {device, problem, /*sub_gemms=*/{}, split_k});
}

TEST(PlanBwdWeight, TilesAreExactWhereSizesDivide) {
  const BwdWeightPlan plan = PlanOf(Square(16, 3, 256, 128));
  EXPECT_EQ(plan.shape.workgroups[0], 18u);  // 128 / 128 by 9 * 256 / 128
  EXPECT_EQ(plan.shape.workgroups[1], 1u);
  EXPECT_EQ(plan.args.terms, 9 * 256);
}

// 32 pixels a step, in runs of 8 along w.
TEST(PlanBwdWeight, StepsCoverTheImageInTheFewest) {
  const auto args = [](std::int64_t in) { return PlanOf(Square(in, 1, 64, 64)).args; };
  EXPECT_EQ(args(32).step_rows, 1);  // a row of 4 runs
  EXPECT_EQ(args(32).steps, 2 * 32);
  EXPECT_EQ(args(16).step_rows, 2);  // two rows of 2 runs
  EXPECT_EQ(args(16).steps, 2 * 8);
  EXPECT_EQ(args(7).step_rows, 4);  // four rows of one
  EXPECT_EQ(args(7).steps, 2 * 2);
  EXPECT_EQ(args(7).step_rows << args(7).log2_step_runs, 4);
}

TEST(PlanBwdWeight, SplitsCoverAllSteps) {
  const ConvProblem problem = Square(30, 3, 64, 64);
  for (const int splits : {1, 2, 3, 7, 64, 1000}) {
    const BwdWeightArgs args = PlanOf(problem, {.splits = splits}).args;
    EXPECT_GE(args.split_steps * splits, args.steps) << splits;
    EXPECT_LT((args.split_steps - 1) * splits, args.steps) << splits;
  }
}

TEST(PlanBwdWeight, StepsGoFirstAlongTheAxisWithTheFewestRuns) {
  ConvProblem problem = Square(100, 3, 64, 64);  // 25 steps of 4 rows by 13 of 8 pixels
  EXPECT_EQ(PlanOf(problem).args.order.run_axis, StepOrder::kH) << "23 of 25 are one run";
  problem.batch = 32;
  EXPECT_EQ(PlanOf(problem).args.order.run_axis, StepOrder::kImage) << "32 of 32 are";
  problem.batch = 1;
  problem.dims[1] = Dim{};
  EXPECT_EQ(PlanOf(problem).args.order.run_axis, StepOrder::kW) << "a line";
}

TEST(PlanBwdWeight, EveryStepIsInTheOrder) {
  for (const std::int64_t in : {7, 16, 30, 64, 100}) {
    const BwdWeightArgs args = PlanOf(Square(in, 3, 64, 64)).args;
    int steps = args.order.run_steps;
    for (const int along : args.order.others) steps *= along;
    EXPECT_EQ(steps, args.steps) << in;
    EXPECT_EQ(args.order.others[args.order.run_axis], 1) << in;
  }
}

// By the definition: whether each pixel of a step is one of the output, and meets one of x through
// every tap.
TEST(PlanBwdWeight, RunsAreOfStepsWithNothingOutside) {
  for (const Dim& dim : {Dim{.in = 100, .filter = 3, .pad_begin = 1, .pad_end = 1},
                         Dim{.in = 99, .filter = 5, .stride = 2, .pad_begin = 2, .pad_end = 2},
                         Dim{.in = 61, .filter = 3, .dilation = 4, .pad_begin = 9, .pad_end = 1},
                         Dim{.in = 64, .filter = 3, .pad_begin = -2, .pad_end = 0}}) {
    ConvProblem problem = Square(1, 1, 64, 64);
    problem.batch = 1;
    problem.dims[1] = dim;
    const BwdWeightArgs args = PlanOf(problem).args;
    ASSERT_EQ(args.order.run_axis, StepOrder::kH);
    for (int step = 0; step < args.order.run_steps; ++step) {
      bool inside = true;
      for (int row = 0; row < args.step_rows; ++row) {
        const std::int64_t out = step * args.step_rows + row;
        inside &= out < dim.out();
        for (std::int64_t tap = 0; tap < dim.filter; ++tap) {
          const std::int64_t in = out * dim.stride + tap * dim.dilation - dim.pad_begin;
          inside &= in >= 0 && in < dim.in;
        }
      }
      EXPECT_EQ(inside, step >= args.order.inside_begin && step < args.order.inside_end)
          << dim.in << " step " << step;
    }
  }
}

// The definition of a step: each pixel of each image is one of exactly one step.
TEST(PlanBwdWeight, StepsOfSeveralImagesHaveEveryPixelOnce) {
  const DeviceFacts device = Gfx::k950;
  for (const auto& [in, batch] :
       {std::pair{7, 32}, {13, 32}, {25, 8}, {25, 12}, {50, 16}, {9, 1}}) {
    ConvProblem problem = Square(in, 3, 64, 64);
    problem.batch = batch;
    const BwdWeightArgs args =
        PlanBwdWeight(kSinglePixels, {device, problem, /*sub_gemms=*/{}, {}}).args;
    const auto line = static_cast<std::size_t>(in);
    std::vector<int> times(static_cast<std::size_t>(batch) * line * line);
    for (int step = 0; step < args.steps; ++step) {
      int at[4], rest = step / args.order.run_steps;
      for (int axis = 3; axis >= 0; --axis) {
        at[axis] = rest % args.order.others[axis];
        rest /= args.order.others[axis];
      }
      at[args.order.run_axis] = step % args.order.run_steps;
      for (int i = 0; i < kSinglePixels.tile.k; ++i) {
        const int w = (at[3] << args.log2_step_runs) + (i & ((1 << args.log2_step_runs) - 1));
        const int row = i >> args.log2_step_runs;
        const int h = at[2] * args.step_rows + row % args.step_rows;
        const int n = (at[0] << args.images.log2_images) + row / args.step_rows;
        ASSERT_LT(n, batch);
        const auto row_of_pixels = static_cast<std::size_t>(n) * line + static_cast<std::size_t>(h);
        if (h < in && w < in) ++times[row_of_pixels * line + static_cast<std::size_t>(w)];
      }
    }
    EXPECT_THAT(times, Each(1)) << batch << " images of " << in;
    EXPECT_EQ(args.step_rows, 1 << args.images.log2_rows);
  }
}

TEST(PlanBwdWeight, StepsTakeSeveralImagesWhereOneLeavesPixelsOver) {
  const DeviceFacts device = Gfx::k950;
  const auto args_of = [&](std::int64_t in, std::int64_t batch) {
    ConvProblem problem = Square(in, 3, 64, 64);
    problem.batch = batch;
    return PlanBwdWeight(kSinglePixels, {device, problem, /*sub_gemms=*/{}, {}}).args;
  };
  const int k = kSinglePixels.tile.k;
  EXPECT_EQ(args_of(50, 32).steps, 50 * 50 * 32 / k) << "nothing is left over";
  EXPECT_EQ(args_of(32, 32).images.log2_images, 0) << "rows of one image fill steps";
  EXPECT_EQ(args_of(50, 1).images.log2_images, 0) << "there is one image";
}

// An XCD has a run of the launch, and its L2 the sums that a fix-up joins.
TEST(PlanBwdWeight, SplitsThatAreJoinedRunNextToEachOtherIfThereAreXcds) {
  const ConvProblem problem = Square(13, 3, 64, 64);
  const auto order_of = [&](Gfx gfx, int fixup, int splits) {
    TileConfig config = kSinglePixels;
    config.fixup = {fixup};
    const DeviceFacts device = gfx;
    return PlanBwdWeight(config, {device, problem, /*sub_gemms=*/{}, SplitK{.splits = splits}})
        .args.split_order;
  };
  const SplitOrder joined = order_of(Gfx::k950, 16, 4);
  EXPECT_EQ(joined.is_by_tile, 1);
  EXPECT_EQ(Divide(11, joined.by_splits), 2);
  EXPECT_EQ(order_of(Gfx::k950, 16, 1).is_by_tile, 0) << "there is nothing to join";
  EXPECT_EQ(order_of(Gfx::k950, 0, 4).is_by_tile, 0) << "another launch adds the sums";
  EXPECT_EQ(order_of(Gfx::k1201, 16, 4).is_by_tile, 0) << "there is one L2";
}

// A line of pixels, as 1x1 filters have after simplification: 32 pixels of a step lie along it, so
// no offset reaches over lines that there are not.
TEST(PlanBwdWeight, OffsetsReachOverThePixelsOfTheStepsAlone) {
  const std::int64_t pixels = 320'000, bytes = pixels * 512 * 2;  // of dy
  ConvProblem problem = Square(pixels, 1, 256, 512);
  problem.dims[1] = Dim{};
  for (const TileConfig& row : {kPairs, kSinglePixels}) {
    EXPECT_FALSE(TooLargeForBwdWeight(row, problem, bytes + 1).has_value());
    EXPECT_THAT(TooLargeForBwdWeight(row, problem, bytes).value().reason,
                HasSubstr("offsets reach over 327680000 bytes of an image of dy"));
  }
}

ConvProblem Grouped(const Dim& dim) {
  ConvProblem problem = Square(1, 1, 40, 40);
  problem.groups = 5;
  problem.dims[1] = problem.dims[2] = dim;
  return problem;
}

// By the definition: through every tap, a pixel of dy meets the pixel of x at the tap's distance of
// positions from its own, in the tap's plane, or none where that position has no pixel of the
// plane.
TEST(PlanBwdWeight, TapsAreDistancesOfPositions) {
  int taken = 0;
  for (const TileConfig& row : {kBlocks, kStridedBlocks}) {
    const std::int64_t s = row.stride;
    for (std::int64_t in = 1; in <= 9; ++in) {
      for (const std::int64_t pad_end : {0, 1, 2, 3}) {
        const Dim dim = {.in = in, .filter = 3, .stride = s, .pad_begin = 1, .pad_end = pad_end};
        if (dim.padded_in() < 3 || RejectBwdWeight(row, Grouped(dim)).has_value()) continue;
        ++taken;
        const std::int64_t pitch = dim.out() + 1;
        for (std::int64_t position = 0; position < 3 * pitch; ++position) {
          for (std::int64_t tap = 0; tap < 3; ++tap) {
            const std::int64_t o = position % pitch, x = o * s + tap - 1;
            if (o == dim.out()) continue;  // none of dy
            const std::int64_t plane = (tap - 1 + s) % s;
            const std::int64_t at = position + pitch + (tap - 1 - plane) / s;
            const std::int64_t met = at % pitch * s + plane;  // of x's row, if it has so many
            if (x >= 0 && x < in) {
              EXPECT_EQ(met, x) << "in " << in << " stride " << s << " tap " << tap;
            } else {
              EXPECT_GE(met, in) << "in " << in << " stride " << s << " tap " << tap;
            }
          }
        }
      }
    }
  }
  EXPECT_EQ(taken, 3 * 9 + 3 * 9 + 4);  // without padding at the end, even rows of stride 2 alone
}

TEST(PlanBwdWeight, HalosTakeRowsThatLdsHas) {
  const auto dim = [](std::int64_t in, std::int64_t stride) {
    return Dim{.in = in, .filter = 3, .stride = stride, .pad_begin = 1, .pad_end = 1};
  };
  // Two rows of positions and a step: 2 * (54 + 2) + 32; of stride 2 one.
  EXPECT_EQ(Why(RejectBwdWeight(kBlocks, Grouped(dim(54, 1)))), "");
  EXPECT_THAT(Why(RejectBwdWeight(kBlocks, Grouped(dim(55, 1)))),
              HasSubstr("a step meets 146 pixels of rows of 55; the instance has LDS for 144"));
  EXPECT_EQ(Why(RejectBwdWeight(kStridedBlocks, Grouped(dim(220, 2)))), "");
  EXPECT_THAT(Why(RejectBwdWeight(kStridedBlocks, Grouped(dim(221, 2)))),
              HasSubstr("a step meets 145 pixels of rows of 111; the instance has LDS for 144"));
  EXPECT_THAT(Why(RejectBwdWeight(kStridedBlocks, Grouped(dim(54, 1)))),
              HasSubstr("along h the instance needs a filter of 3 with stride 2"));
  // A row of x whose last pixel no pixel of dy has for its centre.
  Dim cut = dim(54, 1);
  cut.pad_end = 0;
  EXPECT_THAT(Why(RejectBwdWeight(kBlocks, Grouped(cut))),
              HasSubstr("whose output meets all of the input"));
}

TEST(PlanBwdWeight, BlocksTakeGroupsThatFillMoreThanHalf) {
  const auto why = [](const TileConfig& row, std::int64_t k, std::int64_t c) {
    ConvProblem problem = Grouped({.in = 9, .filter = 3, .pad_begin = 1, .pad_end = 1});
    problem.k = 5 * k;
    problem.c = 5 * c;
    return Why(RejectBwdWeight(row, problem));
  };
  EXPECT_EQ(why(kFilledBlocks, 12, 12), "");
  EXPECT_EQ(why(kFilledBlocks, 4, 16), "");
  EXPECT_EQ(why(kFilledBlocks, 12, 8), "");
  EXPECT_THAT(
      why(kFilledBlocks, 8, 8),
      HasSubstr("a group has k 8 and c 8; the instance takes up to 16 of each, and more than 8"));
  EXPECT_THAT(why(kFilledBlocks, 8, 20),
              HasSubstr("a group has k 8 and c 20; the instance takes up"));
  EXPECT_THAT(why(kFilledBlocks, 14, 16), HasSubstr("the instance loads 4 and 4 at a time"));
  EXPECT_THAT(why(kBlocks, 8, 4), HasSubstr("the instance loads 8 and 8 at a time"));
}

// What kernels know of groups that fill their blocks in part.
TEST(PlanBwdWeight, BlocksCountGroups) {
  ConvProblem problem = Grouped({.in = 9, .filter = 3, .pad_begin = 1, .pad_end = 1});
  problem.k = 5 * 12;
  problem.c = 5 * 16;
  const DeviceFacts device = Gfx::k942;
  const BwdWeightPlan plan =
      PlanBwdWeight(kFilledBlocks, {device, problem, /*sub_gemms=*/{}, SplitK{}});
  EXPECT_EQ(plan.shape.workgroups[1], 3u);  // of two groups
  EXPECT_EQ(plan.args.positions.groups, 5);
  EXPECT_EQ(plan.args.dy.channels, 12);
  EXPECT_EQ(plan.args.x.channels, 16);
}

TEST(PlanBwdWeight, PiecesThatGoStraightToLdsAreOfWords) {
  const TileConfig direct = {.tile = {64, 128, 64},
                             .waves = {2, 2},
                             .mma = {MmaUnit::kMfma, 32, 32, 16},
                             .patch_a = {1, 8},
                             .patch_b = {1, 8},
                             .pipeline = {Schedule::kDirect, 2}};
  ASSERT_EQ(Reject(direct, Gfx::k950), nullptr);
  ConvProblem problem = Square(8, 3, 64, 36);
  EXPECT_EQ(RejectBwdWeight(direct, problem), std::nullopt);
  problem.k = 35;
  EXPECT_THAT(Why(RejectBwdWeight(direct, problem)),
              HasSubstr("a group has k 35 and c 64; the instance loads 2 and 8 at a time"));
  problem.k = 6;
  EXPECT_THAT(Why(RejectBwdWeight(direct, problem)),
              HasSubstr("a group has k 6 and c 64; the instance loads 8 and 8 at a time"));
}

TEST(PlanBwdWeight, BlocksAreOfWholeChannels) {
  EXPECT_STREQ(Reject(kPackedBlocks, Gfx::k942),
               "packed pixels are not summed by blocks of channels");
  EXPECT_STREQ(Reject(kBlocksOfTaps, Gfx::k942), "blocks of channels meet no taps in LDS");
}

TEST(PlanBwdWeight, RejectionsNameTheirValues) {
  ConvProblem problem = Square(8, 3, 64, 64);
  EXPECT_EQ(RejectBwdWeight(kPairs, problem), std::nullopt);
  problem.k = 63;
  EXPECT_THAT(Why(RejectBwdWeight(kPairs, problem)),
              HasSubstr("a group has k 63 and c 64; the instance loads 2 and 2 at a time"));
  problem.k = 64;
  problem.type = DataType::kF32;
  EXPECT_THAT(Why(RejectBwdWeight(kPairs, problem)), HasSubstr("type is f32"));
  problem.type = DataType::kF16;
  problem.direction = Direction::kForward;
  EXPECT_THAT(Why(RejectBwdWeight(kPairs, problem)), HasSubstr("direction is fwd"));
  EXPECT_THAT(TooLargeForBwdWeight(kPairs, Square(30000, 3, 64, 64)).value().reason,
              HasSubstr("each must be below 2147483648"));
}

}  // namespace
}  // namespace gridwise::tile
