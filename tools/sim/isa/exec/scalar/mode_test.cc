#include <bit>
#include <cfenv>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tools/sim/isa/testing/test_wave.h"

/// MODE's rounding and denormal fields, IEEE and DX10_CLAMP, on vector and scalar floats.

namespace gridwise::sim {
namespace {

uint32_t B(float x) { return std::bit_cast<uint32_t>(x); }
float F(uint32_t x) { return std::bit_cast<float>(x); }

/// Executes `text` with v0, v1, v2 = values in all lanes under `mode`; returns v20 of lane 3.
uint32_t Under(uint32_t mode, const std::string& text, const std::vector<uint32_t>& values,
               const char* gfx = "gfx942") {
  TestWave wave(Handlers::Best(), gfx);
  wave->mode = mode;
  for (size_t i = 0; i < values.size(); ++i) {
    std::fill_n(wave->v[i], kLanes, values[i]);
    wave->s[i] = values[i];
  }
  std::fill_n(wave->v[20], kLanes, 0xaabbccdd);
  const absl::Status status = wave.Execute(text);
  EXPECT_TRUE(status.ok()) << status;
  return text.starts_with("s_") ? wave->s[20] : wave->v[20][3];
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

TEST(Mode, IeeeClampAndOutputModifiers) {
  const uint32_t signaling = 0x7f800001;
  EXPECT_TRUE(std::isnan(F(Under(0x3f0, "v_max_f32_e32 v20, v0, v1", {signaling, B(2)}))));
  EXPECT_EQ(Under(0x1f0, "v_max_f32_e32 v20, v0, v1", {signaling, B(2)}), B(2));
  EXPECT_EQ(Under(0x3f0, "v_add_f32_e64 v20, v0, v1 clamp", {0x7fc00000, B(2)}), 0u);
  EXPECT_TRUE(std::isnan(F(Under(0x2f0, "v_add_f32_e64 v20, v0, v1 clamp", {0x7fc00000, B(2)}))));
  EXPECT_EQ(Under(0x3f0, "v_add_f32_e64 v20, v0, v1 mul:4", {B(1), B(2)}), B(3));
  EXPECT_EQ(Under(0x1d0, "v_add_f32_e64 v20, v0, v1 mul:4", {B(1), B(2)}), B(12));
  EXPECT_EQ(Under(0x1d0, "v_add_f32_e64 v20, v0, v1 div:2", {B(1), B(-2)}), B(-0.5f));
  EXPECT_EQ(Under(0x1f0, "v_add_f32_e64 v20, v0, v1 div:2", {B(1), B(-2)}), B(-1));
}

TEST(Mode, ChangesInTheMiddle) {
  // What clang emits around the inner part of a division where denormals are flushed otherwise.
  for (const char* gfx : {"gfx942", "gfx1100", "gfx1201"}) {
    TestWave wave(Handlers::Best(), gfx);
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
