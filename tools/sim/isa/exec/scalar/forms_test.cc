// SPDX-License-Identifier: MIT
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tools/sim/isa/bind/bind.h"
#include "tools/sim/isa/target.h"
#include "tools/sim/isa/testing/test_wave.h"
#include "tools/sim/wave/uop.h"
#include "tools/sim/wave/wave.h"

/// Scalar instructions of a form of their own, EXEC and lane masks, and control flow.

namespace gridwise::sim {
namespace {

using u32 = uint32_t;
using u64 = uint64_t;

TEST(Salu, FloatsOfThreeOperandsAndFunctions) {
  TestWave wave(BestHandlers(), "gfx1201");
  const auto f = [](float x) { return std::bit_cast<u32>(x); };
  wave->s[1] = f(3);
  wave->s[2] = f(5);
  wave->s[3] = 0x4200;  // halves 3 and 5
  wave->s[4] = 0x4500;
  for (const int d : {10, 11, 12}) wave->s[d] = f(7);
  wave->s[13] = 0x4700;
  const absl::Status status = wave.ExecuteAll(
      {"s_fmac_f32 s10, s1, s2", "s_fmaak_f32 s11, s1, s2, 0x3f800000",
       "s_fmamk_f32 s12, s1, 0x40000000, s2", "s_fmac_f16 s13, s3, s4",
       "s_cvt_pk_rtz_f16_f32 s14, 0x477ff100, s1", "v_s_exp_f32 s15, s1", "v_s_exp_f16 s16, s3",
       "v_s_log_f32 s17, 0x41000000", "v_s_log_f16 s18, 4.0", "v_s_rsq_f32 s19, 4.0",
       "v_s_rsq_f16 s20, 4.0", "v_s_rcp_f32 s21, -|s1|", "s_add_f16 s22, s3, 1.0"});
  ASSERT_TRUE(status.ok()) << status;
  const u32 expected[] = {f(22), f(16),  f(11),   0x4d80, 0x42007bff,   f(8),  0x4800,
                          f(3),  0x4000, f(0.5f), 0x3800, f(-1.0f / 3), 0x4400};
  for (int i = 0; i < 13; ++i) EXPECT_EQ(wave->s[10 + i], expected[i]) << "s" << 10 + i;
}

TEST(Salu, RelativeRegisters) {
  TestWave wave(BestHandlers(), "gfx1100");
  for (int i = 0; i < 40; ++i) wave->s[i] = static_cast<u32>(100 + i);
  wave->s[kM0] = 3;
  ASSERT_TRUE(wave.ExecuteAll({"s_movrels_b32 s20, s5", "s_movreld_b32 s20, s6",
                               "s_movrels_b64 s[30:31], s[6:7]", "s_movreld_b64 s[33:34], 9"})
                  .ok());
  EXPECT_EQ(wave->s[20], 108u);
  EXPECT_EQ(wave->s[23], 106u);
  EXPECT_EQ(Scalar64(*wave, 30), 109u | u64{110} << 32);
  EXPECT_EQ(Scalar64(*wave, 36), 9u);
  wave->s[kM0] = 200;
  EXPECT_FALSE(wave.Execute("s_movrels_b32 s20, s5").ok());
}

TEST(Salu, ExecOf32Bits) {
  TestWave wave(BestHandlers(), "gfx1100");
  wave->s[1] = 0x0ff0;
  wave->s[kExecLo] = 0x00ff;
  ASSERT_TRUE(wave.ExecuteAll({"s_and_not1_wrexec_b32 s2, s1", "s_or_saveexec_b32 s3, 1"}).ok());
  EXPECT_EQ(wave->s[2], 0x0f00u);
  EXPECT_EQ(wave->s[3], 0x0f00u);
  EXPECT_EQ(Exec(*wave), 0x0f01u);
  ASSERT_TRUE(wave.Execute("s_and_not0_wrexec_b32 s2, -1").ok());
  EXPECT_EQ(Exec(*wave), 0u);
  EXPECT_EQ(wave->s[kScc], 0u);
}

TEST(Salu, SaveExec) {
  const u64 a = 0x0123456789abcdef, exec = 0xff00ff0012345678;
  const std::pair<const char*, u64> kCases[] = {
      {"and", a & exec},    {"or", a | exec},      {"xor", a ^ exec},    {"andn2", a & ~exec},
      {"orn2", a | ~exec},  {"nand", ~(a & exec)}, {"nor", ~(a | exec)}, {"xnor", ~(a ^ exec)},
      {"andn1", ~a & exec}, {"orn1", ~a | exec},
  };
  for (const auto& [name, expected] : kCases) {
    TestWave wave;
    SetScalar64(*wave, 10, a);
    SetScalar64(*wave, kExecLo, exec);
    ASSERT_TRUE(wave.Execute(absl::StrCat("s_", name, "_saveexec_b64 s[10:11], s[10:11]")).ok());
    EXPECT_EQ(Scalar64(*wave, 10), exec);
    EXPECT_EQ(Exec(*wave), expected) << name;
    EXPECT_EQ(wave->s[kScc], 1u);
  }
}

TEST(Salu, SaveExecOf32Bits) {
  const u32 a = 0x89abcdef, exec = 0x12345678;
  const std::pair<const char*, u32> kCases[] = {
      {"and", a & exec},       {"or", a | exec},       {"xor", a ^ exec},
      {"and_not1", a & ~exec}, {"or_not1", a | ~exec}, {"nand", ~(a & exec)},
      {"nor", ~(a | exec)},    {"xnor", ~(a ^ exec)},  {"and_not0", ~a & exec},
      {"or_not0", ~a | exec},
  };
  for (const auto& [name, expected] : kCases) {
    TestWave wave(BestHandlers(), "gfx1100");
    wave->s[10] = a;
    wave->s[11] = 5;
    wave->s[kExecLo] = exec;
    ASSERT_TRUE(wave.Execute(absl::StrCat("s_", name, "_saveexec_b32 s10, s10")).ok()) << name;
    EXPECT_EQ(wave->s[10], exec);
    EXPECT_EQ(wave->s[11], 5u);
    EXPECT_EQ(Exec(*wave), expected) << name;
    EXPECT_EQ(wave->s[kScc], 1u);
  }
}

TEST(Salu, WriteExecOf64Bits) {
  const u64 a = 0x0123456789abcdef, exec = 0xff00ff0012345678;
  const std::pair<const char*, u64> kCases[] = {{"andn1", ~a & exec}, {"andn2", a & ~exec}};
  for (const auto& [name, expected] : kCases) {
    TestWave wave;
    SetScalar64(*wave, 10, a);
    SetScalar64(*wave, kExecLo, exec);
    ASSERT_TRUE(wave.Execute(absl::StrCat("s_", name, "_wrexec_b64 s[12:13], s[10:11]")).ok());
    EXPECT_EQ(Scalar64(*wave, 12), expected) << name;
    EXPECT_EQ(Exec(*wave), expected) << name;
    EXPECT_EQ(wave->s[kScc], 1u);
  }
}

TEST(Salu, ConstantsOf64BitOperands) {
  // clang 22 makes 0x80000000ul of s_mov_b64's literal 0x80000000: it is zero-extended; signed
  // operands sign-extend.
  TestWave wave;
  SetScalar64(*wave, 10, 0);
  ASSERT_TRUE(wave.ExecuteAll({"s_mov_b64 s[0:1], -5", "s_mov_b64 s[2:3], 0x80000000",
                               "s_mov_b64 s[4:5], 1.0", "s_ashr_i64 s[6:7], 0x80000000, 4"})
                  .ok());
  EXPECT_EQ(Scalar64(*wave, 0), static_cast<u64>(-5));
  EXPECT_EQ(Scalar64(*wave, 2), 0x80000000u);
  EXPECT_EQ(Scalar64(*wave, 4), std::bit_cast<u64>(1.0));
  EXPECT_EQ(Scalar64(*wave, 6), 0xfffffffff8000000u);
}

TEST(Control, LoopsAndCountsInstructions) {
  TestWave wave;
  const absl::Status status =
      wave.ExecuteAll({"s_mov_b32 s0, 0", "s_add_u32 s0, s0, 1", "s_cmp_lt_u32 s0, 10", "s_nop 0",
                       "s_cbranch_scc1 65532", "s_mov_b32 s1, s0"});
  ASSERT_TRUE(status.ok()) << status;
  EXPECT_EQ(wave->s[1], 10u);
  EXPECT_EQ(wave.Counts(), (std::vector<int64_t>{1, 10, 10, 10, 10, 1, 1, 0}));
}

TEST(Control, CallsKeepTheAddressBehindThem) {
  for (const SimTarget& target : kSimTargets) {
    TestWave wave(BestHandlers(), target.gfx);
    // Past a function of two instructions, into it, and back.
    ASSERT_TRUE(wave.ExecuteAll({"s_branch 2", "s_movk_i32 s0, 0x7", "s_setpc_b64 s[4:5]",
                                 "s_call_b64 s[4:5], 65533", "s_movk_i32 s1, 0x9"})
                    .ok())
        << target.gfx;
    EXPECT_EQ(wave->s[0], 7u);
    EXPECT_EQ(wave->s[1], 9u);
    EXPECT_EQ(Scalar64(*wave, 4), TestWave::kPc + 16);
  }
}

TEST(Control, BranchConditions) {
  const struct {
    const char* text;
    int scc;
    u64 vcc, exec;
    bool taken;
  } kCases[] = {
      {"s_branch 1", 0, 0, 0, true},         {"s_cbranch_scc0 1", 0, 1, 1, true},
      {"s_cbranch_scc0 1", 1, 0, 0, false},  {"s_cbranch_scc1 1", 1, 0, 0, true},
      {"s_cbranch_vccz 1", 1, 0, 1, true},   {"s_cbranch_vccz 1", 0, u64{1} << 63, 0, false},
      {"s_cbranch_vccnz 1", 0, 1, 0, true},  {"s_cbranch_execz 1", 1, 1, 0, true},
      {"s_cbranch_execz 1", 0, 0, 2, false}, {"s_cbranch_execnz 1", 0, 0, u64{1} << 40, true}};
  for (const auto& c : kCases) {
    TestWave wave;
    wave->s[kScc] = static_cast<u32>(c.scc);
    SetScalar64(*wave, kVccLo, c.vcc);
    SetScalar64(*wave, kExecLo, c.exec);
    ASSERT_TRUE(wave.ExecuteAll({c.text, "s_mov_b32 s0, 7"}).ok());
    EXPECT_EQ(wave->s[0] != 7, c.taken) << c.text;
  }
}

TEST(Control, ModeRegister) {
  TestWave wave;
  ASSERT_TRUE(wave.Execute("s_getreg_b32 s0, hwreg(HW_REG_MODE, 4, 4)").ok());
  EXPECT_EQ(wave->s[0], 15u);
  EXPECT_TRUE(wave.Execute("s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 2), 3").ok());
  EXPECT_FALSE(wave->careful);
  // A change of MODE in the middle of the code: the wave goes on after it, once.
  wave->s[1] = 0;
  ASSERT_TRUE(
      wave.ExecuteAll({"s_add_u32 s1, s1, 1", "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 2), 0",
                       "s_add_u32 s1, s1, 1", "s_getreg_b32 s2, hwreg(HW_REG_MODE)"})
          .ok());
  EXPECT_TRUE(wave->careful);
  EXPECT_EQ(wave->s[1], 2u);
  EXPECT_EQ(wave->s[2], 0x3c0u);
  ASSERT_TRUE(wave.Execute("s_getpc_b64 s[2:3]").ok());
  EXPECT_EQ(Scalar64(*wave, 2), TestWave::kPc + 4);
}

// The identity registers are not modelled; the wave's scratch has an address, in two halves.
TEST(Control, OtherHardwareRegisters) {
  TestWave wave(BestHandlers(), "gfx1100");
  std::byte scratch[8] = {};
  wave->scratch = scratch;
  wave->s[0] = wave->s[1] = wave->s[2] = 0xdeadbeef;
  ASSERT_TRUE(wave.ExecuteAll({"s_getreg_b32 s0, hwreg(HW_REG_HW_ID1)",
                               "s_getreg_b32 s1, hwreg(HW_REG_FLAT_SCR_LO)",
                               "s_getreg_b32 s2, hwreg(HW_REG_FLAT_SCR_HI)"})
                  .ok());
  EXPECT_EQ(wave->s[0], 0u);
  EXPECT_EQ(wave->s[1] | u64{wave->s[2]} << 32, reinterpret_cast<u64>(scratch));
}

// They count, at rates of the host's.
TEST(Control, Clocks) {
  const struct {
    const char* gfx;
    const char* text;
  } kClocks[] = {{"gfx942", "s_memtime s[0:1]"},
                 {"gfx942", "s_memrealtime s[0:1]"},
                 {"gfx1100", "s_sendmsg_rtn_b64 s[0:1], sendmsg(MSG_RTN_GET_REALTIME)"}};
  for (const auto& clock : kClocks) {
    TestWave wave(BestHandlers(), clock.gfx);
    u64 last = 0;
    for (int i = 0; i < 1000; ++i) {
      ASSERT_TRUE(wave.Execute(clock.text).ok()) << clock.text;
      EXPECT_GE(Scalar64(*wave, 0), last) << clock.text;
      last = Scalar64(*wave, 0);
    }
    EXPECT_GT(last, 0u) << clock.text;
  }
  // 20 bits of clocks; of a field of it the bits that are there.
  TestWave wave(BestHandlers(), "gfx1100");
  bool changes = false;
  for (int i = 0; i < 1000; ++i) {
    ASSERT_TRUE(wave.ExecuteAll({"s_getreg_b32 s0, hwreg(HW_REG_SHADER_CYCLES, 0, 20)",
                                 "s_getreg_b32 s1, hwreg(HW_REG_SHADER_CYCLES, 0, 20)"})
                    .ok());
    EXPECT_LT(wave->s[0], 1u << 20);
    changes |= wave->s[0] != wave->s[1];
  }
  EXPECT_TRUE(changes);
}

/// Goes on where the wave has stopped.
void GoOn(TestWave& wave) {
  for (const Uop* uop = wave->pc; uop != nullptr;) uop = uop->exec(*wave, uop);
}

// The wave stops and can go on; what comes after it is not done yet.
TEST(Control, SleepsAndTraps) {
  for (const char* sleep : {"s_sleep 1", "s_sleep_var s1"}) {
    TestWave wave(BestHandlers(), "gfx1201");
    ASSERT_TRUE(wave.ExecuteAll({"s_mov_b32 s0, 1", sleep, "s_mov_b32 s0, 2"}).ok()) << sleep;
    EXPECT_EQ(wave->s[0], 1u) << sleep;
    EXPECT_EQ(wave->state, WaveState::kReady) << sleep;
    GoOn(wave);
    EXPECT_EQ(wave->s[0], 2u) << sleep;
    EXPECT_EQ(wave->state, WaveState::kEnded) << sleep;
  }
  TestWave wave;
  const absl::Status status = wave.ExecuteAll({"s_mov_b32 s0, 1", "s_trap 2", "s_mov_b32 s0, 2"});
  EXPECT_EQ(status.message(), "the kernel gave up with a trap");
  EXPECT_EQ(wave->s[0], 1u);
}

TEST(Control, SchedulingModeChangesNothing) {
  TestWave wave(BestHandlers(), "gfx1201");
  wave->s[1] = 0;
  ASSERT_TRUE(wave.ExecuteAll({"s_add_co_u32 s1, s1, 1",
                               "s_setreg_imm32_b32 hwreg(HW_REG_WAVE_SCHED_MODE, 0, 2), 2",
                               "s_add_co_u32 s1, s1, 1"})
                  .ok());
  EXPECT_EQ(wave->s[1], 2u);
  EXPECT_FALSE(wave.Execute("s_setreg_imm32_b32 hwreg(HW_REG_WAVE_STATUS, 0, 2), 2").ok());
}

TEST(Wave32, MasksHaveOneRegister) {
  TestWave wave(BestHandlers(), "gfx1100");
  EXPECT_EQ(Exec(*wave), 0xffffffffu);
  for (int l = 0; l < kLanes; ++l) wave->v[0][l] = static_cast<u32>(l);
  wave->s[21] = 0x55555555;
  wave->s[kVccLo + 1] = 0x12345678;
  ASSERT_TRUE(wave.ExecuteAll({"v_cmp_gt_u32_e64 s20, 5, v0", "v_cmp_lt_u32_e32 vcc_lo, 29, v0",
                               "s_mov_b32 exec_hi, 7", "s_mov_b32 s0, exec_hi",
                               "s_and_saveexec_b32 s1, s20"})
                  .ok());
  EXPECT_EQ(wave->s[20], 0x1fu);
  EXPECT_EQ(wave->s[21], 0x55555555u);
  EXPECT_EQ(Scalar64(*wave, kVccLo), 0x12345678c0000000u);
  EXPECT_EQ(wave->s[0], 7u);
  EXPECT_EQ(wave->s[1], 0xffffffffu);
  EXPECT_EQ(Exec(*wave), 0x1fu);
  // VCC_HI is no lane mask: with VCC_LO 0, VCC is zero.
  wave->s[kVccLo] = 0;
  ASSERT_TRUE(wave.ExecuteAll({"s_mov_b32 s5, 0", "s_cbranch_vccz 1", "s_mov_b32 s5, 1"}).ok());
  EXPECT_EQ(wave->s[5], 0u);
  EXPECT_FALSE(wave.Execute("s_mov_b64 exec, 0").ok());
  ASSERT_TRUE(wave.Execute("s_mov_b64 s[10:11], exec").ok());
  EXPECT_EQ(Scalar64(*wave, 10), 0x1fu);
  EXPECT_FALSE(wave.Execute("v_cmp_gt_u32_e64 s[20:21], 5, v0").ok());
  ASSERT_TRUE(wave.ExecuteAll({"v_readlane_b32 s6, v0, 33", "s_mov_b64 s[8:9], null"}).ok());
  EXPECT_EQ(wave->s[6], 1u);
  EXPECT_EQ(Scalar64(*wave, 8), 0u);
}

TEST(Wave32, RdnaMayHaveWavesOf64Lanes) {
  TestWave wave(BestHandlers(), "gfx1201", 64);
  for (int l = 0; l < kLanes; ++l) wave->v[0][l] = static_cast<u32>(l);
  ASSERT_TRUE(wave.Execute("v_cmp_gt_u32_e64 s[20:21], 40, v0").ok());
  EXPECT_EQ(Scalar64(*wave, 20), (u64{1} << 40) - 1);
}

TEST(Barrier, SplitBarrierCountsSignals) {
  TestWave wave(BestHandlers(), "gfx1201");
  ASSERT_TRUE(wave.ExecuteAll({"s_barrier_signal -1", "s_barrier_signal_isfirst -1"}).ok());
  EXPECT_EQ(wave->barrier_signals, 2u);
  EXPECT_EQ(wave->s[kScc], 1u);
  wave->barrier_signals = 0;  // another wave has been at this barrier before
  ASSERT_TRUE(wave.Execute("s_barrier_signal_isfirst -1").ok());
  EXPECT_EQ(wave->s[kScc], 0u);
  EXPECT_FALSE(wave.Execute("s_barrier_signal 3").ok());
  EXPECT_FALSE(wave.Execute("s_barrier_wait 0").ok());
  // Signals to barrier 0, which is nobody's, and to that of trap handlers are not counted.
  wave->s[kScc] = 1;
  ASSERT_TRUE(wave.ExecuteAll({"s_barrier_signal 0", "s_barrier_signal_isfirst -2"}).ok());
  EXPECT_EQ(wave->barrier_signals, 1u);
  EXPECT_EQ(wave->s[kScc], 0u);
  wave->s[kM0] = 0xffffffe0;
  ASSERT_TRUE(wave.Execute("s_barrier_signal m0").ok());
  EXPECT_EQ(wave->barrier_signals, 1u);
  wave->s[kM0] = 2;
  EXPECT_EQ(wave.Execute("s_barrier_signal m0").message(),
            "names a barrier other than the workgroup's, which gfx12 lacks");
  // A wave that is alone is never the first.
  wave->highest_barrier_signal = nullptr;
  ASSERT_TRUE(wave.Execute("s_barrier_signal_isfirst -1").ok());
  EXPECT_EQ(wave->s[kScc], 0u);
}

TEST(Barrier, WaitsAndTellsItsState) {
  TestWave wave(BestHandlers(), "gfx1201");
  wave->barrier_state = [](Wave&) { return 0x50003u; };
  wave->s[1] = wave->s[2] = 7;
  ASSERT_TRUE(wave.ExecuteAll({"s_get_barrier_state s1, -1", "s_get_barrier_state s2, 0",
                               "s_barrier_wait -1", "s_mov_b32 s1, 9"})
                  .ok());
  EXPECT_EQ(wave->s[1], 0x50003u);
  EXPECT_EQ(wave->s[2], 0u) << "nobody's";
  EXPECT_EQ(wave->state, WaveState::kBarrier);
  GoOn(wave);
  EXPECT_EQ(wave->s[1], 9u);
  wave->s[kM0] = 3;
  EXPECT_EQ(wave.Execute("s_get_barrier_state s1, m0").message(),
            "names a barrier other than the workgroup's, which gfx12 lacks");
}

TEST(Vskip, VectorInstructionsAreNotExecuted) {
  TestWave wave(BestHandlers(), "gfx942");
  wave->s[0] = 1u << 3;
  for (int l = 0; l < kLanes; ++l) wave->v[1][l] = 1;
  const absl::Status status = wave.ExecuteAll(
      {"s_mov_b32 s9, 7", "v_mov_b32_e32 v1, 2", "s_setvskip s0, 3", "v_mov_b32_e32 v1, 3",
       "v_cmp_eq_u32_e32 vcc, 0, v0", "v_readfirstlane_b32 s9, v0",
       "global_store_dword v[0:1], v0, off", "ds_write_b32 v0, v0",
       "v_mfma_f32_4x4x1_16b_f32 a[0:3], v0, v1, a[0:3]", "s_cbranch_scc0 1", "s_mov_b32 s8, 1",
       "s_add_u32 s9, s9, 1", "s_setvskip s0, 4", "v_add_u32_e32 v2, 5, v1"});
  ASSERT_TRUE(status.ok()) << status;
  EXPECT_EQ(wave->s[9], 8u);
  for (int l = 0; l < kLanes; ++l) {
    ASSERT_EQ(wave->v[1][l], 2u);
    ASSERT_EQ(wave->v[2][l], 7u);
  }
  EXPECT_FALSE(wave->skips_vector);
}

TEST(Control, IndexedRegisters) {
  TestWave wave;
  for (int r = 0; r < 16; ++r) wave->v[r][5] = static_cast<u32>(100 + r);
  wave->s[0] = 3;
  ASSERT_TRUE(wave.ExecuteAll({"s_set_gpr_idx_on s0, gpr_idx(SRC0)", "v_mov_b32_e32 v20, v4",
                               "s_set_gpr_idx_off", "v_mov_b32_e32 v21, v4"})
                  .ok());
  EXPECT_EQ(wave->v[20][5], 107u);
  EXPECT_EQ(wave->v[21][5], 104u);
  ASSERT_TRUE(wave.ExecuteAll({"s_set_gpr_idx_on s0, gpr_idx(DST)", "v_mov_b32_e32 v10, v1",
                               "s_set_gpr_idx_off"})
                  .ok());
  EXPECT_EQ(wave->v[13][5], 101u);
  EXPECT_EQ(wave->v[10][5], 110u);
  // Another index, with the same operands.
  wave->s[1] = 0x105;  // only 8 bits count
  ASSERT_TRUE(wave.ExecuteAll({"s_set_gpr_idx_on s0, gpr_idx(SRC0)", "s_set_gpr_idx_idx s1",
                               "v_mov_b32_e32 v20, v4", "s_set_gpr_idx_off"})
                  .ok());
  EXPECT_EQ(wave->v[20][5], 109u);
}

}  // namespace
}  // namespace gridwise::sim
