// SPDX-License-Identifier: MIT
#include "hopper/halo/plan.h"

#include <algorithm>
#include <cstdint>
#include <set>
#include <tuple>

#include "core/arch/target.h"
#include "core/base/types.h"
#include "core/conv/problem.h"
#include "core/launch/part_kernel.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "hopper/dense_halo/config.h"
#include "hopper/dense_halo/plan.h"
#include "hopper/halo/config.h"
#include "hopper/halo_weight/config.h"
#include "hopper/halo_weight/plan.h"

namespace gridwise::hopper {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// 3 x 3 of 16 groups of 16 channels.
ConvProblem Problem(Direction direction, std::int64_t size, std::int64_t stride) {
  ConvProblem problem = {
      .direction = direction, .groups = 16, .batch = 4, .c = 256, .k = 256, .dims = {}};
  for (const std::size_t axis : {1u, 2u}) {
    problem.dims[axis] = {.in = size, .filter = 3, .stride = stride, .pad_begin = 1, .pad_end = 1};
  }
  return problem;
}

constexpr HaloConfig kForwardRow = {};

HaloConfig BackwardRow(int up) {
  HaloConfig config = {.direction = Direction::kBackwardData, .up = up};
  if (up == 2) config.consumers = 1;
  return config;
}

template <class Config>
HaloArgs ArgsOf(const Config& config, const ConvProblem& problem) {
  const DeviceFacts device = Gfx::kSm90a;
  EXPECT_EQ(Why(RejectProblem(config, problem)), "");
  return PlanHalo(config, {device, problem, {}, SplitK{.splits = 1}}).args;
}

/// The source pixels, h and w, that the instance pairs an output pixel with at each filter tap: as
/// the kernel finds them, in planes and lines of the tile's patch.
using Terms = std::multiset<std::tuple<int, int, int, int>>;  // source h, w; filter y, x

Terms TermsOf(const HaloArgs& args, int pixel_bytes, int up, int out_h, int out_w) {
  const int residues = (out_h % up ^ args.flip_h) * up + (out_w % up ^ args.flip_w);
  const int h = out_h / up % args.tile_h, w = out_w / up % args.tile_w;
  const int first_h = out_h / up - h, first_w = out_w / up - w;
  Terms terms;
  const int begin = residues == 0 ? 0 : args.phase_end[residues - 1];
  for (int i = begin; i < args.phase_end[residues]; ++i) {
    const int plane = args.tap[i].at / args.plane_bytes;
    const int pixel = args.tap[i].at % args.plane_bytes / pixel_bytes + h * args.pitch + w;
    EXPECT_LT(pixel, args.box_bytes / pixel_bytes);
    const int line = pixel / args.pitch, column = pixel % args.pitch;
    terms.insert({args.origin_h + args.plane_h[plane] + (first_h + line) * args.source_step_h,
                  args.origin_w + args.plane_w[plane] + (first_w + column) * args.source_step_w,
                  args.tap[i].y, args.tap[i].x});
  }
  return terms;
}

Terms ExpectedTerms(const ConvProblem& problem, int out_h, int out_w) {
  Terms terms;
  const Dim &h = problem.dims[1], &w = problem.dims[2];
  const bool forward = problem.direction != Direction::kBackwardData;
  for (int y = 0; y < h.filter; ++y) {
    for (int x = 0; x < w.filter; ++x) {
      if (forward) {
        terms.insert({out_h * h.stride + y * h.dilation - h.pad_begin,
                      out_w * w.stride + x * w.dilation - w.pad_begin, y, x});
        continue;
      }
      const auto from_h = out_h + h.pad_begin - y * h.dilation;
      const auto from_w = out_w + w.pad_begin - x * w.dilation;
      if (from_h % h.stride != 0 || from_w % w.stride != 0) continue;
      terms.insert({from_h / h.stride, from_w / w.stride, y, x});
    }
  }
  return terms;
}

template <class Config>
void ExpectTerms(const Config& config, const ConvProblem& problem, int up) {
  const HaloArgs args = ArgsOf(config, problem);
  const int pixel_bytes = 64 * SizeOf(config.type);
  EXPECT_LE(args.tile_w, args.pitch);
  const auto pixels =
      problem.AxesOf(problem.direction == Direction::kBackwardWeight ? Tensor::kY : problem.out())
          .size;
  EXPECT_GE(args.tiles_h * args.tile_h * up, pixels[2]);
  EXPECT_GE(args.tiles_w * args.tile_w * up, pixels[3]);
  for (int h = 0; h < pixels[2]; ++h) {
    for (int w = 0; w < pixels[3]; ++w) {
      ASSERT_EQ(TermsOf(args, pixel_bytes, up, h, w), ExpectedTerms(problem, h, w))
          << h << " " << w;
    }
  }
}

TEST(PlanHalo, PairsEachPixelWithItsSources) {
  for (const std::int64_t size : {1, 7, 24, 25, 60}) {
    ExpectTerms(kForwardRow, Problem(Direction::kForward, size, 1), 1);
    ExpectTerms(kForwardRow, Problem(Direction::kForward, size, 2), 1);
    ExpectTerms(BackwardRow(1), Problem(Direction::kBackwardData, size, 1), 1);
    ExpectTerms(HaloWeightConfig{}, Problem(Direction::kBackwardWeight, size, 1), 1);
    ExpectTerms(HaloWeightConfig{}, Problem(Direction::kBackwardWeight, size, 2), 1);
    if (size > 1) ExpectTerms(BackwardRow(2), Problem(Direction::kBackwardData, size, 2), 2);
  }
  ConvProblem unpadded = Problem(Direction::kBackwardData, 21, 2);  // even pixels have two taps
  unpadded.dims[1].pad_begin = unpadded.dims[1].pad_end = 0;
  ExpectTerms(BackwardRow(2), unpadded, 2);
  ConvProblem dilated = Problem(Direction::kForward, 30, 2);
  dilated.dims[1].dilation = 3;
  dilated.dims[2] = {.in = 41, .filter = 5, .dilation = 2, .pad_begin = 3, .pad_end = 0};
  ExpectTerms(HaloConfig{.filter = 0}, dilated, 1);
  ConvProblem bytes = Problem(Direction::kForward, 30, 2);
  bytes.type = DataType::kI8;
  ExpectTerms(HaloConfig{.type = DataType::kI8, .channels = 32}, bytes, 1);
}

// By hand: tap 1 of 3 meets even pixels, taps 0 and 2 odd ones.
TEST(PlanHalo, PhasesHaveTheirTaps) {
  EXPECT_THAT(ArgsOf(BackwardRow(2), Problem(Direction::kBackwardData, 20, 2)).phase_end,
              ElementsAre(1, 3, 5, 9));
}

TEST(PlanHalo, LinesOfWeightTilesEndInWholeProducts) {
  const HaloArgs args = ArgsOf(HaloWeightConfig{}, Problem(Direction::kBackwardWeight, 50, 1));
  EXPECT_EQ(args.tile_h * args.pitch % 16, 0);
}

TEST(RejectHalo, SaysWhyWithTheValues) {
  const auto reason = [](const ConvProblem& problem) {
    return Why(RejectProblem(kForwardRow, problem));
  };
  ConvProblem problem = Problem(Direction::kForward, 20, 1);
  EXPECT_EQ(reason(problem), "");
  problem.k = 512;
  EXPECT_THAT(reason(problem), HasSubstr("have 16 input and 32 output channels, 16 apart"));
  problem = Problem(Direction::kForward, 20, 1);
  problem.groups = 8;
  EXPECT_THAT(reason(problem), HasSubstr("groups are 32 channels apart"));
  problem = Problem(Direction::kForward, 20, 1);
  problem.dims[1].filter = problem.dims[2].filter = 7;
  EXPECT_THAT(reason(problem), HasSubstr("7 taps along h; the instance is for 3"));
  problem.dims[1].filter = 9;
  EXPECT_THAT(Why(RejectProblem(HaloConfig{.filter = 0}, problem)),
              HasSubstr("the filter has 63 taps; the instance takes at most 49"));
  EXPECT_THAT(Why(RejectProblem(BackwardRow(1), Problem(Direction::kBackwardData, 20, 2))),
              HasSubstr("2 phases; the instance is for 1"));
}

TEST(HaloPlan, SharedMemoryHasAllRowsThatAreMultiplied) {
  constexpr HaloDenseConfig kRow = {.consumers = 3, .reps = 2, .stages = 2};
  ConvProblem problem = {
      .direction = Direction::kForward, .batch = 5, .c = 248, .k = 2, .dims = {}};
  for (const std::size_t axis : {1u, 2u}) {
    problem.dims[axis] = {.in = 9, .filter = 3, .stride = 2, .pad_begin = 1, .pad_end = 1};
  }
  ASSERT_EQ(Why(RejectProblem(kRow, problem)), "");
  const DeviceFacts device = Gfx::kSm90a;
  const auto plan = PlanHalo(kRow, {device, problem, {}, SplitK{.splits = 1}});
  int furthest = 0;
  for (const HaloTap& tap : plan.args.tap) furthest = std::max(furthest, tap.at);
  EXPECT_GE(static_cast<int>(plan.shape.dynamic_lds_bytes),
            (kRow.stages - 1) * plan.args.stage_bytes + furthest + kRow.pixels() * 128);
}

}  // namespace
}  // namespace gridwise::hopper
