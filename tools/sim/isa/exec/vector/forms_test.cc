// SPDX-License-Identifier: MIT
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "tools/sim/isa/bind/constants.h"
#include "tools/sim/isa/target.h"
#include "tools/sim/isa/testing/test_wave.h"

/// Forms of vector instructions (constants, SGPRs, modifiers, SDWA, DPP, op_sel), lane access,
/// sequences that only mean something as a whole, and text that must be rejected.

namespace gridwise::sim {
namespace {

uint32_t B(float x) { return std::bit_cast<uint32_t>(x); }
float F(uint32_t x) { return std::bit_cast<float>(x); }

/// Executes `text` with every lane's registers v[i] = values[i] and s[i] = scalars[i]; returns v20
/// of lane 3.
uint32_t Lane(const std::string& text, const std::vector<uint32_t>& values,
              const std::vector<uint32_t>& scalars = {}) {
  TestWave wave;
  for (size_t i = 0; i < values.size(); ++i) std::fill_n(wave->v[i], kLanes, values[i]);
  for (size_t i = 0; i < scalars.size(); ++i) wave->s[i] = scalars[i];
  std::fill_n(wave->v[20], kLanes, 0xaabbccdd);
  const absl::Status status = wave.Execute(text);
  EXPECT_TRUE(status.ok()) << status;
  return wave->v[20][3];
}

TEST(Forms, ConstantsAndScalars) {
  EXPECT_EQ(Lane("v_add_u32_e32 v20, -5, v0", {7}), 2u);
  EXPECT_EQ(Lane("v_add_u32_e32 v20, 0x12345, v0", {1}), 0x12346u);
  EXPECT_EQ(Lane("v_add_u32_e64 v20, s1, s1", {}, {0, 21}), 42u);
  EXPECT_EQ(Lane("v_mul_f32_e32 v20, 2.0, v0", {B(3)}), B(6));
  EXPECT_EQ(Lane("v_mul_f32_e32 v20, 0.15915494, v0", {B(1)}), 0x3e22f983u);
  EXPECT_EQ(Lane("v_mul_f16_e32 v20, 2.0, v0", {0x4200}), 0x4600u);
  EXPECT_EQ(Lane("v_and_b32_e32 v20, 1.0, v0", {~0u}), 0x3f800000u);
  EXPECT_EQ(Lane("v_mov_b32_e32 v20, vcc_hi", {}), 0u);
  TestWave wave;
  ASSERT_TRUE(wave.Execute("v_add_f64 v[20:21], s[0:1], 1.0").ok());
  EXPECT_EQ(wave->v[21][0], 0x3ff00000u);
}

TEST(Forms, SourceModifiers) {
  EXPECT_EQ(Lane("v_fma_f32 v20, -v0, v1, s2", {B(2), B(3)}, {0, 0, B(10)}), B(4));
  EXPECT_EQ(Lane("v_add_f32_e64 v20, |v0|, -|v1|", {B(-2), B(-3)}), B(-1));
  EXPECT_EQ(Lane("v_cndmask_b32_e64 v20, v0, -v1, s[0:1]", {1, 2}, {~0u, ~0u}), 0x80000002u);
  EXPECT_EQ(Lane("v_sub_f32_e64 v20, s0, |v0|", {B(-2)}, {B(5)}), B(3));
  TestWave wave;
  std::fill_n(wave->v[1], kLanes, 0x3ff00000u);
  ASSERT_TRUE(wave.Execute("v_add_f64 v[20:21], |v[0:1]|, -v[0:1]").ok());
  EXPECT_EQ(wave->v[21][0], 0u);
  EXPECT_EQ(wave->v[20][0], 0u);
}

TEST(Forms, ClampAndScale) {
  EXPECT_EQ(Lane("v_max_f32_e64 v20, v0, v0 clamp", {B(3)}), B(1));
  EXPECT_EQ(Lane("v_max_f32_e64 v20, v0, v0 clamp", {B(-3)}), 0u);
  EXPECT_EQ(Lane("v_max_f32_e64 v20, v0, v0 clamp", {0x7fc00000}), 0u);
  EXPECT_EQ(Lane("v_add_f32_e64 v20, v0, v0 mul:4", {B(3)}), B(6));  // ignored: IEEE is set
  EXPECT_EQ(Lane("v_add_f32_e64 v20, v0, v0 div:2", {B(3)}), B(6));
  EXPECT_EQ(Lane("v_add_f32_e64 v20, v0, v0 clamp div:2", {B(0.25f)}), B(0.5f));
  EXPECT_EQ(Lane("v_pk_add_f16 v20, v0, v0 clamp", {0xc0003c00}), 0x00003c00u);
  EXPECT_EQ(Lane("v_add_f16_e64 v20, v0, v0 clamp", {0x3c00}) & 0xffff, 0x3c00u);
  EXPECT_EQ(Lane("v_add_f16_e64 v20, v0, v0 clamp", {0x3400}) & 0xffff, 0x3800u);
  TestWave wave;
  std::fill_n(wave->v[0], kLanes, B(3));
  std::fill_n(wave->v[1], kLanes, B(-3));
  ASSERT_TRUE(wave.Execute("v_pk_add_f32 v[20:21], v[0:1], v[0:1] clamp").ok());
  EXPECT_EQ(wave->v[20][3], B(1));
  EXPECT_EQ(wave->v[21][3], 0u);
}

// An inline constant of packed halves is a dword whose halves op_sel selects like a register's: -2
// is 0xfffffffe, and of 0.5 integers see the halves of the float. Source: what LLVM's assembler
// encodes 0xfffffffe, 0x3f000000 (integers) and 0x3800 (floats) as.
TEST(Forms, ConstantsOfPackedHalves) {
  EXPECT_EQ(Lane("v_pk_add_u16 v20, v0, -2", {0x00050003}), 0x00040001u);
  EXPECT_EQ(Lane("v_pk_add_u16 v20, v0, -2 op_sel_hi:[1,0]", {0x00050003}), 0x00030001u);
  // The two halves of one constant: a base less -1, and less -2.
  EXPECT_EQ(Lane("v_pk_sub_u16 v20, v0, -2 op_sel:[0,1] op_sel_hi:[0,0]", {255}), 0x01010100u);
  EXPECT_EQ(Lane("v_pk_add_u16 v20, v0, 5", {0x00050003}), 0x00050008u);
  EXPECT_EQ(Lane("v_pk_add_u16 v20, v0, 0.5", {0x00050003}), 0x3f050003u);
  EXPECT_EQ(Lane("v_pk_add_f16 v20, v0, 0.5", {0x3c003c00}), 0x3c003e00u);
  EXPECT_EQ(Lane("v_pk_add_f16 v20, v0, 0.5 op_sel_hi:[1,0]", {0x3c003c00}), 0x3e003e00u);
}

TEST(Forms, HalfSelection) {
  EXPECT_EQ(Lane("v_pk_add_u16 v20, v0, 1 op_sel_hi:[1,0]", {0x00050003}), 0x00060004u);
  EXPECT_EQ(Lane("v_pk_add_u16 v20, v0, v1 op_sel:[1,0] op_sel_hi:[0,1]", {0x00050003, 0x00200010}),
            0x00230015u);
  EXPECT_EQ(Lane("v_pk_mul_f16 v20, v0, v1 neg_lo:[1,0] neg_hi:[0,1]", {0x40003c00, 0x3c003c00}),
            0xc000bc00u);
  EXPECT_EQ(Lane("v_add_u16_e64 v20, v0, v1", {0xffff0001, 0x5}), 6u);
  EXPECT_EQ(Lane("v_mad_u16 v20, v0, v1, v2 op_sel:[1,0,0,1]", {0x00020001, 3, 4}), 0x000accddu);
  EXPECT_EQ(Lane("v_fma_mix_f32 v20, v0, v1, v2 op_sel:[1,0,0] op_sel_hi:[1,0,1]",
                 {0x42003c00, B(2), 0x4000}),
            B(8));
  EXPECT_EQ(Lane("v_fma_mix_f32 v20, -v0, |v1|, v2", {B(1), B(-2), B(5)}), B(3));
  EXPECT_EQ(Lane("v_fma_mixhi_f16 v20, v0, v1, v2", {B(1), B(2), B(3)}), 0x4500ccddu);
  TestWave wave;
  const uint32_t values[] = {B(1), B(2), B(3), B(4)};
  for (int r = 0; r < 4; ++r) std::fill_n(wave->v[r], kLanes, values[r]);
  ASSERT_TRUE(
      wave.Execute("v_pk_mul_f32 v[20:21], v[0:1], v[2:3] op_sel:[1,0] op_sel_hi:[0,0]").ok());
  EXPECT_EQ(F(wave->v[20][0]), 2 * 3);
  EXPECT_EQ(F(wave->v[21][0]), 1 * 3);
  ASSERT_TRUE(wave.Execute("v_pk_mov_b32 v[20:21], v[0:1], v[2:3] op_sel:[1,0]").ok());
  EXPECT_EQ(F(wave->v[20][0]), 2);
  EXPECT_EQ(F(wave->v[21][0]), 3);
}

TEST(Forms, Sdwa) {
  const std::string full = " dst_sel:DWORD dst_unused:UNUSED_PAD ";
  EXPECT_EQ(Lane("v_add_u32_sdwa v20, v0, v1" + full + "src0_sel:BYTE_1 src1_sel:WORD_1",
                 {0x1200, 0x00050000}),
            0x17u);
  EXPECT_EQ(
      Lane("v_add_u32_sdwa v20, sext(v0), v1" + full + "src0_sel:BYTE_0 src1_sel:DWORD", {0xff, 1}),
      0u);
  EXPECT_EQ(Lane("v_add_u32_sdwa v20, sext(v0), v1" + full + "src0_sel:WORD_1 src1_sel:DWORD",
                 {0xfffe1234, 1}),
            0xffffffffu);
  EXPECT_EQ(Lane("v_mul_f16_sdwa v20, -v0, v1" + full + "src0_sel:WORD_1 src1_sel:WORD_0",
                 {0x40000000, 0x4000}),
            0xc400u);
  EXPECT_EQ(Lane("v_sub_u16_sdwa v20, v0, v1 dst_sel:BYTE_1 dst_unused:UNUSED_PAD src0_sel:DWORD "
                 "src1_sel:DWORD",
                 {5, 3}),
            0x200u);
  EXPECT_EQ(Lane("v_or_b32_sdwa v20, v0, v1 dst_sel:WORD_1 dst_unused:UNUSED_PRESERVE "
                 "src0_sel:DWORD src1_sel:DWORD",
                 {5, 2}),
            0x0007ccddu);
  TestWave wave;
  std::fill_n(wave->v[0], kLanes, 0x80u);
  ASSERT_TRUE(
      wave.Execute("v_cmp_gt_i16_sdwa vcc, v1, sext(v0) src0_sel:DWORD src1_sel:BYTE_0").ok());
  EXPECT_EQ(Scalar64(*wave, kVccLo), ~uint64_t{0});
}

TEST(Forms, DppMovesLanes) {
  const struct {
    const char* control;
    int (*from)(int lane);  // -1: keeps the destination
  } kCases[] = {
      {"quad_perm:[1,0,3,2]", [](int l) { return l ^ 1; }},
      {"row_shl:1", [](int l) { return l % 16 == 15 ? -1 : l + 1; }},
      {"row_shr:3", [](int l) { return l % 16 < 3 ? -1 : l - 3; }},
      {"row_ror:2", [](int l) { return l / 16 * 16 + (l + 14) % 16; }},
      {"row_mirror", [](int l) { return l / 16 * 16 + 15 - l % 16; }},
      {"row_half_mirror", [](int l) { return l / 8 * 8 + 7 - l % 8; }},
      {"row_bcast:15", [](int l) { return l < 16 ? -1 : l / 16 * 16 - 1; }},
      {"row_bcast:31", [](int l) { return l < 32 ? -1 : 31; }},
      {"row_newbcast:5", [](int l) { return l / 16 * 16 + 5; }},
      {"wave_shr:1", [](int l) { return l - 1; }},
      {"wave_ror:1", [](int l) { return (l + 63) % 64; }},
  };
  for (const auto& c : kCases) {
    for (const bool bound : {false, true}) {
      TestWave wave;
      const uint64_t exec = 0xffff0fffffffffff;
      SetScalar64(*wave, kExecLo, exec);
      for (int l = 0; l < kLanes; ++l) {
        wave->v[0][l] = static_cast<uint32_t>(1000 + l);
        wave->v[20][l] = static_cast<uint32_t>(l);
      }
      const std::string text = std::string("v_mov_b32_dpp v20, v0 ") + c.control +
                               " row_mask:0xd bank_mask:0xf" + (bound ? " bound_ctrl:1" : "");
      const absl::Status status = wave.Execute(text);
      ASSERT_TRUE(status.ok()) << status;
      for (int l = 0; l < kLanes; ++l) {
        const int from = c.from(l);
        const bool found = from >= 0 && (exec >> from & 1) != 0,
                   written = (exec >> l & 1) != 0 && l / 16 != 1;
        const int expected = !written ? l : found ? 1000 + from : bound ? 0 : l;
        ASSERT_EQ(wave->v[20][l], static_cast<uint32_t>(expected)) << text << " lane " << l;
      }
    }
  }
}

// Both dwords move, of lanes that are written.
TEST(Forms, DppMovesPairs) {
  for (const uint64_t exec : {~uint64_t{0}, uint64_t{0xffff0fffffffffff}}) {
    TestWave wave;
    SetScalar64(*wave, kExecLo, exec);
    for (int l = 0; l < kLanes; ++l) {
      for (int r = 0; r < 2; ++r) {
        wave->v[r][l] = static_cast<uint32_t>(1000 * (r + 1) + l);
        wave->v[20 + r][l] = static_cast<uint32_t>(l);
      }
    }
    ASSERT_TRUE(
        wave.Execute("v_mov_b64_dpp v[20:21], v[0:1] row_newbcast:5 row_mask:0xd bank_mask:0xf")
            .ok());
    for (int l = 0; l < kLanes; ++l) {
      const bool written = (exec >> l & 1) != 0 && l / 16 != 1;
      for (int r = 0; r < 2; ++r) {
        const int expected = written ? 1000 * (r + 1) + l / 16 * 16 + 5 : l;
        ASSERT_EQ(wave->v[20 + r][l], static_cast<uint32_t>(expected)) << "lane " << l;
      }
    }
  }
}

TEST(Forms, LaneAccess) {
  TestWave wave;
  for (int l = 0; l < kLanes; ++l) wave->v[0][l] = static_cast<uint32_t>(3 * l);
  SetScalar64(*wave, kExecLo, uint64_t{1} << 40 | uint64_t{1} << 50);
  wave->s[5] = 64 + 7;
  ASSERT_TRUE(wave.ExecuteAll({"v_readfirstlane_b32 s0, v0", "v_readlane_b32 s1, v0, s5",
                               "v_readlane_b32 s2, v0, 63", "v_writelane_b32 v1, s5, 2",
                               "v_swap_b32 v2, v0"})
                  .ok());
  EXPECT_EQ(wave->s[0], 120u);
  EXPECT_EQ(wave->s[1], 21u);
  EXPECT_EQ(wave->s[2], 189u);
  EXPECT_EQ(wave->v[1][2], 71u);
  EXPECT_EQ(wave->v[2][40], 120u);
  EXPECT_EQ(wave->v[0][40], 0u);
  EXPECT_EQ(wave->v[0][41], 123u);
  SetScalar64(*wave, kExecLo, ~uint64_t{0});
  ASSERT_TRUE(
      wave.ExecuteAll({"v_mbcnt_lo_u32_b32 v3, -1, 0", "v_mbcnt_hi_u32_b32 v3, -1, v3"}).ok());
  for (int l = 0; l < kLanes; ++l) EXPECT_EQ(wave->v[3][l], static_cast<uint32_t>(l));
}

/// The sequence that clang emits for a / b.
TEST(Sequences, DivisionIsCorrectlyRounded) {
  std::mt19937_64 random(3);
  const float kEdges[] = {0.0f,   -0.0f,  1.0f,  3.0f,    INFINITY,  -INFINITY, NAN,
                          1e-45f, 1e-38f, 3e38f, -2e-40f, 0x1p-126f, 0x1p127f};
  TestWave wave;
  for (int round = 0; round < 400; ++round) {
    for (int l = 0; l < kLanes; ++l) {
      for (int r = 0; r < 2; ++r) {
        const uint64_t bits = random();
        wave->v[r][l] = bits % 4 == 0 ? B(kEdges[bits / 4 % std::size(kEdges)])
                                      : static_cast<uint32_t>(bits >> 32);
      }
    }
    // v0 / v1
    const absl::Status status = wave.ExecuteAll(
        {"v_div_scale_f32 v2, s[0:1], v1, v1, v0", "v_div_scale_f32 v3, vcc, v0, v1, v0",
         "v_rcp_f32_e32 v4, v2", "v_fma_f32 v5, -v2, v4, 1.0", "v_fmac_f32_e32 v4, v5, v4",
         "v_mul_f32_e32 v5, v3, v4", "v_fma_f32 v6, -v2, v5, v3", "v_fmac_f32_e32 v5, v6, v4",
         "v_fma_f32 v2, -v2, v5, v3", "v_div_fmas_f32 v2, v2, v4, v5",
         "v_div_fixup_f32 v20, v2, v1, v0"});
    ASSERT_TRUE(status.ok()) << status;
    for (int l = 0; l < kLanes; ++l) {
      const float a = F(wave->v[0][l]), b = F(wave->v[1][l]), expected = a / b,
                  actual = F(wave->v[20][l]);
      if (std::isnan(expected)) {
        EXPECT_TRUE(std::isnan(actual));
      } else {
        ASSERT_EQ(B(actual), B(expected)) << std::hexfloat << a << " / " << b;
      }
    }
  }
}

/// What v_div_scale makes of a denominator and a numerator, and VCC: as RDNA3 hardware does it. The
/// ISA documents have VCC clear for zeros and tiny numerators.
TEST(Sequences, ScalesOfDivisions) {
  const struct {
    float denominator, numerator, scaled_denominator, scaled_numerator;
    bool vcc;
  } kCases[] = {
      {1, 1, 1, 1, false},
      {1, 0, NAN, NAN, true},
      {0, 1, NAN, NAN, true},
      {0, 0, NAN, NAN, false},
      {1, 0x1p96f, 0x1p64f, 0x1p96f, true},
      {1, 0x1p95f, 1, 0x1p95f, false},
      {1, 0x1p-96f, 1, 0x1p-32f, true},
      {1, 0x1p-95f, 1, 0x1p-95f, false},
      {0x1p127f, 0x1p64f, 0x1p63f, 1, false},
      {0x1p127f, 1, 0x1p63f, 1, true},
      {0x1p126f, 0x1p64f, 0x1p62f, 1, false},
      {0x1p125f, 0x1p64f, 0x1p125f, 0x1p64f, false},
      {0x1p-140f, 0x1p-120f, 0x1p-76f, 0x1p-56f, false},
      {0x1p-100f, 0x1p-103f, 0x1p-36f, 0x1p-39f, false},
      {0x1p-100f, 0x1p-102f, 0x1p-100f, 0x1p-102f, false},
  };
  for (const auto& c : kCases) {
    for (const bool numerator : {false, true}) {
      TestWave wave;
      std::fill_n(wave->v[0], kLanes, B(numerator ? c.numerator : c.denominator));
      std::fill_n(wave->v[1], kLanes, B(c.denominator));
      std::fill_n(wave->v[2], kLanes, B(c.numerator));
      ASSERT_TRUE(wave.Execute("v_div_scale_f32 v20, vcc, v0, v1, v2").ok());
      const float expected = numerator ? c.scaled_numerator : c.scaled_denominator;
      const float actual = F(wave->v[20][3]);
      EXPECT_TRUE(std::isnan(expected) ? std::isnan(actual) : actual == expected)
          << std::hexfloat << c.numerator << " / " << c.denominator << ": " << actual;
      EXPECT_EQ(Scalar64(*wave, kVccLo), c.vcc ? ~uint64_t{0} : 0)
          << std::hexfloat << c.numerator << " / " << c.denominator;
    }
  }
}

/// a * b + c times the inverse scale is rounded once: long double has all bits of c, halfway
/// between denormals more often than not, and of a product far below it.
TEST(Sequences, FloatDivFmasRoundsOnce) {
  std::mt19937_64 random(11);
  TestWave wave;
  int denormals = 0;
  for (int round = 0; round < 300; ++round) {
    SetScalar64(*wave, kVccLo, ~uint64_t{0});
    for (int l = 0; l < kLanes; ++l) {
      const auto bits = static_cast<double>(random() % 64 + 64);
      wave->v[2][l] =
          B(static_cast<float>(std::ldexp(bits, -72 - static_cast<int>(random() % 12))));
      wave->v[0][l] = B(static_cast<float>(std::ldexp(l % 2 == 0 ? 1 : -1, -60)));
      wave->v[1][l] = B(static_cast<float>(std::ldexp(1, -30 - static_cast<int>(random() % 32))));
    }
    ASSERT_TRUE(wave.Execute("v_div_fmas_f32 v20, v0, v1, v2").ok());
    for (int l = 0; l < kLanes; ++l) {
      const long double exact =
          static_cast<long double>(F(wave->v[0][l])) * F(wave->v[1][l]) + F(wave->v[2][l]);
      const auto expected = static_cast<float>(exact * 0x1p-64L);
      denormals += std::fpclassify(expected) == FP_SUBNORMAL;
      ASSERT_EQ(wave->v[20][l], B(expected));
    }
  }
  EXPECT_GT(denormals, 1000);
}

/// The same of doubles, whose scale is 2^-128.
TEST(Sequences, DoubleDivFmasRoundsOnce) {
  std::mt19937_64 random(12);
  TestWave wave;
  int denormals = 0;
  const auto set = [&](int reg, int l, double value) {
    const auto bits = std::bit_cast<uint64_t>(value);
    wave->v[reg][l] = static_cast<uint32_t>(bits);
    wave->v[reg + 1][l] = static_cast<uint32_t>(bits >> 32);
  };
  for (int round = 0; round < 300; ++round) {
    SetScalar64(*wave, kVccLo, ~uint64_t{0});
    double a[kLanes], b[kLanes], c[kLanes];
    for (int l = 0; l < kLanes; ++l) {
      a[l] = std::ldexp(l % 2 == 0 ? 1 : -1, -500);
      b[l] = std::ldexp(1, -470 - static_cast<int>(random() % 32));
      c[l] = std::ldexp(static_cast<double>(random() % 64 + 64),
                        128 - 1074 + 6 - static_cast<int>(random() % 12));
      set(0, l, a[l]);
      set(2, l, b[l]);
      set(4, l, c[l]);
    }
    ASSERT_TRUE(wave.Execute("v_div_fmas_f64 v[20:21], v[0:1], v[2:3], v[4:5]").ok());
    for (int l = 0; l < kLanes; ++l) {
      // Exact: at most 64 bits apart.
      const long double exact = static_cast<long double>(a[l]) * b[l] + c[l];
      const auto expected = static_cast<double>(exact * 0x1p-128L);
      denormals += std::fpclassify(expected) == FP_SUBNORMAL;
      ASSERT_EQ(wave->v[20][l] | uint64_t{wave->v[21][l]} << 32, std::bit_cast<uint64_t>(expected));
    }
  }
  EXPECT_GT(denormals, 1000);
}

TEST(Sequences, DoubleDivision) {
  std::mt19937_64 random(4);
  TestWave wave;
  int denormals = 0;
  const auto set = [&](int reg, int l, uint64_t bits) {
    wave->v[reg][l] = static_cast<uint32_t>(bits);
    wave->v[reg + 1][l] = static_cast<uint32_t>(bits >> 32);
  };
  const auto get = [&](int reg, int l) {
    return std::bit_cast<double>(wave->v[reg][l] | uint64_t{wave->v[reg + 1][l]} << 32);
  };
  for (int round = 0; round < 100; ++round) {
    for (int l = 0; l < kLanes; ++l) {
      set(0, l, random());
      set(2, l, l == 5 ? 0 : random());
      if (l % 4 != 0) continue;  // quotients that are denormals, some of few bits
      const uint64_t keep = ~uint64_t{0} << random() % 53;
      set(0, l, (random() % (60 + 1023) << 52 | random() >> 12) & keep);
      set(2, l, ((1023 + 1020) - random() % 40) << 52 | (random() >> 12 & keep));
    }
    const absl::Status status = wave.ExecuteAll(
        {"v_div_scale_f64 v[4:5], s[0:1], v[2:3], v[2:3], v[0:1]", "v_rcp_f64_e32 v[6:7], v[4:5]",
         "v_fma_f64 v[8:9], -v[4:5], v[6:7], 1.0", "v_fmac_f64_e32 v[6:7], v[6:7], v[8:9]",
         "v_fma_f64 v[8:9], -v[4:5], v[6:7], 1.0", "v_fmac_f64_e32 v[6:7], v[6:7], v[8:9]",
         "v_div_scale_f64 v[8:9], vcc, v[0:1], v[2:3], v[0:1]",
         "v_mul_f64 v[10:11], v[8:9], v[6:7]", "v_fma_f64 v[4:5], -v[4:5], v[10:11], v[8:9]",
         "v_div_fmas_f64 v[4:5], v[4:5], v[6:7], v[10:11]",
         "v_div_fixup_f64 v[20:21], v[4:5], v[2:3], v[0:1]"});
    ASSERT_TRUE(status.ok()) << status;
    for (int l = 0; l < kLanes; ++l) {
      const double expected = get(0, l) / get(2, l), actual = get(20, l);
      if (std::isnan(expected)) {
        EXPECT_TRUE(std::isnan(actual));
      } else {
        denormals += std::fpclassify(expected) == FP_SUBNORMAL;
        ASSERT_EQ(actual, expected) << std::hexfloat << get(0, l) << " / " << get(2, l);
      }
    }
  }
  EXPECT_GT(denormals, 50);
}

/// An inline constant of v_pk_fmac_f16 is in both halves from gfx11 on, a literal is its 32 bits.
TEST(Specials, ConstantsOfPackedMultiplyAdds) {
  const struct {
    const char* gfx;
    const char* constant;
    uint32_t result;
  } kCases[] = {{"gfx942", "1.0", 0x40004880},
                {"gfx1100", "1.0", 0x4c804880},
                {"gfx1201", "1.0", 0x4c804880},
                {"gfx1100", "0x3c00", 0x40004880},
                {"gfx942", "0x3c003c00", 0x4c804880}};
  for (const auto& c : kCases) {
    TestWave wave(BestHandlers(), c.gfx);
    std::fill_n(wave->v[20], kLanes, 0x40003c00);  // 1, 2
    std::fill_n(wave->v[1], kLanes, 0x4c004800);   // 8, 16
    ASSERT_TRUE(wave.Execute(std::string("v_pk_fmac_f16 v20, ") + c.constant + ", v1").ok());
    EXPECT_EQ(wave->v[20][3], c.result) << c.gfx << ", " << c.constant;
  }
}

/// One of v_dot2 is in the low half, as LLVM has it ("Not known" of isa/README.md has another
/// view).
TEST(Specials, ConstantsOfDotProducts) {
  TestWave wave(BestHandlers(), "gfx1201");
  std::fill_n(wave->v[1], kLanes, 0x4c004800);  // 8, 16
  std::fill_n(wave->v[2], kLanes, 0u);
  ASSERT_TRUE(wave.Execute("v_dot2_f32_f16 v20, 1.0, v1, v2").ok());
  EXPECT_EQ(wave->v[20][3], B(8));
}

/// Those of f16 as well on gfx90a, in either half (PyTorch, notes on numerical accuracy, on MI200).
TEST(Specials, DotProductsOfGfx90aReadDenormalHalvesAsZero) {
  for (const int shift : {0, 16}) {
    for (const auto& [half, product] : {std::pair(0x03ffu, 0.0f), std::pair(0x0400u, 0x1p-14f)}) {
      TestWave wave(BestHandlers(), "gfx90a");
      std::fill_n(wave->v[0], kLanes, half << shift);
      std::fill_n(wave->v[1], kLanes, 0x3c003c00u);  // ones
      std::fill_n(wave->v[2], kLanes, 0u);
      ASSERT_TRUE(wave.Execute("v_dot2_f32_f16 v20, v0, v1, v2").ok());
      EXPECT_EQ(wave->v[20][5], B(product));
      ASSERT_TRUE(wave.Execute("v_dot2_f32_f16 v20, v1, v0, v2").ok());
      EXPECT_EQ(wave->v[20][5], B(product));
    }
  }
}

/// v_dot2 with a sum in f32: its denormals, read or written, are +0 on all targets but gfx1201, and
/// so are those of bf16; those of f16 are numbers on all but gfx90a (measured on gfx950:
/// llvm-project 205101).
TEST(Specials, DotProductsAndDenormals) {
  struct Case {
    const char* text;
    uint32_t a, b, c, flushed, kept;
  };
  const Case kHalves[] = {
      {"v_dot2_f32_f16 v20, v0, v1, v2", 0, 0, 0x00000005, 0, 5},
      {"v_dot2_f32_f16 v20, v0, v1, v2", 0, 0, 0x80000005, 0, 0x80000005},
      {"v_dot2_f32_f16 v20, v0, v1, v2", 0x0001, 0x0400, 0, B(0x1p-38f), B(0x1p-38f)},
  };
  const Case kBf16[] = {
      {"v_dot2_f32_bf16 v20, v0, v1, v2", 0x0001, 0x4980, 0, 0, B(0x1p-133f * 0x1p20f)},
      {"v_dot2_f32_bf16 v20, v0, v1, v2", 0x0700, 0x3f80, 0, 0x07000000, 0x07000000},
      {"v_dot2_f32_bf16 v20, v0, v1, v2", 0x0080, 0x3f00, 0, 0, 0x00400000},
      {"v_dot2_f32_bf16 v20, v0, v1, v2", 0, 0, 0x80000005, 0, 0x80000005},
  };
  const auto check = [](const Case& c, const char* gfx) {
    const bool keeps = std::string(gfx) == "gfx1201";
    for (const uint32_t mode : {0x3f0u, 0x3c0u, 0x3ffu}) {  // whatever MODE says
      TestWave wave(BestHandlers(), gfx);
      wave->mode = mode & wave->mode_bits;
      std::fill_n(wave->v[0], kLanes, c.a);
      std::fill_n(wave->v[1], kLanes, c.b);
      std::fill_n(wave->v[2], kLanes, c.c);
      ASSERT_TRUE(wave.Execute(c.text).ok());
      EXPECT_EQ(wave->v[20][3], keeps ? c.kept : c.flushed) << c.text << " on " << gfx;
    }
  };
  for (const char* gfx : {"gfx942", "gfx950", "gfx1100", "gfx1201"}) {
    for (const Case& c : kHalves) check(c, gfx);
    if (std::string(gfx) == "gfx942") continue;
    for (const Case& c : kBf16) check(c, gfx);
  }
}

TEST(Specials, HalvesAndRounding) {
  EXPECT_EQ(Lane("v_div_fixup_f16 v20, v0, v1, v2", {0x4000, 0x3c00, 0xc000}), 0xaabbc000u);
  EXPECT_EQ(Lane("v_cvt_pkrtz_f16_f32 v20, v0, v1", {B(65521.0f), B(-1.0009f)}), 0xbc007bffu);
  EXPECT_EQ(Lane("v_cvt_pkrtz_f16_f32 v20, v0, v1", {B(INFINITY), B(1e-10f)}), 0x00007c00u);
  EXPECT_EQ(Lane("v_cvt_pknorm_i16_f32 v20, v0, v1", {B(-1), B(2)}), 0x7fff8001u);
  EXPECT_EQ(Lane("v_cvt_pknorm_u16_f32 v20, v0, v1", {B(-1), B(0.5f)}), 0x80000000u);
  EXPECT_EQ(Lane("v_cvt_rpi_i32_f32_e32 v20, v0", {B(std::nextafter(0.5f, 0.0f))}), 0u);
  EXPECT_EQ(Lane("v_cvt_rpi_i32_f32_e32 v20, v0", {B(-1.5f)}), ~0u);
  EXPECT_EQ(Lane("v_med3_f32 v20, v0, v1, v2", {B(3), B(-1), B(2)}), B(2));
  EXPECT_EQ(Lane("v_med3_f32 v20, v0, v1, v2", {B(3), 0x7fc00000, B(2)}), B(2));
  EXPECT_EQ(Lane("v_med3_f16 v20, v0, v1, v2", {0x4200, 0xbc00, 0x4000}), 0x4000u);
  EXPECT_EQ(Lane("v_dot2_f32_f16 v20, v0, v1, v2", {0x40003c00, 0x42004000, B(1)}), B(1 + 2 + 6));
  EXPECT_EQ(Lane("v_dot2c_f32_f16_e32 v20, v0, v1", {0, 0}), 0xaabbccddu);
  std::mt19937 random(5);
  for (int i = 0; i < 2000; ++i) {  // fused: one rounding, which long double shows
    const uint32_t a = random(), b = random(), c = random();
    const auto half = [](uint32_t x) {
      return static_cast<long double>(
          static_cast<float>(std::bit_cast<_Float16>(static_cast<uint16_t>(x))));
    };
    const auto expect = [&](uint32_t result, auto f) {
      for (int shift : {0, 16}) {
        const double expected =
            static_cast<double>(f(half(a >> shift), half(b >> shift), half(c >> shift)));
        if (std::isnan(expected)) continue;
        ASSERT_EQ(result >> shift & 0xffff, HalfBits(expected))
            << std::hex << a << " " << b << " " << c;
      }
    };
    expect(Lane("v_pk_fma_f16 v20, v0, v1, v2", {a, b, c}),
           [](auto x, auto y, auto z) { return x * y + z; });
    expect(Lane("v_pk_add_f16 v20, v0, v1", {a, b}), [](auto x, auto y, auto) { return x + y; });
    expect(Lane("v_pk_mul_f16 v20, v0, v1", {a, b}), [](auto x, auto y, auto) { return x * y; });
  }
  EXPECT_EQ(Lane("v_pk_min_f16 v20, v0, v1", {0x7e003c00, 0x40008000}), 0x40008000u);
  EXPECT_EQ(Lane("v_pk_max_f16 v20, v0, v1", {0x7e003c00, 0x40008000}), 0x40003c00u);
}

/// Rows of 16 (or 32) lanes: the odd ones of the first register change places with the even ones of
/// the second.
TEST(PermlaneSwap, ExchangesRows) {
  for (const int row : {16, 32}) {
    for (const char* suffix : {"", " bound_ctrl:1", " fi:1"}) {
      for (const uint64_t exec : {~uint64_t{0}, uint64_t{0x00ff0f0f3333ffff}}) {
        TestWave wave(BestHandlers(), "gfx950");
        for (uint32_t l = 0; l < kLanes; ++l) {
          wave->v[0][l] = 1000 + l;
          wave->v[1][l] = 2000 + l;
        }
        SetScalar64(*wave, kExecLo, exec);
        const std::string text = "v_permlane" + std::to_string(row) + "_swap_b32 v0, v1" + suffix;
        const absl::Status status = wave.Execute(text);
        ASSERT_TRUE(status.ok()) << status;
        const bool zero = suffix[0] != 0 && suffix[1] == 'b', fetch = suffix[0] != 0 && !zero;
        const auto expected = [&](uint32_t l, uint32_t own, uint32_t partner, uint32_t theirs) {
          if ((exec >> l & 1) == 0) return own;
          if ((exec >> partner & 1) != 0 || fetch) return theirs;
          return zero ? 0 : own;
        };
        for (uint32_t l = 0; l < kLanes; ++l) {
          const bool odd = l / static_cast<uint32_t>(row) % 2 == 1;
          const uint32_t up = l + static_cast<uint32_t>(row), down = l - static_cast<uint32_t>(row);
          EXPECT_EQ(wave->v[0][l], odd ? expected(l, 1000 + l, down, 2000 + down) : 1000 + l)
              << text << " lane " << l;
          EXPECT_EQ(wave->v[1][l], odd ? 2000 + l : expected(l, 2000 + l, up, 1000 + up))
              << text << " lane " << l;
        }
      }
    }
  }
}

/// A selector that all lanes share, of bytes alone or not; lanes that are off keep D, and D may be
/// a source.
TEST(Permute, OneSelectorOfAllLanes) {
  constexpr uint64_t kOn = 0xfffffffffffffff1;
  for (const char* gfx : {"gfx942", "gfx1201"}) {
    for (const uint64_t on : {~uint64_t{0}, kOn}) {
      for (const uint32_t select : {0x07060302u, 0x05040100u, 0x00010203u, 0x04070006u, 0x0c040d00u,
                                    0x08010a02u, 0x0b0905ffu}) {
        TestWave wave(BestHandlers(), gfx);
        SetScalar64(*wave, kExecLo, on);
        wave->s[2] = select;
        std::mt19937 random(select);
        uint32_t a[32], b[32];
        for (int l = 0; l < 32; ++l) {
          wave->v[0][l] = a[l] = static_cast<uint32_t>(random());
          wave->v[1][l] = b[l] = static_cast<uint32_t>(random());
        }
        ASSERT_TRUE(wave.Execute("v_perm_b32 v0, v0, v1, s2").ok());
        for (int l = 0; l < 32; ++l) {
          const uint64_t bytes = uint64_t{a[l]} << 32 | b[l];
          uint32_t expected = 0;
          for (int i = 0; i < 4; ++i) {
            const int s = static_cast<int>(select >> (8 * i) & 255);
            const uint64_t sign = bytes >> (16 * (s & 3) + 15) & 1;
            const uint64_t byte = s < 8     ? bytes >> (8 * s) & 255
                                  : s < 12  ? sign * 255
                                  : s == 12 ? 0
                                            : 255;
            expected |= static_cast<uint32_t>(byte) << (8 * i);
          }
          EXPECT_EQ(wave->v[0][l], (on >> l & 1) != 0 ? expected : a[l])
              << gfx << ", selector " << select << ", lane " << l;
        }
      }
    }
  }
}

/// D.u[i] = C.u[i] + sum over the bytes j of B that are not 0 of |A.b[i + j] - B.b[j]| (MI300 ISA,
/// V_MQSAD_U32_U8); lanes that are off keep D, and D may be C.
TEST(FourSums, OfMaskedDistances) {
  for (const SimTarget& target : kSimTargets) {
    TestWave wave(BestHandlers(), target.gfx);
    SetScalar64(*wave, kExecLo, 5);
    const uint64_t a = 0x10ff20ee30dd40cc, b = 0x9900ff01;
    for (int l = 0; l < 3; ++l) {
      wave->v[4][l] = static_cast<uint32_t>(a);
      wave->v[5][l] = static_cast<uint32_t>(a >> 32);
      wave->v[6][l] = static_cast<uint32_t>(b);
      for (int i = 0; i < 4; ++i) wave->v[8 + i][l] = static_cast<uint32_t>(1000 * i - l);
    }
    ASSERT_TRUE(wave.Execute("v_mqsad_u32_u8 v[8:11], v[4:5], v6, v[8:11]").ok()) << target.gfx;
    for (int l = 0; l < 3; ++l) {
      for (int i = 0; i < 4; ++i) {
        int sum = 1000 * i - l;
        for (int j = 0; j < 4; ++j) {
          const int x = static_cast<int>(a >> (8 * (i + j)) & 255);
          const int y = static_cast<int>(b >> (8 * j) & 255);
          if (y != 0 && l != 1) sum += std::abs(x - y);
        }
        EXPECT_EQ(wave->v[8 + i][l], static_cast<uint32_t>(sum)) << "lane " << l << ", sum " << i;
      }
    }
  }
}

TEST(Rejects, WhatIsNotUnderstood) {
  TestWave wave;
  for (const char* text : {
           "v_frobnicate_b32 v0, v1",                // no such instruction
           "v_add_u32_e32 v0, v1",                   // too few operands
           "v_add_u32_e32 v0, v1, v2, v3",           // too many
           "v_add_u32_e32 v0, v1.l, v2",             // a half of a register (gfx11)
           "v_add_u32_e32 v0, v1x, v2",              // not a register
           "v_add_u32_e32 v0, v256, v2",             // no such register
           "v_add_u32_e32 v[0:1], v1, v2",           // wrong width
           "v_add_u32_e32 s0, v1, v2",               // a vector result in a scalar register
           "v_add_f32_e64 v0, v1, v2 frobnicate",    // unknown modifier
           "v_add_f32_e64 v0, v1, v2 frobnicate:3",  // unknown modifier with a value
           "v_mul_lo_u32 v0, v1, v2 clamp",          // a modifier that the handler does not know
           "v_mov_b32_dpp v0, v1 row_frob:1 row_mask:0xf",  // unknown permutation
           ("v_add_u32_sdwa v0, v1, v2 dst_sel:NIBBLE_0 dst_unused:UNUSED_PAD src0_sel:DWORD "
            "src1_sel:DWORD"),
           "s_add_u32 s0, v1, s2",
           "s_add_u32 src_scc, s1, s2",
           "s_mov_b64 s0, s1",
           "s_getreg_b32 s0, hwreg(HW_REG_MODE, 30, 4)",
           "s_set_gpr_idx_on s0, gpr_idx(SRC7)",
           "@spread32 v0, v1",
       }) {
    EXPECT_FALSE(wave.Execute(text).ok()) << text;
  }
}

}  // namespace
}  // namespace gridwise::sim
