#include "tools/sim/time/model/launch_time.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <string_view>
#include <vector>

#include "gtest/gtest.h"
#include "tools/sim/time/machine/machine.h"
#include "tools/sim/time/testing/bench.h"

namespace gridwise::sim::time {
namespace {

/// A launch of workgroups that are made by hand: `make` adds the waves of one of them.
LaunchTime TimeOf(Bench& bench, int64_t workgroups, const GroupNeeds& needs, Footprint footprint,
                  const std::function<void(int64_t)>& make,
                  const TimeOptions& options = {.interval = false}) {
  LaunchRecord launch;
  launch.kernel = "made by hand";
  launch.workgroups = workgroups;
  launch.needs = needs;
  launch.occupancy = OccupancyOf(bench.machine(), needs);
  launch.plan = PlanSample(bench.machine(), workgroups, launch.occupancy.workgroups);
  std::map<int64_t, const WorkgroupRecord*> records;
  const auto record = [&](const std::vector<int64_t>& indices) {
    for (const int64_t index : indices) {
      if (records.count(index) != 0) continue;
      bench.Workgroup();
      make(index);
      records[index] = &bench.group();
    }
  };
  for (const SamplePlan::Unit& unit : launch.plan.units) record(unit.first);
  record(launch.plan.strata);
  record(launch.plan.die);
  launch.ops = bench.code();
  if (options.interval) {
    launch.ops_on = [&](const Machine&) {
      return std::vector<Op>(bench.code().begin(), bench.code().end());
    };
  }
  launch.shapes = &bench.shapes();
  launch.record = [&](int64_t index) {
    const auto found = records.find(index);
    return found == records.end() ? nullptr : found->second;
  };
  launch.footprint = footprint;
  return TimeLaunch(bench.machine(), launch, options);
}

Machine Mi300a() {
  Machine machine = *MachineOf("gfx942");
  machine.dies = Parameter(6, "data sheet of MI300A");
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

/// A launch whose waves multiply, and do something else between the products; two waves a SIMD.
struct Products {
  int64_t workgroups = 304 * 8;
  int steps = 64, every = 1;  // of which every first, second, ... multiplies
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
  time.machine = MachineOf("gfx942");  // that of the bench ends here
  return time;
}

TEST(LongRuns, OfDenseMatrixWorkAreAtTheSustainedClock) {
  const Machine& machine = *MachineOf("gfx942");
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
  const Machine& machine = *MachineOf("gfx942");
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
  const Machine& machine = *MachineOf("gfx942");
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

/// Workgroups that read `bytes` each, whatever others have read before, of a footprint as said.
LaunchTime TimeOfReads(int64_t workgroups, int64_t bytes, Footprint footprint,
                       std::string_view gfx = "gfx942") {
  Bench bench(gfx);
  const bool cdna = bench.machine().cdna();
  const uint32_t first =
      cdna ? bench.Code({"global_load_dwordx4 v[0:3], v60, s[0:1]", "s_waitcnt vmcnt(8)"})
           : bench.Code({"global_load_b128 v[0:3], v60, s[0:1]", "s_wait_loadcnt 0x8"});
  const int lanes = cdna ? 64 : 32;
  const GroupNeeds needs = {.waves = 1, .wave_size = lanes, .registers = 8};
  return TimeOf(bench, workgroups, needs, footprint, [&](int64_t index) {
    bench.Wave();
    for (int64_t at = 0; at < bytes; at += 16 * lanes) {
      bench.Execute(first, first + 1);
      bench.Touch(first, {.base = static_cast<uint64_t>(index * bytes + at),
                          .stride = 16,
                          .bytes = 16,
                          .count = lanes});
    }
  });
}

// Of 304 units 152 have two workgroups, of which all are resident, and have more of the MALL than
// those that have one.
TEST(LaunchTime, UnitsShareTheMallByTheirWorkgroups) {
  constexpr int64_t kBytes = 256 << 10;
  const LaunchTime one = TimeOfReads(304, kBytes, {}), more = TimeOfReads(456, kBytes, {});
  ASSERT_FALSE(more.gains.empty());
  ASSERT_EQ(more.gains[0].resource, Resource::kMall);
  EXPECT_NEAR(more.clk, 1.5 * one.clk, 0.1 * one.clk);
}

TEST(LaunchTime, TheMallLosesMoreOfWhatDoesNotFitTheMoreThereIs) {
  const double mall = MachineOf("gfx942")->mall_bytes;
  const auto hits = [&](double of_mall) {
    const auto workgroups = static_cast<int64_t>(of_mall * mall / (64 << 10));
    return TimeOfReads(workgroups, 64 << 10, {of_mall * mall, of_mall * mall}).mall_hits;
  };
  EXPECT_EQ(hits(1), 1);
  EXPECT_NEAR(hits(1.1), 0.824, 0.005);
  EXPECT_NEAR(hits(2), 0.203, 0.005);
  EXPECT_NEAR(hits(4), 0.020, 0.005);
}

// The 9070 XT has one L2, which nothing makes lose what a launch leaves to the next one; those of
// the MI300X's dies are invalidated.
TEST(LaunchTime, OneL2KeepsWhatFits) {
  const auto hits = [](std::string_view gfx, double of_l2) {
    const double bytes = of_l2 * MachineOf(gfx)->l2_bytes;
    return TimeOfReads(static_cast<int64_t>(bytes / (16 << 10)), 16 << 10, {bytes, bytes}, gfx)
        .l2_hits;
  };
  EXPECT_EQ(hits("gfx1201", 0.5), 1);
  EXPECT_EQ(hits("gfx1201", 1), 1);
  EXPECT_NEAR(hits("gfx1201", 2), 0.203, 0.02);
  EXPECT_EQ(hits("gfx942", 0.5), 0);
}

/// What workgroup `index`, of one wave, does at its end: `stores` lines of 512 bytes by instruction
/// 0, and `end`.
void StoreAndEnd(Bench& bench, int64_t index, int64_t stores, uint32_t end) {
  for (int64_t i = 0; i < stores; ++i) {
    bench.Execute(0, i + 1 < stores ? 0 : end);
    bench.Touch(0, {.base = static_cast<uint64_t>((index * stores + i) * 512),
                    .stride = 16,
                    .bytes = 16,
                    .count = 32});
  }
}

// Every second workgroup stores as much as the others, behind 100 or 1000 instructions more, which
// take no time beside the stores. A unit of which there are an even number has its part of both.
TEST(LaunchTime, UnitsHaveWorkgroupsOfEveryColumn) {
  constexpr int64_t kWorkgroups = 1024 * 32, kStores = 16, kBytes = kStores * 512;
  const auto of_second = [](int instructions) {
    Bench bench("gfx1201");
    bench.Code({"global_store_b128 v60, v[0:3], s[0:1]", "s_nop 0", "s_endpgm"});
    return TimeOf(bench, kWorkgroups, {.waves = 1, .wave_size = 32, .registers = 64},
                  {.all = kWorkgroups * kBytes},
                  [&](int64_t index) {
                    bench.Wave();
                    const bool second = index % 2 == 1;
                    for (int i = 0; i < (second ? instructions : 1); ++i) bench.Execute(1, 1);
                    StoreAndEnd(bench, index, kStores, /*end=*/2);
                  })
        .clk;
  };
  EXPECT_NEAR(of_second(1000), of_second(100), 0.05 * of_second(100));
}

// Of what does not fit a quarter is loaded, four times; the rest is stored.
TEST(LaunchTime, WhatIsStoredIsNotReadFromMemory) {
  const double mall = MachineOf("gfx942")->mall_bytes, bytes = 4 * mall;
  const auto workgroups = static_cast<int64_t>(bytes / (64 << 10));
  const double kept = TimeOfReads(workgroups, 64 << 10, {bytes, bytes}).mall_hits;
  EXPECT_LT(kept, 0.05);
  EXPECT_NEAR(TimeOfReads(workgroups, 64 << 10, {bytes, bytes / 4}).mall_hits, 1 - (1 - kept) / 4,
              1e-9);
}

// Both waves of a workgroup read the same, the second one long after the vector cache has lost it.
// By steps, as the traffic is found, they would read it at a time; but memory gives it once.
TEST(LaunchTime, WhatUnitsFetchAgainDoesNotComeFromMemory) {
  constexpr int64_t kWorkgroups = 4 * 304, kBytes = 256 << 10;
  const auto of_chain = [](int chain, const TimeOptions& options = {}) {
    Bench bench("gfx942");
    bench.machine().mall_bytes = Parameter(1 << 20, "next to nothing");
    bench.machine().mall_gbs = Parameter(1e6, "no limit");
    bench.Code({"v_add_f32_e32 v9, v9, v9", "global_load_dwordx4 v[0:3], v60, s[0:1]",
                "s_waitcnt vmcnt(8)"});
    const auto bytes = static_cast<double>(kWorkgroups * kBytes);
    const auto make = [&](int64_t index) {
      for (const int executed : {0, chain}) {
        bench.Wave();
        for (int i = 0; i < executed; ++i) bench.Execute(0, 0);
        for (int64_t at = 0; at < kBytes; at += 1024) {
          bench.Execute(1, 2);
          bench.Touch(
              1, {.base = static_cast<uint64_t>(index * kBytes + at), .stride = 16, .bytes = 16});
        }
      }
    };
    return TimeOf(bench, kWorkgroups, {.waves = 2, .registers = 8}, {bytes, bytes}, make, options);
  };
  const LaunchTime together = of_chain(0), apart = of_chain(4000);
  EXPECT_GT(together.l1_hits, 0.45);
  EXPECT_LT(apart.l1_hits, 0.1);
  EXPECT_LT(together.mall_hits, 0.1);
  EXPECT_NEAR(apart.mall_hits, 0.5, 0.05);
  // Nor is it given up for what the traffic alone would make of it.
  EXPECT_FALSE(of_chain(4000, {.limit_ms = 1.05 * apart.ms.burst}).given_up);
  EXPECT_TRUE(of_chain(4000, {.limit_ms = 0.5 * apart.ms.burst}).given_up);
}

TEST(LaunchTime, WavesEndWhenTheirStoresHaveArrived) {
  constexpr int64_t kWorkgroups = 2048, kStores = 64, kBytes = kStores * 512;
  Bench bench("gfx1201");
  bench.Code({"global_store_b128 v60, v[0:3], s[0:1]", "s_endpgm"});
  const double bytes = static_cast<double>(kWorkgroups * kBytes);
  bench.machine().mall_bytes = Parameter(1 << 20, "next to nothing");
  const LaunchTime time = TimeOf(bench, kWorkgroups, {.waves = 1, .wave_size = 32, .registers = 64},
                                 {.all = bytes}, [&](int64_t index) {
                                   bench.Wave();
                                   StoreAndEnd(bench, index, kStores, /*end=*/1);
                                 });
  const double gbs = bytes / (time.ms.burst * 1e6);
  EXPECT_LT(gbs, bench.machine().dram_write_gbs);
  EXPECT_GT(gbs, 0.8 * bench.machine().dram_write_gbs);
}

/// A launch of a wave on each die that loads a line of each of 4096 rows, twice, on a machine of
/// which all is known but how L2 finds its sets.
LaunchTime TimeOfRows(uint64_t row_bytes) {
  Machine machine = *MachineOf("gfx942");
  for (const Field& field : Fields()) {
    Parameter& parameter = machine.*field.member;
    if (field.member != &Machine::l2_xor_sets)
      parameter = Parameter::Read(parameter, parameter, parameter, "the test's");
  }
  Bench bench(machine);
  bench.Code({"global_load_dword v0, v8, s[0:1]", "s_waitcnt vmcnt(0)"});
  constexpr int kRows = 4096;
  return TimeOf(bench, 8, {.waves = 1, .registers = 8}, {},
                [&](int64_t) {
                  bench.Wave();
                  for (int i = 0; i < 2 * kRows; ++i) {
                    bench.Execute(0, 1);
                    bench.Touch(
                        0, {.base = static_cast<uint64_t>(i % kRows) * row_bytes, .count = 32});
                  }
                },
                {.interval = true});
}

TEST(LaunchTime, TheIntervalKnowsBothWaysToFindSetsOfL2) {
  const LaunchTime crowded = TimeOfRows(4096);
  EXPECT_EQ(crowded.l2_hits, 0);
  // Half of the loads would hit L2, in 288 clocks in place of the MALL's 491.
  EXPECT_NEAR(crowded.low.burst / crowded.ms.burst, 1 - 0.5 * 203 / 491, 0.02);
  EXPECT_NEAR(crowded.high.burst, crowded.ms.burst, 0.001 * crowded.ms.burst);
  const LaunchTime dense = TimeOfRows(128);
  EXPECT_EQ(dense.l2_hits, 0.5);
  EXPECT_NEAR(dense.low.burst, dense.ms.burst, 0.001 * dense.ms.burst);
  EXPECT_NEAR(dense.high.burst, dense.ms.burst, 0.001 * dense.ms.burst);
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
  const Machine& machine = *MachineOf("gfx942");
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
  const Machine& machine = *MachineOf("gfx942");
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

TEST(Occupancy, IsThatOfTheDocuments) {
  const Machine& cdna = *MachineOf("gfx942");
  const auto waves = [](const Machine& machine, int registers) {
    return OccupancyOf(
               machine,
               {.waves = 4, .wave_size = static_cast<int>(machine.lanes), .registers = registers})
        .workgroups;
  };
  EXPECT_EQ(waves(cdna, 64), 8);
  EXPECT_EQ(waves(cdna, 72), 7);
  EXPECT_EQ(waves(cdna, 128), 4);
  EXPECT_EQ(waves(cdna, 512), 1);
  const Machine& rdna = *MachineOf("gfx1100");
  EXPECT_EQ(waves(rdna, 96), 16);
  EXPECT_EQ(waves(rdna, 120), 12);
  EXPECT_EQ(waves(rdna, 256), 5);
  const Occupancy lds = OccupancyOf(cdna, {.waves = 4, .registers = 32, .lds_bytes = 40'000});
  EXPECT_EQ(lds.workgroups, 1);
  EXPECT_EQ(lds.bound, "LDS");
  // In CU mode two compute units with 64 KB each, not a workgroup processor with 128.
  GroupNeeds needs = {.waves = 4, .wave_size = 32, .registers = 96, .lds_bytes = 40'000};
  EXPECT_EQ(OccupancyOf(rdna, needs).workgroups, 3);
  needs.half_unit = true;
  EXPECT_EQ(OccupancyOf(rdna, needs).workgroups, 2);
  needs.waves = 10;
  EXPECT_EQ(OccupancyOf(rdna, needs).workgroups, 2);
}

}  // namespace
}  // namespace gridwise::sim::time
