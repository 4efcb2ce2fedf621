// SPDX-License-Identifier: MIT
#include "tools/sim/check/hazards.h"

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tools/sim/isa/target.h"
#include "tools/sim/isa/testing/assemble.h"
#include "tools/sim/isa/text/decode.h"

// Every rule with what it is for, too early and just late enough. Distances and remedies are those
// that LLVM 22 inserts for the same instructions (llc -run-pass=post-RA-hazard-rec,
// amdgpu-wait-sgpr-hazards), or of the document that is named.

namespace gridwise::sim {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

using Lines = std::vector<std::string>;

class Found final : public Reporter {
 public:
  void Report(Category category, std::string what, std::string detail, int,
              std::optional<uint64_t>) override {
    EXPECT_EQ(category, Category::kHazards);
    sentences.push_back(what + detail);
  }
  Finding Make(Category, std::string, std::string, int, std::optional<uint64_t>) const override {
    return {};
  }
  std::string Describe(uint32_t i) const override { return absl::StrCat("#", i); }
  Lines sentences;
};

Lines FindHazards(std::string_view gfx, const Lines& lines, int lanes) {
  Found found;
  const auto decoder = Decoder::Create(gfx, lanes);
  EXPECT_TRUE(decoder.ok()) << decoder.status();
  const TargetBit target = FindTarget(gfx)->bit;
  const std::unique_ptr<HazardTracker> tracker = MakeHazardTracker(target, lanes == 64);
  const std::vector<std::vector<uint8_t>> code = Assemble(lines, gfx, lanes);
  EXPECT_EQ(code.size(), lines.size());
  std::deque<InstructionFacts> all;
  for (const std::vector<uint8_t>& bytes : code) {
    RegisterUses uses;
    const auto decoded = (*decoder)->Decode(bytes.data(), bytes.size(), 0, &uses);
    EXPECT_TRUE(decoded.ok()) << decoded.status();
    if (!decoded.ok()) return {};
    InstructionFacts& facts = all.emplace_back();
    facts.index = static_cast<uint32_t>(all.size() - 1);
    FillFacts(target, decoded->text, uses, facts);
    tracker->Before(facts, found);
  }
  return found.sentences;
}

// --- gfx9: wait states between two instructions ---

constexpr int kLacks = -1;  // the target lacks an instruction, or has it under another name

struct Distance {
  std::string_view rule;  // how the finding begins
  std::string first, second;
  int gfx942, gfx950, gfx90a = kLacks;  // wait states in between
};

constexpr char kCompareToExec[] = "v_cmpx_eq_u32_e32 vcc, v98, v99";

std::vector<Distance> Scalars() {
  const std::string makes_s4 = "v_readfirstlane_b32 s4, v99";
  return {
      {"vector memory reads an SGPR", makes_s4, "buffer_load_dword v1, v2, s[4:7], 0 offen", 5, 5,
       5},
      {"vector memory reads an SGPR", makes_s4, "global_load_dword v1, v2, s[4:5]", 5, 5, 5},
      {"VALU reads an SGPR", makes_s4, "v_mov_b32 v1, s4", 2, 2, 0},
      {"VALU reads an SGPR", "v_cmp_eq_u32 vcc, v0, v1", "v_mov_b32 v1, vcc_lo", 2, 2, 0},
      // A mask (CDNA3 ISA 4.5, table 11; LLVM waits for 2).
      {"", "v_cmp_eq_u32 vcc, v0, v1", "v_cndmask_b32 v2, v3, v4, vcc", 0, 0, 0},
      {"v_div_fmas reads VCC", "v_cmp_eq_u32 vcc, v0, v1", "v_div_fmas_f32 v2, v3, v4, v5", 4, 4,
       4},
      {"a lane is selected", makes_s4, "v_readlane_b32 s6, v1, s4", 4, 4, 4},
      {"a lane is selected", makes_s4, "v_writelane_b32 v1, 7, s4", 4, 4, 4},
      {"a lane is accessed after VALU wrote EXEC", kCompareToExec, "v_readfirstlane_b32 s0, v0", 4,
       4, 0},
      {"a lane is accessed after VALU wrote EXEC", kCompareToExec, "v_writelane_b32 v1, s8, 3", 4,
       4, 0},
      {"a lane of a VALU result is read", "v_mov_b32 v0, 1", "v_readfirstlane_b32 s0, v0", 1, 1, 0},
      {"M0 is used", "s_mov_b32 m0, 0", "s_sendmsg sendmsg(MSG_INTERRUPT)", 1, 1, 1},
      {"M0 is used", "s_mov_b32 m0, 0", "s_ttracedata", 1, 1, 1},
      {"M0 is used", "s_mov_b32 m0, 0", "s_movrels_b32 s0, s1", 1, 1, 1},
      {"M0 is used", "s_mov_b32 m0, 0", "ds_read_addtid_b32 v0", 1, 1, 1},
      {"M0 is used", "s_mov_b32 m0, 0", "buffer_load_dword v0, s[0:3], 0 offen lds", 1, 1, 1},
      {"s_getreg reads what s_setreg wrote", "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 2), 3",
       "s_getreg_b32 s0, hwreg(HW_REG_MODE)", 2, 2, 2},
      {"s_setreg writes what s_setreg wrote", "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 2), 3",
       "s_setreg_b32 hwreg(HW_REG_MODE), s0", 2, 2, 2},
      {"", "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 2), 3",
       "s_getreg_b32 s0, hwreg(HW_REG_TRAPSTS)", 0, 0, 0},
  };
}

std::vector<Distance> Vectors() {
  const std::string dpp = "v_mov_b32_dpp v1, v0 quad_perm:[0,1,2,3] row_mask:0xf bank_mask:0xf";
  const std::string reads = "v_mov_b32 v1, v0", writes = "v_mov_b32 v0, 0";
  const std::string high = "v_fma_f16 v0, v1, v2, v3 op_sel:[0,0,0,1]";
  return {
      {"DPP reads a VALU result", writes, dpp, 2, 2, 2},
      {"DPP after VALU wrote EXEC", kCompareToExec, dpp, 5, 5, 5},
      {"VALU reads a transcendental result", "v_rcp_f32 v0, v1", "v_add_f32 v2, v0, v3", 1, 1, 0},
      {"", "v_rcp_f32 v0, v1", "v_rcp_f32 v2, v0", 0, 0, 0},
      {"VALU reads a result that moves", high, reads, 1, 1, 0},
      {"a result that moves within its register is overwritten", high, writes, 1, 1, 0},
      {"VALU reads a result that moves",
       "v_add_f16_sdwa v0, v1, v2 dst_sel:WORD_1 dst_unused:UNUSED_PRESERVE src0_sel:DWORD "
       "src1_sel:DWORD",
       reads, 1, 1, 0},
      {"VALU reads a result that moves", "v_cvt_pk_fp8_f32 v0, v1, v2 op_sel:[0,0,1]", reads, 1, 1,
       -1},
      {"VALU reads a result that moves", "v_cvt_sr_fp8_f32 v0, v1, v2 op_sel:[0,0,1,0]", reads, 1,
       1, -1},
      {"", "v_cvt_sr_fp8_f32 v0, v1, v2", reads, 0, 0, -1},
      {"VALU reads a result that moves", "v_cvt_scalef32_sr_pk_fp4_f16 v0, v1, v2, v3", reads, -1,
       1, -1},
      {"", "v_cvt_scalef32_pk_fp4_f16 v0, v1, v2", reads, -1, 0, -1},
      {"a permutation of lanes reads a VALU result", writes, "v_permlane32_swap_b32 v0, v1", -1, 2,
       -1},
      {"a permutation of lanes after v_cmpx", kCompareToExec, "v_permlane16_swap_b32 v0, v1", -1, 4,
       -1},
      {"a dot product's result is read", "v_dot2_f32_f16 v0, v1, v2, v3", reads, 3, 3, 3},
      {"a dot product's result is read", "v_dot2_f32_f16 v0, v1, v2, v3",
       "v_dot2_f32_f16 v4, v0, v2, v3", 3, 3, 3},
      {"", "v_dot2_f32_f16 v0, v1, v2, v3", "v_dot2_f32_f16 v4, v1, v2, v0", 0, 0, 0},
      {"a dot product's result is overwritten", "v_dot2_f32_f16 v0, v1, v2, v3", writes, 3, 3, 3},
  };
}

/// llvm-project 197267, measured on gfx950: with an SGPR for its offset a buffer store of more than
/// 64 bits reads its data later than the next instruction, too.
std::vector<Distance> WideStores() {
  constexpr std::string_view rule = "data of a store of more than 64 bits is overwritten";
  const std::string first = "v_mov_b32 v0, 0", last = "v_pk_mov_b32 v[2:3], v[8:9], v[8:9]";
  return {
      {rule, "buffer_store_dwordx4 v[0:3], v4, s[0:3], s4 offen", first, 1, 1, 0},
      {rule, "buffer_store_dwordx4 v[0:3], v4, s[0:3], s4 offen", last, 1, 1, 0},
      {rule, "buffer_store_dwordx3 v[0:2], v4, s[0:3], m0 offen", first, 1, 1, 0},
      {rule, "buffer_store_dwordx4 v[0:3], v4, s[0:3], 0 offen", last, 2, 2, 1},
      {rule, "buffer_store_dwordx3 v[0:2], off, s[0:3], 0", first, 2, 2, 1},
      {rule, "global_store_dwordx4 v[4:5], v[0:3], off", last, 2, 2, 1},
      {rule, "global_store_dwordx4 v4, v[0:3], s[0:1]", first, 2, 2, 1},
      {rule, "flat_store_dwordx3 v[4:5], v[0:2]", first, 2, 2, 1},
      {rule, "scratch_store_dwordx4 v4, v[0:3], off", first, 2, 2, 1},
      {rule, "global_atomic_cmpswap_x2 v[4:5], v[0:3], off", first, 2, 2, 1},
      {"", "buffer_store_dwordx2 v[0:1], v4, s[0:3], 0 offen", first, 0, 0, 0},
      {"", "buffer_store_dwordx4 v[0:3], v4, s[0:3], 0 offen", "v_mov_b32 v4, 0", 0, 0, 0},
      {"", "buffer_store_dwordx4 v[0:3], v4, s[0:3], 0 offen",
       "buffer_load_dword v0, v4, s[0:3], 0 offen", 0, 0, 0},
  };
}

/// Readers of a matrix instruction's result, for each number of passes, f32 and f64.
std::vector<Distance> MatrixResults() {
  const std::string xdl2 = "v_mfma_f32_4x4x4_16b_f16 v[0:3], v[10:11], v[12:13], v[0:3]";
  const std::string xdl4 = "v_mfma_f32_16x16x16_f16 v[0:3], v[10:11], v[12:13], v[0:3]";
  const std::string xdl8 = "v_mfma_f32_32x32x8_f16 v[0:15], v[20:21], v[22:23], v[0:15]";
  const std::string xdl16 = "v_mfma_f32_32x32x4_2b_f16 v[0:31], v[40:41], v[42:43], v[0:31]";
  const std::string f32 = "v_mfma_f32_16x16x4_f32 v[0:3], v10, v12, v[0:3]";
  const std::string small64 = "v_mfma_f64_4x4x4_4b_f64 v[0:1], v[10:11], v[12:13], v[0:1]";
  const std::string large64 = "v_mfma_f64_16x16x4_f64 v[0:7], v[10:11], v[12:13], v[0:7]";
  const std::string reads = "v_mov_b32 v90, v1", writes = "v_mov_b32 v1, 0";
  const std::string stores = "global_store_dword v[90:91], v1, off";
  const std::string a_of_xdl = "v_mfma_f32_4x4x4_16b_f16 v[80:83], v[0:1], v[82:83], v[80:83]";
  // Some of the result's registers and others.
  const std::string xdl_c = "v_mfma_f32_4x4x4_16b_f16 v[80:83], v[84:85], v[86:87], v[2:5]";
  const std::string f32_c = "v_mfma_f32_4x4x1_16b_f32 v[80:83], v84, v86, v[2:5]";
  const std::string same_c = "v_mfma_f32_4x4x4_16b_f16 v[80:83], v[84:85], v[86:87], v[0:3]";
  const std::string f64_c = "v_mfma_f64_4x4x4_4b_f64 v[80:81], v[84:85], v[86:87], v[0:1]";
  const char *read = "VALU reads a matrix result", *store = "a memory instruction reads a matrix";
  const char *write = "a matrix result is overwritten", *multiply = "a matrix instruction multipl";
  const char* add = "a matrix instruction accumulates on a matrix result";
  return {
      {read, xdl2, reads, 5, 5},
      {read, xdl4, reads, 7, 8},
      {read, xdl8, reads, 11, 12},
      {read, xdl16, reads, 19, 20},
      {read, f32, reads, 10, 10},
      {read, small64, reads, 6, 6},
      {read, large64, reads, 11, 19},
      {store, xdl2, stores, 5, 5},
      {store, xdl4, stores, 7, 8},
      {store, f32, stores, 10, 10},
      {store, small64, stores, 9, 9},
      {store, large64, stores, 18, 18},
      {write, xdl2, writes, 5, 5},
      {write, xdl8, writes, 11, 12},
      {write, f32, writes, 10, 10},
      {write, small64, writes, 6, 6},
      {write, large64, writes, 11, 11},
      {multiply, xdl2, a_of_xdl, 5, 5},
      {multiply, xdl16, a_of_xdl, 19, 20},
      {multiply, f32, a_of_xdl, 10, 10},
      {multiply, small64, a_of_xdl, 6, 6},
      {multiply, large64, a_of_xdl, 11, 19},
      {add, xdl2, xdl_c, 3, 4},
      {add, xdl2, f32_c, 3, 3},
      {add, xdl4, xdl_c, 5, 6},
      {add, xdl4, f32_c, 5, 6},
      {add, xdl8, f32_c, 9, 10},
      {add, f32, f32_c, 8, 8},
      {"", f32, xdl_c, 0, 0},
      {add, xdl2, same_c, 2, 2},
      {"", xdl4, same_c, 0, 0},
      {add, small64, f64_c, 4, 4},
      {add, large64, f32_c, 9, 17},
      {"", large64, xdl_c, 0, 0},
  };
}

std::vector<Distance> MatrixOperands() {
  const std::string xdl4 = "v_mfma_f32_16x16x16_f16 v[80:83], v[10:11], v[12:13], v[0:3]";
  const std::string xdl16 = "v_mfma_f32_32x32x4_2b_f16 v[80:111], v[40:41], v[42:43], v[0:31]";
  const std::string xdl2 = "v_mfma_f32_4x4x4_16b_f16 v[80:83], v[10:11], v[12:13], v[0:3]";
  const std::string scaled =
      "v_mfma_scale_f32_16x16x128_f8f6f4 v[0:3], v[4:11], v[12:19], v[0:3], v20, v21 "
      "op_sel_hi:[0,0,0]";
  const char* read = "a matrix instruction reads a VALU result";
  return {
      {read, "v_mov_b32 v10, 0", xdl4, 2, 2},
      {read, "v_mov_b32 v13, 0", xdl4, 2, 2},
      {read, "v_mov_b32 v3, 0", xdl4, 2, 2},
      {read, "v_mov_b32 v20, 0", scaled, -1, 2},
      {read, "v_mov_b32 v21, 0", scaled, -1, 2},
      {"", "v_dot2_f32_f16 v10, v1, v2, v3", xdl4, 0, 0},
      {"a matrix instruction after a VALU write of EXEC", kCompareToExec, xdl4, 4, 4},
      {"SrcC of a matrix instruction is overwritten", xdl2, "v_mov_b32 v3, 0", 1, 1},
      {"SrcC of a matrix instruction is overwritten", xdl4, "v_mov_b32 v3, 0", 3, 3},
      {"SrcC of a matrix instruction is overwritten", xdl16, "v_mov_b32 v31, 0", 15, 15},
      {"", "v_mfma_f32_16x16x4_f32 v[80:83], v10, v12, v[0:3]", "v_mov_b32 v3, 0", 0, 0},
      {"v_fma_f64 after a matrix instruction of f64",
       "v_mfma_f64_4x4x4_4b_f64 v[0:1], v[10:11], v[12:13], v[0:1]",
       "v_fma_f64 v[20:21], v[22:23], v[24:25], v[26:27]", 2, 2},
  };
}

/// Distances of gfx90a alone, whose matrix instructions have other names.
class OfGfx90a {
 public:
  void Need(const char* rule, const std::string& first, const std::string& second, int states) {
    distances_.push_back({rule, first, second, kLacks, kLacks, states});
  }
  const std::vector<Distance>& distances() const { return distances_; }

