// SPDX-License-Identifier: MIT
#include <bit>
#include <cstdint>
#include <string>
#include <string_view>

#include "gtest/gtest.h"
#include "tools/sim/isa/target.h"
#include "tools/sim/isa/testing/test_wave.h"
#include "tools/sim/isa/text/rename.h"

/// Forms of vector instructions that RDNA has: dual issue, halves of registers, lane permutations,
/// comparisons into EXEC, and registers relative to M0.

namespace gridwise::sim {
namespace {

uint32_t B(float x) { return std::bit_cast<uint32_t>(x); }

/// v[r] of lane l becomes 1000 r + l.
void Number(TestWave& wave) {
  for (int r = 0; r < 32; ++r) {
    for (int l = 0; l < kLanes; ++l) wave->v[r][l] = static_cast<uint32_t>(1000 * r + l);
  }
}

TEST(Dual, BothHalvesReadBeforeEitherWrites) {
  TestWave wave(BestHandlers(), "gfx1100");
  Number(wave);
  ASSERT_TRUE(wave.Execute("v_dual_mov_b32 v0, v1 :: v_dual_mov_b32 v1, v0").ok());  // an exchange
  EXPECT_EQ(wave->v[0][3], 1003u);
  EXPECT_EQ(wave->v[1][3], 3u);
  Number(wave);
  ASSERT_TRUE(wave.Execute("v_dual_add_nc_u32 v4, v5, v6 :: v_dual_lshlrev_b32 v7, 1, v4").ok());
  EXPECT_EQ(wave->v[4][2], 11004u);
  EXPECT_EQ(wave->v[7][2], 8004u);
}

TEST(Dual, ArithmeticAndMasks) {
  TestWave wave(BestHandlers(), "gfx1201");
  for (int l = 0; l < kLanes; ++l) {
    wave->v[0][l] = B(2);
    wave->v[1][l] = B(3);
    wave->v[2][l] = B(10);
  }
  wave->s[kVccLo] = 0x0000ffff;
  SetScalar64(*wave, kExecLo, 0xfffffffe);
  ASSERT_TRUE(
      wave.ExecuteAll({"v_dual_fmac_f32 v2, v0, v1 :: v_dual_cndmask_b32 v3, v0, v1",
                       "v_dual_fmaak_f32 v4, v0, v1, 0x3f800000 :: v_dual_fmamk_f32 v5, "
                       "v0, 0x3f800000, v1",
                       "v_dual_max_num_f32 v6, v0, v1 :: v_dual_mul_dx9_zero_f32 v7, 0, v1"})
          .ok());
  EXPECT_EQ(wave->v[2][1], B(16));
  EXPECT_EQ(wave->v[2][0], B(10));  // off
  EXPECT_EQ(wave->v[3][1], B(3));
  EXPECT_EQ(wave->v[3][16], B(2));
  EXPECT_EQ(wave->v[4][1], B(7));
  EXPECT_EQ(wave->v[5][1], B(5));
  EXPECT_EQ(wave->v[6][1], B(3));
  EXPECT_EQ(wave->v[7][1], 0u);
}

TEST(TrueSixteen, HalvesOfRegisters) {
  TestWave wave(BestHandlers(), "gfx1100");
  for (int l = 0; l < kLanes; ++l) {
    wave->v[0][l] = 0x00050003;
    wave->v[1][l] = 0x00200010;
    for (int r = 20; r < 28; ++r) wave->v[r][l] = 0xaabbccdd;
  }
  const absl::Status status = wave.ExecuteAll(
      {"v_add_nc_u16 v20.l, v0.h, v1.l op_sel:[1,0,0]",
       "v_add_nc_u16 v21.h, v0.l, v1.h op_sel:[0,1,1]", "v_mov_b16_e32 v22.h, v0.l",
       "v_cvt_f32_u32_e32 v23, v0", "v_cndmask_b16 v24.l, v0.l, v1.h, s0",
       "v_alignbit_b32 v25, v1, v0, v0.h op_sel:[0,0,1,0]", "v_cmp_eq_u16_e32 vcc_lo, 5, v0.h",
       "v_swap_b16 v26.l, v26.h", "v_cvt_f16_f32_e32 v27.h, 1.0"});
  ASSERT_TRUE(status.ok()) << status;
  EXPECT_EQ(wave->v[20][7], 0xaabb0015u);
  EXPECT_EQ(wave->v[21][7], 0x0023ccddu);
  EXPECT_EQ(wave->v[22][7], 0x0003ccddu);
  EXPECT_EQ(wave->v[24][7], 0xaabb0003u);
  EXPECT_EQ(wave->v[25][7], (0x00200010u << 27 | 0x00050003u >> 5));
  EXPECT_EQ(wave->s[kVccLo], ~0u);
  EXPECT_EQ(wave->v[26][7], 0xccddaabbu);
  EXPECT_EQ(wave->v[27][7], 0x3c00ccddu);
  for (const char* text : {"v_add_nc_u32_e32 v0, v1.l, v2", "v_mov_b16_e32 v0.x, v1.l",
                           "v_mov_b16_e32 v[0:1].l, v1.l", "v_mov_b32_e32 v0.h, v1"}) {
    EXPECT_FALSE(wave.Execute(text).ok()) << text;
  }
}

TEST(RdnaDpp, PermutesRows) {
  const struct {
    const char* control;
    int (*from)(int lane);
  } kCases[] = {
      {"dpp8:[7,6,5,4,3,2,1,0]", [](int l) { return l ^ 7; }},
      {"dpp8:[0,0,2,2,4,4,6,6]", [](int l) { return l & ~1; }},
      {"row_share:5 row_mask:0xf bank_mask:0xf", [](int l) { return (l & 16) + 5; }},
      {"row_xmask:3 row_mask:0xf bank_mask:0xf", [](int l) { return l ^ 3; }},
      {"row_ror:4 row_mask:0xf bank_mask:0xf", [](int l) { return (l & 16) + (l + 12) % 16; }}};
  for (const auto& c : kCases) {
    for (const bool fetch : {false, true}) {
      TestWave wave(BestHandlers(), "gfx1201");
      Number(wave);
      const uint64_t exec = 0xfff0ffdf;
      SetScalar64(*wave, kExecLo, exec);
      const std::string text =
          std::string("v_add_nc_u32_e64_dpp v20, v1, v2 ") + c.control + (fetch ? " fi:1" : "");
      const absl::Status status = wave.Execute(text);
      ASSERT_TRUE(status.ok()) << status;
      const bool eight = std::string_view(c.control).starts_with("dpp8");
      for (int l = 0; l < 32; ++l) {
        const int from = c.from(l);
        const bool found = fetch || (exec >> from & 1) != 0;
        const int old = 20000 + l, sum = 1000 + from + 2000 + l, zero = 2000 + l;
        const int expected = (exec >> l & 1) == 0 ? old : found ? sum : eight ? zero : old;
        ASSERT_EQ(wave->v[20][l], static_cast<uint32_t>(expected)) << text << " lane " << l;
      }
    }
  }
}

TEST(RdnaDpp, MasksAndHalves) {
  TestWave wave(BestHandlers(), "gfx1100");
  Number(wave);
  // Lane 0 of a row has no lane before it: it counts as off.
  ASSERT_TRUE(
      wave.ExecuteAll({"v_cmp_gt_u32_e64_dpp s4, v1, v0 row_shr:1 row_mask:0xf bank_mask:0xf",
                       "v_add_nc_u16_e64_dpp v20.h, v1.l, v2.l op_sel:[0,0,1] row_shr:1 "
                       "row_mask:0xf bank_mask:0xf"})
          .ok());
  EXPECT_EQ(wave->s[4], 0xfffefffeu);
  EXPECT_EQ(wave->v[20][0], 20000u);
  EXPECT_EQ(wave->v[20][1], (3001u << 16 | 20001u));
}

TEST(Compare, IntoExec) {
  TestWave rdna(BestHandlers(), "gfx1100");
  Number(rdna);
  rdna->s[kVccLo] = 77;
  ASSERT_TRUE(rdna.ExecuteAll({"v_cmpx_gt_u32_e32 12, v0", "v_cmpx_le_u32_e64 4, v0"}).ok());
  EXPECT_EQ(Exec(*rdna), 0xff0u);
  EXPECT_EQ(rdna->s[kVccLo], 77u);
  TestWave gfx9;
  Number(gfx9);
  ASSERT_TRUE(
      gfx9.ExecuteAll({"v_cmpx_gt_u32_e32 vcc, 12, v0", "v_cmpx_le_u32_e64 s[4:5], 4, v0"}).ok());
  EXPECT_EQ(Exec(*gfx9), 0xff0u);
  EXPECT_EQ(Scalar64(*gfx9, kVccLo), 0xfffu);
  EXPECT_EQ(Scalar64(*gfx9, 4), 0xff0u);
}

TEST(Lanes, Permlane) {
  for (const bool flip : {false, true}) {
    for (const char* options : {"", " op_sel:[1,0]", " op_sel:[0,1]"}) {
      TestWave wave(BestHandlers(), "gfx1100");
      Number(wave);
      wave->s[2] = 0x76543210;
      wave->s[3] = 0x01234567;
      SetScalar64(*wave, kExecLo, 0xffffff7f);  // lane 7 is off
      const std::string text = std::string(flip ? "v_permlanex16_b32" : "v_permlane16_b32") +
                               " v20, v1, s2, s3" + options;
      ASSERT_TRUE(wave.Execute(text).ok()) << text;
      for (int l = 0; l < 32; ++l) {
        const int position = l % 16 < 8 ? l % 16 : 15 - l % 16;
        const int from = (flip ? (l & 16) ^ 16 : l & 16) + position;
        const std::string_view o = options;
        const int missing = o == " op_sel:[1,0]" ? 1000 + from : o.empty() ? 20000 + l : 0;
        const int expected = l == 7 ? 20007 : from == 7 ? missing : 1000 + from;
        EXPECT_EQ(wave->v[20][l], static_cast<uint32_t>(expected)) << text << " lane " << l;
      }
    }
  }
  TestWave wave(BestHandlers(), "gfx1201");
  Number(wave);
  for (int l = 0; l < kLanes; ++l) wave->v[3][l] = static_cast<uint32_t>(15 - l % 16) | 0x70;
  ASSERT_TRUE(wave.ExecuteAll({"v_permlane16_var_b32 v20, v1, v3",
                               "v_permlanex16_var_b32 v21, v1, v3", "v_permlane64_b32 v22, v1"})
                  .ok());
  EXPECT_EQ(wave->v[20][18], 1029u);
  EXPECT_EQ(wave->v[21][18], 1013u);
  EXPECT_EQ(wave->v[22][5], 22005u);  // one half only
  TestWave wide(BestHandlers(), "gfx1100", 64);
  Number(wide);
  ASSERT_TRUE(wide.Execute("v_permlane64_b32 v20, v1").ok());
  EXPECT_EQ(wide->v[20][5], 1037u);
  EXPECT_EQ(wide->v[20][40], 1008u);
}

TEST(Lanes, RegistersRelativeToM0) {
  TestWave wave(BestHandlers(), "gfx1100");
  Number(wave);
  wave->s[kM0] = 3;
  ASSERT_TRUE(wave.ExecuteAll({"v_movrels_b32_e32 v20, v4", "v_movreld_b32_e32 v21, v5",
                               "v_movreld_b32_e32 v22, 9", "v_movrelsd_b32_e32 v26, v6"})
                  .ok());
  EXPECT_EQ(wave->v[20][1], 7001u);
  EXPECT_EQ(wave->v[24][1], 5001u);
  EXPECT_EQ(wave->v[25][1], 9u);
  EXPECT_EQ(wave->v[29][1], 9001u);
  Number(wave);
  wave->s[kM0] = 2 | 5 << 16;
  ASSERT_TRUE(wave.ExecuteAll({"v_movrelsd_2_b32_e32 v10, v1", "v_swaprel_b32 v16, v6"}).ok());
  EXPECT_EQ(wave->v[15][1], 3001u);
  EXPECT_EQ(wave->v[21][1], 8001u);
  EXPECT_EQ(wave->v[8][1], 21001u);
  wave->s[kM0] = 1000;
  EXPECT_FALSE(wave.Execute("v_movrels_b32_e32 v20, v4").ok());
}

TEST(Waits, HaveNoEffectHere) {
  TestWave gfx11(BestHandlers(), "gfx1100");
  for (const char* text :
       {"s_delay_alu instid0(VALU_DEP_1) | instskip(NEXT) | instid1(SALU_CYCLE_1)",
        "s_waitcnt vmcnt(0) lgkmcnt(0)", "s_waitcnt_vscnt null, 0x0", "s_clause 0x3",
        "s_waitcnt_depctr depctr_va_vdst(0) depctr_sa_sdst(0)", "buffer_gl0_inv",
        "s_set_inst_prefetch_distance 0x1", "s_sendmsg sendmsg(MSG_DEALLOC_VGPRS)"}) {
    const absl::Status status = gfx11.Execute(text);
    EXPECT_TRUE(status.ok()) << status;
  }
  TestWave gfx12(BestHandlers(), "gfx1201");
  for (const char* text :
       {"s_wait_loadcnt 0x0", "s_wait_storecnt_dscnt 0x0", "s_wait_kmcnt 0x0",
        "s_wait_alu depctr_va_vcc(0)", "global_inv scope:SCOPE_DEV", "global_wb scope:SCOPE_SYS"}) {
    const absl::Status status = gfx12.Execute(text);
    EXPECT_TRUE(status.ok()) << status;
  }
}

TEST(Interrupt, CallsTheHost) {
  TestWave wave(BestHandlers(), "gfx1201");
  EXPECT_FALSE(wave.Execute("s_sendmsg sendmsg(MSG_INTERRUPT)").ok());  // nobody listens
  static int calls = 0;
  wave->interrupt = [](Wave&) -> const char* {
    ++calls;
    return calls == 1 ? nullptr : "is refused";
  };
  EXPECT_TRUE(wave.Execute("s_sendmsg sendmsg(MSG_INTERRUPT)").ok());
  EXPECT_EQ(calls, 1);
  EXPECT_FALSE(wave.Execute("s_sendmsg sendmsg(MSG_INTERRUPT)").ok());
  EXPECT_FALSE(wave.Execute("s_sendmsg sendmsg(MSG_GET_DOORBELL)").ok());
}

TEST(Rename, NamesOfTheSameOperation) {
  EXPECT_EQ(CanonicalName("v_add_nc_u32", kGfx1100), "v_add_u32");
  EXPECT_EQ(CanonicalName("v_dual_add_nc_u32", kGfx1100), "v_add_u32");
  EXPECT_EQ(CanonicalName("global_load_d16_hi_b16", kGfx1201), "global_load_short_d16_hi");
  EXPECT_EQ(CanonicalName("v_add_nc_u32", kGfx942), "v_add_nc_u32");
  EXPECT_EQ(CanonicalName("v_perm_b32", kGfx1100), "v_perm_b32");
}

}  // namespace
}  // namespace gridwise::sim
