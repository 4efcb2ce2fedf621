// SPDX-License-Identifier: MIT
// What passes make of problems (core/passes/layout_passes.h) is what instances accept.

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "core/arch/target.h"
#include "core/arch/tensor_map_spec.h"
#include "core/base/types.h"
#include "core/conv/problem.h"
#include "core/conv/sub_gemms.h"
#include "core/launch/part_kernel.h"
#include "core/passes/layout_passes.h"
#include "core/passes/operand_form.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "hopper/base/config.h"
#include "hopper/base/maps.h"
#include "hopper/gather/plan.h"
#include "hopper/operands/forms.h"
#include "hopper/operands/tap_columns.h"
#include "hopper/testing/plan_test_instances.h"

namespace gridwise::hopper {
namespace {

using ::testing::HasSubstr;

// Passes copy pixels of few channels to where TMA finds them.
TEST(Passes, MakeRoomForTma) {
  ConvProblem stem = {.batch = 2, .c = 3, .k = 64};
  for (const std::size_t axis : {1u, 2u}) {
    stem.dims[axis] = {.in = 99, .filter = 7, .stride = 2, .pad_begin = 3, .pad_end = 3};
  }
  EXPECT_EQ(Why(RejectProblem(kForwardRow, CanonicalProblem(stem, Gfx::kSm90a, Spaced()))), "");
  ConvProblem head = Problem(Direction::kBackwardData, 20, 1);
  head.k = 36;
  EXPECT_EQ(
      Why(RejectProblem(RowFor(head.direction), CanonicalProblem(head, Gfx::kSm90a, Spaced()))),
      "");
  // A copy of so few channels is a whole k tile.
  EXPECT_EQ(CanonicalProblem(head, Gfx::kSm90a, Spaced()).k, 64);
  head.k = 100;
  EXPECT_EQ(CanonicalProblem(head, Gfx::kSm90a, Spaced()).k, 100);
}

// dw of a first layer: a filter line's channels are merged; x is copied with lines of the filter.
TEST(CanonicalProblem, HasFilterLinesOfWeights) {
  ConvProblem stem = {.direction = Direction::kBackwardWeight, .batch = 2, .c = 3, .k = 64};
  for (const std::size_t axis : {1u, 2u}) {
    stem.dims[axis] = {.in = 99, .filter = 7, .stride = 2, .pad_begin = 3, .pad_end = 3};
  }
  const ConvProblem canonical = CanonicalProblem(stem, Gfx::kSm90a, Spaced());
  EXPECT_EQ(canonical.c, 21);
  EXPECT_EQ(canonical.dims[1], stem.dims[1]);
  EXPECT_EQ(canonical.dims[2], Dim{.in = 50});
  EXPECT_EQ(canonical.AxesOf(Tensor::kX).stride,
            (PerAxis{99 * 50 * 24, 99 * 50 * 24, 50 * 24, 24, 21, 1}));
  EXPECT_EQ(canonical.AxesOf(Tensor::kW).stride[1], 7 * 7 * 3);
  EXPECT_EQ(Why(RejectProblem(RowFor(stem.direction), canonical)), "");
  stem.epilogue.tensors = 1;
  EXPECT_EQ(CanonicalProblem(stem, Gfx::kSm90a, Spaced()).c, 3)
      << "D has channels and taps of its own";
}

// With channels that TMA loads, the same lines of a filter overlap in a copy of x with its padding.
// Halo instances take the taps themselves.
TEST(CanonicalProblem, HasRunsOfWeightsThatOverlap) {
  ConvProblem layer = {.direction = Direction::kBackwardWeight, .batch = 64, .c = 24, .k = 64};
  for (const std::size_t axis : {1u, 2u}) {
    layer.dims[axis] = {.in = 28, .filter = 5, .pad_begin = 2, .pad_end = 2};
  }
  const ConvProblem canonical = CanonicalProblem(layer, Gfx::kSm90a, SpacedTaps());
  EXPECT_EQ(canonical.c, 5 * 24);
  EXPECT_EQ(canonical.dims[1], layer.dims[1]);
  EXPECT_EQ(canonical.dims[2], Dim{.in = 28});
  const std::int64_t line = 27 * 24 + 144;  // the last run goes on to 128 channels
  EXPECT_EQ(canonical.AxesOf(Tensor::kX).stride,
            (PerAxis{28 * line, 28 * line, line, 24, 5 * 24, 1}));
  EXPECT_EQ(canonical.AxesOf(Tensor::kW).stride[1], 5 * 5 * 24);
  EXPECT_EQ(Why(RejectProblem(RowFor(layer.direction), canonical)), "");
  const TensorMapSpec map = SourceMap(canonical, MakeSubGemms(canonical).front(), 64, 64);
  EXPECT_EQ(map.size[0], 128u) << "whole k tiles";
  EXPECT_EQ(map.stride_bytes[1], 48u);
  LaunchPlan plan;
  EXPECT_EQ(LayoutPasses(layer, Gfx::kSm90a, SpacedTaps()).AddBefore(plan).a.memory, Memory::kA);
  ASSERT_EQ(plan.launches.size(), 1u) << "x is copied";
  EXPECT_EQ(plan.launches[0].code.symbol, "gridwise_widen_b128") << "words of 8 elements";
  EXPECT_EQ(plan.workspace_bytes, 64 * 28 * line * 2);
  EXPECT_EQ(CanonicalProblem(layer, Gfx::kSm90a, SpacedGroups()).c, 24);
  layer.batch = 1;
  EXPECT_EQ(CanonicalProblem(layer, Gfx::kSm90a, SpacedTaps()).c, 24) << "the copy takes longer";
}

// Few channels of dx or dy: gather and weight instances compute taps as columns or rows, others do
// not.
TEST(CanonicalProblem, HasTapsAsColumnsOrRows) {
  constexpr Gfx kGfx = Gfx::kSm90a;
  ConvProblem stem = {.direction = Direction::kBackwardData, .batch = 32, .c = 3, .k = 64};
  for (const std::size_t axis : {1u, 2u}) {
    stem.dims[axis] = {.in = 224, .filter = 7, .stride = 2, .pad_begin = 3, .pad_end = 3};
  }
  const CanonicalForm columns = MakeCanonicalForm(stem, kGfx, SpacedTaps());
  EXPECT_TRUE(columns.writes_sums);
  EXPECT_EQ(columns.problem.c, 24) << "21, in words of 16 bytes";
  EXPECT_EQ(columns.problem.dims[2], Dim{.in = 112});
  EXPECT_EQ(Why(RejectProblem(RowFor(stem.direction), columns.problem)), "");
  EXPECT_FALSE(MakeCanonicalForm(stem, kGfx, Spaced()).writes_sums);
  ConvProblem classifier = {.direction = stem.direction, .batch = 32, .c = 512, .k = 4096};
  for (const std::size_t axis : {1u, 2u}) classifier.dims[axis] = {.in = 7, .filter = 7};
  const CanonicalForm of_one = MakeCanonicalForm(classifier, kGfx, SpacedTaps());
  EXPECT_TRUE(of_one.writes_sums) << "dy has one position, beside which most taps lie";
  EXPECT_EQ(of_one.problem.c, 7 * 7 * 512);
  EXPECT_EQ(Why(RejectProblem(RowFor(stem.direction), of_one.problem)), "");
  for (const std::size_t axis : {1u, 2u}) classifier.dims[axis].stride = 7;
  const CanonicalForm of_patch = MakeCanonicalForm(classifier, kGfx, SpacedTaps());
  EXPECT_FALSE(of_patch.writes_sums) << "each pixel of dx has one tap";
  EXPECT_EQ(of_patch.problem.c, 7 * 7 * 512);
  ConvProblem last = Problem(Direction::kBackwardWeight, 50, 1);
  last.c = 85, last.k = 2;
  const CanonicalForm rows = MakeCanonicalForm(last, kGfx, SpacedTaps());
  EXPECT_TRUE(rows.writes_sums);
  EXPECT_EQ(rows.problem.k, 8) << "6, in a word";
  EXPECT_FALSE(MakeCanonicalForm(last, kGfx, SpacedGroups()).writes_sums);
  last.type = DataType::kF32;
  EXPECT_FALSE(MakeCanonicalForm(last, kGfx, SpacedTaps()).writes_sums);
}

// f32: groups are merged until they have as many source channels as a k tile.
TEST(CanonicalProblem, OfPartsHasMergedGroups) {
  constexpr Gfx kGfx = Gfx::kSm90a;
  const Dim axis = {.in = 20, .filter = 3, .pad_begin = 1, .pad_end = 1};
  const auto form_of = [&](Direction direction, std::int64_t groups, std::int64_t c, std::int64_t k,
                           std::int64_t d_group = -1) {
    ConvProblem problem = {.direction = direction,
                           .type = DataType::kF32,
                           .groups = groups,
                           .batch = 2,
                           .c = groups * c,
                           .k = groups * k,
                           .dims = {Dim{}, axis, axis}};
    if (d_group >= 0) {
      problem.epilogue.tensors = 1;
      problem.epilogue.d[0].type = DataType::kF32;
      problem.epilogue.d[0].stride = {0, 0, 0, 0, d_group, 1};
    }
    const CanonicalForm form = MakeCanonicalForm(problem, kGfx, SpacedParts());
    EXPECT_EQ(form.problem.c, problem.c);
    EXPECT_EQ(form.problem.groups * form.merged_groups, groups);
    Config config = {.direction = direction, .type = DataType::kF32, .k_tile = 32};
    config.columns = 128;
    EXPECT_EQ(Why(RejectProblem(config, form.problem)), "");
    return form;
  };
  EXPECT_EQ(form_of(Direction::kForward, 32, 8, 8).merged_groups, 4);
  EXPECT_EQ(form_of(Direction::kBackwardData, 32, 4, 4).merged_groups, 8);
  EXPECT_EQ(form_of(Direction::kForward, 32, 8, 32).merged_groups, 2) << "64 output channels";
  EXPECT_EQ(form_of(Direction::kForward, 6, 8, 8).merged_groups, 2);
  EXPECT_EQ(form_of(Direction::kForward, 8, 32, 32).merged_groups, 1);
  EXPECT_EQ(form_of(Direction::kBackwardWeight, 32, 8, 8).merged_groups, 1) << "but in tiles";
  const CanonicalForm biased = form_of(Direction::kForward, 32, 8, 8, /*d_group=*/8);
  EXPECT_EQ(biased.merged_groups, 4);
  EXPECT_EQ(biased.problem.epilogue.d[0].stride[4], 32);
  EXPECT_EQ(form_of(Direction::kForward, 32, 8, 8, /*d_group=*/9).merged_groups, 1);
}

// f32 in backward-weight: groups are copied unless those of a tile begin at multiples of 16 bytes.
TEST(CanonicalProblem, OfPartsHasGroupsOfTiles) {
  const auto apart = [](std::int64_t groups, std::int64_t channels) {
    ConvProblem problem = Problem(Direction::kBackwardWeight, 20, 1);
    problem.type = DataType::kF32;
    problem.groups = groups;
    problem.c = problem.k = groups * channels;
    const ConvProblem canonical = CanonicalProblem(problem, Gfx::kSm90a, SpacedParts());
    return canonical.AxesOf(Tensor::kX).stride[4];
  };
  EXPECT_EQ(apart(16, 12), 12) << "four a tile, 96 bytes of a part";
  EXPECT_EQ(apart(8, 20), 20) << "two a tile, 80 bytes";
  EXPECT_EQ(apart(3, 12), 16) << "one a tile, 24 bytes";
  EXPECT_EQ(apart(4, 5), 8) << "four a tile, 40 bytes";
}

// B of f32 is split, and stays where kernels find it if their sums are not finite.
TEST(LayoutPasses, SplitBOfFloats) {
  ConvProblem problem = Problem(Direction::kForward, 20, 1);
  problem.type = DataType::kF32;
  problem.c = 20, problem.k = 64;
  LaunchPlan plan;
  const TensorOffsets offsets = LayoutPasses(problem, Gfx::kSm90a, SpacedParts()).AddBefore(plan);
  EXPECT_EQ(plan.launches.size(), 2u) << "x and w are copied at once, and w is split";
  EXPECT_EQ(plan.launches.back().code.symbol, "gridwise_split_f32");
  EXPECT_EQ(offsets.a.memory, Memory::kWorkspace) << "20 channels are no multiple of 8";
  EXPECT_NE(offsets.b.offset, offsets.b1.offset);
  const ConvProblem canonical = CanonicalProblem(problem, Gfx::kSm90a, SpacedParts());
  EXPECT_EQ(PartElements(canonical), 64 * problem.filter_taps() * 24);
}

// tf32: w of backward-data is copied with adjacent output channels, where TMA can load these.
TEST(LayoutPasses, TransposeWeightsOfTF32) {
  ConvProblem back = Problem(Direction::kBackwardData, 20, 1);
  back.type = DataType::kTF32;
  back.c = 40, back.k = 64;
  LaunchPlan plan;
  LayoutPasses(back, Gfx::kSm90a, SpacedTaps()).AddBefore(plan);
  ASSERT_EQ(plan.launches.size(), 1u);
  EXPECT_EQ(plan.launches[0].code.symbol, "gridwise_transpose_b32");
  const ConvProblem canonical = CanonicalProblem(back, Gfx::kSm90a, SpacedTaps());
  EXPECT_EQ(canonical.type, DataType::kTF32);
  EXPECT_EQ(canonical.output_type(), DataType::kF32);
  const std::int64_t tap = std::int64_t{40} * 64;
  EXPECT_EQ(canonical.AxesOf(Tensor::kW).stride, (PerAxis{9 * tap, 1, 9 * tap, 3 * tap, tap, 64}));
  const Config config = {
      .direction = Direction::kBackwardData, .type = DataType::kTF32, .k_tile = 32};
  EXPECT_EQ(Why(RejectProblem(config, canonical)), "");
  back.k = 70;
  EXPECT_EQ(Why(RejectProblem(config, CanonicalProblem(back, Gfx::kSm90a, SpacedTaps()))),
            "channels of w are 360 elements apart; tensor maps need adjacent channels")
      << "70 are no multiple of 16 bytes";
  back.k = 36;
  back.dims[2].stride = 2;
  const ConvProblem filled = CanonicalProblem(back, Gfx::kSm90a, SpacedTaps());
  EXPECT_EQ(filled.k, 40) << "a k tile of 4 channels and 28 zeros would overlap none";
  EXPECT_EQ(filled.AxesOf(Tensor::kW).stride[5], 40);
  EXPECT_EQ(Why(RejectProblem(config, filled)), "");
  ConvProblem few = back;
  for (const std::size_t axis : {1u, 2u}) few.dims[axis] = {.in = 20, .filter = 2};
  EXPECT_EQ(CanonicalProblem(few, Gfx::kSm90a, SpacedTaps()).k, 36) << "of 4 taps";
  few.dims[2] = {.in = 20, .filter = 3, .stride = 2};
  EXPECT_EQ(CanonicalProblem(few, Gfx::kSm90a, SpacedTaps()).k, 40) << "of 6 taps";
  for (const std::int64_t k : {20, 32, 40}) {
    back.k = k;
    EXPECT_EQ(CanonicalProblem(back, Gfx::kSm90a, SpacedTaps()).k, k == 20 ? 32 : k);
  }
}

// tf32, backward-data: where y is copied, the pixels that a pixel of dx meets along w are one.
TEST(CanonicalProblem, HasRunsOfYThatOverlap) {
  ConvProblem head = Problem(Direction::kBackwardData, 20, 1);
  head.type = DataType::kTF32;
  head.c = 96, head.k = 36;
  head.dims[2] = {.in = 21, .filter = 3, .pad_begin = 1, .pad_end = 0};
  const ConvProblem runs = CanonicalProblem(head, Gfx::kSm90a, SpacedTaps());
  EXPECT_EQ(runs.k, 3 * 40) << "36, in products of 8";
  EXPECT_EQ(runs.dims[1], head.dims[1]);
  EXPECT_EQ(runs.dims[2], Dim{.in = 21});
  EXPECT_EQ(runs.x_elements(), head.x_elements());
  const std::int64_t line = std::int64_t{23} * 40, image = head.dims[1].out() * line;
  EXPECT_EQ(runs.AxesOf(Tensor::kY).stride, (PerAxis{image, image, line, 40, 120, 1}));
  const std::int64_t tap = std::int64_t{96} * 120;
  EXPECT_EQ(runs.AxesOf(Tensor::kW).stride, (PerAxis{3 * tap, 1, 3 * tap, tap, tap, 120}));
  const Config config = {
      .direction = Direction::kBackwardData, .type = DataType::kTF32, .k_tile = 32};
  EXPECT_EQ(Why(RejectProblem(config, runs)), "");
  const TensorMapSpec map = SourceMap(runs, MakeSubGemms(runs).front(), 32, 64);
  EXPECT_EQ(map.size[0], 120u);
  EXPECT_EQ(map.stride_bytes[1], 160u);
  LaunchPlan plan;
  LayoutPasses(head, Gfx::kSm90a, SpacedTaps()).AddBefore(plan);
  ASSERT_EQ(plan.launches.size(), 2u);
  EXPECT_EQ(plan.launches[0].code.symbol, "gridwise_widen_b128") << "36 channels are words";
  EXPECT_EQ(plan.launches[1].code.symbol, "gridwise_columns_b32");
  EXPECT_EQ(plan.workspace_bytes, (head.batch * image + 3 * tap) * 4);
  EXPECT_EQ(CanonicalProblem(head, Gfx::kSm90a, SpacedPatches()).k, 36) << "halo instances";
  head.k = 18;
  EXPECT_EQ(CanonicalProblem(head, Gfx::kSm90a, SpacedPatches()).k, 24)
      << "which TMA does not load";
  head.k = 36;
  head.dims[2].pad_begin = 3;
  EXPECT_EQ(CanonicalProblem(head, Gfx::kSm90a, SpacedTaps()).k, 40) << "dx begins beyond dy";
}

/// 3 x 3 taps on 64 images of 50 x 50 pixels.
ConvProblem Layer(Direction direction, std::int64_t c, std::int64_t k) {
  ConvProblem layer = {.direction = direction, .batch = 64, .c = c, .k = k};
  for (const std::size_t axis : {1u, 2u}) {
    layer.dims[axis] = {.in = 50, .filter = 3, .pad_begin = 1, .pad_end = 1};
  }
  return layer;
}

// Pixels of 200 channels begin within sectors of the cache, where lines take longer. For gather
// instances x and w are copied with 208, if much is loaded.
TEST(CanonicalProblem, HasWholeSectors) {
  ConvProblem layer = Layer(Direction::kForward, 200, 96);
  const ConvProblem whole = CanonicalProblem(layer, Gfx::kSm90a, SpacedTaps());
  EXPECT_EQ(whole.c, 208);
  EXPECT_EQ(whole.AxesOf(Tensor::kX).stride[3], 208);
  EXPECT_EQ(whole.AxesOf(Tensor::kW).stride[4], 208);
  EXPECT_EQ(whole.dims, layer.dims);
  LaunchPlan plan;
  LayoutPasses(layer, Gfx::kSm90a, SpacedTaps()).AddBefore(plan);
  ASSERT_EQ(plan.launches.size(), 1u) << "of x and w";
  EXPECT_EQ(plan.launches[0].code.symbol, "gridwise_widen_two_b128");
  EXPECT_EQ(plan.workspace_bytes, 2 * (whole.x_elements() + whole.w_elements()));
  EXPECT_EQ(CanonicalProblem(layer, Gfx::kSm90a, SpacedPatches()).c, 200) << "of halo instances";
  ConvProblem few = layer;
  few.batch = 1;
  EXPECT_EQ(CanonicalProblem(few, Gfx::kSm90a, SpacedTaps()).c, 200) << "copies take longer";
  few.c = 100;
  EXPECT_EQ(CanonicalProblem(few, Gfx::kSm90a, SpacedTaps()).c, 112) << "copied in any case";
  ConvProblem one_tap = layer;
  for (const std::size_t axis : {1u, 2u}) one_tap.dims[axis] = {.in = 50};
  EXPECT_EQ(CanonicalProblem(one_tap, Gfx::kSm90a, SpacedTaps()).c, 200);
  layer.c = 176;
  EXPECT_EQ(CanonicalProblem(layer, Gfx::kSm90a, SpacedTaps()).c, 176);
  layer.direction = Direction::kBackwardWeight;
  layer.c = 200;
  EXPECT_EQ(CanonicalProblem(layer, Gfx::kSm90a, SpacedTaps()).c, 200);
}

// The same in backward-data, where taps of w begin within sectors as well.
TEST(CanonicalProblem, HasWholeSectorsOfTaps) {
  ConvProblem layer = Layer(Direction::kBackwardData, 200, 200);
  const ConvProblem whole = CanonicalProblem(layer, Gfx::kSm90a, SpacedTaps());
  EXPECT_EQ(whole.k, 208);
  EXPECT_EQ(whole.c, 200);
  EXPECT_EQ(whole.AxesOf(Tensor::kY).stride[3], 208);
  EXPECT_EQ(whole.AxesOf(Tensor::kW).stride[4], 208);
  LaunchPlan plan;
  LayoutPasses(layer, Gfx::kSm90a, SpacedTaps()).AddBefore(plan);
  EXPECT_EQ(plan.launches.size(), 1u) << "of dy and w, whose rows and taps are copied at once";
  EXPECT_EQ(plan.workspace_bytes, 2 * (whole.y_elements() + whole.k * 9 * 208));
  const ConvProblem patches = CanonicalProblem(layer, Gfx::kSm90a, SpacedPatches());
  EXPECT_EQ(patches.k, 200);
  EXPECT_EQ(patches.AxesOf(Tensor::kW).stride[4], 208);
  layer.batch = 1;
  EXPECT_EQ(CanonicalProblem(layer, Gfx::kSm90a, SpacedPatches()).AxesOf(Tensor::kW).stride[4], 200)
      << "a copy takes longer";
}

// What multiplies f32, or its parts, takes tf32 as f32.
TEST(CanonicalProblem, OfTF32IsF32) {
  ConvProblem problem = Problem(Direction::kBackwardWeight, 20, 1);
  problem.type = DataType::kTF32;
  for (const OperandForm* form : {&SpacedParts(), &Spaced(), &AsTheyAre()}) {
    EXPECT_EQ(CanonicalProblem(problem, Gfx::kSm90a, *form).type, DataType::kF32);
  }
  EXPECT_EQ(CanonicalProblem(problem, Gfx::k942, AsTheyAre()).type, DataType::kTF32)
      << "which no instance takes";
  LaunchPlan plan;
  LayoutPasses(problem, Gfx::kSm90a, SpacedParts()).AddBefore(plan);
  ASSERT_EQ(plan.launches.size(), 1u);
  EXPECT_EQ(plan.launches[0].code.symbol, "gridwise_split_f32");
}

// A sum that is not finite is added up again from x and dy as they are, not from copies.
TEST(LayoutPasses, RememberOperandsWithoutGaps) {
  ConvProblem last = Problem(Direction::kBackwardWeight, 50, 1);
  last.c = 85, last.k = 2;
  LaunchPlan plan;
  const TensorOffsets offsets = LayoutPasses(last, Gfx::kSm90a, SpacedTaps()).AddBefore(plan);
  EXPECT_EQ(offsets.a.memory, Memory::kWorkspace);
  EXPECT_EQ(offsets.b.memory, Memory::kWorkspace) << "85 channels are no multiple of 16 bytes";
  EXPECT_EQ(offsets.whole_a.memory, Memory::kA);
  EXPECT_EQ(offsets.whole_b.memory, Memory::kB);
}

// TMA's boxes have steps of at most 8 pixels.
TEST(CanonicalProblem, HasLinesOfLargePatchesAsImages) {
  ConvProblem patches = {.direction = Direction::kForward, .batch = 2, .c = 3, .k = 64};
  for (const std::size_t axis : {1u, 2u}) {
    patches.dims[axis] = {.in = 96, .filter = 32, .stride = 32};
  }
  const auto check = [](const ConvProblem& problem) {
    const ConvProblem canonical = CanonicalProblem(problem, Gfx::kSm90a, Spaced());
    EXPECT_EQ(canonical.batch, 6);
    EXPECT_EQ(canonical.c, 96);
    EXPECT_EQ(canonical.dims[1], (Dim{.in = 32, .filter = 32}));
    EXPECT_EQ(canonical.dims[2], Dim{.in = 3});
    EXPECT_EQ(Why(RejectProblem(RowFor(problem.direction), canonical)), "");
    EXPECT_EQ(CanonicalProblem(problem, Gfx::k942).dims[1].stride, 32);
    return canonical.epilogue.d[0].stride[0];
  };
  check(patches);
  patches.epilogue.tensors = 1;
  patches.epilogue.d[0].stride = {900, 0, 300, 100, 0, 1};
  EXPECT_EQ(check(patches), 300);
  patches.epilogue.d[0].stride[0] = 1000;  // images of D are further apart than its lines
  EXPECT_EQ(CanonicalProblem(patches, Gfx::kSm90a, Spaced()).batch, 2);
  patches.epilogue = {};
  patches.direction = Direction::kBackwardWeight;
  check(patches);
  patches.direction = Direction::kBackwardData;
  EXPECT_EQ(CanonicalProblem(patches, Gfx::kSm90a, Spaced()).dims[1].stride, 32);
}

// The tensor core's sums of 8-bit floats are none of f32.
TEST(Passes, MakeF16OfFloat8) {
  ConvProblem problem = Problem(Direction::kForward, 20, 1);
  problem.type = DataType::kF8E4M3;
  const ConvProblem canonical = CanonicalProblem(problem, Gfx::kSm90a, Spaced());
  EXPECT_EQ(canonical.type, DataType::kF16);
  EXPECT_EQ(canonical.output_type(), DataType::kF32);
  EXPECT_EQ(Why(RejectProblem(kForwardRow, canonical)), "");
  EXPECT_GT(MakeCanonicalForm(problem, Gfx::kSm90a, Spaced()).pass_cycles, 0);
  problem.out_type = DataType::kBF16;
  EXPECT_EQ(CanonicalProblem(problem, Gfx::kSm90a, Spaced()).type, DataType::kBF16);
  EXPECT_EQ(CanonicalProblem(problem, Gfx::kSm90a, AsTheyAre()).type, DataType::kF8E4M3);
  EXPECT_EQ(CanonicalProblem(problem, Gfx::k950).type, DataType::kF8E4M3);
}

// Sums of 1024 products of i8 are at most 2^24, up to which f32 has all integers.
TEST(Passes, MakeF16OfBytesWhoseSumsAreExact) {
  const auto type_of = [](const ConvProblem& problem, Gfx gfx, const OperandForm& form) {
    return CanonicalProblem(problem, gfx, form).type;
  };
  ConvProblem stem = {.type = DataType::kI8, .batch = 2, .c = 4, .k = 64};
  stem.dims[1] = stem.dims[2] = {.in = 99, .filter = 16};
  EXPECT_EQ(type_of(stem, Gfx::kSm90a, Converted()), DataType::kF16);
  EXPECT_EQ(CanonicalProblem(stem, Gfx::kSm90a, Converted()).output_type(), DataType::kI32);
  EXPECT_EQ(type_of(stem, Gfx::kSm90a, Spaced()), DataType::kI8);
  EXPECT_EQ(type_of(stem, Gfx::k942, Converted()), DataType::kI8);
  stem.dims[1].filter = 17;
  EXPECT_EQ(type_of(stem, Gfx::kSm90a, Converted()), DataType::kI8);
}

// Where no instance computes several groups at a time, and groups are more than a kernel has maps.
TEST(Passes, FillGroups) {
  ConvProblem problem = Problem(Direction::kForward, 20, 1);
  problem.type = DataType::kI8;
  problem.groups = 4;
  const auto channels_of = [&problem](std::int64_t c, std::int64_t k) {
    problem.c = problem.groups * c;
    problem.k = problem.groups * k;
    return CanonicalProblem(problem, Gfx::kSm90a, Spaced()).c_per_group();
  };
  EXPECT_EQ(channels_of(24, 24), 32);
  EXPECT_EQ(channels_of(1, 4), 16);
  EXPECT_EQ(channels_of(48, 20), 48);
  EXPECT_EQ(channels_of(8, 8), 8);
  EXPECT_EQ(channels_of(24, 40), 32);
  EXPECT_GT(MakeCanonicalForm(problem, Gfx::kSm90a, Spaced()).pass_cycles, 0);
  Config bytes = kForwardRow;
  bytes.type = problem.type;
  bytes.k_tile = 64;
  EXPECT_EQ(Why(RejectProblem(bytes, CanonicalProblem(problem, Gfx::kSm90a, Spaced()))), "");
  problem.type = DataType::kF16;
  EXPECT_EQ(channels_of(24, 24), 24);
  EXPECT_EQ(channels_of(28, 28), 32);  // other groups begin where no map can
  problem.groups = 10;
  EXPECT_EQ(channels_of(28, 28), 32);
  EXPECT_EQ(channels_of(36, 16), 64);
  EXPECT_EQ(channels_of(16, 16), 16);
  EXPECT_EQ(channels_of(128, 128), 128);
  const ConvProblem forward = CanonicalProblem(problem, Gfx::kSm90a, Spaced());
  EXPECT_EQ(Why(RejectProblem(kForwardRow, forward)), "");
  problem.groups = 3;  // each with four phases
  problem.direction = Direction::kBackwardData;
  problem.dims[1].stride = problem.dims[2].stride = 2;
  EXPECT_EQ(channels_of(24, 36), 24);
  const ConvProblem backward = CanonicalProblem(problem, Gfx::kSm90a, Spaced());
  EXPECT_EQ(backward.k_per_group(), 64);
  EXPECT_EQ(Why(RejectProblem(RowFor(backward.direction), backward)), "");
  channels_of(12, 40);  // w lies along c
  const ConvProblem narrow = CanonicalProblem(problem, Gfx::kSm90a, Spaced());
  EXPECT_EQ(Why(RejectProblem(RowFor(narrow.direction), narrow)), "");
}

// They are not filled up where they can be an axis of a map; but for groups that begin within a
// sector of the cache, if much is loaded several times.
TEST(Reject, GroupsAreAnAxis) {
  ConvProblem problem = Problem(Direction::kForward, 20, 1);
  problem.groups = 10;
  problem.c = problem.k = problem.groups * 40;
  EXPECT_EQ(CanonicalProblem(problem, Gfx::kSm90a, Spaced()).c, problem.c);
  EXPECT_EQ(Why(RejectProblem(kForwardRow, problem)), "");
  const TensorMapSpec map =
      SourceMap(problem, MakeSubGemms(problem).front(), 64, 128, SourceGroups::kAxis);
  EXPECT_EQ(map.size, (std::array<std::uint64_t, 5>{40, 20, 20, 4, 10}));
  EXPECT_EQ(map.stride_bytes[3], 20 * 20 * 800);
  EXPECT_EQ(map.stride_bytes[4], 80);
  problem.batch = 40;
  EXPECT_EQ(CanonicalProblem(problem, Gfx::kSm90a, Spaced()).c_per_group(), 64);
  problem.c = problem.groups * 48;
  EXPECT_EQ(CanonicalProblem(problem, Gfx::kSm90a, Spaced()).c_per_group(), 48);
  problem.dims[2].filter = 9;  // further than such maps know pixels outside of the tensor
  EXPECT_EQ(CanonicalProblem(problem, Gfx::kSm90a, Spaced()).c_per_group(), 64);
  EXPECT_THAT(Why(RejectProblem(kForwardRow, problem)),
              HasSubstr("or filters of at most 8 pixels"));
}

// Groups are a power of two apart for instances that compute several at a time, and in
// backward-weight at multiples of 16 bytes for others.
TEST(Passes, SpaceGroups) {
  ConvProblem problem = Problem(Direction::kForward, 20, 1);
  problem.groups = 10;
  const auto apart = [&problem](Direction direction, std::int64_t c, std::int64_t k,
                                const OperandForm& form) {
    problem.direction = direction;
    problem.c = problem.groups * c;
    problem.k = problem.groups * k;
    const ConvProblem canonical = CanonicalProblem(problem, Gfx::kSm90a, form);
    return std::pair(canonical.AxesOf(Tensor::kX).stride[4],
                     canonical.AxesOf(Tensor::kY).stride[4]);
  };
  constexpr Direction kForward = Direction::kForward, kData = Direction::kBackwardData;
  constexpr Direction kWeight = Direction::kBackwardWeight;
  const OperandForm& powers = SpacedGroups();
  EXPECT_EQ(apart(kForward, 12, 12, powers), std::pair(16l, 12l));  // y is the output
  EXPECT_EQ(apart(kData, 12, 20, powers), std::pair(12l, 32l));
  EXPECT_EQ(apart(kWeight, 12, 12, powers), std::pair(16l, 16l));
  EXPECT_EQ(apart(kWeight, 1, 4, powers), std::pair(4l, 4l));
  EXPECT_EQ(apart(kWeight, 1, 2, powers), std::pair(4l, 4l)) << "pixels of 20 channels";
  EXPECT_EQ(apart(kWeight, 16, 16, powers), std::pair(16l, 16l));
  EXPECT_EQ(apart(kWeight, 12, 100, powers), std::pair(16l, 104l));
  EXPECT_EQ(apart(kWeight, 12, 20, Spaced()), std::pair(16l, 24l));
  EXPECT_EQ(apart(kWeight, 12, 20, AsTheyAre()), std::pair(12l, 20l));
  EXPECT_EQ(apart(kWeight, 24, 40, Spaced()), std::pair(24l, 40l));
  apart(kWeight, 12, 20, Spaced());
  const ConvProblem canonical = CanonicalProblem(problem, Gfx::kSm90a, Spaced());
  EXPECT_EQ(Why(RejectProblem(RowFor(kWeight), canonical)), "");
  EXPECT_THAT(Why(RejectProblem(RowFor(kWeight), problem)), HasSubstr("24 bytes apart"));
  EXPECT_GT(MakeCanonicalForm(problem, Gfx::kSm90a, Spaced()).pass_cycles, 0);
}

// For a patch embedding, taps as columns would only copy dx.
TEST(TapColumns, AreNotChosenForPatches) {
  ConvProblem patches = {.direction = Direction::kBackwardData, .batch = 64, .c = 12, .k = 96};
  patches.dims[1] = {.in = 224, .filter = 4, .stride = 4};
  patches.dims[2] = {.in = 56};
  EXPECT_FALSE(ChooseTapColumns(patches).has_value());
}

// A decoder's last layer, and a layer as most are.
TEST(TapColumns, AreChosenForFewChannels) {
  ConvProblem problem = {.batch = 16, .c = 128, .k = 3};
  for (const std::size_t axis : {1u, 2u}) {
    problem.dims[axis] = {.in = 256, .filter = 3, .pad_begin = 1, .pad_end = 1};
  }
  EXPECT_TRUE(ChooseTapColumns(problem).has_value());
  problem.k = 128;
  EXPECT_FALSE(ChooseTapColumns(problem).has_value());
  problem.direction = Direction::kBackwardData;
  problem.c = 3;
  EXPECT_TRUE(ChooseTapColumns(problem).has_value());
  problem.dims[1].in = problem.dims[2].in = 8;
  EXPECT_FALSE(ChooseTapColumns(problem).has_value()) << "it takes less than a launch";
}

}  // namespace
}  // namespace gridwise::hopper