  const std::string xdl2 = "v_mfma_f32_4x4x4f16 v[0:3], v[10:11], v[12:13], v[0:3]";
  const std::string xdl8 = "v_mfma_f32_16x16x16f16 v[0:3], v[10:11], v[12:13], v[0:3]";
  const std::string xdl16 = "v_mfma_f32_32x32x8f16 v[0:15], v[40:41], v[42:43], v[0:15]";
  const std::string blocks = "v_mfma_f32_32x32x4bf16_1k v[0:31], v[40:41], v[42:43], v[0:31]";
  const std::string i8 = "v_mfma_i32_16x16x16i8 v[0:3], v10, v12, v[0:3]";
  const std::string f32 = "v_mfma_f32_16x16x4f32 v[0:3], v10, v12, v[0:3]";
  const std::string small64 = "v_mfma_f64_4x4x4f64 v[0:1], v[10:11], v[12:13], v[0:1]";
  const std::string large64 = "v_mfma_f64_16x16x4f64 v[0:7], v[10:11], v[12:13], v[0:7]";

 private:
  std::vector<Distance> distances_;
};

/// f32 is as f16.
std::vector<Distance> MatrixResultsOfGfx90a() {
  OfGfx90a m;
  const std::string reads = "v_mov_b32 v90, v1", writes = "v_mov_b32 v1, 0";
  const std::string stores = "global_store_dword v[90:91], v1, off";
  const std::string a_of_xdl = "v_mfma_f32_4x4x4f16 v[80:83], v[0:1], v[82:83], v[80:83]";
  const char *read = "VALU reads a matrix result", *store = "a memory instruction reads a matrix";
  const char *write = "a matrix result is overwritten", *multiply = "a matrix instruction multipl";
  m.Need(read, m.xdl2, reads, 5);
  for (const std::string& eight : {m.xdl8, m.f32, m.i8}) m.Need(read, eight, reads, 11);
  for (const std::string& sixteen : {m.xdl16, m.blocks}) m.Need(read, sixteen, reads, 19);
  m.Need(read, m.small64, reads, 6);
  m.Need(read, m.large64, reads, 11);
  m.Need(store, m.xdl2, stores, 5);
  m.Need(store, m.xdl8, stores, 11);
  m.Need(store, m.small64, stores, 9);
  m.Need(store, m.large64, stores, 18);
  m.Need(write, m.xdl2, writes, 5);
  m.Need(write, m.f32, writes, 11);
  m.Need(write, m.xdl16, writes, 19);
  m.Need(write, m.small64, writes, 6);
  m.Need(write, m.large64, writes, 11);
  m.Need(multiply, m.xdl2, a_of_xdl, 5);
  m.Need(multiply, m.xdl8, a_of_xdl, 11);
  m.Need(multiply, m.xdl16, a_of_xdl, 19);
  m.Need(multiply, m.small64, a_of_xdl, 6);
  m.Need(multiply, m.large64, a_of_xdl, 11);
  return m.distances();
}

std::vector<Distance> MatrixOperandsOfGfx90a() {
  OfGfx90a m;
  const std::string xdl_c = "v_mfma_f32_4x4x4f16 v[80:83], v[84:85], v[86:87], v[2:5]";
  const std::string same_c = "v_mfma_f32_4x4x4f16 v[80:83], v[84:85], v[86:87], v[0:3]";
  const std::string f64_c = "v_mfma_f64_4x4x4f64 v[80:81], v[84:85], v[86:87], v[0:1]";
  const std::string c_of_8 = "v_mfma_f32_16x16x16f16 v[80:83], v[10:11], v[12:13], v[0:3]";
  const char* add = "a matrix instruction accumulates on a matrix result";
  const char* of_valu = "a matrix instruction reads a VALU result";
  const char* source = "SrcC of a matrix instruction is overwritten";
  m.Need(add, m.xdl2, xdl_c, 2);
  m.Need(add, m.f32, xdl_c, 8);
  m.Need(add, m.xdl16, xdl_c, 16);
  m.Need(add, m.xdl2, f64_c, 3);
  m.Need(add, m.xdl8, f64_c, 9);
  m.Need(add, m.xdl16, f64_c, 17);
  m.Need("", m.xdl2, same_c, 0);
  m.Need("", m.xdl8, same_c, 0);
  m.Need(add, m.small64, f64_c, 4);
  m.Need(add, m.large64, f64_c, 9);
  m.Need("", m.large64, xdl_c, 0);
  m.Need(of_valu, "v_mov_b32 v10, 0", m.xdl8, 2);
  m.Need(of_valu, "v_mov_b32 v3, 0", m.xdl8, 2);
  m.Need("a matrix instruction after a VALU write of EXEC", kCompareToExec, m.xdl8, 4);
  m.Need(source, "v_mfma_f32_4x4x1f32 v[80:83], v10, v12, v[0:3]", "v_mov_b32 v3, 0", 1);
  m.Need(source, c_of_8, "v_mov_b32 v3, 0", 7);
  m.Need(source, "v_mfma_f32_16x16x4f32 v[80:83], v10, v12, v[0:3]", "v_mov_b32 v3, 0", 7);
  m.Need("", "v_mfma_f64_16x16x4f64 v[80:87], v[10:11], v[12:13], v[0:7]", "v_mov_b32 v3, 0", 0);
  m.Need("v_fma_f64 after a matrix instruction of f64", m.small64,
         "v_fma_f64 v[20:21], v[22:23], v[24:25], v[26:27]", 2);
  return m.distances();
}

void ExpectDistances(const std::vector<Distance>& distances) {
  for (const Distance& d : distances) {
    for (const auto& [gfx, needed] :
         {std::pair("gfx942", d.gfx942), {"gfx950", d.gfx950}, {"gfx90a", d.gfx90a}}) {
      if (needed < 0) continue;
      for (const int between : {0, needed - 1, needed}) {
        if (between < 0) continue;
        Lines lines = {d.first};
        for (int i = 0; i < between; ++i) lines.push_back("s_nop 0");
        lines.push_back(d.second);
        const Lines found = FindHazards(gfx, lines, 64);
        const std::string which =
            absl::StrCat(gfx, ": ", d.first, "; ", between, " wait states; ", d.second);
        if (between < needed) {
          EXPECT_THAT(found,
                      Contains(AllOf(StartsWith(std::string(d.rule)),
                                     HasSubstr(absl::StrCat("needs ", needed, " wait states")))))
              << which;
        } else {
          EXPECT_THAT(found, IsEmpty()) << which;
        }
      }
    }
  }
}

TEST(Gfx9, Scalars) { ExpectDistances(Scalars()); }
TEST(Gfx9, Vectors) { ExpectDistances(Vectors()); }
TEST(Gfx9, WideStores) { ExpectDistances(WideStores()); }
TEST(Gfx9, MatrixResults) { ExpectDistances(MatrixResults()); }
TEST(Gfx9, MatrixOperands) { ExpectDistances(MatrixOperands()); }
TEST(Gfx90a, MatrixResults) { ExpectDistances(MatrixResultsOfGfx90a()); }
TEST(Gfx90a, MatrixOperands) { ExpectDistances(MatrixOperandsOfGfx90a()); }

TEST(Gfx90a, VectorMemoryReadsWhatVectorAluWroteBeforeAnF64Product) {
  const Lines lines = {"v_mov_b32 v1, 0", "v_mfma_f64_4x4x4f64 v[20:21], v[30:31], v[32:33], 0",
                       "global_store_dword v[90:91], v1, off"};
  EXPECT_THAT(FindHazards("gfx90a", lines, 64),
              ElementsAre(HasSubstr("across a matrix instruction of f64 too early: v1 of #0 needs "
                                    "2 wait states in between, there are 1")));
  EXPECT_THAT(FindHazards("gfx90a", {lines[0], lines[1], "s_nop 0", lines[2]}, 64), IsEmpty());
  EXPECT_THAT(FindHazards("gfx90a", {lines[1], lines[0], lines[2]}, 64), IsEmpty());
}

/// CDNA3 ISA, S_ICACHE_INV: 16 of s_nop, an instruction each, or a branch.
TEST(Gfx9, CodeThatWasFetchedBeforeItsInvalidation) {
  const auto behind = [](int nops, const char* last) {
    Lines lines = {"s_icache_inv"};
    for (int i = 0; i < nops; ++i) lines.push_back("s_nop 0");
    lines.push_back(last);
    return FindHazards("gfx942", lines, 64);
  };
  EXPECT_THAT(behind(15, "v_mov_b32 v0, 0"),
              ElementsAre(HasSubstr("fetched before s_icache_inv: #0 needs 16 s_nop")));
  EXPECT_THAT(behind(16, "v_mov_b32 v0, 0"), IsEmpty());
  EXPECT_THAT(behind(0, "s_branch 3"), IsEmpty());
  EXPECT_THAT(FindHazards("gfx942", {"s_icache_inv", "s_nop 15", "s_mov_b32 s0, 0"}, 64),
              ElementsAre(HasSubstr("fetched before s_icache_inv")));
}

// --- gfx11 and gfx12 ---

constexpr const char* kRdna[] = {"gfx1100", "gfx1201"};

/// `first`, then `n` vector instructions that have nothing to do with it, then `rest`.
Lines Apart(Lines first, int n, const Lines& rest) {
  for (int i = 0; i < n; ++i) first.push_back(absl::StrCat("v_mov_b32 v", 100 + i, ", 0"));
  first.insert(first.end(), rest.begin(), rest.end());
  return first;
}

/// RDNA4 ISA 7.2.8; by LLVM v_nop is none of the vector instructions that help.
TEST(Rdna, PermutationsOfLanesBehindCompareToExec) {
  const std::string compare = "v_cmpx_eq_u32_e32 v0, v1";
  const auto found = ElementsAre(HasSubstr("a permutation of lanes too early after v_cmpx"));
  for (const char* gfx : kRdna) {
    for (const char* permutes : {"v_permlane16_b32 v2, v3, s0, s1",
                                 "v_permlanex16_b32 v2, v3, s0, s1", "v_permlane64_b32 v2, v3"}) {
      EXPECT_THAT(FindHazards(gfx, {compare, permutes}, 32), found) << gfx << permutes;
      EXPECT_THAT(FindHazards(gfx, {compare, "v_nop", "s_nop 7", permutes}, 32), found) << gfx;
      EXPECT_THAT(FindHazards(gfx, {compare, "v_mov_b32 v3, v3", permutes}, 32), IsEmpty()) << gfx;
    }
  }
}

TEST(Rdna, FactorsThatAreMatrixResults) {
  for (const char* gfx : kRdna) {
    const bool gfx11 = std::string_view(gfx) == "gfx1100";
    const std::string first = gfx11 ? "v_wmma_f32_16x16x16_f16 v[0:7], v[8:15], v[8:15], v[0:7]"
                                    : "v_wmma_f32_16x16x16_f16 v[0:7], v[8:11], v[8:11], v[0:7]";
    const std::string second = gfx11
                                   ? "v_wmma_f32_16x16x16_f16 v[16:23], v[0:7], v[8:15], v[16:23]"
                                   : "v_wmma_f32_16x16x16_f16 v[16:23], v[4:7], v[8:11], v[16:23]";
    EXPECT_THAT(FindHazards(gfx, {first, "s_nop 7", second}, 32),
                ElementsAre(HasSubstr("multiplies a matrix result too early")));
    EXPECT_THAT(FindHazards(gfx, {first, "v_nop", second}, 32), IsEmpty());
  }
}

TEST(Gfx11, TranscendentalResults) {
  const std::string rcp = "v_rcp_f32 v0, v1", uses = "v_add_f32 v2, v0, v3";
  const auto found = ElementsAre(HasSubstr("VALU reads a transcendental result too early: v0"));
  for (const int lanes : {32, 64}) {
    EXPECT_THAT(FindHazards("gfx1100", Apart({rcp}, 0, {uses}), lanes), found);
    EXPECT_THAT(FindHazards("gfx1100", Apart({rcp}, 5, {uses}), lanes), found);
    EXPECT_THAT(FindHazards("gfx1100", Apart({rcp}, 6, {uses}), lanes), IsEmpty());
  }
  const auto behind = [&](const Lines& lines) {
    return FindHazards("gfx1100", Apart({rcp}, 0, lines), 32);
  };
  EXPECT_THAT(behind({"v_exp_f32 v4, v5", uses}), found);
  EXPECT_THAT(behind({"v_exp_f32 v4, v5", "v_exp_f32 v6, v5", uses}), IsEmpty());
  EXPECT_THAT(behind({"v_rcp_f32 v2, v0"}), found);
  EXPECT_THAT(behind({"v_fmac_f32 v0, v2, v3"}), found);
  EXPECT_THAT(behind({"v_mov_b32 v0, 0"}), IsEmpty());
  EXPECT_THAT(behind({"s_load_b32 s8, s[0:1], 0x0", uses}), found);
  for (const char* drains :
       {"s_waitcnt_depctr depctr_va_vdst(0)", "s_waitcnt_depctr 0",
        "global_load_b32 v8, v[4:5], off", "buffer_load_b32 v8, v4, s[0:3], 0 offen",
        "ds_store_b32 v4, v5", "scratch_load_b32 v8, v4, off"}) {
    EXPECT_THAT(behind({drains, uses}), IsEmpty()) << drains;
  }
  EXPECT_THAT(behind({"s_waitcnt_depctr depctr_va_vdst(1)", uses}), found);
  EXPECT_THAT(FindHazards("gfx1201", {rcp, uses}, 32), IsEmpty());
}

TEST(Gfx11, ResultsFromBeforeAndBehindAChangeOfExec) {
  const auto hazards = [](int before, int behind, int then, int lanes) {
    const Lines change = Apart(Apart({"v_mov_b32 v0, 0"}, before, {"s_mov_b64 exec, -1"}), behind,
                               {"v_mov_b32 v1, 0"});
    return FindHazards("gfx1100", Apart(change, then, {"v_add_nc_u32 v2, v0, v1"}), lanes);
  };
  const auto found = ElementsAre(HasSubstr("before and after a change of EXEC too early: v0"));
  for (const auto& [before, behind, then] :
       std::vector<std::array<int, 3>>{{0, 0, 0}, {2, 0, 0}, {1, 1, 4}, {0, 2, 4}}) {
    EXPECT_THAT(hazards(before, behind, then, 64), found) << before << behind << then;
  }
  for (const auto& [before, behind, then] :
       std::vector<std::array<int, 3>>{{3, 0, 0}, {1, 1, 5}, {0, 3, 0}, {1, 2, 0}}) {
    EXPECT_THAT(hazards(before, behind, then, 64), IsEmpty()) << before << behind << then;
  }
  EXPECT_THAT(FindHazards("gfx1100",
                          {"v_mov_b32 v0, 0", "s_mov_b32 exec_lo, -1", "v_mov_b32 v1, 0",
                           "v_add_nc_u32 v2, v0, v1"},
                          32),
              IsEmpty());
}

TEST(Gfx11, MasksThatAreOverwritten) {
  const std::string masks = "v_cndmask_b32 v0, v1, v2, s[4:5]";
  const auto found = [](const char* wait) {
    return ElementsAre(HasSubstr(absl::StrCat("needs s_waitcnt_depctr depctr_", wait, "(0)")));
  };
  const auto behind = [&](const Lines& lines, int lanes = 64) {
    return FindHazards("gfx1100", Apart({masks}, 0, lines), lanes);
  };
  EXPECT_THAT(behind({"s_mov_b32 s4, 0", "s_mov_b32 s6, s4"}), found("sa_sdst"));
  EXPECT_THAT(behind({"s_mov_b32 s5, 0", "v_mov_b32 v3, s5"}), found("sa_sdst"));
  EXPECT_THAT(behind({"v_readfirstlane_b32 s4, v3", "v_mov_b32 v3, s4"}), found("va_sdst"));
  EXPECT_THAT(behind({"v_readfirstlane_b32 s4, v3", "s_mov_b32 s6, s4"}), IsEmpty());
  EXPECT_THAT(behind({"s_mov_b32 s6, 0", "s_mov_b32 s7, s6"}), IsEmpty());
  EXPECT_THAT(behind({"s_mov_b32 s4, 0", "s_waitcnt_depctr depctr_sa_sdst(0)", "s_mov_b32 s6, s4"}),
              IsEmpty());
  EXPECT_THAT(FindHazards("gfx1100",
                          {"v_cndmask_b32 v0, v1, v2, vcc", "v_cmp_eq_u32 vcc, v0, v1",
                           "v_cndmask_b32 v0, v1, v2, vcc"},
                          64),
              found("va_vcc"));
  EXPECT_THAT(
      FindHazards("gfx1100", {"v_mov_b32 v0, s4", "s_mov_b32 s4, 0", "s_mov_b32 s6, s4"}, 64),
      IsEmpty());
}

/// llvm-project 220348. How far away is far enough nobody says; LLVM takes 15 vector instructions
/// for far enough where it counts results that are not there yet (fixLdsDirectVALUHazard).
TEST(Gfx11, SourcesOfDualInstructions) {
  const auto dual = [](const char* lost, const char* uses, int between) {
    return FindHazards("gfx1100", Apart({lost}, between, {uses}), 32);
  };
  constexpr const char* kUses = "v_dual_add_f32 v0, v2, v5 :: v_dual_mul_f32 v7, v4, v8";
  const auto found = [](const char* reg) {
    return ElementsAre(
        HasSubstr(absl::StrCat("a dual instruction may read a VALU result too early: ", reg)));
  };
  for (const int between : {0, 14}) {
    EXPECT_THAT(dual("v_mov_b32 v2, 0", kUses, between), found("v2"));
    EXPECT_THAT(dual("v_mov_b32 v4, 0", kUses, between), found("v4"));
  }
  EXPECT_THAT(dual("v_mov_b32 v2, 0", kUses, 15), IsEmpty());
  EXPECT_THAT(dual("v_mov_b32 v5, 0", kUses, 0), IsEmpty());  // vsrc1: odd and even
  EXPECT_THAT(dual("v_mov_b32 v5, 0", "v_dual_add_f32 v0, v1, v5 :: v_dual_mul_f32 v9, v4, v7", 0),
              found("v5"));
  EXPECT_THAT(dual("v_mov_b32 v5, 0", "v_dual_mov_b32 v0, 1 :: v_dual_mov_b32 v7, v5", 0),
              IsEmpty());
  EXPECT_THAT(dual("v_mov_b32 v2, 0",
                   "v_dual_fmamk_f32 v0, v1, 0x42, v2 :: v_dual_fmaak_f32 v3, v4, v8, 0x42", 0),
              found("v2"));
  EXPECT_THAT(FindHazards("gfx1100", {"v_mov_b32 v2, 0", "ds_load_b32 v9, v10", kUses}, 32),
              IsEmpty());
}

TEST(Gfx12, ScalarsThatVectorInstructionsHaveRead) {
  const std::string reads = "v_mov_b32 v0, s4";
  const auto behind = [&](const Lines& lines, int lanes = 32) {
    return FindHazards("gfx1201", Apart({reads}, 0, lines), lanes);
  };
  const auto found = [](const char* wait) {
    return ElementsAre(HasSubstr(absl::StrCat("needs s_wait_alu depctr_", wait, "(0)")));
  };
  EXPECT_THAT(behind({"s_mov_b32 s4, 0", reads}), found("sa_sdst"));
  EXPECT_THAT(behind({"s_mov_b32 s5, 0", "s_mov_b32 s6, s5"}),
              found("sa_sdst"));  // the other half of the pair
  EXPECT_THAT(behind({"s_mov_b32 s6, 0", "s_mov_b32 s7, s6"}), IsEmpty());
  EXPECT_THAT(behind({"v_readfirstlane_b32 s4, v1", reads}), found("va_sdst"));
  EXPECT_THAT(behind({"v_readfirstlane_b32 s4, v1", "s_mov_b32 s6, s4"}), IsEmpty());
  EXPECT_THAT(behind({"v_mov_b32 v0, s6", "v_readfirstlane_b32 s4, v1", "s_mov_b32 s9, s6", reads}),
              IsEmpty());  // SALU waits for all that VALU has written
  EXPECT_THAT(behind({"s_mov_b32 s4, 0", "s_wait_alu depctr_sa_sdst(0)", reads}), IsEmpty());
  EXPECT_THAT(behind({"s_mov_b32 s4, 0", "s_wait_alu depctr_va_sdst(0)", reads}), found("sa_sdst"));
  const std::string writes = "v_readfirstlane_b32 s4, v1";
  EXPECT_THAT(behind({writes, "s_wait_alu depctr_va_sdst(0)", reads}), IsEmpty());
  EXPECT_THAT(behind({writes, "s_wait_alu depctr_sa_sdst(0)", reads}), found("va_sdst"));
  EXPECT_THAT(behind({"s_mov_b32 s4, 0", writes, reads}), found("va_sdst"));  // the last one's
  for (const char* clears :
       {"s_load_b32 s8, s[0:1], 0x0", "buffer_load_b32 v8, v4, s[0:3], null offen"}) {
    EXPECT_THAT(behind({"s_mov_b32 s4, 0", clears, reads}), IsEmpty()) << clears;
    EXPECT_THAT(behind({writes, clears, reads}), IsEmpty()) << clears;
  }
  for (const char* leaves : {"global_load_b32 v8, v[4:5], off", "ds_load_b32 v8, v4"}) {
    EXPECT_THAT(behind({"s_mov_b32 s4, 0", leaves, reads}), found("sa_sdst")) << leaves;
  }
  for (const auto& [lanes, nops] : {std::pair(32, 4), {64, 8}}) {
    Lines enough(static_cast<size_t>(nops), "ds_nop");
    enough.insert(enough.end(), {"s_mov_b32 s4, 0", reads});
    EXPECT_THAT(behind(enough, lanes), IsEmpty());
    EXPECT_THAT(behind({enough.begin() + 1, enough.end()}, lanes), found("sa_sdst"));
  }
  const std::string masks = "v_cndmask_b32 v2, v0, v1, vcc_lo";
  const std::string compares = "v_cmp_eq_u32 vcc_lo, v0, v1";
  EXPECT_THAT(FindHazards("gfx1201", {masks, compares, masks}, 32), found("va_vcc"));
  EXPECT_THAT(FindHazards("gfx1201", {masks, compares, "s_wait_alu depctr_va_sdst(0)", masks}, 32),
              found("va_vcc"));
  EXPECT_THAT(FindHazards("gfx1201", {masks, compares, "s_wait_alu depctr_va_vcc(0)", masks}, 32),
              IsEmpty());
  EXPECT_THAT(FindHazards("gfx1201", {masks, compares, "s_cbranch_vccnz 3"}, 32), IsEmpty());
  EXPECT_THAT(FindHazards("gfx1201", {masks, "s_mov_b32 vcc_lo, 0", "s_cbranch_vccnz 3"}, 32),
              found("sa_sdst"));
  EXPECT_THAT(FindHazards("gfx1100", {reads, "s_mov_b32 s4, 0", reads}, 32), IsEmpty());
}

/// RDNA4 ISA 5.7.2.
TEST(Gfx12, StateOfTheWave) {
  const std::string state = "s_getreg_b32 s0, hwreg(HW_REG_WAVE_STATE_PRIV)";
  const std::string status = "s_getreg_b32 s0, hwreg(HW_REG_WAVE_STATUS)";
  const auto found = ElementsAre(HasSubstr("s_getreg reads the wave's state too early"));
  EXPECT_THAT(FindHazards("gfx1201", {"s_setprio 3", state}, 32), found);
  EXPECT_THAT(FindHazards("gfx1201", {"s_setprio 3", status}, 32), IsEmpty());
  EXPECT_THAT(FindHazards("gfx1201", {"s_sethalt 0", state}, 32), found);
  EXPECT_THAT(FindHazards("gfx1201", {"s_sethalt 0", status}, 32), found);
  EXPECT_THAT(FindHazards("gfx1201", {"s_sethalt 0", "s_nop 0", status}, 32), IsEmpty());
}

}  // namespace
}  // namespace gridwise::sim
