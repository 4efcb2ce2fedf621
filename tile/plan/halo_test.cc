// SPDX-License-Identifier: MIT
// Instances with a halo: strips of positions, and what they refuse.
#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "core/conv/sub_gemms.h"
#include "core/text/fields_text.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tile/halo_layout.h"
#include "tile/lds_layout.h"
#include "tile/plan/gather.h"
#include "tile/plan/test_problems.h"
#include "tile/reject.h"

namespace gridwise::tile {
namespace {

using ::testing::HasSubstr;

// 4 groups of 8 channels with a halo.
constexpr TileConfig kHalo = {.tile = {128, 32, 32},
                              .waves = {4, 1},
                              .mma = {MmaUnit::kMfma, 4, 4, 4},
                              .patch_a = {8, 1},
                              .patch_b = {8, 2},
                              .merge = {4},
                              .halo = {184}};
static_assert(Reject(kHalo, Gfx::k942) == nullptr);

// 2 groups of 16 channels, forward of stride 2: four planes of pixels.
constexpr TileConfig kPlanes = {.tile = {64, 32, 32},
                                .waves = {4, 1},
                                .mma = {MmaUnit::kMfma, 16, 16, 16},
                                .patch_a = {8, 1},
                                .patch_b = {8, 1},
                                .merge = {2},
                                .halo = {96},
                                .stride = {2}};
static_assert(Reject(kPlanes, Gfx::k942) == nullptr);
static_assert(HaloLayout{kPlanes}.pixels(/*banks=*/32).pixels == 4 * 96 &&
              HaloLayout{kPlanes}.pixels(/*banks=*/32).room_bytes == 8 &&
              HaloLayout{kPlanes}.pixels(/*banks=*/64).room_bytes == 16);

// Pixels of up to 3 channels, of 8 taps along w, forward of stride 2: two planes of rows, each of
// whose positions is two pixels.
constexpr TileConfig kPixels = {.tile = {128, 64, 32},
                                .waves = {4, 1},
                                .mma = {MmaUnit::kMfma, 32, 32, 8},
                                .patch_a = {3, 1},
                                .patch_b = {1, 1},
                                .halo = {256},
                                .stride = {2},
                                .pixel = {4}};
static_assert(Reject(kPixels, Gfx::k942) == nullptr);
static_assert(HaloLayout{kPixels}.pixels(/*banks=*/32).pixels == 2 * 256 &&
              HaloLayout{kPixels}.pixels(/*banks=*/32).pixel_bytes() == 2 * 8 &&
              HaloLayout{kPixels}.pixels(/*banks=*/32).alignment() == 16 &&
              kPixels.reach_w(/*taps=*/5) == 4);

// K tiles of 16 channels with a halo; the last may have 4.
constexpr TileConfig kHaloOfKTiles = {.type = DataType::kF16,
                                      .tile = {128, 128, 16},
                                      .waves = {2, 2},
                                      .mma = {MmaUnit::kMfma, 32, 32, 8},
                                      .patch_a = {4, 1},
                                      .patch_b = {4, 2},
                                      .halo = {234},
                                      .taps_in_lds = {3}};
static_assert(Reject(kHaloOfKTiles, Gfx::k942) == nullptr);
static_assert(LdsLayout{kHaloOfKTiles}.operand_bytes() == 234 * 48 + 3 * 128 * 32);

// 2 groups of up to 16 channels, loaded 4 at a time.
constexpr TileConfig kFilled = {.tile = {128, 32, 32},
                                .waves = {4, 1},
                                .mma = {MmaUnit::kMfma, 16, 16, 16},
                                .patch_a = {4, 1},
                                .patch_b = {4, 2},
                                .merge = {2},
                                .halo = {184}};
static_assert(Reject(kFilled, Gfx::k942) == nullptr);
static_assert(kFilled.fills_groups() && !kHalo.fills_groups() && !kHaloOfKTiles.fills_groups());

// A group of up to 64 channels, the weights of whose taps go through LDS 3 at a time.
constexpr TileConfig kWide = {.tile = {128, 64, 64},
                              .waves = {4, 1},
                              .mma = {MmaUnit::kMfma, 32, 32, 8},
                              .patch_a = {8, 1},
                              .patch_b = {8, 2},
                              .halo = {184}};
static_assert(Reject(kWide, Gfx::k942) == nullptr);
static_assert(HaloLayout{kWide}.taps_at_once() == 3 &&
              LdsLayout{kWide}.operand_bytes() == HaloLayout{kWide}.pixels_bytes());
static_assert(HaloLayout{kHalo}.taps_at_once() == 9, "of small weights, all at once");

/// Counts how often each pixel of a sub-GEMM's phases is a position of a tile, as HaloTile goes
/// through them, and checks that LDS has the pixels that it meets.
void ExpectStripsCoverOnce(const TileConfig& config, const SubGemm& gemm, const Strips& strips,
                           int images) {
  const AxisPhase &h = gemm.axis[1], &w = gemm.axis[2];
  EXPECT_LE(
      config.tile.m + (config.reach_h(h.taps) - 1) * strips.pitch + config.reach_w(w.taps) - 1,
      config.halo);
  EXPECT_EQ(strips.all, images * strips.count * strips.tiles);
  ASSERT_EQ(gemm.m, CeilDiv(strips.all, strips.run) * config.tile.m);
  std::vector<int> seen(static_cast<std::size_t>(images * h.count * w.count));
  for (int tile = 0; tile < strips.all; ++tile) {
    const int of_strip = static_cast<int>(Divide(tile, strips.by_tiles));
    const int image = static_cast<int>(Divide(of_strip, strips.by_count));
    const int first_w = (of_strip - image * strips.count) * strips.width;
    for (int row = 0; row < config.tile.m; ++row) {
      const int at = (tile - of_strip * strips.tiles) * config.tile.m + row,
                y = static_cast<int>(Divide(at, strips.by_pitch));
      const int x = at - y * strips.pitch;
      if (y >= h.count || x >= strips.width || first_w + x >= w.count) continue;
      ++seen[static_cast<std::size_t>((image * h.count + y) * w.count + first_w + x)];
    }
  }
  EXPECT_THAT(seen, ::testing::Each(1));
}

TEST(PlanGather, StripsCoverThePixelsOfEverySubGemmOnce) {
  int longest_run = 0;
  for (const int stride : {1, 2}) {
    for (const int size : {1, 7, 25, 27, 60, 101}) {
      const Dim dim = {.in = size, .filter = 3, .stride = stride, .pad_begin = 1, .pad_end = 1};
      ConvProblem problem = Problem2d(40, 64, 64, dim, dim);
      problem.groups = 8;
      ASSERT_EQ(Why(RejectGather(kHalo, problem)), "");
      const GatherPlan plan = PlanOf(kHalo, problem);
      EXPECT_EQ(plan.args.splits, 1);
      for (std::size_t i = 0; i < plan.table.size(); ++i) {
        ExpectStripsCoverOnce(kHalo, plan.table[i], plan.args.strips[i], 40);
        longest_run = std::max(longest_run, plan.args.strips[i].run);
      }
    }
  }
  EXPECT_GT(longest_run, 1);
}

TEST(PlanGather, StripsOfPlanesCoverThePixelsOnce) {
  for (const int size : {3, 9, 14, 61, 120}) {
    const Dim dim = {.in = size, .filter = 3, .stride = 2, .pad_begin = 1, .pad_end = 1};
    ConvProblem problem = Problem2d(3, 64, 64, dim, dim);
    problem.direction = Direction::kForward;
    problem.groups = 4;
    ASSERT_EQ(Why(RejectGather(kPlanes, problem)), "");
    const GatherPlan plan = PlanOf(kPlanes, problem);
    ASSERT_EQ(plan.table.size(), 1u);
    ExpectStripsCoverOnce(kPlanes, plan.table[0], plan.args.strips[0], 3);
    problem.dims[2].stride = 1;
    EXPECT_THAT(Why(RejectGather(kPlanes, problem)), HasSubstr("along w"));
  }
}

TEST(PlanGather, StripsOfPixelsCoverThePixelsOnce) {
  for (const int size : {9, 14, 61, 120, 800}) {
    const Dim dim = {.in = size, .filter = 7, .stride = 2, .pad_begin = 3, .pad_end = 3};
    ConvProblem problem = Problem2d(3, 3, 64, dim, dim);
    problem.direction = Direction::kForward;
    ASSERT_EQ(Why(RejectGather(kPixels, problem)), "");
    const GatherPlan plan = PlanOf(kPixels, problem);
    ASSERT_EQ(plan.table.size(), 1u);
    ExpectStripsCoverOnce(kPixels, plan.table[0], plan.args.strips[0], 3);
  }
}

TEST(PlanGather, SaysWhyPixelsAreNotPixels) {
  const Dim dim = {.in = 20, .filter = 7, .stride = 2, .pad_begin = 3, .pad_end = 3};
  ConvProblem problem = Problem2d(2, 4, 64, dim, dim);
  problem.direction = Direction::kForward;
  EXPECT_EQ(Why(RejectGather(kPixels, problem)),
            "a group has 4 source channels; the instance takes 1 to 3");
  problem.c = 1;
  EXPECT_EQ(Why(RejectGather(kPixels, problem)), "");
  problem.dims[2].filter = 4;
  EXPECT_EQ(Why(RejectGather(kPixels, problem)),
            "the filter has 4 taps along w; the instance takes 5 to 8");
  problem.dims[2].filter = 9;
  EXPECT_THAT(Why(RejectGather(kPixels, problem)), HasSubstr("9 taps along w"));
  problem.dims[2].filter = 8;
  problem.dims[1].filter = 8;
  EXPECT_THAT(Why(RejectGather(kPixels, problem)), HasSubstr("at most 7 rows of taps"));
  problem.dims[1].filter = 7;
  problem.dims[2].dilation = 2;
  EXPECT_THAT(Why(RejectGather(kPixels, problem)), HasSubstr("along w"));
}

// Pixels of dx that no tap along w reaches, in more than one strip.
TEST(PlanGather, StripsCoverPixelsThatNoTapReaches) {
  const Dim h = {.in = 20, .filter = 3, .pad_begin = 1, .pad_end = 1};
  const Dim w = {.in = 120, .filter = 1, .stride = 2};
  ConvProblem problem = Problem2d(2, 64, 64, h, w);
  problem.groups = 8;
  ASSERT_EQ(Why(RejectGather(kHalo, problem)), "");
  const GatherPlan plan = PlanOf(kHalo, problem);
  ASSERT_EQ(plan.table.size(), 2u);
  EXPECT_EQ(plan.table[1].axis[2].taps, 0);
  EXPECT_GT(plan.args.strips[1].count, 1);
  for (std::size_t i = 0; i < plan.table.size(); ++i) {
    ExpectStripsCoverOnce(kHalo, plan.table[i], plan.args.strips[i], 2);
  }
}

TEST(PlanGather, WorkgroupsThatLoadWeightsOnceAreOneRound) {
  const Dim dim = {.in = 27, .filter = 3, .pad_begin = 1, .pad_end = 1};
  ConvProblem problem = Problem2d(40, 1024, 1024, dim, dim);
  problem.groups = 128;
  const GatherPlan plan = PlanOf(kHalo, problem);
  const Strips& strips = plan.args.strips[0];
  EXPECT_GT(strips.run, strips.tiles);  // of an image; they go on with the next one's
  const auto [x, y, z] = plan.shape.workgroups;
  EXPECT_LE(x * y * z, static_cast<unsigned>(kDevice.compute_units));
  EXPECT_GT(x * y * z, 0.9 * kDevice.compute_units);
}

TEST(PlanGather, StripsOfKTilesAreATileEachAndMayBeSplit) {
  for (const int size : {1, 7, 50, 60, 101}) {
    const Dim dim = {.in = size, .filter = 3, .pad_begin = 1, .pad_end = 1};
    ConvProblem problem = Problem2d(4, 256, 36, dim, dim);
    ASSERT_EQ(Why(RejectGather(kHaloOfKTiles, problem)), "");
    const GatherPlan plan = PlanOf(kHaloOfKTiles, problem, {.splits = 2});
    EXPECT_EQ(plan.args.splits, 2);
    EXPECT_EQ(plan.args.strips[0].run, 1);
    ExpectStripsCoverOnce(kHaloOfKTiles, plan.table[0], plan.args.strips[0], 4);
  }
}

TEST(PlanGather, SaysWhyPixelsAreNotLoadedOnce) {
  const Dim same = {.in = 20, .filter = 3, .pad_begin = 1, .pad_end = 1};
  const auto why = [&](Dim h, Dim w, int channels) {
    ConvProblem problem = Problem2d(2, 8 * channels, 8 * channels, h, w);
    problem.groups = 8;
    return Why(RejectGather(kHalo, problem));
  };
  EXPECT_EQ(why(same, same, 8), "");
  EXPECT_THAT(why(same, same, 16), HasSubstr("a group has c 16 and k 16"));
  Dim dilated = same;
  dilated.dilation = 2;
  EXPECT_THAT(why(same, dilated, 8), HasSubstr("stride 1 and dilation 2"));
  Dim long_filter = same;
  long_filter.filter = 5;
  EXPECT_THAT(why(same, long_filter, 8), HasSubstr("3 x 5 taps"));
  // Where the stride divides the dilation, one phase of dx has all taps.
  const Dim high = {.in = 20, .filter = 4};
  const Dim one_phase = {.in = 20, .filter = 4, .stride = 2, .dilation = 2};
  EXPECT_THAT(why(high, one_phase, 8), HasSubstr("4 x 4 taps"));
}

TEST(PlanGather, SaysWhyKTilesHaveNoHalo) {
  const Dim same = {.in = 20, .filter = 3, .pad_begin = 1, .pad_end = 1};
  const auto why = [&](Dim h, Dim w, int c, int k) {
    return Why(RejectGather(kHaloOfKTiles, Problem2d(2, c, k, h, w)));
  };
  EXPECT_EQ(why(same, same, 6, 36), "");
  EXPECT_THAT(why(same, same, 6, 38),
              HasSubstr("38 source channels; the instance loads 4 at a time"));
  EXPECT_THAT(why(same, same, 6, 260), HasSubstr("the instance is for at most 256"));
  EXPECT_THAT(why(same, same, 5, 36),
              HasSubstr("5 output channels; the instance loads 2 at a time"));
  Dim other = same;
  other.stride = 2;
  EXPECT_THAT(why(other, same, 6, 36), HasSubstr("3 taps along w, of stride 1"));
  other = same;
  other.filter = 1;
  EXPECT_THAT(why(same, other, 6, 36), HasSubstr("has 1 taps along w"));
}

ConvProblem Groups(int groups, int channels, int columns) {
  const Dim dim = {.in = 20, .filter = 3, .pad_begin = 1, .pad_end = 1};
  ConvProblem problem = Problem2d(2, groups * columns, groups * channels, dim, dim);
  problem.groups = groups;
  return problem;
}

TEST(PlanGather, GroupsAreFilledUp) {
  for (const auto& [channels, columns] : {std::pair(12, 12), std::pair(4, 16), std::pair(16, 2)}) {
    const ConvProblem problem = Groups(5, channels, columns);
    ASSERT_EQ(Why(RejectGather(kFilled, problem)), "");
    const GatherPlan plan = PlanOf(kFilled, problem);
    EXPECT_EQ(plan.args.k, channels);  // of one group
    EXPECT_EQ(plan.args.n, columns);
    EXPECT_EQ(plan.args.groups, 5);
    EXPECT_EQ(plan.shape.workgroups[1], 3u);  // the last tiles have one group
  }
  // With one group, k tiles and columns end where channels do.
  EXPECT_EQ(Why(RejectGather(kWide, Groups(3, 40, 56))), "");
  EXPECT_EQ(PlanOf(kWide, Groups(3, 40, 72)).args.n_tiles, 2);
}

TEST(PlanGather, SaysWhyGroupsAreNotFilledUp) {
  const auto why = [](int channels, int columns, Layout layout = Layout::kNHWGC) {
    ConvProblem problem = Groups(5, channels, columns);
    problem.layout = layout;
    return Why(RejectGather(kFilled, problem));
  };
  EXPECT_EQ(
      why(20, 16),
      "a group has c 16 and k 20; the instance has room for groups of 16 source channels and 16 "
      "of the output");
  EXPECT_THAT(why(16, 18), HasSubstr("the instance has room for groups"));
  EXPECT_EQ(why(6, 8), "a group has 6 source channels; the instance loads 4 at a time");
  EXPECT_EQ(why(8, 5), "a group has 5 output channels; the instance loads 2 at a time");
  EXPECT_THAT(why(8, 8, Layout::kGNHWC), HasSubstr("not adjacent in all tensors"));
  EXPECT_EQ(Why(RejectGather(kWide, Groups(3, 72, 64))),
            "a group has 72 source channels; the instance has room for 64");
  EXPECT_THAT(Why(RejectGather(kWide, Groups(3, 44, 64))),
              HasSubstr("the instance loads 8 at a time"));
}

TEST(TileConfig, RejectsHalosThatCannotBe) {
  EXPECT_EQ(PrintFields(kHalo), "f16_t128x32x32_w4x1_mfma4x4x4_a8x1_b8x2_o1_g4_halo184");
  TileConfig c = kHalo;
  c.halo = {128};
  EXPECT_THAT(Reject(c, Gfx::k942), HasSubstr("no pixels besides the tile's"));
  c = kHalo;
  c.pipeline = {Schedule::kDouble, 1};
  EXPECT_THAT(Reject(c, Gfx::k942), HasSubstr("loaded once"));
  EXPECT_EQ(PrintFields(kHaloOfKTiles),
            "f16_t128x128x16_w2x2_mfma32x32x8_a4x1_b4x2_o1_halo234_taps3");
  // Loads of a row of taps need not be all lanes'.
  c = {.tile = {128, 48, 64},
       .waves = {4, 1},
       .mma = {MmaUnit::kMfma, 16, 16, 32},
       .patch_a = {8, 1},
       .patch_b = {8, 1},
       .halo = {234},
       .taps_in_lds = {3}};
  EXPECT_EQ(Reject(c, Gfx::k950), nullptr);
  c.waves = {2, 1};
  c.tile.k = 128;  // rows of LDS that a lane's vectors are in are 8 apart
  c.halo = {};
  c.taps_in_lds = {};
  EXPECT_STREQ(Reject(c, Gfx::k950), "a lane's vectors of an operand's tile do not lie alike");
  c = kHaloOfKTiles;
  c.halo = {};
  EXPECT_THAT(Reject(c, Gfx::k942), HasSubstr("without a halo"));
  c = kHaloOfKTiles;
  c.taps_in_lds = {4};
  EXPECT_THAT(Reject(c, Gfx::k942), HasSubstr("at most 3"));
  c = kHalo;
  c.taps_in_lds = {3};
  EXPECT_THAT(Reject(c, Gfx::k942), HasSubstr("of one group"));
  c = kFilled;
  c.patch_b = {8, 2};
  EXPECT_STREQ(Reject(c, Gfx::k942), "pixels are loaded by 4 channels, weights are not");
}

}  // namespace
}  // namespace gridwise::tile
