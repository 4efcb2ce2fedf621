// SPDX-License-Identifier: MIT
#include <cstdint>

#include "gtest/gtest.h"
#include "tools/sim/time/testing/bench.h"

// An XCD's units together: what they share, and who gets the next workgroup.

namespace gridwise::sim::time {
namespace {

constexpr int kSteps = 100;

/// A wave that loads `kSteps` runs of 256 bytes from `base` on and waits for each.
void Stream(Bench& bench, uint32_t load, uint64_t base) {
  bench.Wave();
  for (int n = 0; n < kSteps; ++n) {
    bench.Execute(load, load + 1);
    bench.Touch(load, {.base = base + static_cast<uint64_t>(n) * 256});
  }
}

uint32_t LoadAndWait(Bench& bench) {
  return bench.Code({"global_load_dword v0, v8, s[0:1]", "s_waitcnt vmcnt(0)"});
}

TEST(Xcd, OneUnitTakesTheTimeOfAUnit) {
  Bench bench("gfx942");
  const uint32_t first = bench.Code({"v_add_f32_e32 v0, v1, v2", "ds_read_b128 v[4:7], v8",
                                     "v_exp_f32_e32 v3, v3", "s_waitcnt lgkmcnt(0)"});
  bench.Wave();
  for (int n = 0; n < kSteps; ++n) {
    bench.Execute(first, first + 3);
    bench.Touch(first + 1, {.stride = 16, .bytes = 16}, true);
  }
  bench.Repeat(8);
  const double alone = bench.Time().clk;
  EXPECT_GT(alone, kSteps * 16);
  const XcdTime xcd = bench.TimeOnXcd(1);
  EXPECT_DOUBLE_EQ(xcd.clk, alone);
  EXPECT_EQ(xcd.instructions, uint64_t{8} * kSteps * 4);
  EXPECT_EQ(xcd.requests, 0);
}

TEST(Xcd, WhatOneUnitHasFetchedL2HasForTheOthers) {
  for (const bool same : {true, false}) {
    Bench bench("gfx942");
    const uint32_t load = LoadAndWait(bench);
    for (uint64_t unit = 0; unit < 4; ++unit) {
      if (unit > 0) bench.Workgroup();
      Stream(bench, load, same ? 0 : unit << 24);
    }
    const XcdTime xcd = bench.TimeOnXcd(4);
    EXPECT_EQ(xcd.requests, 4 * kSteps * 2);  // requests have 128 bytes
    EXPECT_EQ(xcd.misses, (same ? 1 : 4) * kSteps * 2);
    // Who comes first waits for the MALL, and so do those who want the same meanwhile.
    EXPECT_GT(xcd.clk, kSteps * bench.machine().l2_latency);
    EXPECT_GT(xcd.clk, kSteps * bench.machine().mall_latency_ns * bench.sharing().mhz / 1000);
  }
}

TEST(Xcd, MemoryIsSharedByAllUnits) {
  constexpr int kUnits = 16, kWaves = 64;  // enough to hide latencies
  Bench bench("gfx942");
  const uint32_t load = LoadAndWait(bench);
  for (uint64_t unit = 0; unit < kUnits; ++unit) {
    if (unit > 0) bench.Workgroup();
    for (uint64_t wave = 0; wave < kWaves; ++wave)
      Stream(bench, load, (unit * kWaves + wave) << 20);
  }
  const double bytes = double{kUnits} * kWaves * kSteps * 256;
  const auto clocks = [&](double gbs) {
    return bytes / (gbs * 1000 / bench.sharing().mhz / bench.machine().xcds);
  };
  const double mall = bench.TimeOnXcd(kUnits).clk;
  EXPECT_NEAR(mall, clocks(bench.machine().mall_gbs), 0.1 * mall);
  const double memory = bench.TimeOnXcd(kUnits, 1, /*mall_hits=*/0).clk;
  EXPECT_NEAR(memory, clocks(bench.machine().dram_read_gbs), 0.1 * memory);
}

TEST(Xcd, TheUnitThatIsFreeGetsTheNextWorkgroup) {
  Bench bench("gfx942");
  const uint32_t first = bench.Code({"v_add_f32_e32 v0, v1, v2"});
  const auto group = [&](int steps) {
    bench.Wave();
    for (int n = 0; n < steps; ++n) bench.Execute(first, first);
  };
  group(10 * kSteps);
  for (int i = 0; i < 10; ++i) {
    bench.Workgroup();
    group(kSteps);
  }
  const double alone = bench.TimeOnXcd(1).clk, both = bench.TimeOnXcd(2).clk;
  EXPECT_NEAR(both, alone / 2, 0.02 * alone);
}

}  // namespace
}  // namespace gridwise::sim::time
