// SPDX-License-Identifier: MIT
#include "core/estimate/tap_window.h"

#include <cstdint>

#include "core/arch/device_facts.h"
#include "core/arch/target.h"
#include "core/conv/problem.h"
#include "gtest/gtest.h"

namespace gridwise {
namespace {

/// Steps of 32 terms of a 3x3 filter on gfx942. Half of their bytes are 128 rows of A.
TileSteps StepsOf(std::int64_t channels, double columns, double resident) {
  ConvProblem problem = {.direction = Direction::kForward,
                         .type = DataType::kF16,
                         .batch = 32,
                         .c = channels,
                         .k = 64};
  for (Dim* dim : {&problem.dims[1], &problem.dims[2]}) *dim = {.in = 56, .filter = 3};
  const DeviceFacts device = Gfx::k942;
  TileSteps steps;
  steps.resident = resident;
  SetTapWindow({.device = device, .problem = problem, .sub_gemms = {}, .split_k = {}},
               {.rows = 128, .columns = columns, .terms = 32, .part = 0.5}, steps);
  return steps;
}

TEST(TapWindow, IsThePixelsOfATapsRows) {
  EXPECT_EQ(StepsOf(/*channels=*/512, /*columns=*/1, /*resident=*/1).window_bytes, 128 * 512 * 2);
  EXPECT_EQ(StepsOf(512, /*columns=*/2, 1).window_bytes, 64 * 512 * 2) << "shared by two tiles";
}

TEST(TapWindow, LinesOfAStepCrowdIntoSets) {
  EXPECT_EQ(StepsOf(64, 1, 1).window_spread, 1) << "pixels of one line";
  EXPECT_EQ(StepsOf(512, 1, 1).window_spread, 8) << "pixels of eight";
  EXPECT_EQ(StepsOf(192, 1, 1).window_spread, 1) << "of three";
}

TEST(TapWindow, StepsOfALineAskForItOnceWhereItStays) {
  // 38 workgroups of an XCD have a step's lines of 128 rows: 0.6 MB, in an eighth of the sets 5 MB.
  ASSERT_EQ(DeviceFacts(Gfx::k942).machine.l2_bytes, 4.0 * (1 << 20));
  EXPECT_EQ(StepsOf(64, 1, 1).window_part, 0.5 * 64 / 128) << "a step has half of a line";
  EXPECT_EQ(StepsOf(512, 1, 1).window_part, 0.5);
  EXPECT_EQ(StepsOf(512, 2, 1).window_part, 0.5 / 2 * 64 / 128) << "two tiles ask for each";
}

}  // namespace
}  // namespace gridwise
