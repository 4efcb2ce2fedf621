// SPDX-License-Identifier: MIT
#include "tools/sim/machine/fidelity.h"

#include <optional>
#include <string>

#include "gtest/gtest.h"
#include "tools/sim/isa/bind/matrix_mode.h"
#include "tools/sim/isa/target.h"
#include "tools/sim/isa/text/operand.h"

namespace gridwise::sim {
namespace {

TEST(Fidelity, OfOpcodes) {
  const auto of = [](const char* mnemonic, TargetBit target, MatrixMode mode = MatrixMode::kFast) {
    const std::optional<Fidelity> fidelity = FindFidelity(mnemonic, target, mode);
    return std::string(fidelity.has_value() ? Name(*fidelity) : "-");
  };
  EXPECT_EQ(of("v_mfma_f32_32x32x8_f16", kGfx942), "approximate");
  EXPECT_EQ(of("v_mfma_f32_32x32x8_f16", kGfx942, MatrixMode::kExact), "exact");
  EXPECT_EQ(of("v_mfma_f32_32x32x8_f16", kGfx950, MatrixMode::kExact), "approximate");
  EXPECT_EQ(of("v_mfma_f32_32x32x8f16", kGfx90a), "exact");
  EXPECT_EQ(of("v_mfma_f32_32x32x2_f32", kGfx942), "exact");
  EXPECT_EQ(of("v_mfma_f32_16x16x8_xf32", kGfx942), "approximate");
  EXPECT_EQ(of("v_mfma_f64_16x16x4_f64", kGfx942), "exact");
  EXPECT_EQ(of("v_mfma_i32_32x32x16_i8", kGfx950), "exact");
  EXPECT_EQ(of("v_wmma_f32_16x16x16_f16", kGfx1100), "approximate");
  EXPECT_EQ(of("v_wmma_f32_16x16x16_f16", kGfx1100, MatrixMode::kExact), "exact");
  EXPECT_EQ(of("v_wmma_bf16_16x16x16_bf16", kGfx1201, MatrixMode::kExact), "exact");
  EXPECT_EQ(of("v_wmma_f32_16x16x16_fp8_fp8", kGfx1201, MatrixMode::kExact), "approximate");
  EXPECT_EQ(of("v_swmmac_f32_16x16x32_f16", kGfx1201, MatrixMode::kExact), "approximate");
  EXPECT_EQ(of("v_smfmac_f32_16x16x32_f16", kGfx942, MatrixMode::kExact), "approximate");
  EXPECT_EQ(of("v_wmma_i32_16x16x16_iu8", kGfx1201), "exact");
  EXPECT_EQ(of("v_dot2_f32_f16", kGfx942), "approximate");
  EXPECT_EQ(of("v_dot2_f32_bf16", kGfx950), "approximate");
  EXPECT_EQ(of("v_dot2_f32_f16", kGfx1100), "exact");
  EXPECT_EQ(of("v_dot2_bf16_bf16", kGfx1201), "exact");
  EXPECT_EQ(of("v_dot4_f32_fp8_bf8", kGfx1201), "approximate");
  EXPECT_EQ(of("v_dot4_i32_iu8", kGfx1100), "exact");
  EXPECT_EQ(of("v_exp_f32", kGfx1100), "1 ulp");
  EXPECT_EQ(of("v_rcp_f64", kGfx942), "approximate");
  EXPECT_EQ(of("v_sin_f32", kGfx942), "approximate");
  EXPECT_EQ(of("v_add_f32", kGfx942), "-");
}

TEST(Fidelity, OfWhatIsNotKnown) {
  const auto of = [](const char* text, TargetBit target) {
    Instruction instruction;
    EXPECT_TRUE(ParseInstruction(text, instruction).ok()) << text;
    return FindNotKnown(instruction, target);
  };
  struct Case {
    const char* text;
    TargetBit target;
  };
  const Case known[] = {
      {"v_add_f32_e32 v1, v2, v3", kGfx942},
      {"v_sin_f16_e32 v1, v2", kGfx942},
      {"v_dot2_f32_f16 v1, v2, v3, v4", kGfx950},
      {"v_dot2_f32_f16 v1, v2, v3, v4", kGfx1201},
      {"v_cmp_lt_f32_dpp vcc_lo, v1, v2 row_shl:1 row_mask:0xf bank_mask:0xf bound_ctrl:1",
       kGfx1100},
      {"v_cmp_lt_f32_e32 vcc_lo, v1, v2", kGfx1100},
      {"ds_write2_b32 v1, v2, v3 offset1:1", kGfx942},
      {"v_pk_fmac_f16 v1, v2, v3", kGfx1100},
      {"v_pk_fmac_f16 v1, 1, v3", kGfx942},
      {"v_min_f32_e32 v1, v2, v3", kGfx1201},
      {"ds_add_f32 v1, v2", kGfx942},
      {"global_load_tr_b128 v[0:3], v[4:5], off", kGfx1201},
      {"s_waitcnt vmcnt(0)", kGfx1100},
      {"s_wait_loadcnt 0x0", kGfx1201},
  };
  for (const auto& [text, target] : known) EXPECT_EQ(of(text, target), NotKnown::kNo) << text;
  const Case open[] = {
      {"v_rcp_f64_e32 v[0:1], v[2:3]", kGfx942},
      {"v_sin_f32_e32 v1, v2", kGfx1201},
      {"v_dot2_f32_f16 v1, v2, v3, v4", kGfx942},
      {"v_dot2c_f32_bf16_e32 v1, v2, v3", kGfx950},
      {"v_dot2_f32_f16 v1, v2, 1.0, v4", kGfx1201},
      {"v_fma_mixhi_f16 v1, v2, v3, v4", kGfx1100},
      {"v_cvt_flr_i32_f32_e32 v1, v2", kGfx942},
      {"v_cvt_pknorm_i16_f32 v1, v2, v3", kGfx942},
      {"v_cmp_lt_f32_dpp vcc_lo, v1, v2 row_shl:1 row_mask:0xf bank_mask:0xf", kGfx1100},
      {"ds_write2_b32 v1, v2, v3", kGfx942},
      {"ds_write2st64_b64 v1, v[2:3], v[4:5] offset0:3 offset1:3", kGfx1100},
      {"v_pk_fmac_f16 v1, 5, v3", kGfx1100},
      {"v_mullit_f32 v1, v2, v3, v4", kGfx1201},
      {"global_atomic_add_f32 v1, v2, s[0:1]", kGfx942},
      {"global_load_tr_b128 v[0:1], v[4:5], off", kGfx1201},
      {"global_load_tr_b64 v[0:1], v[4:5], off", kGfx1201},
      {"s_waitcnt vmcnt(0)", kGfx1201},
  };
  for (const auto& [text, target] : open) EXPECT_EQ(of(text, target), NotKnown::kYes) << text;
  // Under which MODE denormals are read and not written.
  EXPECT_EQ(of("v_max_f32_e32 v1, v2, v3", kGfx942), NotKnown::kUnderSomeModes);
  EXPECT_TRUE(IsNotKnown(NotKnown::kUnderSomeModes, 0x10));
  EXPECT_FALSE(IsNotKnown(NotKnown::kUnderSomeModes, 0x20));
  EXPECT_FALSE(IsNotKnown(NotKnown::kUnderSomeModes, 0xf0));
  EXPECT_TRUE(IsNotKnown(NotKnown::kYes, 0xf0));
  EXPECT_FALSE(IsNotKnown(NotKnown::kNo, 0x10));
}

TEST(Fidelity, RecordAddsUp) {
  FidelityRecord record;
  record.Add("v_exp_f32", *FindTarget("gfx942"), Fidelity::kOneUlp, 3);
  record.Add("v_exp_f32", *FindTarget("gfx942"), Fidelity::kOneUlp, 4);
  record.Add("v_sin_f32", *FindTarget("gfx1100"), Fidelity::kApproximate, 1);
  EXPECT_EQ(record.Json(),
            R"([{"executed":7,"fidelity":"1 ulp","opcode":"v_exp_f32","target":"gfx942"},)"
            R"({"executed":1,"fidelity":"approximate","opcode":"v_sin_f32","target":"gfx1100"}])"
            "\n");
  EXPECT_NE(record.Text().find("v_exp_f32"), std::string::npos);
}

}  // namespace
}  // namespace gridwise::sim
