// SPDX-License-Identifier: MIT
#include "hopper/gather/plan.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/arch/target.h"
#include "core/arch/tensor_map_spec.h"
#include "core/base/math.h"
#include "core/base/types.h"
#include "core/conv/gemm_map.h"
#include "core/conv/problem.h"
#include "core/conv/sub_gemms.h"
#include "core/launch/part_kernel.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "hopper/base/config.h"
#include "hopper/base/maps.h"
#include "hopper/base/reject.h"
#include "hopper/gather/args.h"
#include "hopper/testing/plan_test_instances.h"
#include "hopper/weight/args.h"
#include "hopper/weight/plan.h"

namespace gridwise::hopper {
namespace {

using ::testing::HasSubstr;

TEST(Reject, SaysWhyWithTheValues) {
  const auto reason = [](const ConvProblem& problem) {
    return Why(RejectProblem(RowFor(problem.direction), problem));
  };
  ConvProblem problem = Problem(Direction::kForward, 20, 1);
  EXPECT_EQ(reason(problem), "");
  problem.type = DataType::kBF16;
  EXPECT_THAT(reason(problem), HasSubstr("type is bf16; the instance is for f16"));
  problem = Problem(Direction::kForward, 20, 1);
  problem.c = 3;
  EXPECT_THAT(reason(problem), HasSubstr("120 bytes apart; tensor maps need multiples of 16"));
  problem = Problem(Direction::kForward, 20, 1);
  problem.groups = 2;  // a map for each
  EXPECT_EQ(reason(problem), "");
  problem.groups = 16;
  problem.c = problem.k = 16 * 32;
  EXPECT_EQ(reason(problem), "");  // an axis of a map
  problem.dims[2].dilation = 4;
  EXPECT_THAT(reason(problem), HasSubstr("groups have 32 source channels; with 16 sub-GEMMs and "));
  problem = Problem(Direction::kForward, 20, 9);
  EXPECT_THAT(reason(problem), HasSubstr("9 apart"));
  problem = Problem(Direction::kForward, 600, 1);
  problem.dims[1].dilation = 128;
  EXPECT_THAT(reason(problem), HasSubstr("taps move them by 256"));
  EXPECT_EQ(reason(Problem(Direction::kBackwardData, 40, 4)), "");  // in two launches
}

// Corners are w first. By hand: 20 x 31 pixels, padding 1 and 2; along h of stride 2, the first
// tap's pixels are -1, 1, ..., 17 and along w -2, ..., 30 - 2.
TEST(SourceMap, HasThePixelsThatAFirstTapMeets) {
  ConvProblem problem = Problem(Direction::kForward, 20, 1);
  problem.dims[1].stride = 2;
  problem.dims[2] = {.in = 31, .filter = 3, .pad_begin = 2, .pad_end = 0};
  const TensorMapSpec map = SourceMap(problem, MakeSubGemms(problem).front(), 64, 128);
  EXPECT_TRUE(map.is_im2col);
  EXPECT_EQ(map.rank, 4);
  EXPECT_EQ(map.size, (std::array<std::uint64_t, 5>{64, 31, 20, 4, 0}));
  EXPECT_EQ(map.stride_bytes[1], 128);
  EXPECT_EQ(map.stride_bytes[2], 31 * 128);
  EXPECT_EQ(map.stride_bytes[3], 20 * 31 * 128);
  EXPECT_EQ(map.step, (std::array<unsigned, 5>{1, 1, 2, 1, 1}));
  EXPECT_EQ(map.lower, (std::array<int, 3>{-2, -1, 0}));
  EXPECT_EQ(map.upper, (std::array<int, 3>{28 - 30, 17 - 19, 0}));
  EXPECT_EQ(map.pixels, 128);
}

TEST(ImagesOfWholeRounds, LeaveLittleOfAnotherRound) {
  ConvProblem problem = Problem(Direction::kForward, 25, 1);
  problem.k = RowFor(problem.direction).columns;
  const DeviceFacts device = Gfx::kSm90a;
  const auto images = [&](std::int64_t batch) {
    problem.batch = batch;
    const std::vector<SubGemm> gemms = MakeSubGemms(problem);
    return ImagesOfWholeRounds(RowFor(problem.direction), {device, problem, gemms, SplitK{}});
  };
  const int rows = RowFor(problem.direction).rows();
  const std::int64_t round = std::int64_t{device.compute_units} * rows / 625;
  EXPECT_EQ(images(round / 2), 0);
  EXPECT_EQ(images(round * 7 / 4), 0);
  const std::int64_t first = images(round * 5 / 4);
  EXPECT_GE(first, round - 1);
  EXPECT_LE(CeilDiv<std::int64_t>(first * 625, rows), device.compute_units);
}

TEST(PlanGather, CoversEverySubGemmOfBackwardData) {
  const ConvProblem problem = Problem(Direction::kBackwardData, 21, 2);
  const std::vector<SubGemm> gemms = MakeSubGemms(problem);
  const DeviceFacts device = Gfx::kSm90a;
  const Config config = RowFor(problem.direction);
  const Plan<GatherArgs> plan = PlanGather(config, {device, problem, gemms, SplitK{.splits = 1}});
  ASSERT_EQ(plan.args.sub_gemms, 4);
  EXPECT_EQ(plan.args.stores, Stores::kVectors);  // pixels of a phase are two apart
  EXPECT_EQ(plan.maps.size(), 5);                 // one a phase, and w
  int tiles = 0;
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(plan.args.gemm[i].first_tile, tiles);
    tiles += CeilDiv(plan.args.gemm[i].m, config.rows());
  }
  EXPECT_EQ(plan.args.tiles, tiles);  // 64 columns are one tile
  EXPECT_EQ(plan.shape.workgroups[0], static_cast<unsigned>(tiles));
  EXPECT_EQ(plan.shape.dynamic_lds_bytes, static_cast<unsigned>(config.shared_bytes()));
}

/// A layer of 1 x 1 whose 17,424 pixels and 256 channels are 137 tiles of 128 x 256.
ConvProblem OfAFewMoreTilesThanUnits() {
  ConvProblem problem = Problem(Direction::kForward, 33, 1);
  for (Dim& dim : problem.dims) dim = {.in = 1};
  problem.dims[1].in = problem.dims[2].in = 33;
  problem.batch = 16;
  problem.c = 2048;
  problem.k = 256;
  return problem;
}
constexpr Config kPixelsAreColumns = {
    .reps = 2, .columns = 144, .epilogue_columns = 48, .w_is_a = {true}};

TEST(PlanGather, ColumnsOfPixelsFillARound) {
  const ConvProblem problem = OfAFewMoreTilesThanUnits();
  const std::vector<SubGemm> gemms = MakeSubGemms(problem);
  const DeviceFacts device = Gfx::kSm90a;
  const PartRequest request = {device, problem, gemms, SplitK{}};
  const Plan<GatherArgs> plan = PlanGather(kPixelsAreColumns, request);
  EXPECT_EQ(plan.args.tiles, 121);  // of 144 pixels and all channels
  EXPECT_EQ(plan.args.stores, Stores::kBoxes);
  EXPECT_EQ(plan.maps[0].spec.pixels, 144);
  EXPECT_EQ(plan.maps[1].spec.box[2], 256);                                      // w
  EXPECT_EQ(plan.maps[2].spec.box, (std::array<unsigned, 5>{64, 1, 48, 0, 0}));  // out
  const auto cycles = [&](const Config& config) {
    return WithCycles(EstimateLaunch(config, request).cost).cycles;
  };
  EXPECT_LT(cycles(kPixelsAreColumns), 0.75 * cycles({.columns = 256}));
}

TEST(Reject, ColumnsOfPixelsAreForOutputsThatTmaStores) {
  ConvProblem problem = OfAFewMoreTilesThanUnits();
  EXPECT_EQ(Why(RejectProblem(kPixelsAreColumns, problem)), "");
  problem.epilogue.tensors = 1;
  EXPECT_THAT(Why(RejectProblem(kPixelsAreColumns, problem)),
              HasSubstr("1 tensors of the epilogue"));
  problem = OfAFewMoreTilesThanUnits();
  problem.k = 252;
  EXPECT_THAT(Why(RejectProblem(kPixelsAreColumns, problem)), HasSubstr("252 output channels"));
  problem = OfAFewMoreTilesThanUnits();
  problem.groups = 2;
  EXPECT_THAT(Why(RejectProblem(kPixelsAreColumns, problem)), HasSubstr("2 groups"));
  EXPECT_NE(Reject(Config{.type = DataType::kI8, .w_is_a = {true}}), nullptr);
}

/// What an instance of backward-weight takes for many pixels, without split-K.
double CyclesOfWeight(std::int64_t groups, std::int64_t c, std::int64_t k) {
  constexpr Config kRow = {.direction = Direction::kBackwardWeight, .columns = 64, .stages = 6};
  ConvProblem problem = Problem(Direction::kBackwardWeight, 28, 1);
  problem.batch = 64;
  problem.groups = groups;
  problem.c = groups * c;
  problem.k = groups * k;
  const DeviceFacts device = Gfx::kSm90a;
  return WithCycles(EstimateLaunch(kRow, {device, problem, {}, SplitK{.splits = 1}}).cost).cycles;
}

TEST(EstimateLaunch, CountsLinesOfBackwardWeightAsTheyAreLoaded) {
  // Every other group begins within a sector: of 168 channels, and not of 176.
  EXPECT_GT(CyclesOfWeight(8, 168, 168), 1.3 * CyclesOfWeight(8, 176, 176));
  // Half of a line of x is filled up: by hand, a step takes 64 x (2 x 2.64 + 2.25) cycles, not 348.
  EXPECT_GT(CyclesOfWeight(1, 32, 64), 1.15 * CyclesOfWeight(1, 64, 64));
  // Of 128 rows, those that there are not are not loaded.
  EXPECT_LT(CyclesOfWeight(1, 64, 64), 0.9 * CyclesOfWeight(1, 64, 128));
}

TEST(PlanGather, StagesTensorsWhoseRowsAreEvenlySpaced) {
  ConvProblem problem = Problem(Direction::kForward, 20, 2);
  problem.epilogue.tensors = 1;
  const TensorAxes out = problem.AxesOf(problem.out());
  DeviceFacts device = Gfx::kSm90a;
  const auto pitch_of = [&](const PerAxis& stride) {
    problem.epilogue.d[0] = {.type = problem.type, .stride = stride};
    const std::vector<SubGemm> gemms = MakeSubGemms(problem);
    return PlanGather(kForwardRow, {device, problem, gemms, SplitK{.splits = 1}}).args.staged_pitch;
  };
  EXPECT_EQ(pitch_of(out.stride), 0) << "L2 holds it";
  device.machine.l2_bytes = 0;
  EXPECT_EQ(pitch_of(out.stride), 2 * problem.k);
  EXPECT_EQ(pitch_of({0, 0, 0, 0, problem.k, 1}), 0) << "a bias";
  PerAxis stride = out.stride;
  stride[0] = 0;
  EXPECT_EQ(pitch_of(stride), 0) << "the same for all images";
  for (const std::size_t axis : {0u, 1u, 2u, 3u}) stride[axis] = out.stride[axis] / problem.k * 68;
  EXPECT_EQ(pitch_of(stride), 0) << "rows of 136 bytes, which no 16 divide";
}

TEST(PlanGather, BoxesStoreWhatHasTensorsOfVectorsAndTheOperandsType) {
  const auto stores = [](const ConvProblem& problem) {
    const std::vector<SubGemm> gemms = MakeSubGemms(problem);
    const DeviceFacts device = Gfx::kSm90a;
    return PlanGather(kForwardRow, {device, problem, gemms, SplitK{.splits = 1}}).args.stores;
  };
  ConvProblem problem = Problem(Direction::kForward, 20, 2);
  EXPECT_EQ(stores(problem), Stores::kBoxes);
  problem.epilogue.low = 0;
  EXPECT_EQ(stores(problem), Stores::kBoxes);
  problem.out_type = DataType::kF32;
  EXPECT_EQ(stores(problem), Stores::kVectors);
  problem = Problem(Direction::kForward, 20, 2);
  problem.epilogue.tensors = 1;
  problem.epilogue.d[0] = {.type = problem.type, .stride = {0, 0, 0, 0, problem.k, 1}};
  EXPECT_EQ(stores(problem), Stores::kBoxes) << "a bias";
  problem.epilogue.d[0].op = EpilogueTensor::Op::kMultiply;
  EXPECT_EQ(stores(problem), Stores::kElements) << "that multiplies";
  problem.epilogue.d[0] = {.type = DataType::kF32, .stride = {0, 0, 0, 0, problem.k, 1}};
  EXPECT_EQ(stores(problem), Stores::kElements) << "of another type";
  problem.epilogue.d[0] = {.type = problem.type, .stride = {0, 0, 0, 6, problem.k, 1}};
  EXPECT_EQ(stores(problem), Stores::kElements) << "pixels that no vectors begin at";
  problem = Problem(Direction::kForward, 20, 2);
  problem.k = 98;  // pixels of y are no multiples of 16 bytes
  EXPECT_EQ(stores(problem), Stores::kElements);
  problem.k = 4;
  problem.dims[2] = {};  // nor are those of a single column of pixels
  EXPECT_EQ(stores(problem), Stores::kVectors);
  ConvProblem pixel = Problem(Direction::kForward, 1, 1);  // its strides matter to no map
  pixel.batch = 1;
  pixel.k = 38;
  EXPECT_NE(stores(pixel), Stores::kBoxes);  // boxes would store 40 channels
}

TEST(PlanGather, BoxesStoreF32OfTF32) {
  Config config = {.type = DataType::kTF32, .columns = 96, .stages = 3, .k_tile = 32};
  ConvProblem problem = Problem(Direction::kForward, 20, 2);
  problem.type = config.type;
  problem.batch = 512;  // too many tiles for clusters
  const std::vector<SubGemm> gemms = MakeSubGemms(problem);
  const auto plan = [&](const SplitK& split_k) {
    return PlanGather(config, {Gfx::kSm90a, problem, gemms, split_k});
  };
  const Plan<GatherArgs> whole = plan({.splits = 1});
  EXPECT_EQ(whole.args.stores, Stores::kBoxes);
  const TensorMapSpec& out = whole.maps.back().spec;
  EXPECT_EQ(out.type, DataType::kF32);
  EXPECT_EQ(out.box, (std::array<unsigned, 5>{32, 1, 16}));  // 16 rows of 128 bytes
  EXPECT_EQ(out.swizzle_bytes, 128);
  EXPECT_EQ(plan({.splits = 2}).args.stores, Stores::kVectors) << "not into the output";
  config.columns = 48;
  EXPECT_EQ(plan({.splits = 1}).args.stores, Stores::kVectors) << "no multiple of 32 columns";
}

// A last k tile begins with channels that the one before also has, if products of 16 channels can
// leave them out. Otherwise it leaves out products of channels that do not exist.
TEST(PlanGather, LastKTilesLeaveOutProducts) {
  const auto args = [](std::int64_t channels) {
    ConvProblem problem = Problem(Direction::kForward, 20, 1);
    problem.c = channels;
    const std::vector<SubGemm> gemms = MakeSubGemms(problem);
    return PlanGather(kForwardRow, {Gfx::kSm90a, problem, gemms, SplitK{.splits = 1}}).args;
  };
  const auto expect = [&](std::int64_t channels, int last_channel, Products products, int whole) {
    const GatherArgs of = args(channels);
    EXPECT_EQ(of.last_channel, last_channel) << channels;
    EXPECT_EQ(of.of_partial.first, products.first) << channels;
    EXPECT_EQ(of.of_partial.end, products.end) << channels;
    EXPECT_EQ(of.whole[0], whole) << channels;
    EXPECT_EQ(of.steps[0], 9 * CeilDiv<std::int64_t>(channels, 64)) << channels;
  };
  expect(80, /*last_channel=*/16, /*products=*/{3, 4}, /*whole=*/9);
  expect(112, 48, {1, 4}, 9);
  expect(144, 80, {3, 4}, 18);
  expect(128, 64, {0, 4}, 18);
  expect(72, 64, {0, 1}, 9);
  expect(152, 128, {0, 2}, 18);
  expect(120, 64, {0, 4}, 18);
  expect(48, 0, {0, 4}, 9);  // there is no k tile before
}

TEST(PlanGather, AllKTilesOfPartsAreWhole) {
  ConvProblem problem = Problem(Direction::kForward, 20, 1);
  problem.type = DataType::kF32;
  problem.c = 40;
  const Config config = {
      .type = DataType::kF32, .consumers = 1, .columns = 32, .stages = 2, .k_tile = 32};
  const std::vector<SubGemm> gemms = MakeSubGemms(problem);
  const GatherArgs args =
      PlanGather(config, {Gfx::kSm90a, problem, gemms, SplitK{.splits = 1}}).args;
  EXPECT_EQ(args.steps[0], 9 * 2);
  EXPECT_EQ(args.whole[0], 9 * 2);
  EXPECT_EQ(args.of_partial.first, 0);
  EXPECT_EQ(args.of_partial.end, 1);
}

// By hand, with 27 cycles for a box and 9.6 for a column that does not exist.
TEST(PlanGather, FewBoxesLeaveOutColumnsThatDoNotExist) {
  const auto expect = [](int of_tile, std::int64_t columns, int of_box, int loaded) {
    Config config = kForwardRow;
    config.columns = of_tile;
    ConvProblem problem = Problem(Direction::kForward, 20, 1);
    problem.k = columns;
    const std::vector<SubGemm> gemms = MakeSubGemms(problem);
    const Plan<GatherArgs> plan =
        PlanGather(config, {Gfx::kSm90a, problem, gemms, SplitK{.splits = 1}});
    EXPECT_EQ(plan.args.box_columns, of_box) << columns;
    EXPECT_EQ(plan.args.loaded_columns, loaded) << columns;
    EXPECT_EQ(plan.maps[1].spec.box[2], static_cast<unsigned>(of_box)) << columns;
  };
  expect(128, 256, 128, 256);  // no box has columns that do not exist
  expect(128, 96, 32, 96);     // 81 cycles; 361 with two boxes, 334 with one
  expect(216, 208, 216, 216);  // 104 cycles; 158 with three boxes, 702 with 26
}

// Partial sums are f32, and i8's i32.
TEST(PlanGather, DoesNotSplitBytes) {
  ConvProblem problem = Problem(Direction::kForward, 4, 1);
  problem.c = 4096;
  const std::vector<SubGemm> gemms = MakeSubGemms(problem);
  const DeviceFacts device = Gfx::kSm90a;
  EXPECT_GT(PlanGather(kForwardRow, {device, problem, gemms, {}}).args.splits, 1);
  problem.type = DataType::kI8;
  Config bytes = kForwardRow;
  bytes.type = problem.type;
  bytes.k_tile = 128;
  EXPECT_EQ(Why(RejectProblem(bytes, problem)), "");
  const Plan<GatherArgs> plan = PlanGather(bytes, {device, problem, gemms, {}});
  EXPECT_EQ(plan.args.splits, 1);
  EXPECT_EQ(plan.args.k_tiles, 4096 / 128);
  EXPECT_EQ(plan.args.stores, Stores::kVectors) << "i32 is no type of operands";
  EXPECT_EQ(plan.maps[0].spec.swizzle_bytes, 128);
}

// Lanes load pixels of dy as they are where no box of TMA can begin.
TEST(RejectProblem, LanesLoadWhatTmaCannot) {
  Config lanes = RowFor(Direction::kBackwardWeight);
  lanes.consumers = 1;
  lanes.lanes = true;
  const Config boxes = RowFor(Direction::kBackwardWeight);
  ConvProblem problem = Problem(Direction::kBackwardWeight, 7, 1);
  problem.k = 36;
  EXPECT_EQ(Why(RejectProblem(lanes, problem)), "");
  EXPECT_THAT(Why(RejectProblem(boxes, problem)), HasSubstr("elements of dy are 3528 bytes apart"));
  EXPECT_EQ(PlanWeight(lanes, {Gfx::kSm90a, problem, {}, SplitK{}}).args.dy_pitch, 72);
  problem.k = 40;
  EXPECT_THAT(Why(RejectProblem(lanes, problem)), HasSubstr("multiples of 16 bytes"));
  problem.k = 38;
  EXPECT_THAT(Why(RejectProblem(lanes, problem)), HasSubstr("lanes load 8 at a time"));
}

// Where clusters add splits up, the sums are one tensor, and clusters are whole.
TEST(PlanWeight, ClustersAreSplitsOfATile) {
  Config config = RowFor(Direction::kBackwardWeight);
  config.columns = 192;
  config.stages = 4;
  ConvProblem problem = Problem(Direction::kBackwardWeight, 7, 1);
  problem.batch = 32;
  problem.c = problem.k = 256;
  const DeviceFacts device = Gfx::kSm90a;
  const PartRequest request = {device, problem, {}, SplitK{}};
  const Plan<WeightArgs> plan = PlanWeight(config, request);
  ASSERT_GT(plan.shape.cluster, 1);
  EXPECT_EQ(plan.args.in_cluster, 1);
  EXPECT_EQ(plan.args.splits, plan.shape.cluster);
  EXPECT_EQ(plan.shape.workgroups[0], plan.args.tiles);
  EXPECT_EQ(plan.shape.workgroups[0] % plan.shape.cluster, 0);
  EXPECT_EQ(plan.args.epilogue.split_bytes, 0);
  // The planner asks for what the estimate says: one tensor of sums.
  const int splits = EstimateLaunch(config, request).splits;
  EXPECT_EQ(splits, 1);
  EXPECT_EQ(PlanWeight(config, {device, problem, {}, SplitK{.splits = splits}}).shape, plan.shape);
}

// Where one tensor of sums is asked for, as where an estimate was of a cluster.
TEST(PlanWeight, LongSumsOfOneTensorAreOfClusters) {
  Config config = RowFor(Direction::kBackwardWeight);
  config.columns = 256;
  config.stages = 4;
  const Dim dim = {.in = 32};
  const ConvProblem problem = {.direction = Direction::kBackwardWeight,
                               .batch = 32,
                               .c = 2048,
                               .k = 2048,
                               .dims = {Dim{}, dim, dim}};
  const DeviceFacts device = Gfx::kSm90a;
  for (const int asked : {0, 1}) {
    const PartRequest request = {device, problem, {}, SplitK{.splits = asked}};
    EXPECT_EQ(PlanWeight(config, request).shape.cluster, 2);
  }
}

TEST(EstimateLaunch, FewTilesSplitK) {
  const ConvProblem problem = Problem(Direction::kBackwardWeight, 100, 1);
  const DeviceFacts device = Gfx::kSm90a;
  const PartEstimate estimate =
      EstimateLaunch(RowFor(problem.direction), {device, problem, {}, SplitK{}});
  EXPECT_GT(estimate.splits, 4);
  const PartEstimate one =
      EstimateLaunch(RowFor(problem.direction), {device, problem, {}, SplitK{.splits = 1}});
  EXPECT_EQ(one.splits, 1);
  EXPECT_LT(WithCycles(estimate.cost).cycles, WithCycles(one.cost).cycles);
}

// Many tiles, which would not be split for speed.
TEST(EstimateLaunch, LongSumsAreSplit) {
  const auto splits = [](std::int64_t size, int asked) {
    ConvProblem problem = Problem(Direction::kBackwardWeight, size, 1);
    problem.batch = 16;
    problem.c = problem.k = 4096;
    const DeviceFacts device = Gfx::kSm90a;
    const SplitK split_k = {.splits = asked};
    return EstimateLaunch(RowFor(problem.direction), {device, problem, {}, split_k}).splits;
  };
  EXPECT_EQ(splits(/*size=*/40, 0), 1);  // 25,600 products, the root is 160
  EXPECT_EQ(splits(/*size=*/41, 0), 2);
  EXPECT_EQ(splits(/*size=*/81, 0), 3);  // 104,976 products, 324
  EXPECT_EQ(splits(/*size=*/81, 1), 1);
}

}  // namespace
}  // namespace gridwise::hopper
