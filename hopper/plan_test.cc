#include "hopper/plan.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/arch/target.h"
#include "core/base/math.h"
#include "core/base/types.h"
#include "core/conv/gemm_map.h"
#include "core/conv/problem.h"
#include "core/conv/sub_gemms.h"
#include "core/launch/part_kernel.h"
#include "core/launch/tensor_map_spec.h"
#include "core/passes/layout_passes.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "hopper/args.h"
#include "hopper/classes_plan.h"
#include "hopper/config.h"
#include "hopper/maps.h"
#include "hopper/tile_order.h"

namespace gridwise::hopper {
namespace {

using ::testing::HasSubstr;

constexpr Config kForwardRow = {.direction = Direction::kForward, .columns = 128, .stages = 5};

/// 3 x 3, of one group.
ConvProblem Problem(Direction direction, std::int64_t size, std::int64_t stride) {
  ConvProblem problem = {.direction = direction, .batch = 4, .c = 64, .k = 96};
  for (const std::size_t axis : {1u, 2u}) {
    problem.dims[axis] = {.in = size, .filter = 3, .stride = stride, .pad_begin = 1, .pad_end = 1};
  }
  return problem;
}

Config RowFor(Direction direction) {
  Config config = kForwardRow;
  config.direction = direction;
  return config;
}

TEST(Reject, SaysWhyWithTheValues) {
  const auto reason = [](const ConvProblem& problem) {
    return RejectProblem(RowFor(problem.direction), problem).value_or("none");
  };
  ConvProblem problem = Problem(Direction::kForward, 20, 1);
  EXPECT_EQ(reason(problem), "none");
  problem.type = DataType::kBF16;
  EXPECT_THAT(reason(problem), HasSubstr("type is bf16; the row is for f16"));
  problem = Problem(Direction::kForward, 20, 1);
  problem.c = 3;
  EXPECT_THAT(reason(problem), HasSubstr("120 bytes apart; tensor maps want multiples of 16"));
  problem = Problem(Direction::kForward, 20, 1);
  problem.groups = 2;  // a map for each
  EXPECT_EQ(reason(problem), "none");
  problem.groups = 16;
  problem.c = problem.k = 16 * 32;
  EXPECT_EQ(reason(problem), "none");  // an axis of a map
  problem.dims[2].dilation = 4;
  EXPECT_THAT(reason(problem), HasSubstr("groups have 32 source channels; of 16 sub-GEMMs and "));
  problem = Problem(Direction::kForward, 20, 9);
  EXPECT_THAT(reason(problem), HasSubstr("9 apart"));
  problem = Problem(Direction::kForward, 600, 1);
  problem.dims[1].dilation = 128;
  EXPECT_THAT(reason(problem), HasSubstr("taps move them by 256"));
  EXPECT_EQ(reason(Problem(Direction::kBackwardData, 40, 4)), "none");  // in two launches
}

// Corners are w first. By hand: 20 x 31 cells, padding 1 and 2; along h of stride 2, the first
// tap's cells are -1, 1, ..., 17 and along w -2, ..., 30 - 2.
TEST(SourceMap, HasTheCellsThatAFirstTapMeets) {
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
  EXPECT_EQ(map.cells, 128);
}

TEST(TileOrder, HasEachTileOnce) {
  for (const int rows : {1, 5, 13, 157}) {
    for (const int columns : {1, 2, 8, 9, 10, 16, 19}) {
      for (const bool is_of_rows : {false, true}) {
        for (const int at_once : {0, 3, 132}) {
          const TileOrder order = MakeTileOrder(rows, columns, is_of_rows, at_once);
          std::vector<int> times(static_cast<std::size_t>(rows * columns));
          for (int tile = 0; tile < rows * columns; ++tile) {
            const TilePlace place = PlaceOf(order, tile);
            ASSERT_LT(place.row, rows);
            ASSERT_LT(place.column, columns);
            ++times[static_cast<std::size_t>(place.row * columns + place.column)];
          }
          EXPECT_THAT(times, testing::Each(1)) << rows << " x " << columns << ", " << at_once;
        }
      }
    }
  }
}

// Tiles that follow each other are a block of both.
TEST(TileOrder, DoesLongLinesInBands) {
  const TileOrder order = MakeTileOrder(157, 16, /*is_of_rows=*/true, 132);
  for (int tile = 0; tile < 32; ++tile) {
    EXPECT_LT(PlaceOf(order, tile).row, 8);
    EXPECT_LT(PlaceOf(order, tile).column, 4);
  }
}

TEST(ImagesOfWholeRounds, LeaveLittleOfAnotherRound) {
  ConvProblem problem = Problem(Direction::kForward, 25, 1);
  problem.k = RowFor(problem.direction).columns;
  const DeviceFacts device = Gfx::kSm90a;
  const auto images = [&](std::int64_t batch) {
    problem.batch = batch;
    const std::vector<SubGemm> gemms = MakeSubGemms(problem);
    return ImagesOfWholeRounds(RowFor(problem.direction), {device, problem, gemms, Sharing{}});
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
  const Plan<GatherArgs> plan = PlanGather(config, {device, problem, gemms, Sharing{.splits = 1}});
  ASSERT_EQ(plan.args.sub_gemms, 4);
  EXPECT_EQ(plan.args.stores, Stores::kVectors);  // cells of a class are two apart
  EXPECT_EQ(plan.maps.size(), 5);                 // one a class, and w
  int tiles = 0;
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(plan.args.gemm[i].first_tile, tiles);
    tiles += CeilDiv(plan.args.gemm[i].m, config.rows());
  }
  EXPECT_EQ(plan.args.tiles, tiles);  // 64 columns are one tile
  EXPECT_EQ(plan.shape.workgroups[0], static_cast<unsigned>(tiles));
  EXPECT_EQ(plan.shape.dynamic_lds_bytes, static_cast<unsigned>(config.shared_bytes()));
}

/// Of one split, by a row of backward-weight, on many cells.
double CyclesOfWeight(std::int64_t groups, std::int64_t c, std::int64_t k) {
  constexpr Config kRow = {.direction = Direction::kBackwardWeight, .columns = 64, .stages = 6};
  ConvProblem problem = Problem(Direction::kBackwardWeight, 28, 1);
  problem.batch = 64;
  problem.groups = groups;
  problem.c = groups * c;
  problem.k = groups * k;
  const DeviceFacts device = Gfx::kSm90a;
  return EstimateLaunch(kRow, {device, problem, {}, Sharing{.splits = 1}}).cost.cycles;
}

TEST(EstimateLaunch, CountsLinesOfBackwardWeightAsTheyAreLoaded) {
  // Every other group begins within a sector: of 168 channels, and not of 176.
  EXPECT_GT(CyclesOfWeight(8, 168, 168), 1.3 * CyclesOfWeight(8, 176, 176));
  // Half a line of x is filled up.
  EXPECT_GT(CyclesOfWeight(1, 32, 64), 1.3 * CyclesOfWeight(1, 64, 64));
  // Of 128 rows, those that there are not are not loaded.
  EXPECT_LT(CyclesOfWeight(1, 64, 64), 0.9 * CyclesOfWeight(1, 64, 128));
}

TEST(PlanGather, BoxesStoreWhatHasNoTensorsAndTheOperandsType) {
  const auto stores = [](const ConvProblem& problem) {
    const std::vector<SubGemm> gemms = MakeSubGemms(problem);
    const DeviceFacts device = Gfx::kSm90a;
    return PlanGather(kForwardRow, {device, problem, gemms, Sharing{.splits = 1}}).args.stores;
  };
  ConvProblem problem = Problem(Direction::kForward, 20, 2);
  EXPECT_EQ(stores(problem), Stores::kBoxes);
  problem.epilogue.low = 0;
  EXPECT_EQ(stores(problem), Stores::kBoxes);
  problem.out_type = DataType::kF32;
  EXPECT_EQ(stores(problem), Stores::kVectors);
  problem = Problem(Direction::kForward, 20, 2);
  problem.epilogue.tensors = 1;
  EXPECT_EQ(stores(problem), Stores::kElements);
  problem = Problem(Direction::kForward, 20, 2);
  problem.k = 98;  // cells of y are no multiples of 16 bytes
  EXPECT_EQ(stores(problem), Stores::kElements);
  problem.k = 4;
  problem.dims[2] = {};  // nor are those of a single column of cells
  EXPECT_EQ(stores(problem), Stores::kVectors);
  ConvProblem cell = Problem(Direction::kForward, 1, 1);  // its strides matter to no map
  cell.batch = 1;
  cell.k = 38;
  EXPECT_NE(stores(cell), Stores::kBoxes);  // which would store 40 channels
}

// Passes copy cells of few channels to where the copy engine finds them.
TEST(Reject, PassesMakeRoomForTheCopyEngine) {
  ConvProblem stem = {.batch = 2, .c = 3, .k = 64};
  for (const std::size_t axis : {1u, 2u}) {
    stem.dims[axis] = {.in = 99, .filter = 7, .stride = 2, .pad_begin = 3, .pad_end = 3};
  }
  EXPECT_EQ(RejectProblem(kForwardRow, SimpleProblem(stem, Gfx::kSm90a)).value_or(""), "");
  ConvProblem head = Problem(Direction::kBackwardData, 20, 1);
  head.k = 36;
  EXPECT_EQ(RejectProblem(RowFor(head.direction), SimpleProblem(head, Gfx::kSm90a)).value_or(""),
            "");
  // A copy of so few channels is a whole slab.
  EXPECT_EQ(SimpleProblem(head, Gfx::kSm90a).k, 64);
  head.k = 100;
  EXPECT_EQ(SimpleProblem(head, Gfx::kSm90a).k, 100);
}

// Of a first layer's dw, channels are those of a filter line; x is a copy with lines of the filter.
TEST(SimpleProblem, HasFilterLinesOfWeights) {
  ConvProblem stem = {.direction = Direction::kBackwardWeight, .batch = 2, .c = 3, .k = 64};
  for (const std::size_t axis : {1u, 2u}) {
    stem.dims[axis] = {.in = 99, .filter = 7, .stride = 2, .pad_begin = 3, .pad_end = 3};
  }
  const ConvProblem simple = SimpleProblem(stem, Gfx::kSm90a);
  EXPECT_EQ(simple.c, 21);
  EXPECT_EQ(simple.dims[1], stem.dims[1]);
  EXPECT_EQ(simple.dims[2], Dim{.in = 50});
  EXPECT_EQ(simple.AxesOf(Tensor::kX).stride,
            (PerAxis{99 * 50 * 24, 99 * 50 * 24, 50 * 24, 24, 21, 1}));
  EXPECT_EQ(simple.AxesOf(Tensor::kW).stride[1], 7 * 7 * 3);
  EXPECT_EQ(RejectProblem(RowFor(stem.direction), simple).value_or(""), "");
  stem.epilogue.tensors = 1;
  EXPECT_EQ(SimpleProblem(stem, Gfx::kSm90a).c, 3) << "D has channels and taps of its own";
}

// Few channels of dx or dy: gather and weight rows compute taps as columns or rows, others do not.
TEST(SimpleProblem, HasTapsAsColumnsOrRows) {
  constexpr Gfx kGfx = Gfx::kSm90a;
  ConvProblem stem = {.direction = Direction::kBackwardData, .batch = 32, .c = 3, .k = 64};
  for (const std::size_t axis : {1u, 2u}) {
    stem.dims[axis] = {.in = 224, .filter = 7, .stride = 2, .pad_begin = 3, .pad_end = 3};
  }
  const SimpleForm columns = SimpleFormOf(stem, kGfx, Cells::kSpacedTaps);
  EXPECT_TRUE(columns.writes_sums);
  EXPECT_EQ(columns.problem.c, 24) << "21, in words of 16 bytes";
  EXPECT_EQ(columns.problem.dims[2], Dim{.in = 112});
  EXPECT_EQ(RejectProblem(RowFor(stem.direction), columns.problem).value_or(""), "");
  EXPECT_FALSE(SimpleFormOf(stem, kGfx, Cells::kSpaced).writes_sums);
  ConvProblem last = Problem(Direction::kBackwardWeight, 50, 1);
  last.c = 85, last.k = 2;
  const SimpleForm rows = SimpleFormOf(last, kGfx, Cells::kSpacedTaps);
  EXPECT_TRUE(rows.writes_sums);
  EXPECT_EQ(rows.problem.k, 8) << "6, in a word";
  EXPECT_FALSE(SimpleFormOf(last, kGfx, Cells::kGroupsApart).writes_sums);
  last.type = DataType::kF32;
  EXPECT_FALSE(SimpleFormOf(last, kGfx, Cells::kSpacedTaps).writes_sums);
}

// A sum that is not finite is added up anew from x and dy as they are, not from copies.
TEST(LayoutPasses, RememberOperandsWithoutGaps) {
  ConvProblem last = Problem(Direction::kBackwardWeight, 50, 1);
  last.c = 85, last.k = 2;
  LaunchPlan plan;
  const Places places = LayoutPasses(last, Gfx::kSm90a, Cells::kSpacedTaps).AddBefore(plan);
  EXPECT_EQ(places.a.memory, Memory::kWorkspace);
  EXPECT_EQ(places.b.memory, Memory::kWorkspace) << "85 channels are no multiple of 16 bytes";
  EXPECT_EQ(places.whole_a.memory, Memory::kA);
  EXPECT_EQ(places.whole_b.memory, Memory::kB);
}

// The copy engine's boxes have steps of at most 8 cells.
TEST(SimpleProblem, HasLinesOfLargePatchesAsImages) {
  ConvProblem patches = {.direction = Direction::kForward, .batch = 2, .c = 3, .k = 64};
  for (const std::size_t axis : {1u, 2u}) {
    patches.dims[axis] = {.in = 96, .filter = 32, .stride = 32};
  }
  const auto check = [](const ConvProblem& problem) {
    const ConvProblem simple = SimpleProblem(problem, Gfx::kSm90a);
    EXPECT_EQ(simple.batch, 6);
    EXPECT_EQ(simple.c, 96);
    EXPECT_EQ(simple.dims[1], (Dim{.in = 32, .filter = 32}));
    EXPECT_EQ(simple.dims[2], Dim{.in = 3});
    EXPECT_EQ(RejectProblem(RowFor(problem.direction), simple).value_or(""), "");
    EXPECT_EQ(SimpleProblem(problem, Gfx::k942).dims[1].stride, 32);
    return simple.epilogue.d[0].stride[0];
  };
  check(patches);
  patches.epilogue.tensors = 1;
  patches.epilogue.d[0].stride = {900, 0, 300, 100, 0, 1};
  EXPECT_EQ(check(patches), 300);
  patches.epilogue.d[0].stride[0] = 1000;  // images of D are further apart than its lines
  EXPECT_EQ(SimpleProblem(patches, Gfx::kSm90a).batch, 2);
  patches.epilogue = {};
  patches.direction = Direction::kBackwardWeight;
  check(patches);
  patches.direction = Direction::kBackwardData;
  EXPECT_EQ(SimpleProblem(patches, Gfx::kSm90a).dims[1].stride, 32);
}

// The matrix unit's sums of 8-bit floats are none of f32.
TEST(Reject, PassesMakeF16OfFloat8) {
  ConvProblem problem = Problem(Direction::kForward, 20, 1);
  problem.type = DataType::kF8E4M3;
  const ConvProblem simple = SimpleProblem(problem, Gfx::kSm90a);
  EXPECT_EQ(simple.type, DataType::kF16);
  EXPECT_EQ(simple.output_type(), DataType::kF32);
  EXPECT_EQ(RejectProblem(kForwardRow, simple).value_or(""), "");
  EXPECT_GT(SimpleFormOf(problem, Gfx::kSm90a).pass_cycles, 0);
  problem.out_type = DataType::kBF16;
  EXPECT_EQ(SimpleProblem(problem, Gfx::kSm90a).type, DataType::kBF16);
  EXPECT_EQ(SimpleProblem(problem, Gfx::kSm90a, Cells::kAsTheyAre).type, DataType::kF8E4M3);
  EXPECT_EQ(SimpleProblem(problem, Gfx::k950).type, DataType::kF8E4M3);
}

// Sums of 1024 products of i8 are at most 2^24, up to which f32 has all integers.
TEST(Reject, PassesMakeF16OfBytesWhoseSumsAreExact) {
  const auto type_of = [](const ConvProblem& problem, Gfx gfx, Cells cells) {
    return SimpleProblem(problem, gfx, cells).type;
  };
  ConvProblem stem = {.type = DataType::kI8, .batch = 2, .c = 4, .k = 64};
  stem.dims[1] = stem.dims[2] = {.in = 99, .filter = 16};
  EXPECT_EQ(type_of(stem, Gfx::kSm90a, Cells::kFloatsAsTheyAre), DataType::kF16);
  EXPECT_EQ(SimpleProblem(stem, Gfx::kSm90a, Cells::kFloatsAsTheyAre).output_type(),
            DataType::kI32);
  EXPECT_EQ(type_of(stem, Gfx::kSm90a, Cells::kSpaced), DataType::kI8);
  EXPECT_EQ(type_of(stem, Gfx::k942, Cells::kFloatsAsTheyAre), DataType::kI8);
  stem.dims[1].filter = 17;
  EXPECT_EQ(type_of(stem, Gfx::kSm90a, Cells::kFloatsAsTheyAre), DataType::kI8);
}

// Where no row computes several groups at a time, and groups are more than a kernel has maps.
TEST(Reject, PassesFillGroups) {
  ConvProblem problem = Problem(Direction::kForward, 20, 1);
  problem.type = DataType::kI8;
  problem.groups = 4;
  const auto channels_of = [&problem](std::int64_t c, std::int64_t k) {
    problem.c = problem.groups * c;
    problem.k = problem.groups * k;
    return SimpleProblem(problem, Gfx::kSm90a).c_per_group();
  };
  EXPECT_EQ(channels_of(24, 24), 32);
  EXPECT_EQ(channels_of(1, 4), 16);
  EXPECT_EQ(channels_of(48, 20), 48);
  EXPECT_EQ(channels_of(8, 8), 8);
  EXPECT_EQ(channels_of(24, 40), 32);
  EXPECT_GT(SimpleFormOf(problem, Gfx::kSm90a).pass_cycles, 0);
  Config bytes = kForwardRow;
  bytes.type = problem.type;
  bytes.slab = 64;
  EXPECT_EQ(RejectProblem(bytes, SimpleProblem(problem, Gfx::kSm90a)).value_or(""), "");
  problem.type = DataType::kF16;
  EXPECT_EQ(channels_of(24, 24), 24);
  EXPECT_EQ(channels_of(28, 28), 32);  // which begin where no map can
  problem.groups = 10;
  EXPECT_EQ(channels_of(28, 28), 32);
  EXPECT_EQ(channels_of(36, 16), 64);
  EXPECT_EQ(channels_of(16, 16), 16);
  EXPECT_EQ(channels_of(128, 128), 128);
  const ConvProblem forward = SimpleProblem(problem, Gfx::kSm90a);
  EXPECT_EQ(RejectProblem(kForwardRow, forward).value_or(""), "");
  problem.groups = 3;  // of four residue classes each
  problem.direction = Direction::kBackwardData;
  problem.dims[1].stride = problem.dims[2].stride = 2;
  EXPECT_EQ(channels_of(24, 36), 24);
  const ConvProblem backward = SimpleProblem(problem, Gfx::kSm90a);
  EXPECT_EQ(backward.k_per_group(), 64);
  EXPECT_EQ(RejectProblem(RowFor(backward.direction), backward).value_or(""), "");
  channels_of(12, 40);  // w lies along c
  const ConvProblem narrow = SimpleProblem(problem, Gfx::kSm90a);
  EXPECT_EQ(RejectProblem(RowFor(narrow.direction), narrow).value_or(""), "");
}

// They are not filled up where they can be an axis of a map; but for groups that begin within a
// sector of the cache, if much is loaded several times.
TEST(Reject, GroupsAreAnAxis) {
  ConvProblem problem = Problem(Direction::kForward, 20, 1);
  problem.groups = 10;
  problem.c = problem.k = problem.groups * 40;
  EXPECT_EQ(SimpleProblem(problem, Gfx::kSm90a).c, problem.c);
  EXPECT_EQ(RejectProblem(kForwardRow, problem).value_or(""), "");
  const TensorMapSpec map =
      SourceMap(problem, MakeSubGemms(problem).front(), 64, 128, SourceGroups::kAxis);
  EXPECT_EQ(map.size, (std::array<std::uint64_t, 5>{40, 20, 20, 4, 10}));
  EXPECT_EQ(map.stride_bytes[3], 20 * 20 * 800);
  EXPECT_EQ(map.stride_bytes[4], 80);
  problem.batch = 40;
  EXPECT_EQ(SimpleProblem(problem, Gfx::kSm90a).c_per_group(), 64);
  problem.c = problem.groups * 48;
  EXPECT_EQ(SimpleProblem(problem, Gfx::kSm90a).c_per_group(), 48);
  problem.dims[2].filter = 9;  // further than such maps know cells outside of the tensor
  EXPECT_EQ(SimpleProblem(problem, Gfx::kSm90a).c_per_group(), 64);
  EXPECT_THAT(RejectProblem(kForwardRow, problem).value_or(""),
              HasSubstr("or else filters of at most 8 cells"));
}

// Groups are a power of two apart for rows that compute several at a time, and in backward-weight
// at multiples of 16 bytes for others.
TEST(Reject, PassesSpaceGroups) {
  ConvProblem problem = Problem(Direction::kForward, 20, 1);
  problem.groups = 10;
  const auto apart = [&problem](Direction direction, std::int64_t c, std::int64_t k, Cells cells) {
    problem.direction = direction;
    problem.c = problem.groups * c;
    problem.k = problem.groups * k;
    const ConvProblem simple = SimpleProblem(problem, Gfx::kSm90a, cells);
    return std::pair(simple.AxesOf(Tensor::kX).stride[4], simple.AxesOf(Tensor::kY).stride[4]);
  };
  constexpr Direction kForward = Direction::kForward, kData = Direction::kBackwardData;
  constexpr Direction kWeight = Direction::kBackwardWeight;
  constexpr Cells kApart = Cells::kGroupsApart;
  EXPECT_EQ(apart(kForward, 12, 12, kApart), std::pair(16l, 12l));  // y is the output
  EXPECT_EQ(apart(kData, 12, 20, kApart), std::pair(12l, 32l));
  EXPECT_EQ(apart(kWeight, 12, 12, kApart), std::pair(16l, 16l));
  EXPECT_EQ(apart(kWeight, 1, 4, kApart), std::pair(4l, 4l));
  EXPECT_EQ(apart(kWeight, 1, 2, kApart), std::pair(4l, 4l)) << "cells of 20 channels";
  EXPECT_EQ(apart(kWeight, 16, 16, kApart), std::pair(16l, 16l));
  EXPECT_EQ(apart(kWeight, 12, 100, kApart), std::pair(16l, 104l));
  EXPECT_EQ(apart(kWeight, 12, 20, Cells::kSpaced), std::pair(16l, 24l));
  EXPECT_EQ(apart(kWeight, 12, 20, Cells::kAsTheyAre), std::pair(12l, 20l));
  EXPECT_EQ(apart(kWeight, 24, 40, Cells::kSpaced), std::pair(24l, 40l));
  apart(kWeight, 12, 20, Cells::kSpaced);
  const ConvProblem simple = SimpleProblem(problem, Gfx::kSm90a);
  EXPECT_EQ(RejectProblem(RowFor(kWeight), simple).value_or(""), "");
  EXPECT_THAT(RejectProblem(RowFor(kWeight), problem).value_or(""), HasSubstr("24 bytes apart"));
  EXPECT_GT(SimpleFormOf(problem, Gfx::kSm90a).pass_cycles, 0);
  EXPECT_FALSE(SpacesGroups(problem, Gfx::k942));
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
  bytes.slab = 128;
  EXPECT_EQ(RejectProblem(bytes, problem).value_or(""), "");
  const Plan<GatherArgs> plan = PlanGather(bytes, {device, problem, gemms, {}});
  EXPECT_EQ(plan.args.splits, 1);
  EXPECT_EQ(plan.args.slabs, 4096 / 128);
  EXPECT_EQ(plan.args.stores, Stores::kVectors) << "i32 is no type of operands";
  EXPECT_EQ(plan.maps[0].spec.swizzle_bytes, 128);
}

// Lanes load cells of dy as they are where no box of the copy engine can begin.
TEST(RejectProblem, LanesLoadWhatTheCopyEngineCannot) {
  Config lanes = RowFor(Direction::kBackwardWeight);
  lanes.groups = 1;
  lanes.lanes = true;
  const Config boxes = RowFor(Direction::kBackwardWeight);
  ConvProblem problem = Problem(Direction::kBackwardWeight, 7, 1);
  problem.k = 36;
  EXPECT_EQ(RejectProblem(lanes, problem).value_or(""), "");
  EXPECT_THAT(RejectProblem(boxes, problem).value_or(""),
              HasSubstr("elements of dy are 3528 bytes apart"));
  EXPECT_EQ(PlanWeight(lanes, {Gfx::kSm90a, problem, {}, Sharing{}}).args.dy_pitch, 72);
  problem.k = 40;
  EXPECT_THAT(RejectProblem(lanes, problem).value_or(""), HasSubstr("multiples of 16 bytes"));
  problem.k = 38;
  EXPECT_THAT(RejectProblem(lanes, problem).value_or(""), HasSubstr("lanes load 8 at a time"));
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
  const PartRequest request = {device, problem, {}, Sharing{}};
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
  EXPECT_EQ(PlanWeight(config, {device, problem, {}, Sharing{.splits = splits}}).shape, plan.shape);
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
    const PartRequest request = {device, problem, {}, Sharing{.splits = asked}};
    EXPECT_EQ(PlanWeight(config, request).shape.cluster, 2);
  }
}

TEST(EstimateLaunch, FewTilesSplitK) {
  const ConvProblem problem = Problem(Direction::kBackwardWeight, 100, 1);
  const DeviceFacts device = Gfx::kSm90a;
  const PartEstimate estimate =
      EstimateLaunch(RowFor(problem.direction), {device, problem, {}, Sharing{}});
  EXPECT_GT(estimate.splits, 4);
  const PartEstimate one =
      EstimateLaunch(RowFor(problem.direction), {device, problem, {}, Sharing{.splits = 1}});
  EXPECT_EQ(one.splits, 1);
  EXPECT_LT(estimate.cost.cycles, one.cost.cycles);
}

// Many tiles, which would not be split for speed.
TEST(EstimateLaunch, LongSumsAreSplit) {
  const auto splits = [](std::int64_t size, int asked) {
    ConvProblem problem = Problem(Direction::kBackwardWeight, size, 1);
    problem.batch = 16;
    problem.c = problem.k = 4096;
    const DeviceFacts device = Gfx::kSm90a;
    const Sharing sharing = {.splits = asked};
    return EstimateLaunch(RowFor(problem.direction), {device, problem, {}, sharing}).splits;
  };
  EXPECT_EQ(splits(/*size=*/40, 0), 1);  // 25,600 products, the root is 160
  EXPECT_EQ(splits(/*size=*/41, 0), 2);
  EXPECT_EQ(splits(/*size=*/81, 0), 3);  // 104,976 products, 324
  EXPECT_EQ(splits(/*size=*/81, 1), 1);
}

TEST(Classes, SayWhyNot) {
  const auto reason = [](const ConvProblem& problem) {
    return RejectProblem(ClassesConfig{}, problem).value_or("none");
  };
  ConvProblem problem = Problem(Direction::kBackwardData, 20, 2);
  EXPECT_EQ(reason(problem), "none");
  problem.k = 136;
  EXPECT_THAT(reason(problem), HasSubstr("136 channels of dy; the row keeps w of at most 128"));
  problem = Problem(Direction::kBackwardData, 20, 2);
  problem.dims[2].stride = 1;
  EXPECT_THAT(reason(problem), HasSubstr("along w, 20 cells meet 3 taps, of stride 1"));
  EXPECT_THAT(reason(Problem(Direction::kForward, 20, 2)), HasSubstr("the problem is fwd"));
}

// By hand: of 20 cells and padding 1, even ones have the middle tap and odd ones two, which begin
// at the same cell of dy; classes are stored by boxes, of 21 cells by lanes.
TEST(Classes, HaveRowsOfAnyClass) {
  const auto plan_of = [](std::int64_t size) {
    const ConvProblem problem = Problem(Direction::kBackwardData, size, 2);
    const std::vector<SubGemm> gemms = MakeSubGemms(problem);
    return PlanClasses(
        ClassesConfig{},
        {.device = Gfx::kSm90a, .problem = problem, .sub_gemms = gemms, .sharing = {}});
  };
  const Plan<GatherArgs> even = plan_of(20), odd = plan_of(21);
  EXPECT_EQ(even.args.gemm[kJointGemm].m, 4 * 10 * 10);
  EXPECT_EQ(even.args.gemm[0].axis[2].first_cell, 1);
  EXPECT_EQ(even.args.gemm[2].axis[2].first_cell, 0);
  EXPECT_EQ(even.args.stores, Stores::kBoxes);
  EXPECT_EQ(even.maps.size(), 6u);
  EXPECT_EQ(odd.args.gemm[kJointGemm].m, 4 * 11 * 11);
  EXPECT_EQ(odd.args.stores, Stores::kVectors);
  EXPECT_EQ(odd.maps.size(), 2u);
}

}  // namespace
}  // namespace gridwise::hopper
