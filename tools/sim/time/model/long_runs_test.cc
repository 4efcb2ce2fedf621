// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstdint>

#include "gtest/gtest.h"
#include "tools/sim/time/machine/machine.h"
#include "tools/sim/time/model/launch_time.h"
#include "tools/sim/time/testing/bench.h"
#include "tools/sim/time/testing/launch_by_hand.h"

namespace gridwise::sim::time {
namespace {

/// A launch whose waves multiply, and do something else between the products; two waves a SIMD.
struct Products {
  int64_t workgroups = 304 * 8;
  int steps = 64, every = 1;  // every `every`-th step multiplies
  int others = 0;             // instructions of the vector ALU in a step
};
LaunchTime TimeOf(const Products& kernel) {
  Bench bench("gfx942");
  bench.machine().branch_clk = Parameter(4, "unrolled");
  bench.Code({"v_mfma_f32_32x32x8_f16 v[0:15], v[16:17], v[18:19], v[0:15]",
              "v_add_f32_e32 v20, v20, v20"});
  LaunchTime time =
      TimeOf(bench, kernel.workgroups, {.waves = 4, .registers = 256}, {}, [&](int64_t) {
        for (int w = 0; w < 4; ++w) {
          bench.Wave();
          for (int n = 0; n < kernel.steps; ++n) {
            if (n % kernel.every == 0) bench.Execute(0, 0);
            for (int i = 0; i < kernel.others; ++i) bench.Execute(1, 1);
          }
        }
      });
  time.machine = FindMachine("gfx942");  // that of the bench ends here
  return time;
}

TEST(LongRuns, OfDenseMatrixWorkAreAtTheSustainedClock) {
  const Machine& machine = *FindMachine("gfx942");
  const LaunchTime dense = TimeOf(Products{});
  // Eight workgroups' 64 products of 32 clocks on each SIMD of each unit.
  EXPECT_DOUBLE_EQ(dense.bound.matrix_clk, 8 * 64 * 32);
  EXPECT_DOUBLE_EQ(dense.ms.sustained(), 8 * 64 * 32 / (machine.sustained_mhz * 1000));
  EXPECT_GT(dense.ms.sustained(), 1.2 * dense.ms.burst);
  EXPECT_GE(dense.sustained_mhz(), machine.sustained_mhz);
  EXPECT_EQ(dense.bound.Sustained(machine), Resource::kMatrix);
  // What is not limited by the unit's time but by its power gains by nothing else.
  ASSERT_EQ(dense.gains.size(), 1);
  EXPECT_EQ(dense.gains[0].resource, Resource::kMatrix);
}

TEST(LongRuns, OfLittleMatrixWorkAreAtTheBurstClock) {
  const Machine& machine = *FindMachine("gfx942");
  const LaunchTime light = TimeOf({.others = 32});
  EXPECT_LT(light.matrix_busy(), machine.sustained_mhz / machine.burst_mhz);
  EXPECT_EQ(light.ms.sustained(), light.ms.burst);
  EXPECT_DOUBLE_EQ(light.sustained_mhz(), machine.burst_mhz);
  // So are those of a device that is half empty.
  EXPECT_EQ(TimeOf({.workgroups = 152}).ms.matrix, TimeOf({.workgroups = 304}).ms.matrix / 2);
  const LaunchTime half = TimeOf({.workgroups = 152});
  EXPECT_EQ(half.ms.sustained(), half.ms.burst);
}

TEST(LongRuns, GoFromOneLawToTheOtherWithoutAStep) {
  const Machine& machine = *FindMachine("gfx942");
  double before = 0;
  for (int others = 0; others <= 24; ++others) {
    const LaunchTime time = TimeOf({.others = others});
    const double clock =
        std::min<double>(machine.burst_mhz, machine.sustained_mhz / time.matrix_busy());
    EXPECT_NEAR(time.sustained_mhz(), clock, 1e-6 * clock) << others;
    EXPECT_GE(time.ms.sustained(), before) << others;
    if (before > 0) EXPECT_LT(time.ms.sustained(), 1.2 * before) << others;
    before = time.ms.sustained();
  }
}

TEST(LongRuns, OfHalfTheProductsAreShorterWherePowerLimitsAlone) {
  const auto ratio = [](int others) {
    return TimeOf({.every = 2, .others = others}).ms.sustained() /
           TimeOf({.others = others}).ms.sustained();
  };
  EXPECT_LT(ratio(4), 0.75);
  EXPECT_GT(ratio(48), 0.95);
}

}  // namespace
}  // namespace gridwise::sim::time
