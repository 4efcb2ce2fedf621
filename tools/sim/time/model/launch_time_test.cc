// SPDX-License-Identifier: MIT
#include "tools/sim/time/model/launch_time.h"

#include <cstdint>

#include "gtest/gtest.h"
#include "tools/sim/time/machine/machine.h"
#include "tools/sim/time/testing/bench.h"
#include "tools/sim/time/testing/launch_by_hand.h"

namespace gridwise::sim::time {
namespace {

Machine Mi300a() {
  Machine machine = *FindMachine("gfx942");
  machine.xcds = Parameter(6, "data sheet of MI300A");
  machine.units = Parameter(228, "data sheet of MI300A");
  machine.mall_gbs = Parameter(4940, "measured by the roofline tool");
  machine.dram_read_gbs = Parameter(3250, "mt4g");
  machine.dram_write_gbs = Parameter(3530, "mt4g");
  return machine;
}

/// c[i] = a[i] + b[i], 256 work-items a workgroup.
LaunchTime VectorAdd(int64_t elements) {
  Bench bench(Mi300a());
  bench.Code({"s_load_dwordx4 s[0:3], s[4:5], 0x0", "v_lshlrev_b32_e32 v2, 2, v0",
              "s_waitcnt lgkmcnt(0)", "global_load_dword v0, v2, s[0:1]",
              "global_load_dword v1, v2, s[2:3]", "s_waitcnt vmcnt(0)", "v_add_f32_e32 v0, v0, v1",
              "global_store_dword v2, v0, s[6:7]", "s_endpgm"});
  const auto bytes = static_cast<uint64_t>(elements) * 4;
  return TimeOf(
      bench, (elements + 255) / 256, {.waves = 4, .registers = 8},
      {.all = 3.0 * static_cast<double>(bytes), .loaded = 2.0 * static_cast<double>(bytes)},
      [&](int64_t index) {
        for (int w = 0; w < 4; ++w) {
          const auto at = static_cast<uint64_t>(index * 1024 + w * 256);
          bench.Wave();
          bench.Execute(0, 8);
          bench.Touch(0, {.base = 64, .bytes = 16, .count = 1});
          bench.Touch(3, {.base = at});
          bench.Touch(4, {.base = at + bytes});
          bench.Touch(7, {.base = at + 2 * bytes});
          // The wave's accesses are those of its only run.
        }
      });
}

TEST(LaunchTime, OfAVectorAdditionIsThePublishedOne) {
  // MGPUSim's measurements on MI300A: minimum of 51, with an event pair.
  const double small = VectorAdd(1024).ms.burst;
  EXPECT_GT(small, 0.0027);
  EXPECT_LT(small, 0.0046);
  EXPECT_NEAR(VectorAdd(1 << 20).ms.burst, 0.0063, 0.0063 * 0.3);
  EXPECT_NEAR(VectorAdd(16 << 20).ms.burst, 0.051, 0.051 * 0.2);
  EXPECT_NEAR(VectorAdd(64 << 20).ms.burst, 0.2236, 0.2236 * 0.15);
}

/// A wave that computes one thing after the other, in each of `workgroups`.
double ClocksOfChains(int64_t workgroups) {
  Bench bench("gfx942");
  bench.machine().branch_clk = Parameter(4, "unrolled");
  bench.Code({"v_add_f32_e32 v0, v0, v0"});
  const LaunchTime time = TimeOf(bench, workgroups, {.waves = 1, .registers = 8}, {}, [&](int64_t) {
    bench.Wave();
    for (int i = 0; i < 2000; ++i) bench.Execute(0, 0);
  });
  return time.clk;
}

TEST(LaunchTime, AFewWorkgroupsMoreThanUnitsRunBesideTheFirst) {
  // Some units have a second workgroup, on another SIMD; most do not.
  const double one_each = ClocksOfChains(304);
  EXPECT_NEAR(ClocksOfChains(304 + 8), one_each, 0.05 * one_each);
  EXPECT_NEAR(ClocksOfChains(4 * 304), one_each, 0.1 * one_each);
  EXPECT_NEAR(ClocksOfChains(8 * 304), 2 * one_each, 0.2 * one_each);
}

TEST(LaunchTime, NamesMemoryAsTheLimit) {
  const LaunchTime time = VectorAdd(64 << 20);
  ASSERT_FALSE(time.gains.empty());
  EXPECT_EQ(time.gains[0].resource, Resource::kMemory);
  EXPECT_NEAR(time.mall_hits, 0.0595, 1e-4)
      << "of three times its size, see core/arch/infinity_cache.h";
  EXPECT_LE(time.bound.clk, time.clk);
}

/// A workgroup's step of a matrix product: what varies is how its author wrote it.
struct Step {
  bool prefetch = true;     // loads of the next step are issued before this one's products
  int64_t lds_stride = 16;  // between lanes' 16 bytes
  int nops = 0;
  uint64_t lds_bytes = 32 << 10;
};
double ClocksOf(const Step& step) {
  Bench bench("gfx942");
  const uint32_t load = bench.Code(
      {"global_load_dwordx4 v[0:3], v60, s[0:1]", "global_load_dwordx4 v[4:7], v60, s[2:3]"});
  const uint32_t wait = bench.Code({"s_waitcnt vmcnt(0)"});
  const uint32_t write = bench.Code({"ds_write_b128 v61, v[0:3]", "ds_write_b128 v61, v[4:7]",
                                     "s_waitcnt lgkmcnt(0)", "s_barrier"});
  const uint32_t read = bench.Code(
      {"ds_read_b128 v[8:11], v62", "ds_read_b128 v[12:15], v62", "s_waitcnt lgkmcnt(0)"});
  const uint32_t nop = bench.Code({"s_nop 7"});
  const uint32_t product =
      bench.Code({"v_mfma_f32_32x32x8_f16 v[16:31], v[8:9], v[12:13], v[16:31]",
                  "v_mfma_f32_32x32x8_f16 v[32:47], v[10:11], v[14:15], v[32:47]", "s_barrier"});
  bench.machine().branch_clk = Parameter(4, "unrolled");
  constexpr int kSteps = 32, kGroups = 304 * 8;
  const auto make = [&](int64_t index) {
    for (int w = 0; w < 4; ++w) {
      bench.Wave();
      const auto loads = [&](int n) {
        bench.Execute(load, load + 1);
        for (uint32_t i = 0; i < 2; ++i) {
          const auto row = static_cast<uint64_t>(index % 64 * 4 + w + i * 4096);
          bench.Touch(
              load + i,
              {.base = (row << 16) + static_cast<uint64_t>(n) * 1024, .stride = 16, .bytes = 16});
        }
      };
      if (step.prefetch) loads(0);
      for (int n = 0; n < kSteps; ++n) {
        if (!step.prefetch) loads(n);
        bench.Execute(wait, wait);
        bench.Execute(write, write + 3);
        for (uint32_t i = 0; i < 2; ++i) bench.Touch(write + i, {.stride = 16, .bytes = 16}, true);
        if (step.prefetch && n + 1 < kSteps) loads(n + 1);
        bench.Execute(read, read + 2);
        for (uint32_t i = 0; i < 2; ++i)
          bench.Touch(read + i, {.stride = step.lds_stride, .bytes = 16}, true);
        for (int i = 0; i < step.nops; ++i) bench.Execute(nop, nop);
        bench.Execute(product, product + 2);
      }
    }
  };
  return TimeOf(bench, kGroups, {.waves = 4, .registers = 64, .lds_bytes = step.lds_bytes},
                {1e8, 1e8}, make)
      .clk;
}

TEST(Mutation, HasTheKnownSign) {
  const double plain = ClocksOf({});
  EXPECT_GT(ClocksOf({.prefetch = false}), plain * 1.02);
  EXPECT_GT(ClocksOf({.lds_stride = 128}), plain * 1.3);  // a swizzle removed
  EXPECT_GT(ClocksOf({.lds_stride = 64}), plain * 1.05);
  EXPECT_GT(ClocksOf({.lds_bytes = 64 << 10}), plain * 1.02);  // half the occupancy
  EXPECT_GT(ClocksOf({.nops = 12}), plain * 1.02);
}

TEST(LaunchTime, GrowsWithTheGrid) {
  const auto clocks = [](int64_t workgroups) {
    Bench bench("gfx942");
    bench.Code({"v_mfma_f32_32x32x8_f16 v[0:15], v[16:17], v[18:19], v[0:15]"});
    return TimeOf(bench, workgroups, {.waves = 4, .registers = 512}, {},
                  [&](int64_t) {
                    for (int w = 0; w < 4; ++w) {
                      bench.Wave();
                      for (int n = 0; n < 100; ++n) bench.Execute(0, 0);
                    }
                  })
        .clk;
  };
  const double one_round = clocks(304);
  EXPECT_NEAR(one_round, 100 * 32, 100 * 32 * 0.02);
  EXPECT_NEAR(clocks(10), one_round, one_round * 0.01);
  EXPECT_NEAR(clocks(305), 2 * one_round, one_round * 0.05);  // a tail of one workgroup
  EXPECT_NEAR(clocks(3040), 10 * one_round, one_round * 0.2);
}

TEST(LaunchTime, OfAPlanHasGaps) {
  const Machine& machine = *FindMachine("gfx942");
  LaunchTime launch;
  launch.machine = &machine;
  launch.ms = {.burst = 0.010 + machine.launch_us / 1000, .matrix = 0.012};
  LaunchTime pass = launch;
  pass.ms.matrix = 0;
  const LaunchTime* const three[] = {&pass, &launch, &pass};
  const RunMs ms = SequenceMs(three);
  EXPECT_NEAR(ms.burst, 0.030 + 0.0027 + 2 * machine.gap_us / 1000, 1e-6);
  // The second would take longer alone; passes leave it their power.
  EXPECT_EQ(ms.sustained(), ms.burst);
  EXPECT_EQ(SequenceMs({}).sustained(), 0);
}

TEST(LaunchTime, OfAFillIsThatOfItsBytes) {
  const Machine& machine = *FindMachine("gfx942");
  const LaunchTime small = TimeFill(machine, 64);
  EXPECT_NEAR(small.ms.burst, 0.0027, 0.0003);
  // 64 MB stay in the Infinity Cache, 4 GB do not, and of a little more than it holds the most.
  const LaunchTime cached = TimeFill(machine, 64e6);
  EXPECT_EQ(cached.bound.resource, Resource::kMall);
  EXPECT_NEAR(cached.ms.burst, 64e6 / 6420e9 * 1e3 + 0.0027, 0.0003);
  const LaunchTime more = TimeFill(machine, 1.05 * machine.mall_bytes);
  EXPECT_NEAR(more.ms.burst, 1.05 * TimeFill(machine, machine.mall_bytes).ms.burst, 0.002);
  const LaunchTime large = TimeFill(machine, 4e9);
  EXPECT_EQ(large.bound.resource, Resource::kMemory);
  EXPECT_NEAR(large.ms.burst, 4e9 / 4420e9 * 1e3, 0.01);
  EXPECT_EQ(large.ms.sustained(), large.ms.burst);
  EXPECT_LT(large.low.burst, large.ms.burst + 0.001);
  EXPECT_GT(large.high.burst, large.ms.burst);
}

}  // namespace
}  // namespace gridwise::sim::time
