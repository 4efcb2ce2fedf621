// SPDX-License-Identifier: MIT
// What the caches and memory of a device give to the workgroups of a launch.

#include <cstdint>
#include <string_view>

#include "gtest/gtest.h"
#include "tools/sim/time/machine/machine.h"
#include "tools/sim/time/model/launch_time.h"
#include "tools/sim/time/testing/bench.h"
#include "tools/sim/time/testing/launch_by_hand.h"

namespace gridwise::sim::time {
namespace {

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
TEST(MemoryOfLaunches, UnitsShareTheMallByTheirWorkgroups) {
  constexpr int64_t kBytes = 256 << 10;
  const LaunchTime one = TimeOfReads(304, kBytes, {}), more = TimeOfReads(456, kBytes, {});
  ASSERT_FALSE(more.gains.empty());
  ASSERT_EQ(more.gains[0].resource, Resource::kMall);
  EXPECT_NEAR(more.clk, 1.5 * one.clk, 0.1 * one.clk);
}

TEST(MemoryOfLaunches, TheMallLosesMoreOfWhatDoesNotFitTheMoreThereIs) {
  const double mall = FindMachine("gfx942")->mall_bytes;
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
// the MI300X's XCDs are invalidated.
TEST(MemoryOfLaunches, OneL2KeepsWhatFits) {
  const auto hits = [](std::string_view gfx, double of_l2) {
    const double bytes = of_l2 * FindMachine(gfx)->l2_bytes;
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

// Every second workgroup stores as much as the others, after 100 or 1000 instructions more, which
// take no time beside the stores. A unit of which there are an even number has its part of both.
TEST(MemoryOfLaunches, UnitsHaveWorkgroupsOfEveryColumn) {
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

// A quarter of what does not fit is loaded, four times; the rest is stored.
TEST(MemoryOfLaunches, WhatIsStoredIsNotReadFromMemory) {
  const double mall = FindMachine("gfx942")->mall_bytes, bytes = 4 * mall;
  const auto workgroups = static_cast<int64_t>(bytes / (64 << 10));
  const double kept = TimeOfReads(workgroups, 64 << 10, {bytes, bytes}).mall_hits;
  EXPECT_LT(kept, 0.05);
  EXPECT_NEAR(TimeOfReads(workgroups, 64 << 10, {bytes, bytes / 4}).mall_hits, 1 - (1 - kept) / 4,
              1e-9);
}

// Both waves of a workgroup read the same, the second one long after the vector cache has lost it.
// By steps, as the traffic is found, they would read it at a time; but memory gives it once.
TEST(MemoryOfLaunches, WhatUnitsFetchAgainDoesNotComeFromMemory) {
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

TEST(MemoryOfLaunches, WavesEndWhenTheirStoresHaveArrived) {
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

/// A launch of a wave on each XCD that loads a line of each of 4096 rows, twice, on a machine of
/// which all is known but how L2 finds its sets.
LaunchTime TimeOfRows(uint64_t row_bytes) {
  Machine machine = *FindMachine("gfx942");
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

TEST(MemoryOfLaunches, TheIntervalKnowsBothWaysToFindSetsOfL2) {
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

}  // namespace
}  // namespace gridwise::sim::time
