// SPDX-License-Identifier: MIT
#include "tools/sim/time/model/traffic.h"

#include <array>
#include <cstdint>

#include "gtest/gtest.h"
#include "tools/sim/time/machine/machine.h"
#include "tools/sim/time/testing/bench.h"

namespace gridwise::sim::time {
namespace {

constexpr int kSteps = 200;
constexpr int kLinesOfStep = 8;

/// The part of the second wave's last loads of a step that L2 has, which are of what the first
/// wave loads in the same step. L2 holds four steps of both.
double HitsOfSecondWave(bool barrier) {
  Machine machine = *FindMachine("gfx942");
  machine.l2_bytes = Parameter(4.0 * (kLinesOfStep + 2) * 128, "a few lines");
  machine.l2_ways = Parameter(4 * (kLinesOfStep + 2), "of one set");
  machine.l1_bytes = Parameter(128, "a line");
  machine.l1_ways = Parameter(1, "a line");
  Bench bench(machine);
  const uint32_t load = bench.Code({"global_load_dword v0, v8, s[0:1]"});
  const uint32_t again = bench.Code({"global_load_dword v1, v8, s[2:3]"});
  const uint32_t end = bench.Code({barrier ? "s_barrier" : "s_nop 0"});
  const auto touch = [&](uint32_t op, uint64_t line) {
    bench.Execute(op, op);
    bench.Touch(op, {.base = line * 128, .count = 32});
  };
  const auto end_step = [&] { bench.Execute(end, end); };
  bench.Wave();
  for (uint64_t step = 0; step < kSteps; ++step) {
    touch(load, step);
    end_step();
  }
  bench.Wave();
  for (uint64_t step = 0; step < kSteps; ++step) {
    for (uint64_t i = 0; i < kLinesOfStep; ++i) touch(load, (1 + i) << 20 | step);
    touch(again, step);
    end_step();
  }
  const std::array<const WorkgroupRecord*, 1> groups = {&bench.group()};
  const Traffic traffic = CountTraffic(bench.machine(), bench.code(), bench.shapes(), groups, {});
  EXPECT_EQ(traffic.requests, kSteps * (kLinesOfStep + 2));
  const Hits& hits = traffic.hits[again];
  return hits.l2 + hits.late;
}

TEST(Traffic, WavesOfAWorkgroupWaitAtItsBarriers) {
  EXPECT_EQ(HitsOfSecondWave(/*barrier=*/true), 1);
  EXPECT_LT(HitsOfSecondWave(/*barrier=*/false), 0.2) << "or the test says nothing";
}

/// The part of a wave's lines that L2 has: it loads a line of each of 4096 rows of 4096 bytes, one
/// after the other, twice.
double HitsOfRows(double xor_sets) {
  Machine machine = *FindMachine("gfx942");
  machine.l2_xor_sets = Parameter::Read(xor_sets, xor_sets, xor_sets, "the test's");
  Bench bench(machine);
  const uint32_t load = bench.Code({"global_load_dword v0, v8, s[0:1]"});
  bench.Wave();
  for (int i = 0; i < 2 * 4096; ++i) {
    bench.Execute(load, load);
    bench.Touch(load, {.base = static_cast<uint64_t>(i % 4096) * 4096, .count = 32});
  }
  const std::array<const WorkgroupRecord*, 1> groups = {&bench.group()};
  return CountTraffic(bench.machine(), bench.code(), bench.shapes(), groups, {}).hits[load].l2;
}

// A wave loads the same line again and again.
TEST(Traffic, VectorCachesLoseWhatIsInvalidated) {
  const auto requests = [](std::string_view between) {
    Bench bench("gfx1201");
    const uint32_t load = bench.Code({"global_load_b32 v0, v8, s[0:1]", between});
    bench.Wave();
    for (int i = 0; i < kSteps; ++i) {
      bench.Execute(load, load + 1);
      bench.Touch(load, {.count = 32});
    }
    const std::array<const WorkgroupRecord*, 1> groups = {&bench.group()};
    return CountTraffic(bench.machine(), bench.code(), bench.shapes(), groups, {}).requests;
  };
  EXPECT_EQ(requests("s_nop 0"), 1);
  EXPECT_EQ(requests("global_inv scope:SCOPE_SE"), kSteps);
}

TEST(Traffic, RowsOf4096BytesCrowdIntoFewSetsOfL2UnlessThoseAreAnXor) {
  EXPECT_EQ(HitsOfRows(0), 0);
  EXPECT_EQ(HitsOfRows(1), 0.5);
}

}  // namespace
}  // namespace gridwise::sim::time
