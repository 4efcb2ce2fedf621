// SPDX-License-Identifier: MIT
#include "tools/sim/check/float_op.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "gtest/gtest.h"
#include "tools/sim/isa/target.h"
#include "tools/sim/isa/text/decode.h"
#include "tools/sim/isa/text/operand.h"
#include "tools/sim/wave/wave.h"

namespace gridwise::sim {
namespace {

/// "f16 v1.0 v1.16": format, and of each number its register and the first bit.
std::string Describe(const FloatOperand& operand) {
  static constexpr const char* kNames[] = {"f16", "bf16", "f32", "f64", "fp8", "bf8"};
  std::string text = kNames[static_cast<int>(operand.format)];
  if (operand.constant) return text + " " + std::to_string(*operand.constant);
  for (const auto& [reg, shift] : operand.elements) {
    text += reg >= kFirstVector ? " v" : " s";
    text += std::to_string(reg >= kFirstVector ? reg - kFirstVector : reg);
    if (shift != 0) text += "." + std::to_string(shift);
  }
  return text;
}

std::string Describe(std::string_view assembly) {
  Instruction instruction;
  EXPECT_TRUE(ParseInstruction(assembly, instruction).ok()) << assembly;
  const std::optional<FloatOp> op = FindFloatOp(instruction);
  if (!op) return "none";
  std::string text = Describe(op->result) + " =";
  for (const FloatOperand& source : op->sources) text += " [" + Describe(source) + "]";
  if (op->crosses_lanes) text += " lanes";
  if (op->has_pole) text += " pole";
  if (op->converts) text += " converts";
  if (op->adds) text += " adds";
  return text;
}

TEST(FloatOp, OrdinaryArithmetic) {
  EXPECT_EQ(Describe("v_add_f32_e32 v0, v1, v2"), "f32 v0 = [f32 v1] [f32 v2] adds");
  EXPECT_EQ(Describe("v_subrev_f32_e32 v0, s1, v2"), "f32 v0 = [f32 s1] [f32 v2] adds");
  EXPECT_EQ(Describe("v_mul_f32_e32 v0, 0.5, v2"), "f32 v0 = [f32 0.500000] [f32 v2]");
  EXPECT_EQ(Describe("v_fma_f32 v0, -v1, |v2|, 1.0"), "f32 v0 = [f32 v1] [f32 v2] [f32 1.000000]");
  EXPECT_EQ(Describe("v_fmac_f32_e32 v0, v1, v2"), "f32 v0 = [f32 v1] [f32 v2] [f32 v0]");
  EXPECT_EQ(Describe("v_add_f64 v[0:1], v[2:3], v[4:5]"), "f64 v0 = [f64 v2] [f64 v4] adds");
  EXPECT_EQ(Describe("v_rcp_f32_e32 v0, v1"), "f32 v0 = [f32 v1] pole");
  EXPECT_EQ(Describe("v_ldexp_f32 v0, v1, v2"), "f32 v0 = [f32 v1]");
  EXPECT_EQ(Describe("v_div_scale_f32 v0, vcc, v1, v2, v3"),
            "f32 v0 = [f32 v1] [f32 v2] [f32 v3] pole");
  EXPECT_EQ(Describe("s_add_f32 s0, s1, s2"), "f32 s0 = [f32 s1] [f32 s2] adds");
  EXPECT_EQ(Describe("v_add_f32_dpp v0, v1, v2 row_shr:1 row_mask:0xf bank_mask:0xf"),
            "f32 v0 = [f32 v1] [f32 v2] lanes");
}

TEST(FloatOp, Halves) {
  EXPECT_EQ(Describe("v_add_f16_e32 v0, v1, v2"), "f16 v0 = [f16 v1] [f16 v2] adds");
  EXPECT_EQ(Describe("v_add_f16_e64 v0, v1, v2 op_sel:[1,0,1]"),
            "f16 v0.16 = [f16 v1.16] [f16 v2] adds");
  EXPECT_EQ(Describe("v_mul_f16_e32 v0.h, v1.l, v2.h"), "f16 v0.16 = [f16 v1] [f16 v2.16]");
  EXPECT_EQ(Describe("v_pk_add_f16 v0, v1, v2"),
            "f16 v0 v0.16 = [f16 v1 v1.16] [f16 v2 v2.16] adds");
  EXPECT_EQ(Describe("v_pk_fma_f32 v[0:1], v[2:3], v[4:5], v[6:7]"),
            "f32 v0 v1 = [f32 v2 v3] [f32 v4 v5] [f32 v6 v7]");
  EXPECT_EQ(Describe("v_fma_mix_f32 v0, v1, v2, v3 op_sel:[1,0,0] op_sel_hi:[1,0,1]"),
            "f32 v0 = [f16 v1.16] [f32 v2] [f16 v3]");
  EXPECT_EQ(Describe("v_fma_mixhi_f16 v0, v1, v2, v3"), "f16 v0.16 = [f32 v1] [f32 v2] [f32 v3]");
}

TEST(FloatOp, Conversions) {
  EXPECT_EQ(Describe("v_cvt_f16_f32_e32 v0, v1"), "f16 v0 = [f32 v1] converts");
  EXPECT_EQ(Describe("v_cvt_f32_f16_e32 v0, v1"), "f32 v0 = [f16 v1]");
  EXPECT_EQ(Describe("v_cvt_pkrtz_f16_f32 v0, v1, v2"),
            "f16 v0 v0.16 = [f32 v1] [f32 v2] converts");
  EXPECT_EQ(Describe("v_cvt_pk_fp8_f32 v0, v1, v2 op_sel:[0,0,1]"),
            "fp8 v0.16 v0.24 = [f32 v1] [f32 v2] converts");
  EXPECT_EQ(Describe("v_cvt_f32_u32_e32 v0, v1"), "f32 v0 =");
  EXPECT_EQ(Describe("v_cvt_f32_ubyte1_e32 v0, v1"), "f32 v0 =");
  for (const char* none : {"v_cvt_i32_f32_e32 v0, v1", "v_cmp_lt_f32_e32 vcc, v0, v1",
                           "v_mov_b32_e32 v0, v1", "v_cndmask_b32_e32 v0, v1, v2, vcc",
                           "v_add_u32_e32 v0, v1, v2", "v_frexp_exp_i32_f32_e32 v0, v1"})
    EXPECT_EQ(Describe(none), "none") << none;
}

TEST(FloatOp, Products) {
  EXPECT_EQ(Describe("v_mfma_f32_4x4x4_16b_f16 a[0:3], v[0:1], v[2:3], a[0:3]"),
            "f32 v256 v257 v258 v259 = [f16 v0 v0.16 v1 v1.16] [f16 v2 v2.16 v3 v3.16] "
            "[f32 v256 v257 v258 v259] lanes");
  EXPECT_EQ(Describe("v_mfma_f32_16x16x32_fp8_bf8 v[0:3], v[4:5], v[6:7], 0"),
            "f32 v0 v1 v2 v3 = [fp8 v4 v4.8 v4.16 v4.24 v5 v5.8 v5.16 v5.24] "
            "[bf8 v6 v6.8 v6.16 v6.24 v7 v7.8 v7.16 v7.24] [f32 0.000000] lanes");
  EXPECT_EQ(Describe("v_mfma_f32_4x4x4f16 a[0:3], v[0:1], v[2:3], a[0:3]"),
            Describe("v_mfma_f32_4x4x4_16b_f16 a[0:3], v[0:1], v[2:3], a[0:3]"));
  EXPECT_EQ(Describe("v_mfma_f32_32x32x4bf16_1k v[0:31], v[40:41], v[42:43], 0"),
            Describe("v_mfma_f32_32x32x4_2b_bf16 v[0:31], v[40:41], v[42:43], 0"));
  EXPECT_EQ(Describe("v_mfma_i32_16x16x16i8 v[0:3], v4, v5, 0"), "none");
  EXPECT_EQ(Describe("v_mfma_i32_16x16x32_i8 v[0:3], v[4:5], v[6:7], 0"), "none");
  EXPECT_EQ(Describe("v_dot2_f32_f16 v0, v1, v2, v3"),
            "f32 v0 = [f16 v1 v1.16] [f16 v2 v2.16] [f32 v3]");
}

// Constants whose bits are no finite number: a literal, and an integer that is read as a float.
TEST(FloatOp, Constants) {
  const auto constant = [](std::string_view assembly) {
    Instruction instruction;
    EXPECT_TRUE(ParseInstruction(assembly, instruction).ok()) << assembly;
    return *FindFloatOp(instruction)->sources[0].constant;
  };
  EXPECT_EQ(constant("v_mul_f32_e32 v0, 0x7f800000, v1"), INFINITY);
  EXPECT_EQ(constant("v_mul_f16_e32 v0, 0xfc00, v1"), -INFINITY);
  EXPECT_TRUE(std::isnan(constant("v_mul_f32_e32 v0, -1, v1")));
  EXPECT_EQ(constant("v_mul_f32_e32 v0, 0x40490fdb, v1"), std::bit_cast<float>(0x40490fdb));
}

// Every number of 16 bits, and what surrounds the largest numbers of 32 and 64: as <cmath> says of
// their values.
TEST(FloatOp, FiniteNumbersAreThoseOfTheirValues) {
  const auto wave = std::make_unique<Wave>();
  const auto expect_same = [&](FloatFormat format, uint8_t shift) {
    const FloatOperand::Element element = {kFirstVector + 3, shift};
    const FloatOperand operand = {.format = format, .elements = {element}, .constant = {}};
    EXPECT_EQ(operand.IsFiniteAt(*wave, element, 7, kGfx942),
              std::isfinite(operand.ValueOf(*wave, element, 7, kGfx942)))
        << static_cast<int>(format) << " " << wave->v[3][7] << " " << wave->v[4][7];
  };
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    wave->v[3][7] = bits << 16 | 0x1234;
    for (const FloatFormat format : {FloatFormat::kF16, FloatFormat::kBf16})
      expect_same(format, 16);
    for (const uint32_t low : {0u, 1u, 0xffffu}) {
      wave->v[3][7] = wave->v[4][7] = bits << 16 | low;
      expect_same(FloatFormat::kF32, 0);
      expect_same(FloatFormat::kF64, 0);
    }
  }
}

// NaNs and infinities of OCP's 8-bit formats (OCP OFP8 1.0, 5.2) and of FNUZ ones, whose only NaN
// is 0x80.
TEST(FloatOp, BytesThatAreNotFinite) {
  const auto wave = std::make_unique<Wave>();
  const auto finite = [&](FloatFormat format, TargetBit target) {
    int count = 0;
    for (uint32_t byte = 0; byte < 256; ++byte) {
      wave->v[3][7] = byte << 8;
      const FloatOperand operand = {
          .format = format, .elements = {{kFirstVector + 3, 8}}, .constant = {}};
      count += operand.IsFinite(*wave, 7, target);
    }
    return count;
  };
  EXPECT_EQ(finite(FloatFormat::kFp8, kGfx942), 255);
  EXPECT_EQ(finite(FloatFormat::kBf8, kGfx942), 255);
  EXPECT_EQ(finite(FloatFormat::kFp8, kGfx950), 254);
  EXPECT_EQ(finite(FloatFormat::kBf8, kGfx950), 248);
}

}  // namespace
}  // namespace gridwise::sim
