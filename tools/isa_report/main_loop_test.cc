// SPDX-License-Identifier: MIT
#include "tools/isa_report/main_loop.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace gridwise {
namespace {

/// Instructions of 4 bytes each. "-> n" after a branch is the index that it goes to.
std::vector<CodeLine> Code(const std::vector<std::string>& texts) {
  std::vector<CodeLine> code;
  for (const std::string& text : texts) {
    const uint64_t pc = 4 * code.size();
    const size_t arrow = text.find("-> ");
    if (arrow == std::string::npos) {
      code.push_back({.pc = pc, .bytes = 4, .text = text});
      continue;
    }
    const int words = std::stoi(text.substr(arrow + 3)) - static_cast<int>(code.size()) - 1;
    code.push_back(
        {.pc = pc, .bytes = 4, .text = text.substr(0, arrow) + std::to_string(words & 0xffff)});
  }
  return code;
}

constexpr char kMfma[] = "v_mfma_f32_32x32x8_f16 a[0:15], v[0:1], v[2:3], a[0:15]";
constexpr char kAdd[] = "v_add_u32_e32 v0, v1, v2";

TEST(MainLoop, CountsTheInnermostLoopWithMatrixInstructions) {
  const auto loop = FindMainLoop(Code({
      "s_mov_b32 s0, 0",          // 0
      kAdd,                       // 1: outer loop
      "s_add_i32 s1, s1, 1",      // 2: inner loop
      kMfma,                      // 3
      kMfma,                      // 4
      kAdd,                       // 5
      "ds_read_b128 v[0:3], v9",  // 6
      "s_waitcnt lgkmcnt(0)",     // 7
      "s_barrier",                // 8
      "buffer_load_dwordx4 v[0:3], v4, s[0:3], 0 offen",
      "s_cbranch_scc1 -> 2",    // 10
      kMfma,                    // 11
      "s_cbranch_scc0 -> 1",    // 12
      "ds_write_b32 v0, v1",    // 13: another loop
      "s_cbranch_vccnz -> 13",  // 14
      "s_cbranch_scc0 -> 17",   // 15: forward
      "s_nop 0",
      "s_endpgm",
  }));
  ASSERT_TRUE(loop.has_value());
  EXPECT_EQ(loop->begin, 8u);
  EXPECT_EQ(loop->end, 44u);
  EXPECT_EQ(loop->matrix, 2);
  EXPECT_EQ(loop->valu, 1);
  EXPECT_EQ(loop->salu, 1);
  EXPECT_EQ(loop->lds, 1);
  EXPECT_EQ(loop->vmem, 1);
}

TEST(MainLoop, BranchesToOneInstructionAreOneLoop) {
  const auto loop = FindMainLoop(
      Code({kAdd, kMfma, "s_cbranch_scc0 -> 0", kAdd, kAdd, "s_branch -> 0", "s_endpgm"}));
  ASSERT_TRUE(loop.has_value());
  EXPECT_EQ(loop->valu, 3);
}

TEST(MainLoop, OfEqualLoopsTheOneWithLeastBesides) {
  const auto loop = FindMainLoop(Code(
      {kAdd, kAdd, kMfma, "s_cbranch_scc0 -> 0", kAdd, kMfma, "s_cbranch_scc0 -> 4", "s_endpgm"}));
  ASSERT_TRUE(loop.has_value());
  EXPECT_EQ(loop->begin, 16u);
}

TEST(MainLoop, WithoutMatrixInstructionsMultiplyAddsAreTheWork) {
  const auto loop = FindMainLoop(Code(
      {kAdd, "v_fmac_f32_e32 v0, v1, v2", "v_dual_fmac_f32 v0, v1, v2 :: v_dual_mov_b32 v4, v5",
       "v_mad_i32_i24 v0, v1, v2, v0", kAdd, "s_cbranch_scc0 -> 0", "s_endpgm"}));
  ASSERT_TRUE(loop.has_value());
  EXPECT_FALSE(loop->has_matrix());
  EXPECT_EQ(loop->fma, 3);
  EXPECT_EQ(loop->valu, 5);
}

TEST(MainLoop, StraightCodeHasNone) {
  EXPECT_FALSE(FindMainLoop(Code({kMfma, "s_cbranch_scc0 -> 2", "s_endpgm"})).has_value());
  EXPECT_FALSE(FindMainLoop(Code({kAdd, "s_cbranch_scc0 -> 0", "s_endpgm"})).has_value());
}

TEST(MainLoop, Classes) {
  EXPECT_EQ(Classify("v_wmma_f32_16x16x16_f16 v[0:7], v[8:15], v[16:23], v[0:7]"),
            CodeClass::kMatrix);
  EXPECT_EQ(Classify("v_pk_fma_f32 v[0:1], v[2:3], v[4:5], v[0:1]"), CodeClass::kFma);
  EXPECT_EQ(Classify("v_fma_mix_f32 v0, v1, v2, v3"), CodeClass::kFma);
  EXPECT_EQ(Classify("s_load_dwordx4 s[0:3], s[4:5], 0x0"), CodeClass::kSmem);
  EXPECT_EQ(Classify("s_wait_loadcnt 0x0"), CodeClass::kOther);
  EXPECT_EQ(Classify("buffer_wbl2 sc1"), CodeClass::kOther);
  EXPECT_EQ(Classify("global_load_lds_dwordx4 v[0:1], off"), CodeClass::kVmem);
  EXPECT_EQ(Classify("s_lshl_b32 s0, s1, 2"), CodeClass::kSalu);
}

}  // namespace
}  // namespace gridwise
