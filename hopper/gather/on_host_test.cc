// SPDX-License-Identifier: MIT
// Before other headers of device code:
#include "hopper/testing/check_on_host.h"
// and what it checks.
#include "core/base/types.h"
#include "core/conv/problem.h"
#include "core/launch/part_kernel.h"
#include "gtest/gtest.h"
#include "hopper/gather/kernel.h"
#include "hopper/gather/plan.h"
#include "hopper/operands/forms.h"

namespace gridwise::hopper {
namespace {

template <Config kC>
void CheckGather(ConvProblem problem, int splits = 1, Values values = Values::kFinite) {
  problem.direction = kC.direction;
  problem.type = kC.type;
  ASSERT_EQ(Why(RejectProblem(kC, problem)), "");
  Check(
      problem, [](const PartRequest& request) { return PlanGather(kC, request); },
      RunRoles<kC.warpgroups(), GatherRoles<kC>, GatherArgs>, splits, values);
}

TEST(Gather, BoxesVectorsAndElements) {
  constexpr Config kBoxes = {.columns = 64, .stages = 2};
  const ConvProblem problem = Problem(Direction::kForward, 1, 72, 72, Axis(7), Axis(9, 2));
  CheckGather<kBoxes>(problem);
  CheckGather<kBoxes>(problem, /*splits=*/3);                                      // f32 vectors
  CheckGather<kBoxes>(Problem(Direction::kForward, 1, 64, 67, Axis(7), Axis(9)));  // elements
  CheckGather<kBoxes>(Problem(Direction::kForward, 2, 72, 40, Axis(7), Axis(9)));  // a map a group
  CheckGather<kBoxes>(Problem(Direction::kForward, 10, 72, 40, Axis(7), Axis(9, 2)));  // or an axis
  constexpr Config kShort = {.columns = 64, .stages = 3, .k_tile = 32};
  CheckGather<kShort>(Problem(Direction::kForward, 1, 40, 72, Axis(7), Axis(9, 2)));
  constexpr Config kResident = {.pingpong = true, .columns = 64, .stages = 3, .resident = 9};
  CheckGather<kResident>(Problem(Direction::kForward, 1, 64, 136, Axis(7), Axis(9)));
  CheckGather<kResident>(Problem(Direction::kForward, 1, 64, 72, Axis(7), Axis(9)), /*splits=*/2);
  constexpr Config kPingpong = {
      .direction = Direction::kBackwardData, .pingpong = true, .columns = 64, .stages = 4};
  CheckGather<kPingpong>(Problem(Direction::kBackwardData, 1, 72, 64, Axis(9, 2), Axis(8, 2)));
  CheckGather<kPingpong>(Problem(Direction::kBackwardData, 3, 40, 72, Axis(9, 2), Axis(8, 2, 2)));
  constexpr Config kShortBack = {
      .direction = Direction::kBackwardData, .columns = 128, .stages = 5, .k_tile = 32};
  CheckGather<kShortBack>(Problem(Direction::kBackwardData, 1, 72, 40, Axis(9, 2), Axis(8)));
  // A phase without taps: 1 x 1 of stride 2.
  const Dim point = {.in = 8, .stride = 2};
  CheckGather<kPingpong>(Problem(Direction::kBackwardData, 1, 72, 64, point, point));
  const Dim long_axis = {.in = 40, .stride = 2};  // several tiles of each phase
  CheckGather<kPingpong>(Problem(Direction::kBackwardData, 1, 72, 64, point, long_axis));
  constexpr Config kEpilogueColumns = {.columns = 72, .stages = 2, .epilogue_columns = 72};
  CheckGather<kEpilogueColumns>(Problem(Direction::kForward, 1, 64, 144, Axis(5), Axis(6)), 2);
}

/// Rows are output channels, columns pixels.
TEST(Gather, PixelsAreColumns) {
  constexpr Config kC = {.columns = 48, .stages = 3, .epilogue_columns = 16, .w_is_a = {true}};
  CheckGather<kC>(Problem(Direction::kForward, 1, 72, 72, Axis(7), Axis(9, 2)));
  CheckGather<kC>(Problem(Direction::kForward, 1, 64, 200, Axis(7), Axis(9)));
  CheckGather<kC>(Problem(Direction::kForward, 1, 80, 64, Axis(17), Axis(19)));
  CheckGather<kC>(Problem(Direction::kForward, 1, 200, 72, Axis(7), Axis(9)), /*splits=*/3);
  constexpr Config kReps = {
      .reps = 2, .columns = 72, .stages = 2, .epilogue_columns = 24, .w_is_a = {true}};
  CheckGather<kReps>(Problem(Direction::kForward, 1, 72, 328, Axis(9), Axis(17)));
  constexpr Config kPingpong = {
      .pingpong = true, .columns = 40, .stages = 3, .epilogue_columns = 40, .w_is_a = {true}};
  CheckGather<kPingpong>(Problem(Direction::kForward, 1, 72, 136, Axis(17), Axis(19)));
  constexpr Config kBack = {.direction = Direction::kBackwardData,
                            .columns = 48,
                            .stages = 3,
                            .epilogue_columns = 16,
                            .w_is_a = {true}};
  CheckGather<kBack>(Problem(Direction::kBackwardData, 1, 72, 72, Axis(9), Axis(8)));
  CheckGather<kBack>(Problem(Direction::kBackwardData, 1, 136, 80, Axis(17), Axis(18)));
  CheckGather<kBack>(Problem(Direction::kBackwardData, 1, 72, 64, Axis(9), Axis(8)), 2);
  constexpr Config kAlone = {
      .consumers = 1, .columns = 24, .stages = 2, .epilogue_columns = 24, .w_is_a = {true}};
  CheckGather<kAlone>(Problem(Direction::kForward, 1, 64, 72, Axis(7), Axis(9)));
}

/// Channels of which the last k tile has 1 to 3 products that the one before does not have.
TEST(Gather, KTilesThatOverlap) {
  constexpr Config kC = {.columns = 64, .stages = 2};
  for (const std::int64_t channels : {80, 96, 112, 176}) {
    CheckGather<kC>(Problem(Direction::kForward, 1, channels, 72, Axis(7), Axis(9, 2)));
  }
  const ConvProblem problem = Problem(Direction::kForward, 1, 80, 72, Axis(7), Axis(9, 2));
  // Splits that begin with such a k tile, and within the others.
  for (const int splits : {2, 3, 5}) CheckGather<kC>(problem, splits);
  CheckGather<kC>(problem, /*splits=*/1, Values::kInfinity);
  CheckGather<kC>(Problem(Direction::kForward, 10, 80, 40, Axis(7), Axis(9, 2)));
  CheckGather<kC>(Problem(Direction::kForward, 2, 80, 40, Axis(7), Axis(9)), 1, Values::kInfinity);
  constexpr Config kShort = {.reps = 2, .columns = 64, .stages = 3, .k_tile = 32};
  CheckGather<kShort>(Problem(Direction::kForward, 1, 48, 72, Axis(7), Axis(9, 2)));
  constexpr Config kLag = {.consumers = 3, .columns = 64, .stages = 4};
  CheckGather<kLag>(Problem(Direction::kForward, 1, 112, 200, Axis(17), Axis(19)));
  constexpr Config kPingpong = {.pingpong = true, .columns = 64, .stages = 3};
  CheckGather<kPingpong>(Problem(Direction::kForward, 1, 144, 200, Axis(17), Axis(19)));
  constexpr Config kResident = {.pingpong = true, .columns = 64, .stages = 3, .resident = 3};
  CheckGather<kResident>(Problem(Direction::kForward, 1, 144, 136, Dim{.in = 17}, Dim{.in = 19}));
  constexpr Config kBack = {
      .direction = Direction::kBackwardData, .pingpong = true, .columns = 64, .stages = 4};
  CheckGather<kBack>(Problem(Direction::kBackwardData, 1, 72, 80, Axis(9, 2), Axis(8, 2)));
  CheckGather<kBack>(Problem(Direction::kBackwardData, 3, 40, 112, Axis(9, 2), Axis(8, 2, 2)));
  constexpr Config kBytes = {.type = DataType::kI8, .columns = 64, .stages = 2, .k_tile = 128};
  CheckGather<kBytes>(Problem(Direction::kForward, 1, 160, 72, Axis(7), Axis(9, 2)));
  constexpr Config kTf32 = {.type = DataType::kTF32, .columns = 64, .stages = 2, .k_tile = 32};
  CheckGather<kTf32>(Problem(Direction::kForward, 1, 40, 72, Axis(7), Axis(9, 2)), /*splits=*/2);
}

TEST(Gather, TensorsOfTheEpilogue) {
  constexpr Config kC = {.columns = 64, .stages = 2};
  constexpr Config k72 = {.columns = 72, .stages = 2, .epilogue_columns = 72};
  for (const int tensors : {1, 2}) {
    const ConvProblem boxes = Problem(Direction::kForward, 1, 72, 72, Axis(7), Axis(9, 2));
    CheckGather<kC>(WithTensors(tensors, boxes));
    CheckGather<k72>(WithTensors(tensors, boxes));
    const ConvProblem vectors = Problem(Direction::kForward, 3, 64, 36, Axis(7), Axis(9));
    CheckGather<kC>(WithTensors(tensors, vectors));
    const ConvProblem elements = Problem(Direction::kForward, 1, 64, 67, Axis(7), Axis(9));
    CheckGather<kC>(WithTensors(tensors, elements));
    ConvProblem wide = boxes;
    wide.out_type = DataType::kF32;
    CheckGather<kC>(WithTensors(tensors, wide));
    ConvProblem product = WithTensors(tensors, boxes);
    product.epilogue.d[0].op = EpilogueTensor::Op::kMultiply;
    CheckGather<kC>(product);
  }
  constexpr Config kBack = {.direction = Direction::kBackwardData, .columns = 64, .stages = 4};
  ConvProblem back = Problem(Direction::kBackwardData, 1, 72, 72, Axis(9, 2), Axis(8, 2));
  CheckGather<kBack>(WithTensors(2, back));
}

/// A tensor like the output, except that it is the same for all images.
ConvProblem WithRepeatedTensor(ConvProblem problem) {
  problem = WithTensors(2, problem);
  problem.epilogue.d[1].stride[0] = 0;
  return problem;
}

TEST(Gather, TensorsThatAreStaged) {
  constexpr Config kTwoBuffers = {.columns = 256, .stages = 2};
  constexpr Config kPingpong = {.pingpong = true, .columns = 128, .stages = 3};
  constexpr Config kResident = {.pingpong = true, .columns = 256, .stages = 2, .resident = 1};
  constexpr Config kOdd = {.consumers = 3, .columns = 192, .stages = 2};
  constexpr Config k120 = {.columns = 240, .stages = 2, .epilogue_columns = 120};
  const Dim point = {.in = 17};
  // Rows and columns that do not exist, several tiles for a workgroup, groups.
  const ConvProblem problem = Problem(Direction::kForward, 1, 64, 328, point, Dim{.in = 13});
  for (const ConvProblem& of : {WithTensors(2, problem), WithRepeatedTensor(problem)}) {
    CheckGather<kTwoBuffers>(of);
    CheckGather<kPingpong>(of);
    CheckGather<kResident>(of);
    CheckGather<kOdd>(of);
    CheckGather<k120>(of);
  }
  const ConvProblem groups = Problem(Direction::kForward, 3, 64, 136, Axis(9), Axis(11));
  CheckGather<kPingpong>(WithTensors(2, groups));
  CheckGather<kTwoBuffers>(WithTensors(2, groups), /*splits=*/1);
}

TEST(Gather, ManyOrWideTilesOfColumns) {
  constexpr Config kMany = {.consumers = 1, .columns = 64, .stages = 2};
  CheckGather<kMany>(Problem(Direction::kForward, 1, 64, 600, Axis(9), Axis(11)));
  CheckGather<kMany>(Problem(Direction::kForward, 1, 64, 600, Axis(7), Axis(9)), /*splits=*/2);
  constexpr Config k240 = {.columns = 240, .stages = 2, .epilogue_columns = 120};
  CheckGather<k240>(Problem(Direction::kForward, 1, 64, 264, Axis(5), Axis(9)));
  constexpr Config k200 = {.columns = 200, .stages = 2, .epilogue_columns = 200};
  CheckGather<k200>(Problem(Direction::kForward, 1, 64, 264, Axis(5), Axis(9)));
  constexpr Config k120 = {
      .pingpong = true, .reps = 2, .columns = 120, .stages = 2, .epilogue_columns = 120};
  CheckGather<k120>(Problem(Direction::kForward, 1, 64, 264, Axis(17), Axis(19)));
  constexpr Config k72 = {.direction = Direction::kBackwardData,
                          .consumers = 3,
                          .reps = 2,
                          .columns = 72,
                          .stages = 3,
                          .epilogue_columns = 72,
                          .k_tile = 32};
  CheckGather<k72>(Problem(Direction::kBackwardData, 1, 144, 40, Axis(17), Axis(33)));
  constexpr Config k192 = {.consumers = 3, .columns = 192, .stages = 2};
  CheckGather<k192>(Problem(Direction::kForward, 2, 64, 168, Axis(5), Axis(9)));
  constexpr Config k160 = {
      .direction = Direction::kBackwardData, .columns = 160, .stages = 2, .epilogue_columns = 40};
  CheckGather<k160>(Problem(Direction::kBackwardData, 1, 328, 72, Axis(7), Axis(19)));
}

/// Epilogue tiles whose buffers are smaller than what StoreElements needs.
TEST(Gather, FewColumns) {
  constexpr Config kC = {
      .reps = 2, .columns = 24, .stages = 3, .epilogue_columns = 24, .k_tile = 32};
  CheckGather<kC>(Problem(Direction::kForward, 1, 48, 24, Axis(17), Axis(19)));
  CheckGather<kC>(Problem(Direction::kForward, 1, 48, 24, Axis(7), Axis(9, 2)), /*splits=*/2);
  CheckGather<kC>(Problem(Direction::kForward, 1, 32, 67, Axis(7), Axis(9)));  // elements
  CheckGather<kC>(WithTensors(2, Problem(Direction::kForward, 1, 48, 72, Axis(17), Axis(19))));
  constexpr Config kResident = {.pingpong = true,
                                .reps = 2,
                                .columns = 80,
                                .stages = 3,
                                .epilogue_columns = 40,
                                .resident = 4};
  CheckGather<kResident>(Problem(Direction::kForward, 1, 64, 80, Dim{.in = 37}, Dim{.in = 19}));
}

TEST(Gather, FewColumnsOfBackwardData) {
  constexpr Config k40 = {.direction = Direction::kBackwardData,
                          .pingpong = true,
                          .reps = 2,
                          .columns = 40,
                          .stages = 3,
                          .epilogue_columns = 40};
  CheckGather<k40>(Problem(Direction::kBackwardData, 1, 32, 72, Axis(21, 2), Axis(22, 2)));
  CheckGather<k40>(Problem(Direction::kBackwardData, 1, 96, 64, Axis(17), Axis(19)));
  constexpr Config kResident = {.direction = Direction::kBackwardData,
                                .pingpong = true,
                                .reps = 2,
                                .columns = 64,
                                .stages = 3,
                                .k_tile = 32,
                                .resident = 2};
  const Dim h = {.in = 23}, w = {.in = 29};
  CheckGather<kResident>(Problem(Direction::kBackwardData, 1, 48, 24, h, w));
  CheckGather<kResident>(Problem(Direction::kBackwardData, 1, 136, 48, h, w));
}

/// Channels of which the last k tile is filled up, without products of what does not exist.
TEST(Gather, LastKTilesWithFewProducts) {
  constexpr Config kC = {.columns = 64, .stages = 2};
  for (const std::int64_t channels : {72, 88, 104, 120, 200}) {
    CheckGather<kC>(Problem(Direction::kForward, 1, channels, 72, Axis(7), Axis(9, 2)));
  }
  const ConvProblem problem = Problem(Direction::kForward, 1, 152, 72, Axis(7), Axis(9, 2));
  for (const int splits : {2, 3, 5}) CheckGather<kC>(problem, splits);
  CheckGather<kC>(problem, /*splits=*/1, Values::kInfinity);
  constexpr Config kBack = {
      .direction = Direction::kBackwardData, .pingpong = true, .columns = 64, .stages = 4};
  CheckGather<kBack>(Problem(Direction::kBackwardData, 1, 72, 72, Axis(9, 2), Axis(8, 2)));
  CheckGather<kBack>(Problem(Direction::kBackwardData, 3, 40, 136, Axis(9, 2), Axis(8, 2, 2)));
}

TEST(Gather, Bytes) {
  constexpr Config kC = {.type = DataType::kI8, .columns = 64, .stages = 2, .k_tile = 128};
  ConvProblem problem = Problem(Direction::kForward, 1, 144, 72, Axis(7), Axis(9, 2));
  CheckGather<kC>(problem);                                                    // i32 vectors
  CheckGather<kC>(Problem(Direction::kForward, 1, 64, 67, Axis(7), Axis(9)));  // i32 elements
  CheckGather<kC>(Problem(Direction::kForward, 2, 48, 40, Axis(7), Axis(9)));
  problem.out_type = DataType::kF32;
  problem.epilogue.alpha = 0.01;
  problem.epilogue.high = 40;
  CheckGather<kC>(problem);
  problem.k = 67;
  CheckGather<kC>(problem);
  constexpr Config kNarrow = {
      .type = DataType::kI8, .reps = 2, .columns = 32, .stages = 3, .k_tile = 64};
  CheckGather<kNarrow>(
      Problem(Direction::kForward, 12, 16, 24, Axis(7), Axis(9)));  // 4 groups a k tile
  constexpr Config kPingpong = {.type = DataType::kI8,
                                .pingpong = true,
                                .reps = 2,
                                .columns = 128,
                                .stages = 3,
                                .k_tile = 64};
  CheckGather<kPingpong>(Problem(Direction::kForward, 1, 80, 136, Axis(17), Axis(19)));
}

constexpr Config BackOfFloats(int columns, int reps = 1) {
  return {.direction = Direction::kBackwardData,
          .type = DataType::kF32,
          .consumers = 1,
          .reps = reps,
          .columns = columns,
          .stages = 2,
          .k_tile = 32};
}

TEST(Gather, PartsOfFloats) {
  constexpr Direction kForward = Direction::kForward, kData = Direction::kBackwardData;
  constexpr Config kC = {
      .type = DataType::kF32, .consumers = 1, .columns = 32, .stages = 2, .k_tile = 32};
  CheckGather<kC>(Problem(kForward, 1, 40, 35, Axis(5), Axis(7, 2)), /*splits=*/2);
  CheckGather<kC>(Problem(kForward, 10, 8, 8, Axis(4), Axis(3)));  // groups are an axis
  const ConvProblem small = Problem(kForward, 1, 32, 8, Axis(3), Axis(3));
  CheckGather<kC>(small, 1, Values::kInfinity);
  CheckGather<kC>(small, 1, Values::kTiny);
  CheckGather<kC>(small, 1, Values::kHuge);
  constexpr Config kBack = BackOfFloats(64, /*reps=*/2);
  CheckGather<kBack>(Problem(kData, 1, 24, 40, Axis(5, 2), Axis(6)));
  CheckGather<kBack>(Problem(kData, 1, 8, 32, Axis(3), Axis(3)), 1, Values::kInfinity);
  // Fewer columns than a line of w has, and lines of which a tile ends within the second.
  constexpr Config kFew = BackOfFloats(32), kMore = BackOfFloats(96);
  CheckGather<kFew>(Problem(kData, 1, 40, 32, Axis(5, 2), Axis(6)));
  CheckGather<kMore>(Problem(kData, 1, 104, 32, Axis(5), Axis(6)));
}

/// With w as the pass transposes it.
template <Config kC>
void CheckTF32(ConvProblem problem, int splits = 1, Values values = Values::kFinite) {
  problem.direction = kC.direction;
  problem.type = DataType::kTF32;
  CheckGather<kC>(WithPixels(SpacedTaps(), problem), splits, values);
}

TEST(Gather, TF32) {
  constexpr Direction kForward = Direction::kForward, kData = Direction::kBackwardData;
  constexpr Config kC = {.type = DataType::kTF32, .columns = 64, .stages = 3, .k_tile = 32};
  CheckTF32<kC>(Problem(kForward, 1, 40, 72, Axis(7), Axis(9, 2)));
  CheckTF32<kC>(Problem(kForward, 1, 36, 67, Axis(7), Axis(9)));  // elements
  CheckTF32<kC>(Problem(kForward, 1, 32, 72, Axis(7), Axis(9)), /*splits=*/3);
  CheckTF32<kC>(Problem(kForward, 2, 32, 40, Axis(7), Axis(9)));
  CheckTF32<kC>(Problem(kForward, 10, 36, 40, Axis(7), Axis(9, 2)));  // groups are an axis
  CheckTF32<kC>(Problem(kForward, 1, 32, 8, Axis(3), Axis(3)), 1, Values::kInfinity);
  CheckTF32<kC>(Problem(kForward, 1, 32, 8, Axis(3), Axis(3)), 1, Values::kUnrounded);
  ConvProblem added = Problem(kForward, 1, 32, 72, Axis(7), Axis(9));
  added.type = DataType::kTF32;
  CheckTF32<kC>(WithTensors(2, added));
  constexpr Config kNarrow = {
      .type = DataType::kTF32, .consumers = 3, .columns = 48, .stages = 3, .k_tile = 32};
  CheckTF32<kNarrow>(Problem(kForward, 1, 24, 40, Axis(7), Axis(9)));
  constexpr Config kNarrowest = {
      .type = DataType::kTF32, .consumers = 3, .reps = 2, .columns = 16, .stages = 2, .k_tile = 32};
  CheckTF32<kNarrowest>(Problem(kForward, 1, 16, 16, Axis(17), Axis(19)), /*splits=*/2);
  constexpr Config kShort = {
      .type = DataType::kTF32, .consumers = 3, .columns = 32, .stages = 3, .k_tile = 16};
  CheckTF32<kShort>(Problem(kForward, 1, 24, 40, Axis(7), Axis(9)));
  CheckTF32<kShort>(Problem(kForward, 4, 16, 16, Axis(7), Axis(9, 2)));
  constexpr Config kResident = {.type = DataType::kTF32,
                                .pingpong = true,
                                .columns = 64,
                                .stages = 3,
                                .k_tile = 32,
                                .resident = 9};
  CheckTF32<kResident>(Problem(kForward, 1, 32, 136, Axis(7), Axis(9)));
  constexpr Config kBack = {
      .direction = kData, .type = DataType::kTF32, .columns = 96, .stages = 3, .k_tile = 32};
  CheckTF32<kBack>(Problem(kData, 1, 72, 40, Axis(9), Axis(8)));
  CheckTF32<kBack>(Problem(kData, 1, 100, 64, Axis(9, 2), Axis(8, 2)), /*splits=*/2);
  CheckTF32<kBack>(Problem(kData, 3, 35, 36, Axis(9, 2), Axis(8, 2, 2)));
  CheckTF32<kBack>(WithDepth(Problem(kData, 2, 36, 32, Axis(4), Axis(5)), Axis(3)));
  CheckTF32<kBack>(Problem(kData, 1, 8, 32, Axis(3), Axis(3)), 1, Values::kInfinity);
  constexpr Config kShortBack = {.direction = kData,
                                 .type = DataType::kTF32,
                                 .consumers = 3,
                                 .columns = 16,
                                 .stages = 3,
                                 .k_tile = 16};
  CheckTF32<kShortBack>(Problem(kData, 4, 16, 16, Axis(9), Axis(8, 2)));
  constexpr Config kBackResident = {.direction = kData,
                                    .type = DataType::kTF32,
                                    .pingpong = true,
                                    .columns = 64,
                                    .stages = 3,
                                    .k_tile = 32,
                                    .resident = 9};
  CheckTF32<kBackResident>(Problem(kData, 1, 136, 32, Axis(7), Axis(9)));
}

// Pixels of dy that overlap, and k tiles of 32 of their 120 channels.
TEST(Gather, TF32OfRuns) {
  constexpr Config kBack = {.direction = Direction::kBackwardData,
                            .type = DataType::kTF32,
                            .columns = 96,
                            .stages = 3,
                            .k_tile = 32};
  ConvProblem head = Problem(Direction::kBackwardData, 1, 100, 36, Axis(9), Axis(8));
  head.type = DataType::kTF32;
  const ConvProblem runs = CanonicalProblem(head, Gfx::kSm90a, SpacedTaps());
  EXPECT_EQ(runs.k, 120);
  CheckGather<kBack>(runs);
  CheckGather<kBack>(runs, /*splits=*/2);
  head.c = 8;
  for (const Values values : {Values::kInfinity, Values::kUnrounded}) {
    CheckGather<kBack>(CanonicalProblem(head, Gfx::kSm90a, SpacedTaps()), 1, values);
  }
}

TEST(Gather, TF32TakesOnlyWhatTensorMapsDescribe) {
  constexpr Config kBack = {
      .direction = Direction::kBackwardData, .type = DataType::kTF32, .k_tile = 32};
  ConvProblem problem = Problem(Direction::kBackwardData, 1, 40, 70, Axis(9), Axis(8));
  problem.type = DataType::kTF32;
  EXPECT_EQ(Why(RejectProblem(kBack, WithPixels(SpacedTaps(), problem))),
            "channels of w are 360 elements apart; tensor maps need adjacent channels");
  problem.type = DataType::kF32;
  EXPECT_EQ(Why(RejectProblem(kBack, problem)), "type is f32; the instance is for tf32");
}

}  // namespace
}  // namespace gridwise::hopper
