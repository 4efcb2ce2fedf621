// SPDX-License-Identifier: MIT
#include "direct/plan.h"

#include <algorithm>
#include <string>
#include <vector>

#include "core/conv/sub_gemms.h"
#include "core/text/fields_text.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace gridwise::direct {
namespace {

using ::testing::HasSubstr;

constexpr DirectConfig kAny = {.channels = 1, .pixels = 8, .taps = 1, .stride = 0};
constexpr DirectConfig kPairs = {.channels = 2, .pixels = 8, .taps = 3, .stride = 1};
static_assert(Reject(kAny, Gfx::k942) == nullptr && Reject(kPairs, Gfx::k1201) == nullptr);

ConvProblem Depthwise(Direction direction, std::int64_t groups, std::int64_t stride) {
  const Dim dim = {.in = 20, .filter = 3, .stride = stride, .pad_begin = 1, .pad_end = 1};
  return {.direction = direction,
          .groups = groups,
          .batch = 2,
          .c = groups,
          .k = groups,
          .dims = {Dim{}, dim, dim}};
}

DirectGatherPlan PlanGatherOf(const DirectConfig& config, const DeviceFacts& device,
                              const ConvProblem& problem, SplitK split_k = {}) {
  return PlanDirectGather(config, {device, problem, MakeSubGemms(problem), split_k});
}
DirectWeightPlan PlanWeightOf(const DirectConfig& config, const ConvProblem& problem,
                              SplitK split_k) {
  const DeviceFacts device = Gfx::k942;
  return PlanDirectWeight(config, {device, problem, /*sub_gemms=*/{}, split_k});
}
PartEstimate EstimateWeightOf(const ConvProblem& problem, SplitK split_k) {
  const DeviceFacts device = Gfx::k942;
  return EstimateDirectWeight(kPairs, {device, problem, /*sub_gemms=*/{}, split_k});
}

TEST(DirectConfig, NameParsesBack) {
  EXPECT_EQ(PrintFields(kPairs), "f16_ch2_pixels8_taps3_stride1");
  const absl::StatusOr<DirectConfig> parsed = ParseFields<DirectConfig>(PrintFields(kPairs));
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  EXPECT_EQ(*parsed, kPairs);
}

TEST(DirectConfig, RejectsWhatCannotRun) {
  DirectConfig c = kPairs;
  c.type = DataType::kF32;
  EXPECT_STREQ(Reject(c, Gfx::k942), "a lane loads 4 bytes at most");
  c = kPairs;
  c.stride = 0;
  EXPECT_STREQ(Reject(c, Gfx::k942), "stride is 0 with one tap, and only then");
  c = kAny;
  c.rows = {2};
  EXPECT_STREQ(Reject(c, Gfx::k942),
               "LDS has weights of several taps, and a lane works on at most 8 rows");
  c = {.type = DataType::kF8E4M3, .channels = 4};
  EXPECT_STREQ(Reject(c, Gfx::k942), "the target does not multiply the type");
  EXPECT_EQ(Reject(c, Gfx::k950), nullptr);
}

// 8 output pixels of stride 2 and 3 taps meet 17 source pixels; with one tap each pixel has its
// own.
TEST(DirectConfig, WindowsHoldWhatPixelsAndTapsMeet) {
  DirectConfig c = kPairs;
  EXPECT_EQ(c.window(), 10);
  c.stride = 2;
  EXPECT_EQ(c.window(), 17);
  EXPECT_EQ(c.WindowPixel(7, 2), 16);
  EXPECT_EQ(kAny.window(), 8);
  EXPECT_EQ(kAny.WindowPixel(7, 0), 7);
}

TEST(PlanDirect, TheOutputHasATypeOfItsOwn) {
  ConvProblem problem = Depthwise(Direction::kBackwardWeight, 200, 1);
  const SplitK one = {.splits = 1};
  EXPECT_EQ(PlanWeightOf(kPairs, problem, one).args.out_type, static_cast<int>(DataType::kF16));
  EXPECT_EQ(PlanWeightOf(kPairs, problem, one).args.dw.group, 2 * 9);
  problem.out_type = DataType::kF32;
  EXPECT_EQ(PlanWeightOf(kPairs, problem, one).args.out_type, static_cast<int>(DataType::kF32));
  EXPECT_EQ(PlanWeightOf(kPairs, problem, one).args.dw.group, 4 * 9);
}

TEST(PlanDirect, SumsOf8BitsHaveTheOutputsType) {
  ConvProblem problem = Depthwise(Direction::kForward, 200, 1);
  problem.type = DataType::kI8;
  const auto args = [&](SplitK split_k) {
    const DirectConfig config = {.type = problem.type, .channels = 4};
    return PlanGatherOf(config, Gfx::k950, problem, split_k).args;
  };
  EXPECT_EQ(args({}).out_type, static_cast<int>(DataType::kI32));
  EXPECT_EQ(args({}).out.group, 4);
  EXPECT_EQ(args({}).source.group, 1);
  problem.out_type = DataType::kF32;
  EXPECT_EQ(args({}).out_type, static_cast<int>(DataType::kF32));
  problem.type = DataType::kF8E4M3;
  problem.out_type = DataType::kF16;
  EXPECT_EQ(args({}).out_type, static_cast<int>(DataType::kF16));
  EXPECT_EQ(args({}).out.group, 2);
  EXPECT_EQ(args({.splits = 1, .partial_elements = 1000}).out.group, 4);  // sums for an epilogue
}

TEST(PlanDirect, TilesAreRunsAndLanes) {
  // 2 images * 20 rows * 3 runs of 8 of the 20 pixels = 120 runs, 4 waves a workgroup; 200 channels
  // are 2 tiles of 64 lanes with 2 channels.
  const ConvProblem problem = Depthwise(Direction::kForward, 200, 1);
  const DirectGatherPlan plan = PlanGatherOf(kPairs, Gfx::k942, problem);
  EXPECT_EQ(plan.shape.workgroups[0], 30u);
  EXPECT_EQ(plan.shape.workgroups[1], 2u);
  EXPECT_EQ(plan.shape.threads[0], 256u);
  EXPECT_EQ(plan.args.out.group, 2);
  const DirectGatherPlan sums =
      PlanGatherOf(kPairs, Gfx::k942, problem, {.splits = 2, .partial_elements = 1000});
  EXPECT_EQ(sums.shape.workgroups[2], 2u);
  EXPECT_EQ(sums.args.out.group, 4);
  EXPECT_EQ(sums.args.split_bytes, 4000);
  // Lanes are 32 on RDNA: of both images 7 tiles, in place of 4 each.
  const DirectGatherPlan rdna = PlanGatherOf(kPairs, Gfx::k1100, problem);
  EXPECT_EQ(rdna.shape.workgroups[0], 15u);
  EXPECT_EQ(rdna.shape.workgroups[1], 7u);
  EXPECT_EQ(rdna.shape.threads[0], 128u);
}

// 2 rows and 8 pixels a run: 2 images * 10 * 3 runs.
TEST(PlanDirect, RunsHaveSeveralRows) {
  DirectConfig config = kPairs;
  config.rows = {2};
  ConvProblem problem = Depthwise(Direction::kForward, 200, 1);
  const DirectGatherPlan plan = PlanGatherOf(config, Gfx::k942, problem);
  EXPECT_EQ(plan.table[0].m, 60);
  EXPECT_EQ(Divide(59, plan.table[0].by_count_w), 19u);
  EXPECT_EQ(Divide(19, plan.table[0].by_count_h), 1u);
  EXPECT_EQ(plan.args.runs, 1);
  EXPECT_EQ(plan.shape.workgroups[0], 15u);
  EXPECT_EQ(Why(RejectDirect(config, problem, /*splits=*/0)), "");
  problem.dims[1].stride = 2;
  EXPECT_EQ(
      Why(RejectDirect(config, problem, /*splits=*/0)),
      "along h, pixels of the output are 2 and taps 1 apart in the source; the instance is for 1 "
      "and 1");
}

// 24 channels of 4 of 8 images fill 48 of 64 lanes; of 5 there would be as many waves, of 1 four
// times as many.
TEST(PlanDirect, LanesAreOfSeveralImages) {
  ConvProblem problem = Depthwise(Direction::kForward, 24, 1);
  problem.batch = 8;
  const DirectGatherPlan plan = PlanGatherOf(kPairs, Gfx::k942, problem);
  EXPECT_EQ(plan.args.lane_images, 4);
  EXPECT_EQ(plan.args.lane_tiles, 1);
  EXPECT_EQ(plan.table[0].m, 2 * 20 * 3);
  problem.direction = Direction::kBackwardWeight;
  EXPECT_EQ(PlanWeightOf(kPairs, problem, {.splits = 1}).args.lane_images, 4);
  // Offsets of a lane stay below 2^31: an image of x has 1.2 GB.
  problem.dims[1].in = problem.dims[2].in = 5000;
  EXPECT_EQ(PlanWeightOf(kPairs, problem, {.splits = 1}).args.lane_images, 1);
  problem.direction = Direction::kForward;
  EXPECT_EQ(PlanGatherOf(kPairs, Gfx::k942, problem).args.lane_images, 1);
}

// The taps whose weights LDS holds at a time: rows along h; of several taps along d if they fit
// whole, and of several groups along w if all of d fits.
TEST(PlanDirect, BlocksAreTapsThatLdsHas) {
  const auto block = [](int taps, std::int64_t d, std::int64_t h, std::int64_t w) {
    ConvProblem problem = Depthwise(Direction::kForward, 128, 1);
    problem.dims[0] = {.in = 9, .filter = d, .pad_begin = 4, .pad_end = 4};
    problem.dims[1].filter = h;
    problem.dims[2].filter = w;
    const DirectConfig config = {.channels = 2, .taps = taps, .stride = 1, .rows = {1}};
    const DirectGatherArgs args = PlanGatherOf(config, Gfx::k942, problem).args;
    return std::vector<int>(args.block, args.block + 3);
  };
  using ::testing::ElementsAre;
  EXPECT_THAT(block(3, 3, 3, 3), ElementsAre(3, 3, 1));
  EXPECT_THAT(block(5, 5, 5, 5), ElementsAre(1, 5, 1));
  EXPECT_THAT(block(5, 2, 2, 5), ElementsAre(2, 2, 1));
  EXPECT_THAT(block(7, 1, 1, 20), ElementsAre(1, 1, 3));
  EXPECT_THAT(block(3, 1, 7, 7), ElementsAre(1, 7, 1));
}

// Waves that keep weights take more runs where there are many, all of them together every one.
TEST(PlanDirect, WavesTakeSeveralRuns) {
  DirectConfig config = kPairs;
  config.rows = {1};
  ConvProblem problem = Depthwise(Direction::kForward, 128, 1);
  problem.batch = 1000;
  const DirectGatherPlan plan = PlanGatherOf(config, Gfx::k942, problem);
  EXPECT_GT(plan.args.runs, 1);
  const int of_workgroup = plan.args.runs * kDirectGatherWaves;
  EXPECT_EQ(plan.table[0].m, 1000 * 20 * 3);
  EXPECT_EQ(plan.shape.workgroups[0],
            static_cast<unsigned>(CeilDiv(plan.table[0].m, of_workgroup)));
  EXPECT_EQ(PlanGatherOf(kPairs, Gfx::k942, problem).args.runs, 1);
}

TEST(PlanDirect, WeightsAreTapsAndPairs) {
  ConvProblem problem = Depthwise(Direction::kBackwardWeight, 200, 1);
  // 3 rows of 3 taps and 2 tiles of 64 lanes; 9 taps and 4 tiles.
  EXPECT_EQ(PlanWeightOf(kPairs, problem, {.splits = 1}).shape.workgroups[0], 3u * 2);
  EXPECT_EQ(PlanWeightOf(kAny, problem, {.splits = 1}).shape.workgroups[0], 9u * 4);
  problem.k = 600;  // 600 pairs of one channel of x and three of y
  EXPECT_EQ(PlanWeightOf(kAny, problem, {.splits = 1}).shape.workgroups[0], 9u * 10);
  problem.k = 200;
  DirectConfig square = kPairs;
  square.rows = {3};
  EXPECT_EQ(PlanWeightOf(square, problem, {.splits = 1}).shape.workgroups[0], 2u);
  problem.dims[1].stride = 2;
  EXPECT_EQ(
      Why(RejectDirect(square, problem, 0)),
      "along h, pixels of the output are 2 and taps 1 apart in the source; the instance is for the "
      "same distance");
  problem.dims[1].dilation = 2;  // as far apart as the pixels that outputs meet
  EXPECT_EQ(Why(RejectDirect(square, problem, 0)), "");
}

// All steps are some wave's, whatever the splits: 2 images of 3 runs of pixels along w, 20 rows and
// the two that the first taps see before the last ones.
TEST(PlanDirect, WavesShareTheSteps) {
  DirectConfig square = kPairs;
  square.rows = {3};
  const ConvProblem problem = Depthwise(Direction::kBackwardWeight, 200, 1);
  for (const int splits : {1, 3, 4, 16}) {
    const DirectWeightArgs args = PlanWeightOf(square, problem, {.splits = splits}).args;
    EXPECT_EQ(args.steps, 22);
    EXPECT_EQ(args.lines, 2 * 3);
    const int waves = splits * kDirectWeightWaves, all = args.steps * args.lines;
    EXPECT_GE(args.wave_steps * waves, all);
    EXPECT_LT((args.wave_steps - 1) * waves, all);
  }
  const DirectWeightArgs row = PlanWeightOf(kPairs, problem, {.splits = 1}).args;
  EXPECT_EQ(row.steps, 3);
  EXPECT_EQ(row.lines, 2 * 20);
}

TEST(PlanDirect, SplitsWriteSumsOfTheirOwn) {
  const ConvProblem problem = Depthwise(Direction::kBackwardWeight, 200, 1);
  const DirectWeightPlan split = PlanWeightOf(kPairs, problem, {.splits = 4});
  EXPECT_EQ(split.shape.workgroups[0], 3u * 2 * 4);
  EXPECT_EQ(split.args.splits, 4);
  EXPECT_EQ(split.args.split_bytes, 200 * 9 * 4);
  EXPECT_EQ(split.args.dw.group, 9 * 4);
  const DirectWeightPlan whole = PlanWeightOf(kPairs, problem, {.splits = 1});
  EXPECT_EQ(whole.args.dw.group, 9 * 2);
  EXPECT_LE(EstimateWeightOf(problem, {}).cost.cycles,
            std::min(EstimateWeightOf(problem, {.splits = 1}).cost.cycles,
                     EstimateWeightOf(problem, {.splits = 4}).cost.cycles));
}

TEST(PlanDirect, LaunchesKeepTheLimitOfAGrid) {
  ConvProblem problem = Depthwise(Direction::kForward, 1, 1);
  problem.batch = 1 << 21;
  problem.dims[1].in = problem.dims[2].in = 16;
  EXPECT_THAT(TooLargeForDirect(kAny, problem).value().reason,
              HasSubstr("a launch takes at most 16777215"));
  // Images have one row of pixels; a lane with 7 rows of sums walks over 7.
  const DirectConfig tall = {.channels = 1, .pixels = 4, .taps = 7, .stride = 1, .rows = {7}};
  problem = Depthwise(Direction::kBackwardWeight, 1, 1);
  problem.dims[1] = {.in = 1, .filter = 7, .pad_begin = 3, .pad_end = 3};
  problem.dims[2] = {.in = 1, .filter = 7, .pad_begin = 3, .pad_end = 3};
  problem.batch = 1 << 28;
  EXPECT_EQ(TooLargeForDirect(kAny, problem), std::nullopt);
  EXPECT_THAT(TooLargeForDirect(tall, problem).value().reason,
              HasSubstr("waves walk over y in 1879048192 steps; must be fewer than 2^30"));
}

TEST(PlanDirect, RejectionsNameTheirValues) {
  const auto reason = [](const DirectConfig& config, const ConvProblem& problem) {
    return Why(RejectDirect(config, problem, 0));
  };
  ConvProblem problem = Depthwise(Direction::kForward, 64, 1);
  EXPECT_EQ(RejectDirect(kPairs, problem, 0), std::nullopt);
  problem.k = 128;
  EXPECT_THAT(reason(kPairs, problem), HasSubstr("64 groups of c 1 and k 2; the instance is for"));
  EXPECT_EQ(RejectDirect(kAny, problem, 0), std::nullopt);
  problem.type = DataType::kF32;
  EXPECT_THAT(reason(kAny, problem), HasSubstr("type is f32"));
  problem.type = DataType::kF16;
  problem.out_type = DataType::kI32;  // of what was i8
  EXPECT_THAT(reason(kAny, problem), HasSubstr("the output is i32"));
  EXPECT_THAT(reason(kPairs, Depthwise(Direction::kForward, 63, 1)), HasSubstr("63 groups"));
  problem = Depthwise(Direction::kForward, 64, 1);
  problem.c = problem.k = 64 * 9;
  EXPECT_EQ(reason(kAny, problem),
            "a group has c 9 and k 9, which are 81 pairs (c, k); the instance is for groups of at "
            "most 64 pairs");
  EXPECT_THAT(reason(kPairs, Depthwise(Direction::kForward, 64, 2)),
              HasSubstr("pixels of the output are 2 and taps 1 apart"));
  // A phase of backward-data steps from pixel to pixel whatever the stride.
  EXPECT_EQ(RejectDirect(kPairs, Depthwise(Direction::kBackwardData, 64, 2), 0), std::nullopt);
  problem = Depthwise(Direction::kForward, 64, 1);
  problem.epilogue.alpha = 2;
  EXPECT_EQ(RejectDirect(kAny, problem, 0), std::nullopt);
  problem.batch = 1 << 18;
  EXPECT_THAT(reason(kAny, problem), HasSubstr("the output has 6710886400 elements; with an"));
  problem = Depthwise(Direction::kForward, 64, 1);
  problem.layout = Layout::kGNHWC;
  EXPECT_THAT(reason(kPairs, problem), HasSubstr("layout is gnhwc"));
  EXPECT_EQ(RejectDirect(kAny, problem, 0), std::nullopt);
  problem = Depthwise(Direction::kForward, 64, 1);
  problem.dims[1].in = problem.dims[2].in = 6000;
  EXPECT_THAT(TooLargeForDirect(kAny, problem).value().reason,
              HasSubstr("an image of x reaches over 4608000000 bytes"));
}

TEST(PlanDirect, SumsBeginWithABiasAndNothingElse) {
  ConvProblem problem = Depthwise(Direction::kForward, 64, 1);
  EXPECT_FALSE(HasOnlyBias(problem));
  problem.epilogue.tensors = 1;
  EpilogueTensor& bias = problem.epilogue.d[0];
  bias = {.type = problem.type, .stride = {0, 0, 0, 0, 1, 0}};
  EXPECT_TRUE(HasOnlyBias(problem));
  const auto with = [&](auto change) {
    ConvProblem changed = problem;
    change(changed.epilogue, changed.epilogue.d[0]);
    return HasOnlyBias(changed);
  };
  EXPECT_FALSE(with([](Epilogue&, EpilogueTensor& d) { d.stride[3] = 64; })) << "per pixel";
  EXPECT_FALSE(with([](Epilogue&, EpilogueTensor& d) { d.stride[4] = 2; }));
  EXPECT_FALSE(with([](Epilogue&, EpilogueTensor& d) { d.scale = 2; }));
  EXPECT_FALSE(with([](Epilogue&, EpilogueTensor& d) { d.type = DataType::kF32; }));
  EXPECT_FALSE(with([](Epilogue& e, EpilogueTensor&) { e.low = 0; }));
  EXPECT_FALSE(with([](Epilogue& e, EpilogueTensor&) { e.alpha = 2; }));
  EXPECT_TRUE(BeginsWithBias(kPairs, Gfx::kSm90a));
  EXPECT_FALSE(BeginsWithBias(kPairs, Gfx::k942));
}

TEST(PlanDirect, TargetsRefuseWhatTheyCannotOrShouldNot) {
  ConvProblem problem = Depthwise(Direction::kForward, 64, 1);
  EXPECT_EQ(RejectOnTarget(kPairs, Gfx::kSm90a, problem), std::nullopt);
  problem.strides[static_cast<std::size_t>(Tensor::kY)] = {400 * 67, 400 * 67, 20 * 67, 67, 1, 1};
  EXPECT_EQ(Why(RejectDirect(kPairs, problem, 0)), "");
  EXPECT_THAT(Why(RejectOnTarget(kPairs, Gfx::kSm90a, problem)),
              HasSubstr("pixels of y are 67 elements apart; the instance is for multiples of 2"));
  EXPECT_EQ(RejectOnTarget(kAny, Gfx::kSm90a, problem), std::nullopt);
  EXPECT_EQ(RejectOnTarget(kPairs, Gfx::k942, problem), std::nullopt);
  const ConvProblem one = Depthwise(Direction::kForward, 1, 1);
  EXPECT_THAT(Why(RejectOnTarget(kAny, Gfx::kSm90a, one)), HasSubstr("there is one group"));
  EXPECT_EQ(RejectOnTarget(kAny, Gfx::k942, one), std::nullopt);
}

}  // namespace
}  // namespace gridwise::direct
