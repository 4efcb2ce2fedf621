// SPDX-License-Identifier: MIT
#include "tile/plan/gather.h"

#include <algorithm>
#include <cstddef>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/conv/sub_gemms.h"
#include "core/text/fields_text.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tile/lds_layout.h"
#include "tile/plan/test_problems.h"
#include "tile/reject.h"

namespace gridwise::tile {
namespace {

using ::testing::HasSubstr;

constexpr TileConfig kMedium = {.tile = {128, 128, 32},
                                .waves = {2, 2},
                                .mma = {MmaUnit::kMfma, 32, 32, 8},
                                .patch_a = {8, 1},
                                .patch_b = {8, 2}};
static_assert(Reject(kMedium, Gfx::k942) == nullptr);

// 4 groups of 16 channels.
constexpr TileConfig kMerged = {.tile = {128, 64, 64},
                                .waves = {4, 1},
                                .mma = {MmaUnit::kMfma, 16, 16, 16},
                                .patch_a = {8, 1},
                                .patch_b = {8, 2},
                                .merge = {4}};
static_assert(Reject(kMerged, Gfx::k942) == nullptr);
static_assert(Reject(kMerged, Gfx::k950) == nullptr);  // too little k for its 16x16x32

// 8 groups of 8 channels, in 16 blocks of a matrix instruction.
constexpr TileConfig kMergedInBlocks = {.tile = {128, 64, 64},
                                        .waves = {4, 1},
                                        .mma = {MmaUnit::kMfma, 4, 4, 4},
                                        .patch_a = {8, 1},
                                        .patch_b = {8, 2},
                                        .merge = {8}};
static_assert(Reject(kMergedInBlocks, Gfx::k942) == nullptr);
static_assert(Reject(kMergedInBlocks, Gfx::k950) == nullptr);
static_assert(kMergedInBlocks.mma_m() == 8 && kMergedInBlocks.mma_n() == 32 &&
                  kMergedInBlocks.reps_m() == 4 && kMergedInBlocks.reps_n() == 2,
              "two runs of 4 rows, of 4 columns of each group");

// 16 groups of 4 channels: half pixels.
constexpr TileConfig kMergedHalfPixels = [] {
  TileConfig c = kMergedInBlocks;
  c.patch_b = {4, 2};
  c.merge = {16};
  return c;
}();
static_assert(Reject(kMergedHalfPixels, Gfx::k942) == nullptr);
static_assert(kMergedHalfPixels.lds_b() == LdsTile{.rows = 64, .vectors_per_row = 1});

// 32 groups of 4 channels: two turns of 16.
constexpr TileConfig kMergedInTurns = [] {
  TileConfig c = kMergedHalfPixels;
  c.tile = {64, 128, 128};
  c.merge = {32};
  return c;
}();
static_assert(Reject(kMergedInTurns, Gfx::k942) == nullptr);
static_assert(kMergedInTurns.groups_at_once() == 16 && kMergedInTurns.groups_in_turn() == 2 &&
              kMergedInTurns.FirstColumn(0) == 0 && kMergedInTurns.FirstColumn(1) == 64);

// 4 groups, of which each wave multiplies two.
constexpr TileConfig kMergedOfWaves = [] {
  TileConfig c = kMerged;
  c.waves = {2, 2};
  return c;
}();
static_assert(Reject(kMergedOfWaves, Gfx::k942) == nullptr);
static_assert(kMerged.groups_in_turn() == 4 && kMergedOfWaves.groups_in_turn() == 2 &&
              kMergedOfWaves.reps_n_of_group() == 1 && kMergedOfWaves.FirstColumn(1) == 16);

TEST(TileConfig, NameParsesBack) {
  EXPECT_EQ(PrintFields(kMedium), "f16_t128x128x32_w2x2_mfma32x32x8_a8x1_b8x2_o1");
  const absl::StatusOr<TileConfig> parsed = ParseFields<TileConfig>(PrintFields(kMedium));
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  EXPECT_EQ(*parsed, kMedium);
}

TEST(TileConfig, ScheduleIsPartOfTheNameUnlessPlain) {
  TileConfig c = kMedium;
  c.pipeline = {Schedule::kWavelet, 4};
  EXPECT_EQ(PrintFields(c), "f16_t128x128x32_w2x2_mfma32x32x8_a8x1_b8x2_o1_wavelet4");
  EXPECT_EQ(c.threads(), 512);
  EXPECT_EQ(c.math_threads(), 256);
  EXPECT_EQ(c.load_threads(), 256);
  EXPECT_EQ(Reject(c, Gfx::k942), nullptr);
  c.pipeline = {Schedule::kDouble, 2};
  EXPECT_EQ(PrintFields(c), "f16_t128x128x32_w2x2_mfma32x32x8_a8x1_b8x2_o1_double2");
  EXPECT_EQ(c.threads(), 256);
  EXPECT_EQ(c.load_threads(), 256);
  const absl::StatusOr<TileConfig> parsed = ParseFields<TileConfig>(PrintFields(c));
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  EXPECT_EQ(*parsed, c);
}

TEST(TileConfig, MergedGroupsArePartOfTheName) {
  EXPECT_EQ(PrintFields(kMerged), "f16_t128x64x64_w4x1_mfma16x16x16_a8x1_b8x2_o1_g4");
  const absl::StatusOr<TileConfig> parsed = ParseFields<TileConfig>(PrintFields(kMerged));
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  EXPECT_EQ(*parsed, kMerged);
  // LDS holds only the blocks of B's diagonal: 64 columns by 16 k.
  EXPECT_EQ(kMerged.lds_b().bytes(), 64 * 16 * 2);
}

TEST(TileConfig, RejectsGroupsThatCannotBeMerged) {
  TileConfig c = kMerged;
  c.merge = {8};  // 8 channels and 8 columns each
  EXPECT_STREQ(Reject(c, Gfx::k942), "merged groups share an mma");
  c.merge = {4};
  c.waves = {1, 3};
  EXPECT_STREQ(Reject(c, Gfx::k942), "waves do not share merged groups");
  c.waves = {4, 1};
  c.tile.n = 32;
  EXPECT_STREQ(Reject(c, Gfx::k942), "merged groups share an mma");
  c.tile.n = 64;
  c.merge = {0};
  EXPECT_STREQ(Reject(c, Gfx::k942), "there are no groups in a tile");
  c = kMergedInBlocks;
  c.merge = {1};
  EXPECT_STREQ(Reject(c, Gfx::k942), "the blocks of the mma are not shared by merged groups");
  for (const int groups : {3, 24}) {
    c.merge = {groups};
    EXPECT_STREQ(Reject(c, Gfx::k942), "the blocks of the mma are not shared by merged groups");
  }
  c = kMergedInTurns;
  c.waves = {2, 2};  // of 16 groups each
  EXPECT_EQ(Reject(c, Gfx::k942), nullptr);
  c.merge = {16};
  EXPECT_STREQ(Reject(c, Gfx::k942), "waves do not share merged groups");
  c = kMergedInBlocks;
  c.mma.k = 0;
  EXPECT_STREQ(Reject(c, Gfx::k942), "the target has no such mma for the type");
  c = kMerged;
  c.tile.k = 16;
  EXPECT_STREQ(Reject(c, Gfx::k942), "merged groups share a run of k");
  c = kMergedHalfPixels;
  c.patch_b = {8, 2};
  EXPECT_STREQ(Reject(c, Gfx::k942), "a patch has k of two groups");
}

// Every wave stages each row and column of its tile once.
TEST(TileConfig, AccumulatorsCoverTheStageOnce) {
  for (const TileConfig& c :
       {kMedium, kMerged, kMergedInBlocks, kMergedHalfPixels, kMergedInTurns}) {
    std::set<std::pair<int, int>> seen;
    for (int lane = 0; lane < c.mma.lanes(); ++lane) {
      for (int n = 0; n < c.reps_n(); ++n) {
        for (int reg = 0; reg < c.mma.acc_per_lane(); ++reg) {
          const RowCol at = c.PositionOfAcc(lane, n, reg);
          EXPECT_TRUE(seen.insert({at.row, at.col}).second) << PrintFields(c);
        }
      }
    }
    EXPECT_EQ(seen.size(), static_cast<std::size_t>(c.mma_m() * c.wave_n())) << PrintFields(c);
    EXPECT_EQ(seen.rbegin()->first, c.mma_m() - 1) << PrintFields(c);
  }
}

TEST(PlanGather, MergedGroupsShareTiles) {
  ConvProblem problem =
      Problem2d(2, 8 * 16, 8 * 16, {.in = 16, .filter = 3, .pad_begin = 1, .pad_end = 1},
                {.in = 16, .filter = 3, .pad_begin = 1, .pad_end = 1});
  problem.groups = 8;
  EXPECT_EQ(RejectGather(kMerged, problem), std::nullopt);
  const GatherPlan plan = PlanOf(kMerged, problem);
  EXPECT_EQ(plan.shape.workgroups[0], 4u);  // 2 * 256 rows of 128
  EXPECT_EQ(plan.shape.workgroups[1], 2u);
  EXPECT_EQ(plan.args.k, 64);
  EXPECT_EQ(plan.args.n, 64);
  EXPECT_EQ(plan.args.source_group, 16 * 2);  // of one group
}

TEST(PlanGather, SaysWhyGroupsAreNotMerged) {
  ConvProblem problem = Problem2d(1, 6 * 16, 6 * 16, {.in = 9}, {.in = 9});
  problem.groups = 6;
  EXPECT_EQ(Why(RejectGather(kMerged, problem)), "there are 6 groups; the instance merges 4");
  problem.groups = 4;
  EXPECT_EQ(
      Why(RejectGather(kMerged, problem)),
      "a group has c 24 and k 24; the instance merges groups of 16 source channels and 16 of the "
      "output");
  problem.c = problem.k = 64;
  EXPECT_EQ(RejectGather(kMerged, problem), std::nullopt);
  problem.layout = Layout::kGNHWC;
  EXPECT_EQ(Why(RejectGather(kMerged, problem)),
            "the channels of adjacent groups are not adjacent in all tensors");
}

TEST(TileConfig, RejectsSchedulesThatDoNotExist) {
  TileConfig c = kMedium;
  c.pipeline = {Schedule::kSingle, 3};
  EXPECT_STREQ(Reject(c, Gfx::k942), "with one LDS buffer, 1 or 2 k tiles are in flight");
  c.pipeline = {Schedule::kSingle, 2};
  EXPECT_EQ(Reject(c, Gfx::k942), nullptr);
  c.patch_a = {8, 2};
  EXPECT_STREQ(Reject(c, Gfx::k942),
               "k tiles are loaded together along the channels of a tap, of one group");
  c = kMedium;
  c.pipeline = {Schedule::kDouble, 3};
  EXPECT_STREQ(Reject(c, Gfx::k942), "with two LDS buffers, 1, 2 or 4 k tiles are in flight");
  c.pipeline = {Schedule::kWavelet, 0};
  EXPECT_STREQ(Reject(c, Gfx::k942), "there are no load waves");
  c.pipeline = {Schedule::kWavelet, 3};
  EXPECT_STREQ(Reject(c, Gfx::k942), "lanes do not share an operand's tile in whole patches");
  c.pipeline = {Schedule::kWavelet, 4};
  c.tile = {256, 128, 64};
  EXPECT_STREQ(Reject(c, Gfx::k942), "the tiles do not fit in LDS");
  c.mma.k = 16;
  EXPECT_EQ(Reject(c, Gfx::k950), nullptr);
}

TEST(TileConfig, RejectsWhatCannotRun) {
  TileConfig c = kMedium;
  c.tile = {256, 256, 64};
  c.waves = {4, 4};
  EXPECT_STREQ(Reject(c, Gfx::k942), "the tiles do not fit in LDS");
  c = kMedium;
  c.waves.m = 3;
  EXPECT_STREQ(Reject(c, Gfx::k942), "waves do not divide tile.m");
  c = kMedium;
  c.mma = {MmaUnit::kMfma, 8, 8, 4};
  EXPECT_STREQ(Reject(c, Gfx::k942), "the target has no such mma for the type");
  EXPECT_STREQ(Reject(kMedium, Gfx::k950), "the target has no such mma for the type");
  EXPECT_STREQ(Reject(kMedium, Gfx::k1100), "the target has another matrix unit");
}

// Forward on gfx950, whose loads go straight to LDS.
constexpr TileConfig kDirect = {.tile = {128, 128, 32},
                                .waves = {2, 2},
                                .mma = {MmaUnit::kMfma, 32, 32, 16},
                                .patch_a = {8, 1},
                                .patch_b = {8, 1},
                                .pipeline = {Schedule::kDirect, 3}};

TEST(TileConfig, LoadsStraightToLds) {
  EXPECT_EQ(PrintFields(kDirect), "f16_t128x128x32_w2x2_mfma32x32x16_a8x1_b8x1_o1_direct3");
  EXPECT_EQ(Reject(kDirect, Gfx::k950), nullptr);
  EXPECT_EQ(LdsLayout{kDirect}.bytes(), 3 * (128 + 128) * 32 * 2);
  TileConfig c = kDirect;
  c.mma.k = 8;
  EXPECT_STREQ(Reject(c, Gfx::k942), "the target cannot load 16 bytes per lane straight to LDS");
  c = kDirect;
  c.pipeline.count = 1;
  EXPECT_STREQ(Reject(c, Gfx::k950), "loads go straight to 2 or 3 LDS buffers");
  c = kDirect;
  c.patch_b = {8, 2};
  EXPECT_STREQ(Reject(c, Gfx::k950),
               "loads straight to LDS are vectors along k, or 8 rows of one k");
  c.patch_b = {1, 8};
  EXPECT_EQ(Reject(c, Gfx::k950), nullptr);
  c.tile.n = 32;
  c.waves = {4, 1};
  EXPECT_STREQ(Reject(c, Gfx::k950), "lanes do not share an operand's tile in whole loads");
  c = kDirect;
  c.patch_a = {1, 8};
  c.mma = {MmaUnit::kMfma, 16, 16, 32};
  EXPECT_STREQ(
      Reject(c, Gfx::k950),
      "LDS reads transpose 16-bit operands of 32x32 matrix instructions with a vector per lane");
  c = kDirect;
  c.patch_b = {1, 8};
  c.pipeline = {};
  EXPECT_STREQ(Reject(c, Gfx::k950), "a patch is neither 1 nor 2 rows wide");
}

TEST(PlanGather, KTilesThatAreLoadedTogetherAreWhole) {
  TileConfig config = kDirect;
  config.pipeline = {Schedule::kSingle, 2};
  ASSERT_EQ(config.step_k(), 2 * config.tile.k);
  ConvProblem problem = Problem2d(2, 64, 64, {.in = 14, .filter = 3}, {.in = 14, .filter = 3});
  problem.direction = Direction::kForward;
  problem.c = 2 * config.step_k();
  EXPECT_EQ(RejectGather(config, problem), std::nullopt);
  problem.c = 3 * config.tile.k;
  EXPECT_THAT(Why(RejectGather(config, problem)), HasSubstr("the instance loads"));
  EXPECT_THAT(Why(RejectGather(config, problem)), HasSubstr("together"));

  config.patch_b = {8, 2};
  problem.direction = Direction::kBackwardData;
  problem.k = config.step_k();
  problem.c = 65;  // the last pair of columns ends with the 65th
  EXPECT_EQ(RejectGather(config, problem), std::nullopt);
  problem.c = 1;
  EXPECT_THAT(Why(RejectGather(config, problem)),
              HasSubstr("1 output channels; the instance loads 2 at a time"));
}

TEST(PlanGather, LoadsStraightToLdsTakeWholePixels) {
  ConvProblem problem = Problem2d(2, 64, 64, {.in = 14, .filter = 3}, {.in = 14, .filter = 3});
  problem.direction = Direction::kForward;
  EXPECT_EQ(RejectGather(kDirect, problem), std::nullopt);
  problem.c = 60;
  EXPECT_THAT(Why(RejectGather(kDirect, problem)),
              HasSubstr("60 source channels; the instance loads 8 at a time"));
  problem.c = 64;
  problem.k = 60;  // columns: masked as they are stored
  EXPECT_EQ(RejectGather(kDirect, problem), std::nullopt);

  TileConfig transposed = kDirect;
  transposed.patch_b = {1, 8};
  problem.direction = Direction::kBackwardData;
  problem.k = 64;
  EXPECT_EQ(RejectGather(transposed, problem), std::nullopt);
  problem.c = 60;
  EXPECT_THAT(Why(RejectGather(transposed, problem)),
              HasSubstr("60 output channels; the instance loads 8 at a time"));
}

TEST(TileConfig, VectorFmasAreForF32OnWavesOf32) {
  TileConfig c = {.type = DataType::kF32,
                  .tile = {128, 128, 16},
                  .waves = {2, 4},
                  .mma = {MmaUnit::kFma, 16, 16, 4},
                  .patch_a = {4, 1},
                  .patch_b = {4, 1}};
  EXPECT_EQ(PrintFields(c), "f32_t128x128x16_w2x4_fma16x16x4_a4x1_b4x1_o1");
  EXPECT_EQ(Reject(c, Gfx::k1100), nullptr);
  EXPECT_EQ(Reject(c, Gfx::k1201), nullptr);
  EXPECT_STREQ(Reject(c, Gfx::k942), "the target has another matrix unit");
  c.type = DataType::kF16;
  EXPECT_STREQ(Reject(c, Gfx::k1100), "the target has no such mma for the type");
}

TEST(PlanGather, TilesAreExactWhereSizesDivide) {
  // 2 * 16 * 16 = 512 rows and 256 channels: 4 x 2 tiles, none more.
  const ConvProblem problem =
      Problem2d(2, 256, 64, {.in = 16, .filter = 3, .pad_begin = 1, .pad_end = 1},
                {.in = 16, .filter = 3, .pad_begin = 1, .pad_end = 1});
  const GatherPlan plan = PlanOf(kMedium, problem);
  EXPECT_EQ(plan.shape.workgroups[0], 8u);
  EXPECT_EQ(plan.shape.workgroups[1], 1u);
  EXPECT_TRUE(plan.is_inline);
  EXPECT_EQ(plan.args.sub_gemms, 1);
}

TEST(PlanGather, FirstTilesCountUp) {
  const ConvProblem problem =
      Problem2d(3, 130, 64, {.in = 29, .filter = 3, .stride = 3, .pad_begin = 1, .pad_end = 1},
                {.in = 31, .filter = 3, .stride = 2});
  const GatherPlan plan = PlanOf(kMedium, problem);
  ASSERT_EQ(plan.table.size(), 6u);
  int expected = 0;
  for (const SubGemm& gemm : plan.table) {
    EXPECT_EQ(gemm.first_tile, expected);
    expected += (gemm.m + 127) / 128 * 2;  // 130 channels: 2 tiles
  }
  EXPECT_EQ(plan.shape.workgroups[0], static_cast<unsigned>(expected));
}

TEST(PlanGather, GridsArePlainIfTheyHaveOneSectionAndOffsetsFit) {
  const auto kind = [](std::int64_t n, std::int64_t groups, Dim h) {
    ConvProblem problem = Problem2d(n, 64 * groups, 64 * groups, h, h);
    problem.groups = groups;
    return PlanOf(kMedium, problem).args.grid.kind;
  };
  const Dim adjacent = {.in = 56, .filter = 3, .pad_begin = 1, .pad_end = 1};
  Dim strided = adjacent;
  strided.stride = 2;
  EXPECT_EQ(kind(2, 1, adjacent), PlainGrid::kPlain);
  EXPECT_EQ(kind(2, 1, strided), PlainGrid::kSections);
  EXPECT_EQ(kind(2, 3, adjacent), PlainGrid::kSections);
  // An image has 3136 pixels of 64 channels: in f32, 802,816 bytes.
  EXPECT_EQ(kind(2674, 1, adjacent), PlainGrid::kPlain);
  EXPECT_EQ(kind(2675, 1, adjacent), PlainGrid::kCountsImages);
  EXPECT_EQ(kind(2675, 3, adjacent), PlainGrid::kCountsImages);
}

TEST(PlanGather, ManySubGemmsGoToATable) {
  const ConvProblem problem = Problem2d(2, 64, 64, {.in = 28, .filter = 6, .stride = 6},
                                        {.in = 28, .filter = 6, .stride = 6});
  const GatherPlan plan = PlanOf(kMedium, problem);
  EXPECT_EQ(plan.table.size(), 36u);
  EXPECT_FALSE(plan.is_inline);
}

TEST(PlanGather, RowsWithShortRunsTakeWhatTheyDivide) {
  TileConfig fours = kMedium;
  fours.patch_a.k = 4;
  EXPECT_EQ(Reject(fours, Gfx::k942), nullptr);
  EXPECT_EQ(PrintFields(fours), "f16_t128x128x32_w2x2_mfma32x32x8_a4x1_b8x2_o1");
  ConvProblem problem = Problem2d(1, 64, 36, {.in = 8}, {.in = 8});
  EXPECT_EQ(RejectGather(fours, problem), std::nullopt);
  EXPECT_LT(EstimateOf(fours, problem).cost.cycles, EstimateOf(kMedium, problem).cost.cycles);
  problem.k = 38;
  EXPECT_THAT(Why(RejectGather(fours, problem)),
              HasSubstr("a group has 38 source channels; the instance loads 4 at a time"));
  fours.patch_a.k = 2;
  EXPECT_STREQ(Reject(fours, Gfx::k942), "a patch is neither a vector long nor 4");
}

TEST(PlanGather, RejectionsNameTheirValues) {
  ConvProblem problem = Problem2d(1, 64, 64, {.in = 8}, {.in = 8});
  EXPECT_EQ(RejectGather(kMedium, problem), std::nullopt);
  problem.direction = Direction::kForward;
  EXPECT_THAT(Why(RejectGather(kMedium, problem)),
              HasSubstr("w is contiguous along k; the instance loads it along n"));
  problem.direction = Direction::kBackwardWeight;
  EXPECT_THAT(Why(RejectGather(kMedium, problem)), HasSubstr("direction is bwd_weight"));
  problem.direction = Direction::kBackwardData;
  problem.type = DataType::kBF16;
  EXPECT_THAT(Why(RejectGather(kMedium, problem)), HasSubstr("type is bf16"));
  problem.type = DataType::kF16;
  problem.dims[1].in = problem.dims[2].in = 30000;
  EXPECT_THAT(TooLargeForGather(kMedium, problem).value().reason,
              HasSubstr("230400000000 of dx and 8320 of w; each"));
}

// HIP bounds the work-items of a grid's axis by 2^32: 2^23 tiles of 256 threads are 2^31 of them,
// and 2^24 too many.
TEST(PlanGather, LaunchesKeepTheLimitOfAGrid) {
  const Dim dim = {.in = 1024, .filter = 3, .pad_begin = 1, .pad_end = 1};
  EXPECT_FALSE(TooLargeForGather(kMedium, Problem2d(1, 16, 16, dim, dim)).has_value());
  ConvProblem problem = Problem2d(1024, 16, 16, dim, dim);
  TileConfig small = kMedium;
  small.tile.m = 64;
  ASSERT_EQ(Reject(small, Gfx::k942), nullptr);
  EXPECT_THAT(TooLargeForGather(small, problem).value().reason,
              HasSubstr("tiles at most 16777215"));
}

// The columns of a tile are those of all its groups.
TEST(PlanGather, MergedGroupsReachOverTheChannelsOfAllInATensor) {
  ConvProblem problem = Problem2d(1, 64, 64, {.in = 8}, {.in = 8});
  problem.groups = 4;
  problem.epilogue.tensors = 1;
  problem.epilogue.d[0] = {.type = DataType::kF32, .stride = {0, 0, 0, 0, 16 << 24, 1 << 24}};
  EXPECT_EQ(RejectGather(kMerged, problem), std::nullopt);
  EXPECT_THAT(TooLargeForGather(kMerged, problem).value().reason,
              HasSubstr("a tile reaches over 4227858436 bytes of D0"));
  problem.epilogue.d[0].stride = {0, 0, 0, 0, 16 << 23, 1 << 23};
  EXPECT_FALSE(TooLargeForGather(kMerged, problem).has_value());
}

// 1024 channels of 200 x 200 pixels are more than L2 holds of what an XCD's workgroups read through
// a tap, of 8 x 8 pixels they are not.
TEST(PlanGather, PixelsThatL2LosesBetweenTapsAreReadAgain) {
  const auto cycles_of_step = [](std::int64_t in, std::int64_t filter) {
    const Dim dim = {.in = in, .filter = filter, .pad_begin = filter / 2, .pad_end = filter / 2};
    const ConvProblem problem = {.batch = 32, .c = 1024, .k = 64, .dims = {Dim{}, dim, dim}};
    const Cost cost = EstimateOf(kMedium, problem, {.splits = 1}).cost;
    return cost.memory_cycles / static_cast<double>(filter * filter);
  };
  EXPECT_GT(cycles_of_step(200, 3), 1.5 * cycles_of_step(200, 1));
  EXPECT_DOUBLE_EQ(cycles_of_step(8, 3), cycles_of_step(8, 1));
}

// As many bytes of pixels, of 160 channels of a group, a little more than L2 holds: those of 16
// groups lie 40 lines apart, and fall into an eighth of its sets, those of 2 groups lie 5 lines
// apart.
TEST(PlanGather, PixelsThatCrowdIntoFewSetsAreLostSooner) {
  const auto cycles_of_step = [](std::int64_t groups, std::int64_t filter) {
    const Dim dim = {.in = 200, .filter = filter, .pad_begin = filter / 2, .pad_end = filter / 2};
    const ConvProblem problem = {.groups = groups,
                                 .batch = 32,
                                 .c = 448 * groups,
                                 .k = 64 * groups,
                                 .dims = {Dim{}, dim, dim}};
    const Cost cost = EstimateOf(kMedium, problem, {.splits = 1}).cost;
    return cost.memory_cycles / static_cast<double>(filter * filter);
  };
  EXPECT_GT(cycles_of_step(8, 3), 1.2 * cycles_of_step(1, 3));
  EXPECT_NEAR(cycles_of_step(8, 1), cycles_of_step(1, 1), 1e-3 * cycles_of_step(1, 1));
}

// Stride 2 has sub-GEMMs of 4, 2, 2 and 1 of the 9 taps.
TEST(PlanGather, TheSubGemmOfMostTapsDecidesWhereAllTilesRunAtOnce) {
  const Dim dim = {.in = 8, .filter = 3, .stride = 2, .pad_begin = 1, .pad_end = 1};
  const ConvProblem few = Problem2d(16, 1280, 1280, dim, dim);  // 80 tiles
  const Dim of_most = {.in = 4, .filter = 2, .pad_end = 1};
  const ConvProblem alone = Problem2d(16, 1280, 1280, of_most, of_most);
  const SplitK once = {.splits = 1};
  const auto terms = [&](const ConvProblem& problem) {
    const Cost cost = EstimateOf(kMedium, problem, once).cost;
    return std::pair(cost.matrix_cycles, cost.workgroups);
  };
  EXPECT_EQ(terms(few), std::pair(terms(alone).first, 4 * terms(alone).second));
}

TEST(PlanGather, FewTilesOfALongKAreSplit) {
  // 4 tiles for 304 compute units, 3x3 x 4096 / 32 = 1152 steps.
  const Dim dim = {.in = 16, .filter = 3, .pad_begin = 1, .pad_end = 1};
  const ConvProblem narrow = Problem2d(1, 256, 4096, dim, dim);
  const GatherPlan plan = PlanOf(kMedium, narrow);
  const PartEstimate estimate = EstimateOf(kMedium, narrow);
  EXPECT_GT(estimate.splits, 8);
  EXPECT_EQ(plan.shape.workgroups[2], static_cast<unsigned>(estimate.splits));
  EXPECT_EQ(plan.args.epilogue.out_type, static_cast<int>(DataType::kF32));
  EXPECT_EQ(plan.args.epilogue.split_bytes, 4 * narrow.out_elements());
  EXPECT_GT(EstimateOf(kMedium, narrow, {.splits = 1}).cost.cycles, estimate.cost.cycles);
  EXPECT_EQ(PlanOf(kMedium, narrow, {.splits = 1}).args.epilogue.out_type,
            static_cast<int>(DataType::kF16));
  // 2048 tiles: nothing to gain.
  EXPECT_EQ(EstimateOf(kMedium, Problem2d(512, 256, 4096, dim, dim)).splits, 1);
}

}  // namespace
}  // namespace gridwise::tile
