// SPDX-License-Identifier: MIT
#include "tools/sim/isa/exec/float.h"

#include "tools/sim/isa/exec/lanes.h"
#include "tools/sim/isa/exec/min_max.h"
#include "tools/sim/isa/exec/rounding.h"

namespace gridwise::sim {
inline namespace GRIDWISE_SIM_LEVEL {
namespace {

// Functions that hardware approximates within 1 ulp are rounded correctly here, or as the host's
// library does it. Those of floats know no denormals, neither read nor written, and round to
// nearest whatever MODE says: LLVM scales around them where denormals are wanted (lowering of
// FDIV, FSQRT, FLOG2, FEXP2 in SIISelLowering), and rocm-systems' rocjitsu has it measured on a
// gfx1201 (transcendental.h). Those of halves obey MODE's denormals, not its rounding.
constexpr uint32_t kFloatFunction = kRoundsItself | kOwnDenormals;

GRIDWISE_SIM_INLINE f32 Sqrt(f32 x) { return __builtin_sqrtf(x); }
GRIDWISE_SIM_INLINE f64 Sqrt(f64 x) { return __builtin_sqrt(x); }
GRIDWISE_SIM_INLINE f32 RsqrtF32(f32 x) {
  return static_cast<f32>(1.0 / __builtin_sqrt(static_cast<f64>(x)));
}
GRIDWISE_SIM_INLINE f16 Half(f32 x) { return static_cast<f16>(x); }
GRIDWISE_SIM_INLINE f32 Float(f16 x) { return static_cast<f32>(x); }
GRIDWISE_SIM_INLINE f64 Double(f16 x) { return static_cast<f64>(static_cast<f32>(x)); }

/// sin(2 pi x), of the fraction of x, so that large arguments do not lose the period.
GRIDWISE_SIM_INLINE f64 SinTurns(f64 x) {
  return __builtin_sin((x - __builtin_floor(x)) * 6.283185307179586);
}
GRIDWISE_SIM_INLINE f64 CosTurns(f64 x) {
  return __builtin_cos((x - __builtin_floor(x)) * 6.283185307179586);
}

/// x - floor(x), below 1 (MI300 ISA, V_FRACT).
GRIDWISE_SIM_INLINE f32 Fract(f32 x) {
  const f32 r = x - __builtin_floorf(x);
  return r > 0x1.fffffep-1f ? 0x1.fffffep-1f : r;
}
GRIDWISE_SIM_INLINE f64 Fract(f64 x) {
  const f64 r = x - __builtin_floor(x);
  return r > 0x1.fffffffffffffp-1 ? 0x1.fffffffffffffp-1 : r;
}

/// Exponent and mantissa in [0.5, 1) of a number; of zero, infinity and NaN: 0, and itself.
GRIDWISE_SIM_INLINE bool HasExponent(f64 x) { return x != 0 && Exponent(x) != 0x7ff; }
GRIDWISE_SIM_INLINE f64 Normal(f64 x) { return Exponent(x) == 0 ? x * 0x1p54 : x; }
GRIDWISE_SIM_INLINE i32 FrexpExponent(f64 x) {
  const i32 exponent = Exponent(Normal(x)) - (Exponent(x) == 0 ? 1022 + 54 : 1022);
  return HasExponent(x) ? exponent : 0;
}
GRIDWISE_SIM_INLINE f64 FrexpMantissa(f64 x) {
  const u64 bits = (Bits<u64>(Normal(x)) & 0x800fffffffffffff) | u64{1022} << 52;
  return HasExponent(x) ? Bits<f64>(bits) : x;
}

/// The first 1201 bits of 2/pi after the binary point, as V_TRIG_PREOP_F64 has them.
constexpr u64 kTwoOverPi[] = {
    0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041, 0xfe5163abdebbc561,
    0xb7246e3a424dd2e0, 0x06492eea09d1921c, 0xfe1deb1cb129a73e, 0xe88235f52ebb4484,
    0xe99c7026b45f7e41, 0x3991d639835339f4, 0x9c845f8bbdf9283b, 0x1ff897ffde05980f,
    0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7, 0x4f463f669e5fea2d, 0x7527bac7ebe5f17b,
    0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08, 0x56033046fc7b0000,
};
constexpr int kTwoOverPiWords = sizeof(kTwoOverPi) / sizeof(kTwoOverPi[0]);

/// 53 bits of 2/pi, from a place that grows with the segment and with the exponent of `x`, so that
/// their product with x is what of x / (pi / 2) a reduction needs (MI300 ISA, V_TRIG_PREOP_F64).
GRIDWISE_SIM_INLINE f64 TrigPreop(f64 x, u32 segment) {
  const int exponent = Exponent(x);
  const int place = static_cast<int>(segment & 31) * 53 + (exponent > 1077 ? exponent - 1077 : 0);
  const int word = place / 64, bit = place % 64;
  const u64 high = word < kTwoOverPiWords ? kTwoOverPi[word] : 0;
  const u64 low = word + 1 < kTwoOverPiWords ? kTwoOverPi[word + 1] : 0;
  const u64 bits = (high << bit | (low >> 1) >> (63 - bit)) >> 11;
  return Scale(static_cast<f64>(bits), (exponent >= 1968 ? 128 : 0) - 53 - place);
}

/// The product is rounded before the sum is (gfx9's MAD, which v_fma_f16 is not).
GRIDWISE_SIM_INLINE f16 Mad(f16 a, f16 b, f16 c) {
  const f16 product = Half(Float(a) * Float(b));
  return Half(Float(product) + Float(c));
}

}  // namespace

BindingTable ValuF32Table() {
  static constexpr Binding kTable[] = {
      Valu("v_add_f32", [](f32 a, f32 b) { return a + b; }),
      Valu("v_sub_f32", [](f32 a, f32 b) { return a - b; }),
      Valu("v_subrev_f32", [](f32 a, f32 b) { return b - a; }),
      Valu("v_mul_f32", [](f32 a, f32 b) { return a * b; }),
      Valu("v_mul_legacy_f32", [](f32 a, f32 b) { return a == 0 || b == 0 ? 0.0f : a * b; }),
      Valu("v_fma_f32", [](f32 a, f32 b, f32 c) { return Fma(a, b, c); }),
      Valu(
          "v_fmac_f32", [](f32 a, f32 b, f32 d) { return Fma(a, b, d); }, kAccumulates),
      Valu("v_fmamk_f32", [](f32 a, f32 k, f32 b) { return Fma(a, k, b); }),
      Valu("v_fmaak_f32", [](f32 a, f32 b, f32 k) { return Fma(a, b, k); }),
      Valu("v_mad_f32", [](f32 a, f32 b, f32 c) { return a * b + c; }),
      Valu(
          "v_mac_f32", [](f32 a, f32 b, f32 d) { return a * b + d; }, kAccumulates),
      Valu("v_madak_f32", [](f32 a, f32 b, f32 k) { return a * b + k; }),
      Valu("v_madmk_f32", [](f32 a, f32 k, f32 b) { return a * k + b; }),
      Valu("v_mad_legacy_f32",
           [](f32 a, f32 b, f32 c) { return (a == 0 || b == 0 ? 0.0f : a * b) + c; }),
      Valu("v_min_f32", [](f32 a, f32 b) { return Minimum(a, b); }),
      Valu("v_max_f32", [](f32 a, f32 b) { return Maximum(a, b); }),
      Valu("v_min3_f32", [](f32 a, f32 b, f32 c) { return Minimum(Minimum(a, b), c); }),
      Valu("v_max3_f32", [](f32 a, f32 b, f32 c) { return Maximum(Maximum(a, b), c); }),
      Valu("v_med3_f32", [](f32 a, f32 b, f32 c) { return Median(a, b, c); }),
      Valu("v_floor_f32", [](f32 a) { return __builtin_floorf(a); }),
      Valu("v_ceil_f32", [](f32 a) { return __builtin_ceilf(a); }),
      Valu("v_trunc_f32", [](f32 a) { return __builtin_truncf(a); }),
      Valu(
          "v_rndne_f32", [](f32 a) { return __builtin_nearbyintf(a); }, kRoundsItself),
      Valu("v_fract_f32", [](f32 a) { return Fract(a); }),
      Valu(
          "v_sqrt_f32", [](f32 a) { return Sqrt(Flush(a)); }, kFloatFunction),
      Valu(
          "v_rcp_f32", [](f32 a) { return Flush(1.0f / Flush(a)); }, kFloatFunction),
      Valu(
          "v_rcp_iflag_f32", [](f32 a) { return Flush(1.0f / Flush(a)); }, kFloatFunction),
      Valu(
          "v_rsq_f32", [](f32 a) { return RsqrtF32(Flush(a)); }, kFloatFunction),
      Valu(
          "v_exp_f32", [](f32 a) { return Flush(exp2f(Flush(a))); }, kFloatFunction),
      Valu(
          "v_log_f32", [](f32 a) { return log2f(Flush(a)); }, kFloatFunction),
      Valu(
          "v_sin_f32", [](f32 a) { return static_cast<f32>(SinTurns(a)); }, kRoundsItself),
      Valu(
          "v_cos_f32", [](f32 a) { return static_cast<f32>(CosTurns(a)); }, kRoundsItself),
      Valu("v_ldexp_f32", [](f32 a, i32 b) { return Scale(a, b); }),
      Valu("v_frexp_exp_i32_f32", [](f32 a) { return FrexpExponent(a); }),
      Valu("v_frexp_mant_f32", [](f32 a) { return static_cast<f32>(FrexpMantissa(a)); }),
      Valu(
          "v_fma_mix_f32", [](f32 a, f32 b, f32 c) { return Fma(a, b, c); }, kMixed),
      Valu(
          "v_fma_mixlo_f16", [](f32 a, f32 b, f32 c) { return Half(Fma(a, b, c)); },
          kMixed | kKeepsOther),
      Valu(
          "v_fma_mixhi_f16", [](f32 a, f32 b, f32 c) { return Half(Fma(a, b, c)); },
          kMixed | kKeepsOther | kHighHalf),
  };
  return {kTable, sizeof(kTable) / sizeof(kTable[0])};
}

BindingTable ValuF16Table() {
  // Sums, products, quotients and roots of halves may be rounded by way of a float: it has more
  // than twice the bits.
  static constexpr Binding kTable[] = {
      Valu("v_add_f16", [](f16 a, f16 b) { return Half(Float(a) + Float(b)); }),
      Valu("v_sub_f16", [](f16 a, f16 b) { return Half(Float(a) - Float(b)); }),
      Valu("v_subrev_f16", [](f16 a, f16 b) { return Half(Float(b) - Float(a)); }),
      Valu("v_mul_f16", [](f16 a, f16 b) { return Half(Float(a) * Float(b)); }),
      Valu(
          "v_fma_f16", [](f16 a, f16 b, f16 c) { return Fma(a, b, c); }, kKeepsOther),
      Valu("v_fma_legacy_f16", [](f16 a, f16 b, f16 c) { return Fma(a, b, c); }),
      Valu(
          "v_fmac_f16", [](f16 a, f16 b, f16 d) { return Fma(a, b, d); }, kAccumulates),
      Valu(
          "v_mad_f16", [](f16 a, f16 b, f16 c) { return Mad(a, b, c); }, kKeepsOther),
      Valu("v_mad_legacy_f16", [](f16 a, f16 b, f16 c) { return Mad(a, b, c); }),
      Valu(
          "v_mac_f16", [](f16 a, f16 b, f16 d) { return Mad(a, b, d); }, kAccumulates),
      Valu("v_madak_f16", [](f16 a, f16 b, f16 k) { return Mad(a, b, k); }),
      Valu("v_madmk_f16", [](f16 a, f16 k, f16 b) { return Mad(a, k, b); }),
      Valu("v_min_f16", [](f16 a, f16 b) { return Minimum(a, b); }),
      Valu("v_max_f16", [](f16 a, f16 b) { return Maximum(a, b); }),
      Valu("v_min3_f16", [](f16 a, f16 b, f16 c) { return Minimum(Minimum(a, b), c); }),
      Valu("v_max3_f16", [](f16 a, f16 b, f16 c) { return Maximum(Maximum(a, b), c); }),
      Valu("v_med3_f16", [](f16 a, f16 b, f16 c) { return Median(a, b, c); }),
      Valu("v_floor_f16", [](f16 a) { return Half(__builtin_floorf(Float(a))); }),
      Valu("v_ceil_f16", [](f16 a) { return Half(__builtin_ceilf(Float(a))); }),
      Valu("v_trunc_f16", [](f16 a) { return Half(__builtin_truncf(Float(a))); }),
      Valu(
          "v_rndne_f16", [](f16 a) { return Half(__builtin_nearbyintf(Float(a))); }, kRoundsItself),
      Valu(
          "v_sqrt_f16", [](f16 a) { return Half(Sqrt(Float(a))); }, kRoundsItself),
      Valu(
          "v_rcp_f16", [](f16 a) { return Half(1.0f / Float(a)); }, kRoundsItself),
      Valu(
          "v_rsq_f16", [](f16 a) { return ToHalf(1.0 / __builtin_sqrt(Double(a))); },
          kRoundsItself),
      Valu(
          "v_exp_f16", [](f16 a) { return Half(exp2f(Float(a))); }, kRoundsItself),
      Valu(
          "v_log_f16", [](f16 a) { return Half(log2f(Float(a))); }, kRoundsItself),
      Valu("v_ldexp_f16", [](f16 a, i16 b) { return Scale(a, b); }),
      Valu("v_frexp_exp_i16_f16", [](f16 a) { return static_cast<i16>(FrexpExponent(Double(a))); }),
      Valu("v_frexp_mant_f16",
           [](f16 a) { return Half(static_cast<f32>(FrexpMantissa(Double(a)))); }),
  };
  return {kTable, sizeof(kTable) / sizeof(kTable[0])};
}

BindingTable ValuF64Table() {
  static constexpr Binding kTable[] = {
      Valu("v_add_f64", [](f64 a, f64 b) { return a + b; }),
      Valu("v_mul_f64", [](f64 a, f64 b) { return a * b; }),
      Valu("v_fma_f64", [](f64 a, f64 b, f64 c) { return Fma(a, b, c); }),
      Valu(
          "v_fmac_f64", [](f64 a, f64 b, f64 d) { return Fma(a, b, d); }, kAccumulates),
      Valu("v_min_f64", [](f64 a, f64 b) { return Minimum(a, b); }),
      Valu("v_max_f64", [](f64 a, f64 b) { return Maximum(a, b); }),
      Valu("v_floor_f64", [](f64 a) { return __builtin_floor(a); }),
      Valu("v_ceil_f64", [](f64 a) { return __builtin_ceil(a); }),
      Valu("v_trunc_f64", [](f64 a) { return __builtin_trunc(a); }),
      Valu(
          "v_rndne_f64", [](f64 a) { return __builtin_nearbyint(a); }, kRoundsItself),
      Valu("v_fract_f64", [](f64 a) { return Fract(a); }),
      Valu("v_sqrt_f64", [](f64 a) { return Sqrt(a); }),
      Valu("v_rcp_f64", [](f64 a) { return 1.0 / a; }),
      Valu("v_rsq_f64", [](f64 a) { return 1.0 / Sqrt(a); }),
      Valu("v_ldexp_f64", [](f64 a, i32 b) { return Scale(a, b); }),
      Valu("v_trig_preop_f64", [](f64 a, u32 b) { return TrigPreop(a, b); }),
      Valu("v_frexp_exp_i32_f64", [](f64 a) { return FrexpExponent(a); }),
      Valu("v_frexp_mant_f64", [](f64 a) { return FrexpMantissa(a); }),
  };
  return {kTable, sizeof(kTable) / sizeof(kTable[0])};
}

}  // namespace GRIDWISE_SIM_LEVEL
}  // namespace gridwise::sim
