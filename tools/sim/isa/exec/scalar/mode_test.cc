// SPDX-License-Identifier: MIT
#include <bit>
#include <cfenv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tools/sim/isa/target.h"
#include "tools/sim/isa/testing/test_wave.h"

/// MODE's rounding and denormal fields, IEEE and DX10_CLAMP, on vector and scalar floats.

namespace gridwise::sim {
namespace {

uint32_t B(float x) { return std::bit_cast<uint32_t>(x); }
float F(uint32_t x) { return std::bit_cast<float>(x); }

/// Executes `text` with v0, v1, v2 = values in all lanes under `mode`; returns v20 of lane 3.
uint32_t Under(uint32_t mode, const std::string& text, const std::vector<uint32_t>& values,
               const char* gfx = "gfx942") {
  TestWave wave(BestHandlers(), gfx);
  wave->mode = mode;
  for (size_t i = 0; i < values.size(); ++i) {
    std::fill_n(wave->v[i], kLanes, values[i]);
    wave->s[i] = values[i];
  }
  std::fill_n(wave->v[20], kLanes, 0xaabbccdd);
  const absl::Status status = wave.Execute(text);
  EXPECT_TRUE(status.ok()) << status;
  return text.starts_with("s_") || text.starts_with("v_s_") ? wave->s[20] : wave->v[20][3];
}

constexpr uint32_t kUsual = 0x3f0;
constexpr uint32_t kDenormal = 0x00000003;  // as a float

TEST(Mode, RoundsFloats) {
  const int kHost[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
  std::mt19937 random(1);
  for (uint32_t r = 0; r < 4; ++r) {
    for (int i = 0; i < 200; ++i) {
      const float a = std::ldexp(static_cast<float>(static_cast<int32_t>(random())), -20);
      const float b = std::ldexp(static_cast<float>(static_cast<int32_t>(random())), -28);
      const float c = std::ldexp(static_cast<float>(static_cast<int32_t>(random())), -25);
      std::fesetround(kHost[r]);
      volatile float va = a, vb = b, vc = c;
      const uint32_t sum = B(va + vb), product = B(va * vb), fused = B(std::fma(va, vb, vc));
      std::fesetround(FE_TONEAREST);
      const std::vector<uint32_t> values = {B(a), B(b), B(c)};
      EXPECT_EQ(Under(kUsual | r, "v_add_f32_e32 v20, v0, v1", values), sum);
      EXPECT_EQ(Under(kUsual | r, "v_mul_f32_e32 v20, v0, v1", values), product);
      EXPECT_EQ(Under(kUsual | r, "v_fma_f32 v20, v0, v1, v2", values), fused);
      EXPECT_EQ(Under(0xf0 | r, "s_mul_f32 s20, s0, s1", values, "gfx1201"), product);
    }
  }
  // The host's own rounding is as it was.
  EXPECT_EQ(std::fegetround(), FE_TONEAREST);
  // The field of halves and doubles is another one, and what rounds by its definition ignores both.
  EXPECT_EQ(Under(kUsual | 1, "v_cvt_f16_f32_e32 v20, v0", {B(1.0001f)}), 0x3c00u);
  EXPECT_EQ(Under(kUsual | 1, "v_rndne_f32_e32 v20, v0", {B(2.25f)}), B(2));
  EXPECT_EQ(Under(kUsual | 3, "v_cvt_f32_u32_e32 v20, v0", {0xffffffff}), B(0x1.fffffep31f));
}

TEST(Mode, RoundsHalvesAndDoubles) {
  EXPECT_EQ(Under(kUsual | 0x4, "v_cvt_f16_f32_e32 v20, v0", {B(1.0001f)}), 0x3c01u);
  EXPECT_EQ(Under(kUsual | 0x8, "v_cvt_f16_f32_e32 v20, v0", {B(-1.0001f)}), 0xbc01u);
  EXPECT_EQ(Under(kUsual | 0xc, "v_cvt_f16_f32_e32 v20, v0", {B(70000)}), 0x7bffu);
  TestWave wave;
  wave->mode = kUsual | 0x4;
  const uint64_t third = std::bit_cast<uint64_t>(1.0 / 3);
  for (int l = 0; l < kLanes; ++l) {
    wave->v[0][l] = static_cast<uint32_t>(third);
    wave->v[1][l] = static_cast<uint32_t>(third >> 32);
  }
  ASSERT_TRUE(wave.Execute("v_mul_f64 v[20:21], v[0:1], v[0:1]").ok());
  volatile double x = std::bit_cast<double>(third);
  std::fesetround(FE_UPWARD);
  const uint64_t expected = std::bit_cast<uint64_t>(x * x);
  std::fesetround(FE_TONEAREST);
  EXPECT_EQ(wave->v[20][0], static_cast<uint32_t>(expected));
}

TEST(Mode, FlushesDenormals) {
  // Bit 4: denormals that are read are kept; bit 5: those that are written.
  const struct {
    uint32_t mode;
    uint32_t sum, product;  // denormal + denormal; 2^-100 * 2^-40
  } kCases[] = {{0x3f0, 2 * kDenormal, 1u << 9}, {0x3e0, 0, 1u << 9}, {0x3d0, 0, 0}, {0x3c0, 0, 0}};
  for (const auto& c : kCases) {
    EXPECT_EQ(Under(c.mode, "v_add_f32_e32 v20, v0, v0", {kDenormal}), c.sum) << c.mode;
    EXPECT_EQ(Under(c.mode, "v_mul_f32_e32 v20, v0, v1", {B(0x1p-100f), B(0x1p-40f)}), c.product);
    EXPECT_EQ(Under(c.mode, "v_mov_b32_e32 v20, v0", {kDenormal}), kDenormal);
    EXPECT_EQ(Under(c.mode, "v_add_f16_e32 v20, v0, v0", {3}), 6u);
  }
  EXPECT_EQ(Under(0x3d0, "v_max_f32_e32 v20, v0, v0", {0x80000001}), 0x80000000u);
  EXPECT_EQ(Under(0x330, "v_add_f16_e32 v20, v0, v0", {3}), 0u);
  EXPECT_EQ(Under(0x330, "v_pk_add_f16 v20, v0, v1", {0x3c000003, 0}), 0x3c000000u);
  EXPECT_EQ(Under(0xc0, "s_add_f32 s20, s0, s0", {kDenormal}, "gfx1201"), 0u);
  EXPECT_EQ(Under(0xf0, "s_add_f32 s20, s0, s0", {kDenormal}, "gfx1201"), 2 * kDenormal);
}

/// A number is its mantissa, from 1/2 to 1, times 2 to its exponent (V_FREXP_* of the CDNA3 and
/// RDNA3 ISA); so is a denormal, of which LLVM expects no other for frexp(), if MODE has it read.
TEST(Mode, TakesDenormalsApart) {
  for (const SimTarget& target : kSimTargets) {
    const char* const gfx = target.gfx;
    for (const uint32_t bits : {1u, 2u, 3u, 0x400001u, 0x80000001u, 0x807fffffu, 0x00800001u}) {
      const auto part = [&](uint32_t mode, const char* name) {
        return Under(mode, absl::StrCat(name, "_e32 v20, v0"), {bits}, gfx);
      };
      const float mantissa = F(part(kUsual, "v_frexp_mant_f32"));
      const auto exponent = static_cast<int>(part(kUsual, "v_frexp_exp_i32_f32"));
      EXPECT_TRUE(std::fabs(mantissa) >= 0.5f && std::fabs(mantissa) < 1) << bits;
      EXPECT_EQ(std::ldexp(double{mantissa}, exponent), double{F(bits)}) << bits;
      if ((bits & 0x7f800000) != 0) continue;
      EXPECT_EQ(part(0x3c0, "v_frexp_mant_f32"), bits & 0x80000000) << bits;
      EXPECT_EQ(part(0x3c0, "v_frexp_exp_i32_f32"), 0u) << bits;
    }
    // Halves have their own field in MODE.
    EXPECT_EQ(Under(kUsual, "v_frexp_exp_i16_f16_e32 v20, v0", {1}, gfx) & 0xffff, 0xffe9u) << gfx;
    EXPECT_EQ(Under(0x330, "v_frexp_exp_i16_f16_e32 v20, v0", {1}, gfx) & 0xffff, 0u) << gfx;
  }
}

/// Whether a result is a denormal is judged when it is rounded to all its bits.
TEST(Mode, FlushesWhatIsTinyThoughItBeRoundedUp) {
  EXPECT_EQ(Under(0x3f0, "v_mul_f32_e32 v20, v0, v1", {B(0x1.fffffep-64f), B(0x1.000002p-63f)}),
            0x00800000u);
  EXPECT_EQ(Under(0x3d0, "v_mul_f32_e32 v20, v0, v1", {B(0x1.fffffep-64f), B(0x1.000002p-63f)}),
            0x00800000u);
  // 2^-126 (1 - 2^-24) less a bit has 25 bits: of 24 it keeps those below 2^-126.
  EXPECT_EQ(Under(0x3f0, "v_mul_f32_e32 v20, v0, v1", {B(0x1.fffffep-64f), B(0x1p-63f)}),
            0x00800000u);
  EXPECT_EQ(Under(0x3d0, "v_mul_f32_e32 v20, v0, v1", {B(0x1.fffffep-64f), B(0x1p-63f)}), 0u);
  // gfx12's minima are not flushed again: the bit of what is read says what they are.
  for (const char* minimum : {"v_min_num_f32 v20, v0, v1", "s_min_num_f32 s20, s0, s1"}) {
    EXPECT_EQ(Under(0xd0, minimum, {kDenormal, B(1)}, "gfx1201"), kDenormal);
    EXPECT_EQ(Under(0xe0, minimum, {kDenormal, B(1)}, "gfx1201"), 0u);
  }
}

TEST(Mode, IeeeClampAndOutputModifiers) {
  const uint32_t signaling = 0x7f800001;
  EXPECT_TRUE(std::isnan(F(Under(0x3f0, "v_max_f32_e32 v20, v0, v1", {signaling, B(2)}))));
  EXPECT_EQ(Under(0x1f0, "v_max_f32_e32 v20, v0, v1", {signaling, B(2)}), B(2));
  EXPECT_EQ(Under(0x3f0, "v_add_f32_e64 v20, v0, v1 clamp", {0x7fc00000, B(2)}), 0u);
  EXPECT_TRUE(std::isnan(F(Under(0x2f0, "v_add_f32_e64 v20, v0, v1 clamp", {0x7fc00000, B(2)}))));
  EXPECT_EQ(Under(0x3f0, "v_add_f32_e64 v20, v0, v1 mul:4", {B(1), B(2)}), B(3));
  EXPECT_EQ(Under(0x1d0, "v_add_f32_e64 v20, v0, v1 mul:4", {B(1), B(2)}), B(12));
  EXPECT_EQ(Under(0x1d0, "v_add_f32_e64 v20, v0, v1 div:2", {B(1), B(-2)}), B(-0.5f));
  // Zeros lose their sign before, what becomes a denormal keeps it; gfx12 scales in any MODE.
  EXPECT_EQ(Under(0x1d0, "v_mul_f32_e64 v20, v0, v1 mul:4", {B(-0.0f), B(1)}), 0u);
  EXPECT_EQ(Under(0x1d0, "v_mul_f32_e64 v20, v0, v1 div:2", {B(-0x1p-126f), B(1)}), 0x80000000u);
  EXPECT_EQ(Under(0x1d0, "v_mul_f32_e64 v20, v0, v1 mul:2", {B(0x1p127f), B(-1)}), B(-INFINITY));
  EXPECT_EQ(Under(0x1d3, "v_mul_f32_e64 v20, v0, v1 mul:2", {B(0x1p127f), B(-1)}),
            B(-std::numeric_limits<float>::max()));
  EXPECT_EQ(Under(0xf0, "v_add_f32_e64 v20, v0, v1 mul:4", {B(1), B(2)}, "gfx1201"), B(12));
  EXPECT_EQ(Under(0xf0, "v_mul_f32_e64 v20, v0, v1 mul:2", {kDenormal, B(-1)}, "gfx1201"), 0u);
  EXPECT_EQ(Under(0x1f0, "v_add_f32_e64 v20, v0, v1 div:2", {B(1), B(-2)}), B(-1));
}

// Two floats of registers side by side: 3 and a NaN, which is 0 if DX10_CLAMP (0x100) is set.
TEST(Mode, ClampOfPackedFloats) {
  const auto clamped = [](uint32_t mode) {
    TestWave wave(BestHandlers(), "gfx942");
    wave->mode = mode;
    const uint32_t values[] = {B(1), 0x7fc00000, B(2), B(-4)};
    for (int i = 0; i < 4; ++i) std::fill_n(wave->v[i], kLanes, values[i]);
    SetScalar64(*wave, kExecLo, ~uint64_t{2});  // without lane 1
    std::fill_n(wave->v[20], kLanes, 7);
    const absl::Status status = wave.Execute("v_pk_add_f32 v[20:21], v[0:1], v[2:3] clamp");
    EXPECT_TRUE(status.ok()) << status;
    EXPECT_EQ(wave->v[20][1], 7u);
    return std::pair(F(wave->v[20][3]), F(wave->v[21][3]));
  };
  for (const uint32_t mode : {kUsual, 0x100u, 0x3f3u}) {
    EXPECT_EQ(clamped(mode), std::pair(1.0f, 0.0f)) << mode;
  }
  EXPECT_EQ(clamped(0x000).first, 1.0f);
  EXPECT_TRUE(std::isnan(clamped(0x000).second));
}

// Halves and doubles have their own field of denormals: 0x100 is DX10_CLAMP alone, with both fields
// 0, under which IEEE is clear and everything is flushed.
TEST(Mode, ClampAndOutputModifiersOfHalvesAndDoubles) {
  constexpr uint32_t kNan = 0x7e00, kOne = 0x3c00, kTwo = 0x4000, kThree = 0x4200;
  EXPECT_EQ(Under(0x100, "v_add_f16_e64 v20, v0, v1 clamp", {kOne, kTwo}) & 0xffff, kOne);
  EXPECT_EQ(Under(0x100, "v_add_f16_e64 v20, v0, v1 clamp", {kNan, kTwo}) & 0xffff, 0u);
  EXPECT_EQ(Under(0x000, "v_add_f16_e64 v20, v0, v1 clamp", {kNan, kTwo}) & 0x7c00, 0x7c00u);
  EXPECT_EQ(Under(0x100, "v_pk_add_f16 v20, v0, v1 clamp", {kOne | kNan << 16, kTwo | kTwo << 16}),
            kOne);
  EXPECT_EQ(Under(0x100, "v_add_f16_e64 v20, v0, v1 mul:4", {kOne, kTwo}) & 0xffff, 0x4a00u);  // 12
  EXPECT_EQ(Under(0x100, "v_add_f16_e64 v20, v0, v1 div:2", {kOne, kTwo}) & 0xffff,
            0x3e00u);  // 1.5
  EXPECT_EQ(Under(0x3f0, "v_add_f16_e64 v20, v0, v1 mul:4", {kOne, kTwo}) & 0xffff, kThree);
  const auto doubles = [](uint32_t mode, const std::string& modifiers, double a, double b) {
    TestWave wave;
    wave->mode = mode;
    const double values[] = {a, b};
    for (int i = 0; i < 2; ++i) {
      const auto bits = std::bit_cast<uint64_t>(values[i]);
      std::fill_n(wave->v[2 * i], kLanes, static_cast<uint32_t>(bits));
      std::fill_n(wave->v[2 * i + 1], kLanes, static_cast<uint32_t>(bits >> 32));
    }
    const absl::Status status = wave.Execute("v_add_f64 v[20:21], v[0:1], v[2:3]" + modifiers);
    EXPECT_TRUE(status.ok()) << status;
    return std::bit_cast<double>(wave->v[20][3] | uint64_t{wave->v[21][3]} << 32);
  };
  for (const uint32_t mode : {kUsual, 0x100u}) {
    EXPECT_EQ(doubles(mode, " clamp", 1, 2), 1);
    EXPECT_EQ(doubles(mode, " clamp", 1, -2), 0);
    EXPECT_EQ(doubles(mode, " clamp", 0.25, 0.5), 0.75);
    EXPECT_EQ(doubles(mode, " clamp", NAN, 2), 0);
  }
  EXPECT_TRUE(std::isnan(doubles(0x000, " clamp", NAN, 2)));
  EXPECT_EQ(doubles(0x100, " mul:4", 1, 2), 12);
  EXPECT_EQ(doubles(0x100, " div:2", 1, 2), 1.5);
  EXPECT_EQ(doubles(kUsual, " mul:4", 1, 2), 3) << "ignored: IEEE is set";
}

/// MODE.FP16_OVFL: what is too large for a half is the largest one, unless a source is infinite.
TEST(Mode, LimitsHalves) {
  constexpr uint32_t kLimits = kUsual | 1u << 23;
  const struct {
    const char* text;
    std::vector<uint32_t> values;
    uint32_t limited, usual;
    const char* gfx = "gfx942";
  } kCases[] = {
      {"v_cvt_f16_f32_e32 v20, v0", {B(1e6f)}, 0x7bff, 0x7c00},
      {"v_cvt_f16_f32_e32 v20, v0", {B(-1e6f)}, 0xfbff, 0xfc00},
      {"v_cvt_f16_f32_e32 v20, v0", {B(INFINITY)}, 0x7c00, 0x7c00},
      {"v_cvt_f16_f32_e32 v20, v0", {B(65519)}, 0x7bff, 0x7bff},
      {"v_cvt_f16_u16_e32 v20, v0", {65535}, 0x7bff, 0x7c00},
      {"v_add_f16_e32 v20, v0, v1", {0x7bff, 0x7bff}, 0x7bff, 0x7c00},
      {"v_add_f16_e32 v20, v0, v1", {0x7bff, 0x7c00}, 0x7c00, 0x7c00},
      {"v_mul_f16_e32 v20, v0, v1", {0x7bff, 0xfbff}, 0xfbff, 0xfc00},
      {"v_fma_f16 v20, v0, v1, v2", {0x7bff, 0x4000, 0}, 0xaabb7bff, 0xaabb7c00},
      {"v_fma_f16 v20, v0, v1, v2", {0x7bff, 0x4000, 0x7c00}, 0xaabb7c00, 0xaabb7c00},
      {"v_ldexp_f16_e32 v20, v0, v1", {0x3c00, 20}, 0x7bff, 0x7c00},
      {"v_rcp_f16_e32 v20, v0", {0x8000}, 0xfbff, 0xfc00},
      {"v_log_f16_e32 v20, v0", {0}, 0xfbff, 0xfc00},
      {"v_exp_f16_e32 v20, v0", {0x4d00}, 0x7bff, 0x7c00},
      {"v_pk_mul_f16 v20, v0, v1", {0x7bff7c00, 0x40004000}, 0x7bff7c00, 0x7c007c00},
      {"v_pk_add_f16 v20, v0, v1", {0xfbff3c00, 0xfbff3c00}, 0xfbff4000, 0xfc004000},
      {"v_pk_fma_f16 v20, v0, v1, v2",
       {0x7bff7bff, 0x40004000, 0x7c000000},
       0x7c007bff,
       0x7c007c00},
      {"v_fma_mixlo_f16 v20, v0, v1, v2", {B(1e6f), B(1), B(0)}, 0xaabb7bff, 0xaabb7c00},
      {"v_fma_mixhi_f16 v20, v0, v1, v2", {B(INFINITY), B(1), B(0)}, 0x7c00ccdd, 0x7c00ccdd},
      {"v_max_f16_e32 v20, v0, v1", {0x7c00, 0x3c00}, 0x7c00, 0x7c00},
      {"v_cvt_pk_f16_f32 v20, v0, v1", {B(INFINITY), B(1e6f)}, 0x7bff7c00, 0x7c007c00, "gfx950"},
      {"v_cvt_pk_f16_f32 v20, v0, v1", {B(1e6f), B(INFINITY)}, 0x7c007bff, 0x7c007c00, "gfx950"},
      {"v_cvt_sr_f16_f32 v20, v0, v1", {B(1e6f), 0}, 0xaabb7bff, 0xaabb7c00, "gfx950"},
      {"v_dot2_f16_f16 v20, v0, v1, v2",
       {0x7bff7bff, 0x3c003c00, 0},
       0xaabb7bff,
       0xaabb7c00,
       "gfx1100"},
      {"v_dot2_f16_f16 v20, v0, v1, v2",
       {0x7c003c00, 0x3c003c00, 0},
       0xaabb7c00,
       0xaabb7c00,
       "gfx1201"},
      {"s_add_f16 s20, s0, s1", {0x7bff, 0x7bff}, 0x7bff, 0x7c00, "gfx1201"},
      {"s_add_f16 s20, s0, s1", {0xfc00, 0x7bff}, 0xfc00, 0xfc00, "gfx1201"},
      {"s_cvt_f16_f32 s20, s0", {B(-1e6f)}, 0xfbff, 0xfc00, "gfx1201"},
      {"v_s_rcp_f16 s20, s0", {0}, 0x7bff, 0x7c00, "gfx1201"},
      // Floats are not halves.
      {"v_add_f32_e32 v20, v0, v1", {B(0x1p127f), B(0x1p127f)}, B(INFINITY), B(INFINITY)},
  };
  for (const auto& c : kCases) {
    const uint32_t kept =
        std::string(c.gfx).starts_with("gfx1") && c.limited < 0x10000 ? 0xffff : ~0u;
    EXPECT_EQ(Under(kLimits, c.text, c.values, c.gfx) & kept, c.limited) << c.text;
    EXPECT_EQ(Under(kUsual, c.text, c.values, c.gfx) & kept, c.usual) << c.text;
  }
}

/// A kernel's descriptor or s_setreg may set it: the code is bound again.
TEST(Mode, LimitsHalvesFromTheMiddleOn) {
  TestWave wave;
  std::fill_n(wave->v[0], kLanes, 0x7bffu);
  ASSERT_TRUE(wave.ExecuteAll({"v_add_f16_e32 v1, v0, v0",
                               "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 23, 1), 1",
                               "v_add_f16_e32 v2, v0, v0",
                               "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 23, 1), 0",
                               "v_add_f16_e32 v3, v0, v0"})
                  .ok());
  EXPECT_EQ(wave->v[1][0], 0x7c00u);
  EXPECT_EQ(wave->v[2][0], 0x7bffu);
  EXPECT_EQ(wave->v[3][0], 0x7c00u);
}

/// Functions of floats know no denormals and round to nearest whatever MODE says.
TEST(Mode, FunctionsOfFloatsKnowNoDenormals) {
  const struct {
    const char* name;
    uint32_t argument, result;
  } kCases[] = {{"exp", B(-140), 0},
                {"exp", B(-126), 0x00800000},
                {"exp", B(1e-40f), B(1)},
                {"log", B(1e-40f), B(-INFINITY)},
                {"log", B(-1e-40f), B(-INFINITY)},
                {"rcp", B(0x1p127f), 0},
                {"rcp", B(-0x1p127f), 0x80000000},
                {"rcp", B(0x1p126f), 0x00800000},
                {"rcp", B(-1e-40f), B(-INFINITY)},
                {"rsq", B(1e-40f), B(INFINITY)},
                {"sqrt", B(1e-40f), 0},
                {"sqrt", 0x80000001, 0x80000000}};
  for (const SimTarget& target : kSimTargets) {
    const char* const gfx = target.gfx;
    for (const uint32_t mode : {0x3f0u, 0x3c0u, 0x3fdu}) {
      for (const auto& c : kCases) {
        const std::string name = absl::StrCat(c.name, "_f32");
        EXPECT_EQ(Under(mode, absl::StrCat("v_", name, "_e32 v20, v0"), {c.argument}, gfx),
                  c.result)
            << name << " " << F(c.argument) << " on " << gfx;
        if (std::string(gfx) != "gfx1201") continue;
        EXPECT_EQ(Under(mode, absl::StrCat("v_s_", name, " s20, s0"), {c.argument}, gfx), c.result)
            << name;
      }
      EXPECT_EQ(Under(mode, "v_rcp_f32_e32 v20, v0", {B(3)}, gfx), B(1.0f / 3));
    }
    // Those of halves have denormals, if MODE has.
    EXPECT_EQ(Under(kUsual, "v_exp_f16_e32 v20, v0", {0xcc00}, gfx) & 0xffff, 0x0100u);
    EXPECT_EQ(Under(0x370, "v_exp_f16_e32 v20, v0", {0xcc00}, gfx) & 0xffff, 0u);
  }
}

TEST(Mode, ChangesInTheMiddle) {
  // What clang emits around the inner part of a division where denormals are flushed otherwise.
  for (const char* gfx : {"gfx942", "gfx1100", "gfx1201"}) {
    TestWave wave(BestHandlers(), gfx);
    wave->mode = (wave->mode & ~0x30u) | 0x00;
    std::fill_n(wave->v[0], kLanes, kDenormal);
    const bool gfx9 = std::string(gfx) == "gfx942";
    const absl::Status status = wave.ExecuteAll(
        {"v_add_f32_e32 v1, v0, v0",
         gfx9 ? "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 2), 3" : "s_denorm_mode 15",
         "v_add_f32_e32 v2, v0, v0",
         gfx9 ? "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 2), 0" : "s_denorm_mode 12",
         "v_add_f32_e32 v3, v0, v0", gfx9 ? "s_nop 0" : "s_round_mode 0x1",
         "v_add_f32_e32 v4, 1.0, v0"});
    ASSERT_TRUE(status.ok()) << status;
    EXPECT_EQ(wave->v[1][0], 0u);
    EXPECT_EQ(wave->v[2][0], 2 * kDenormal);
    EXPECT_EQ(wave->v[3][0], 0u);
    EXPECT_EQ(wave->v[4][0], B(1));  // the denormal is gone before the sum is rounded up
  }
}

}  // namespace
}  // namespace gridwise::sim
