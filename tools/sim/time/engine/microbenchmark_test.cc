// SPDX-License-Identifier: MIT
#include <cmath>
#include <initializer_list>
#include <string>
#include <string_view>

#include "gtest/gtest.h"
#include "tools/sim/isa/target.h"
#include "tools/sim/time/testing/bench.h"

// Microbenchmarks whose results on hardware are published: the model must give them back. What is
// not said otherwise is in machines.cc, with its source.

namespace gridwise::sim::time {
namespace {

constexpr int kIterations = 200;

/// Clocks of one more execution of `body` in the steady state, by `waves` waves of one workgroup
/// together; `touch` adds the accesses of an iteration.
template <typename Touch>
double ClocksPer(std::string_view gfx, std::initializer_list<std::string_view> body, int waves,
                 const Touch& touch, const Hits& hits = {}, double mhz = 0) {
  double clk[2];
  for (int i = 0; i < 2; ++i) {
    Bench bench(gfx);
    bench.machine().branch_clk = Parameter::Read(bench.machine().issue_clk, 0, 99, "unrolled");
    if (mhz != 0) bench.sharing().mhz = mhz;
    const uint32_t first = bench.Code(body);
    const auto last = first + static_cast<uint32_t>(body.size()) - 1;
    bench.hits().assign(body.size(), hits);
    bench.Wave();
    for (int n = 0; n < (i + 1) * kIterations; ++n) {
      bench.Execute(first, last);
      touch(bench, n);
    }
    bench.Repeat(waves);
    clk[i] = bench.Time().clk;
  }
  return (clk[1] - clk[0]) / kIterations;
}
double ClocksPer(std::string_view gfx, std::initializer_list<std::string_view> body,
                 int waves = 1) {
  return ClocksPer(gfx, body, waves, [](Bench&, int) {});
}

// --- Latency of every level: one lane, dependent loads (mt4g; within 3 %)

constexpr double kPercent = 0.03;

double Chase(std::string_view gfx, const Hits& hits, uint64_t stride, double mhz = 0) {
  const bool gfx9 = FindTarget(gfx)->wave_size == 64;
  const auto touch = [&](Bench& bench, int n) {
    bench.Touch(0, {.base = static_cast<uint64_t>(n) * stride, .count = 1});
  };
  return gfx9 ? ClocksPer(gfx, {"global_load_dword v0, v[0:1], off", "s_waitcnt vmcnt(0)"}, 1,
                          touch, hits, mhz)
              : ClocksPer(gfx, {"global_load_b32 v0, v[0:1], off", "s_waitcnt vmcnt(0)"}, 1, touch,
                          hits, mhz);
}

struct LatencyCase {
  std::string_view gfx;
  double mhz, l1, l2, mall, memory, scalar, lds;
};
class Latency : public testing::TestWithParam<LatencyCase> {};

TEST_P(Latency, IsThePublishedOne) {
  const LatencyCase& c = GetParam();
  constexpr uint64_t kNewLine = 4096;
  EXPECT_NEAR(Chase(c.gfx, {}, 0), c.l1, c.l1 * kPercent);
  EXPECT_NEAR(Chase(c.gfx, {}, kNewLine), c.l2, c.l2 * kPercent);
  EXPECT_NEAR(Chase(c.gfx, {.l2 = 0}, kNewLine, c.mhz), c.mall, c.mall * kPercent);
  EXPECT_NEAR(Chase(c.gfx, {.l2 = 0, .mall = 0}, kNewLine, c.mhz), c.memory, c.memory * kPercent);
  EXPECT_NEAR(ClocksPer(c.gfx, {"s_load_dword s4, s[4:5], 0x0", "s_waitcnt lgkmcnt(0)"}, 1,
                        [](Bench& bench, int) { bench.Touch(0, {.count = 1}); }),
              c.scalar, c.scalar * kPercent);
  EXPECT_NEAR(ClocksPer(c.gfx, {"ds_read_b32 v0, v0", "s_waitcnt lgkmcnt(0)"}, 1,
                        [](Bench& bench, int) { bench.Touch(0, {.count = 1}, true); }),
              c.lds, c.lds * kPercent);
}
INSTANTIATE_TEST_SUITE_P(Machines, Latency,
                         testing::Values(LatencyCase{"gfx942", 2100, 116, 288, 492, 876, 48, 52},
                                         LatencyCase{"gfx950", 2200, 112, 256, 444, 740, 48, 48}));

TEST(Latency, OfRdna3) {
  EXPECT_NEAR(Chase("gfx1100", {}, 0), 81, 81 * kPercent);
  EXPECT_NEAR(Chase("gfx1100", {}, 4096), 227, 227 * kPercent);
  // 128 KB in turns: beyond L0, within the array's cache.
  const double array =
      ClocksPer("gfx1100", {"global_load_b32 v0, v[0:1], off", "s_waitcnt vmcnt(0)"}, 1,
                [](Bench& bench, int n) {
                  for (uint32_t i = 0; i < 1024 && n == 0; ++i) {
                    bench.Touch(0, {.base = uint64_t{i} * 128, .count = 1});
                    bench.Execute(0, 1);
                  }
                  bench.Touch(0, {.base = static_cast<uint64_t>(n) % 1024 * 128, .count = 1});
                });
  EXPECT_NEAR(array, 136, 136 * kPercent);
  EXPECT_NEAR(ClocksPer("gfx1100", {"ds_load_b32 v0, v0", "s_waitcnt lgkmcnt(0)"}, 1,
                        [](Bench& bench, int) { bench.Touch(0, {.count = 1}, true); }),
              32.5, 32.5 * kPercent);
}

// --- LDS

double LdsBytesPerClk(std::string_view gfx, std::string_view instruction, int waves) {
  const double clk = ClocksPer(gfx, {instruction}, waves, [](Bench& bench, int) {
    bench.Touch(0, {.stride = 16, .bytes = 16}, true);
  });
  return waves * 64 * 16 / clk;
}

TEST(Lds, ReadsAndWritesAtTheirOwnRates) {
  EXPECT_NEAR(LdsBytesPerClk("gfx942", "ds_read_b128 v[0:3], v8", 8), 128.0, 2);
  EXPECT_NEAR(LdsBytesPerClk("gfx942", "ds_write_b128 v8, v[0:3]", 8), 73.6, 1);
  EXPECT_NEAR(LdsBytesPerClk("gfx950", "ds_read_b128 v[0:3], v8", 16), 220.2, 4);
  EXPECT_NEAR(LdsBytesPerClk("gfx950", "ds_write_b128 v8, v[0:3]", 16), 75.1, 1);
}

TEST(Lds, OneSimdGetsHalf) {
  EXPECT_NEAR(LdsBytesPerClk("gfx942", "ds_read_b128 v[0:3], v8", 1), 64, 1);
}

TEST(Lds, ConflictsTakeAClockEach) {
  const auto strided = [](int64_t stride) {
    return ClocksPer("gfx942", {"ds_read_b32 v0, v8"}, 8, [stride](Bench& bench, int) {
      bench.Touch(0, {.stride = stride, .bytes = 4}, true);
    });
  };
  EXPECT_NEAR(strided(4), 8 * 2, 0.5);     // 128 bytes a clock
  EXPECT_NEAR(strided(128), 8 * 64, 0.5);  // all lanes in one bank: 2 phases and 62 conflicts
  // AMD's GEMM notebook on MI355X, step 4: four lanes of a phase at the same banks, 16 clocks.
  const double notebook =
      ClocksPer("gfx950", {"ds_read_b128 v[0:3], v8"}, 16,
                [](Bench& bench, int) { bench.Touch(0, {.stride = 64, .bytes = 16}, true); });
  EXPECT_NEAR(notebook / 16, 16, 1);
}

TEST(Lds, OfRdna) {
  const auto strided = [](std::string_view gfx, std::string_view load, int64_t stride,
                          uint32_t bytes) {
    return ClocksPer(gfx, {load}, 1, [=](Bench& bench, int) {
      bench.Touch(0, {.stride = stride, .bytes = bytes, .count = 32}, true);
    });
  };
  // 64 reads of one wave of 32 on gfx1201 (amd-shark-ai, empirical-lds): 787 clocks of 8 bytes a
  // lane, 1021 of 16. The difference is that of the bytes.
  EXPECT_NEAR(strided("gfx1201", "ds_load_b128 v[0:3], v8", 16, 16) -
                  strided("gfx1201", "ds_load_b64 v[0:1], v8", 8, 8),
              (1021 - 787) / 64.0, 0.5);
  // All lanes in one bank: a half's 32 banks take one dword after the other.
  EXPECT_NEAR(strided("gfx1100", "ds_load_b32 v0, v8", 128, 4), 32, 0.5);
}

TEST(Lds, ExchangesLanesAsFastAsItReadsDwords) {
  for (const SimTarget& target : kSimTargets) {
    const std::string_view gfx = target.gfx;
    const bool cdna = FindMachine(gfx)->cdna();
    const double read = ClocksPer(
        gfx, {cdna ? "ds_read_b32 v0, v8" : "ds_load_b32 v0, v8"}, 8,
        [=](Bench& bench, int) { bench.Touch(0, {.stride = 4, .count = cdna ? 64 : 32}, true); });
    for (const std::string_view exchange :
         {"ds_swizzle_b32 v0, v8", "ds_permute_b32 v0, v8, v9", "ds_bpermute_b32 v0, v8, v9"}) {
      EXPECT_NEAR(ClocksPer(gfx, {exchange}, 8, [](Bench&, int) {}), read, 0.02 * read)
          << gfx << " " << exchange;
    }
  }
}

// rocm-amdgpu-bench's LDS_bw, dependent loads of a byte: 2.4 clocks for each of a compute unit.
TEST(Lds, GivesALaneADwordAtLeast) {
  for (const std::string_view load : {"ds_read_u8 v0, v8", "ds_read_u16 v0, v8"}) {
    const uint32_t bytes = load.find("u8") != std::string_view::npos ? 1 : 2;
    const double clk = ClocksPer("gfx942", {load}, 32, [=](Bench& bench, int) {
      bench.Touch(0, {.stride = bytes, .bytes = bytes}, true);
    });
    EXPECT_NEAR(clk / 32, 2, 0.05) << load;
  }
}

TEST(Lds, NoSimdStarvesAnother) {
  // Two waves of all conflicts, on the two SIMDs of a port: they get a half each.
  Bench bench("gfx942");
  bench.Code({"ds_read_b32 v0, v8"});
  for (int group = 0; group < 2; ++group) {
    if (group > 0) bench.Workgroup();
    bench.Wave();
    for (int n = 0; n < kIterations; ++n) {
      bench.Execute(0, 0);
      bench.Touch(0, {.stride = 128}, true);
    }
  }
  const UnitTime time = bench.Time(2);
  ASSERT_EQ(time.ends.size(), 2u);
  EXPECT_NEAR(time.ends[0], time.ends[1], 0.05 * time.ends[1]);
  EXPECT_NEAR(time.clk, 2 * kIterations * 64, 0.02 * 2 * kIterations * 64);
}

// --- Address unit

double AddressClk(int64_t stride, uint32_t bytes, std::string_view instruction, uint64_t base = 0) {
  return ClocksPer("gfx942", {instruction}, 8,
                   [=](Bench& bench, int) {
                     bench.Touch(0, {.base = base, .stride = stride, .bytes = bytes});
                   }) /
         8;
}

TEST(AddressUnit, LooksUpALineAClockForSixteenLanes) {
  EXPECT_NEAR(AddressClk(4, 4, "global_load_dword v0, v8, s[0:1]"), 4, 0.1);
  EXPECT_NEAR(AddressClk(8, 8, "global_load_dwordx2 v[0:1], v8, s[0:1]"), 8, 0.1);
  EXPECT_NEAR(AddressClk(16, 16, "global_load_dwordx4 v[0:3], v8, s[0:1]"), 16, 0.1);
  EXPECT_NEAR(AddressClk(512, 4, "global_load_dword v0, v8, s[0:1]"), 64, 0.1);
  EXPECT_NEAR(AddressClk(4, 4, "global_store_dword v8, v0, s[0:1]"), 8, 0.25);
}

// rocm-amdgpu-bench reads rows of 256 bytes that begin anywhere, and gets 59 to 60 bytes a clock: a
// group of lanes that is in two lines, of two tag RAMs, takes no longer than one in one.
TEST(AddressUnit, LooksUpLinesOfSeveralTagRamsSideBySide) {
  for (const uint64_t base : {0, 4, 60, 124})
    EXPECT_NEAR(AddressClk(4, 4, "global_load_dword v0, v8, s[0:1]", base), 4, 0.1) << base;
  EXPECT_NEAR(AddressClk(128, 4, "global_load_dword v0, v8, s[0:1]"), 16, 0.1);
}

// A workgroup's waves on two compute units read the same line, each again and again: those of a
// unit that invalidates its vector cache between have the latency of L2.
TEST(VectorCache, HasNothingOnceItIsInvalidated) {
  const auto hits = [](std::string_view gfx, std::string_view load, std::string_view between) {
    Bench bench(gfx);
    const uint32_t first = bench.Code({load, between});
    bench.Wave();
    for (int n = 0; n < kIterations; ++n) {
      bench.Execute(first, first + 1);
      bench.Touch(first, {.stride = 4, .count = 32});
    }
    const UnitTime time = bench.Time();
    return time.l1_hits / time.l1_lines;
  };
  constexpr std::string_view k9 = "global_load_dword v0, v8, s[0:1]";
  constexpr std::string_view k11 = "global_load_b32 v0, v8, s[0:1]";
  EXPECT_GT(hits("gfx942", k9, "s_nop 0"), 0.99);
  EXPECT_EQ(hits("gfx942", k9, "buffer_inv sc1"), 0);
  EXPECT_GT(hits("gfx942", k9, "buffer_inv sc0"), 0.99);
  for (const std::string_view invalidates : {"buffer_wbinvl1", "buffer_wbinvl1_vol"})
    EXPECT_EQ(hits("gfx90a", k9, invalidates), 0) << invalidates;
  EXPECT_GT(hits("gfx90a", k9, "buffer_invl2"), 0.99);
  EXPECT_EQ(hits("gfx1100", k11, "buffer_gl0_inv"), 0);
  EXPECT_EQ(hits("gfx1201", k11, "global_inv scope:SCOPE_SE"), 0);
  EXPECT_GT(hits("gfx1201", k11, "global_inv"), 0.99);
}

TEST(AddressUnit, LimitsTheNotebooksFirstStep) {
  // A byte of 64 rows of B and one row of A: 68.5 clocks an iteration as published.
  const double clk =
      ClocksPer("gfx950", {"global_load_ubyte v0, v8, s[0:1]", "global_load_ubyte v1, v9, s[2:3]"},
                8, [](Bench& bench, int) {
                  bench.Touch(0, {.stride = 4096, .bytes = 1});
                  bench.Touch(1, {.base = (1 << 20) + 128, .stride = 0, .bytes = 1});
                });
  EXPECT_NEAR(clk / 8, 68.5, 68.5 * kPercent);
}

TEST(AddressUnit, OfRdna3LooksUpFourLinesAClock) {
  // Half a wave's lanes are 16 rows of A, the other half the same: rocm_wmma_samples' naive kernel
  // is published to take 7 to 10 clocks for each such load of a compute unit.
  constexpr int kUnits = 2, kWaves = 8;  // both of a workgroup processor
  const double clk = ClocksPer(
      "gfx1100", {"global_load_d16_b16 v0, v8, s[0:1]"}, kWaves,
      [](Bench& bench, int) { bench.Touch(0, {.stride = 8192, .bytes = 2, .count = 32}); });
  EXPECT_NEAR(clk * kUnits / kWaves, 8, 0.3);
}

// --- Matrix and vector units

constexpr std::string_view kMfma = "v_mfma_f32_16x16x16_f16 v[0:3], v[8:9], v[10:11], v[0:3]";

TEST(MatrixUnit, TakesItsPasses) {
  EXPECT_NEAR(ClocksPer("gfx942", {kMfma}), 16.03, 0.1);
  EXPECT_NEAR(ClocksPer("gfx942", {"v_mfma_f32_32x32x8_f16 v[0:15], v[16:17], v[18:19], v[0:15]"}),
              32, 0.1);
  EXPECT_NEAR(ClocksPer("gfx950", {"v_mfma_f32_16x16x32_f16 v[0:3], v[8:11], v[12:15], v[0:3]"}),
              17, 1);
  const auto scaled = [](std::string_view formats) {
    const std::string text =
        "v_mfma_f32_16x16x128_f8f6f4 v[0:3], v[8:15], v[16:23], v[0:3]" + std::string(formats);
    return ClocksPer("gfx950", {text});
  };
  EXPECT_NEAR(scaled(""), 32, 0.1);
  EXPECT_NEAR(scaled(" cbsz:4 blgp:4"), 16, 0.1);
}

TEST(MatrixUnit, HidesThreeVectorInstructions) {
  constexpr std::string_view kAdd = "v_add_u32_e32 v20, 1, v21";
  EXPECT_NEAR(ClocksPer("gfx942", {kMfma, kAdd, kAdd, kAdd}), 16, 0.1);
  EXPECT_NEAR(ClocksPer("gfx942", {kMfma, kAdd, kAdd, kAdd, kAdd}), 20, 0.1);
  EXPECT_NEAR(ClocksPer("gfx942", {kMfma, "v_exp_f32_e32 v20, v21"}), 20, 0.1);
  // f32 and f64 hide none.
  constexpr std::string_view kF32 = "v_mfma_f32_32x32x2_f32 v[0:15], v16, v17, v[0:15]";
  EXPECT_NEAR(ClocksPer("gfx942", {kF32, kAdd}), 64 + 4, 0.1);
}

TEST(MatrixUnit, OfRdnaHidesNothing) {
  constexpr std::string_view k11 = "v_wmma_f32_16x16x16_f16 v[0:7], v[8:15], v[16:23], v[0:7]";
  constexpr std::string_view k12 = "v_wmma_f32_16x16x16_bf16 v[0:7], v[8:11], v[12:15], v[0:7]";
  EXPECT_NEAR(ClocksPer("gfx1100", {k11}), 32, 0.1);
  EXPECT_NEAR(ClocksPer("gfx1201", {k12}), 16, 0.1);
  EXPECT_NEAR(ClocksPer("gfx1201", {"v_wmma_i32_16x16x16_iu8 v[0:7], v[8:9], v[10:11], v[0:7]"}), 8,
              0.1);
  // With one v_exp_f32 164 of 200 TFLOP/s: 19.5 clocks.
  EXPECT_NEAR(ClocksPer("gfx1201", {k12, "v_exp_f32_e32 v30, v31"}), 19.5, 19.5 * kPercent);
}

TEST(Vector, TakesItsClocks) {
  EXPECT_NEAR(ClocksPer("gfx942", {"v_fma_f32 v0, v1, v2, v3"}), 4, 0.1);
  EXPECT_NEAR(ClocksPer("gfx942", {"v_exp_f32_e32 v0, v1"}), 16, 0.1);
  EXPECT_NEAR(ClocksPer("gfx942", {"s_nop 10"}), 44, 0.1);
  // 61.5 TOPS of a MI300A, two operations each.
  EXPECT_NEAR(ClocksPer("gfx942", {"v_mad_u64_u32 v[0:1], s[6:7], v2, v3, v[4:5]"}), 4, 0.1);
  EXPECT_NEAR(ClocksPer("gfx950", {"v_fma_f32 v0, v0, v2, v3"}), 8, 0.1);
  EXPECT_NEAR(ClocksPer("gfx1100", {"v_fma_f32 v0, v1, v2, v3"}), 1, 0.01);
  EXPECT_NEAR(ClocksPer("gfx1100", {"v_fma_f32 v0, v0, v2, v3"}), 5, 0.01);
  EXPECT_NEAR(ClocksPer("gfx1100", {"v_lshlrev_b64 v[0:1], 1, v[2:3]"}), 2, 0.01);
  EXPECT_NEAR(ClocksPer("gfx1100", {"v_exp_f32_e32 v0, v1"}), 4, 0.01);
  EXPECT_NEAR(ClocksPer("gfx1100", {"v_add_f64 v[0:1], v[2:3], v[4:5]"}), 16, 0.01);
  // Others go on after a transcendental one.
  EXPECT_NEAR(ClocksPer("gfx1100", {"v_exp_f32_e32 v0, v1", "v_add_f32_e32 v2, v3, v4",
                                    "v_add_f32_e32 v5, v3, v4", "v_add_f32_e32 v6, v3, v4"}),
              4, 0.01);
}

TEST(Vector, OfOneComputeUnitIsAllThatAWorkgroupHasInCuMode) {
  const auto clk = [](int parts, int workgroups) {
    Bench bench("gfx1100");
    bench.machine().branch_clk = Parameter::Read(bench.machine().issue_clk, 0, 99, "unrolled");
    const uint32_t fma = bench.Code({"v_fma_f32 v0, v1, v2, v3"});
    bench.set_parts(parts);
    for (int group = 0; group < workgroups; ++group) {
      if (group > 0) bench.Workgroup();
      bench.Wave();
      for (int n = 0; n < kIterations; ++n) bench.Execute(fma, fma);
      bench.Repeat(4);
    }
    return bench.Time(workgroups).clk;
  };
  EXPECT_NEAR(clk(2, 1) / clk(1, 1), 2, 0.1);
  EXPECT_NEAR(clk(2, 2) / clk(1, 2), 1, 0.1);
}

TEST(Vector, IssuesTwoAtOnce) {
  EXPECT_NEAR(ClocksPer("gfx1100", {"v_dual_fmac_f32 v0, v1, v2 :: v_dual_fmac_f32 v3, v4, v5",
                                    "v_dual_fmac_f32 v6, v1, v2 :: v_dual_fmac_f32 v7, v4, v5",
                                    "v_dual_fmac_f32 v8, v1, v2 :: v_dual_fmac_f32 v9, v4, v5",
                                    "v_dual_fmac_f32 v10, v1, v2 :: v_dual_fmac_f32 v11, v4, v5",
                                    "v_dual_fmac_f32 v12, v1, v2 :: v_dual_fmac_f32 v13, v4, v5"}),
              5, 0.01);
}

TEST(Vector, SimdsWorkSideBySideAndWavesOfOneDoNot) {
  constexpr std::string_view kAdd = "v_add_u32_e32 v20, 1, v21";
  EXPECT_NEAR(ClocksPer("gfx942", {kAdd}, 4), 4, 0.1);
  EXPECT_NEAR(ClocksPer("gfx942", {kAdd}, 8), 8, 0.1);
}

// --- Bandwidth below L1

TEST(Bandwidth, IsTheUnitsShare) {
  const auto bytes_per_clk = [](const Hits& hits, double units) {
    constexpr int kWaves = 16;
    double clk[2];
    for (int i = 0; i < 2; ++i) {
      Bench bench("gfx942");
      bench.Code({"global_load_dwordx4 v[0:3], v8, s[0:1]", "s_waitcnt vmcnt(0)"});
      bench.hits().assign(1, hits);
      bench.sharing() = {.mhz = 2100, .units = units, .units_per_xcd = units / 8};
      for (int w = 0; w < kWaves; ++w) {
        bench.Wave();
        for (int n = 0; n < (i + 1) * kIterations; ++n) {
          bench.Execute(0, 0);
          bench.Touch(
              0, {.base = static_cast<uint64_t>(n * kWaves + w) << 10, .stride = 16, .bytes = 16});
        }
        bench.Execute(1, 1);
      }
      clk[i] = bench.Time().clk;
    }
    return kWaves * kIterations * 1024 / (clk[1] - clk[0]);
  };
  EXPECT_NEAR(bytes_per_clk({}, 304) * 304 / 8, 1697, 17);                      // one XCD's L2
  EXPECT_NEAR(bytes_per_clk({.l2 = 0}, 304) * 304 * 2.1, 6420, 64);             // MALL, GB/s
  EXPECT_NEAR(bytes_per_clk({.l2 = 0, .mall = 0}, 304) * 304 * 2.1, 3960, 40);  // memory
  EXPECT_NEAR(bytes_per_clk({}, 8), 64, 1);                                     // the L1 alone
}

}  // namespace
}  // namespace gridwise::sim::time
