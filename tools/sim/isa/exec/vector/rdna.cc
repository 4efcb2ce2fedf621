// SPDX-License-Identifier: MIT
#include <iterator>

#include "tools/sim/isa/exec/float.h"
#include "tools/sim/isa/exec/lanes.h"
#include "tools/sim/isa/exec/min_max.h"
#include "tools/sim/isa/exec/rounding.h"

/// Vector operations that gfx9 does not have, under RDNA's names (RDNA3 and RDNA4 ISA, "VALU
/// Instructions").

namespace gridwise::sim {
inline namespace GRIDWISE_SIM_LEVEL {
namespace {

GRIDWISE_SIM_INLINE f16 Half(f32 x) { return static_cast<f16>(x); }
GRIDWISE_SIM_INLINE f32 Float(f16 x) { return static_cast<f32>(x); }
template <class T>
GRIDWISE_SIM_INLINE T Min(T a, T b) {
  return a < b ? a : b;
}
template <class T>
GRIDWISE_SIM_INLINE T Max(T a, T b) {
  return a > b ? a : b;
}
GRIDWISE_SIM_INLINE f32 SinTurns(f32 x) {
  return static_cast<f32>(__builtin_sin((x - __builtin_floorf(x)) * 6.283185307179586));
}
GRIDWISE_SIM_INLINE f32 CosTurns(f32 x) {
  return static_cast<f32>(__builtin_cos((x - __builtin_floorf(x)) * 6.283185307179586));
}
/// Towards zero, saturating; NaN is 0.
GRIDWISE_SIM_INLINE u32 ToField(f32 x, f32 lowest, f32 highest) {
  const f32 limited = IsNan(x) ? 0.0f : x < lowest ? lowest : x > highest ? highest : x;
  return static_cast<u32>(static_cast<i32>(limited));
}
GRIDWISE_SIM_INLINE u32 Limit(i32 x, i32 lowest, i32 highest) {
  return static_cast<u32>(x < lowest ? lowest : x > highest ? highest : x);
}
GRIDWISE_SIM_INLINE u32 Normalised(f32 x, f32 lowest, f32 scale) {
  const f32 limited = IsNan(x) ? 0.0f : x < lowest ? lowest : x > 1.0f ? 1.0f : x;
  return static_cast<u32>(static_cast<i32>(__builtin_nearbyintf(limited * scale))) & 0xffff;
}
/// Zero if a factor is, whatever the other one (DX9's rule); it knows no denormals (rocjitsu's
/// fp_mode.h).
GRIDWISE_SIM_INLINE f32 FmaZero(f32 x, f32 y, f32 z) {
  const f32 a = Flush(x), b = Flush(y), c = Flush(z);
  return Flush(a == 0 || b == 0 ? 0.0f + c : Fma(a, b, c));
}

/// A product of lighting: the least number where the exponent's base b is that, -infinity or NaN,
/// or the light's angle c is not positive; else a * b by DX9's rule for zeros.
GRIDWISE_SIM_INLINE f32 MulLit(f32 a, f32 b, f32 c) {
  constexpr f32 kMin = -0x1.fffffep127f;
  if (!(b > kMin) || !(c > 0)) return kMin;
  return a == 0 || b == 0 ? 0.0f : a * b;
}

template <class T>
GRIDWISE_SIM_INLINE T Min3(T a, T b, T c) {
  return ExtremeNumber<false>(ExtremeNumber<false>(a, b), c);
}
template <class T>
GRIDWISE_SIM_INLINE T Max3(T a, T b, T c) {
  return ExtremeNumber<true>(ExtremeNumber<true>(a, b), c);
}

/// gfx12's instructions in place of gfx9's min, max and med3, and its new ones, for a type of
/// float.
#define GRIDWISE_SIM_EXTREMES(suffix, T)                                                          \
  On(kGfx1201,                                                                                    \
     Valu(                                                                                        \
         "v_min_num_" suffix, [](T a, T b) { return ExtremeNumber<false>(a, b); }, kSelects)),    \
      On(kGfx1201,                                                                                \
         Valu(                                                                                    \
             "v_max_num_" suffix, [](T a, T b) { return ExtremeNumber<true>(a, b); }, kSelects)), \
      On(kGfx1201,                                                                                \
         Valu(                                                                                    \
             "v_minimum_" suffix, [](T a, T b) { return ExtremeOrNan<false>(a, b); }, kSelects)), \
      On(kGfx1201,                                                                                \
         Valu("v_maximum_" suffix, [](T a, T b) { return ExtremeOrNan<true>(a, b); }, kSelects))

#define GRIDWISE_SIM_EXTREMES3(suffix, T)                                                         \
  On(kGfx1201, Valu(                                                                              \
                   "v_min3_num_" suffix, [](T a, T b, T c) { return Min3(a, b, c); }, kSelects)), \
      On(kGfx1201,                                                                                \
         Valu(                                                                                    \
             "v_max3_num_" suffix, [](T a, T b, T c) { return Max3(a, b, c); }, kSelects)),       \
      On(kGfx1201, Valu(                                                                          \
                       "v_med3_num_" suffix, [](T a, T b, T c) { return MedianNumber(a, b, c); }, \
                       kSelects)),                                                                \
      On(kGfx1201,                                                                                \
         Valu(                                                                                    \
             "v_minmax_num_" suffix,                                                              \
             [](T a, T b, T c) { return ExtremeNumber<true>(ExtremeNumber<false>(a, b), c); },    \
             kSelects)),                                                                          \
      On(kGfx1201,                                                                                \
         Valu(                                                                                    \
             "v_maxmin_num_" suffix,                                                              \
             [](T a, T b, T c) { return ExtremeNumber<false>(ExtremeNumber<true>(a, b), c); },    \
             kSelects)),                                                                          \
      On(kGfx1201,                                                                                \
         Valu(                                                                                    \
             "v_minimummaximum_" suffix,                                                          \
             [](T a, T b, T c) { return ExtremeOrNan<true>(ExtremeOrNan<false>(a, b), c); },      \
             kSelects)),                                                                          \
      On(kGfx1201,                                                                                \
         Valu(                                                                                    \
             "v_maximumminimum_" suffix,                                                          \
             [](T a, T b, T c) { return ExtremeOrNan<false>(ExtremeOrNan<true>(a, b), c); },      \
             kSelects)),                                                                          \
      On(kGfx1100,                                                                                \
         Valu("v_minmax_" suffix, [](T a, T b, T c) { return Maximum(Minimum(a, b), c); })),      \
      On(kGfx1100,                                                                                \
         Valu("v_maxmin_" suffix, [](T a, T b, T c) { return Minimum(Maximum(a, b), c); }))

}  // namespace

constexpr Binding kValuRdna[] = {
    On(kRdna, Valu("v_xor3_b32", [](u32 a, u32 b, u32 c) { return a ^ b ^ c; })),
    On(kRdna, Valu("v_minmax_i32", [](i32 a, i32 b, i32 c) { return Max(Min(a, b), c); })),
    On(kRdna, Valu("v_minmax_u32", [](u32 a, u32 b, u32 c) { return Max(Min(a, b), c); })),
    On(kRdna, Valu("v_maxmin_i32", [](i32 a, i32 b, i32 c) { return Min(Max(a, b), c); })),
    On(kRdna, Valu("v_maxmin_u32", [](u32 a, u32 b, u32 c) { return Min(Max(a, b), c); })),
    On(kRdna, Valu("v_mov_b16", [](u16 a) { return a; })),
    On(kRdna, Valu("v_not_b16", [](u16 a) { return static_cast<u16>(~a); })),
    On(kRdna, Valu("v_and_b16", [](u16 a, u16 b) { return static_cast<u16>(a & b); })),
    On(kRdna, Valu("v_or_b16", [](u16 a, u16 b) { return static_cast<u16>(a | b); })),
    On(kRdna, Valu("v_xor_b16", [](u16 a, u16 b) { return static_cast<u16>(a ^ b); })),
    On(kRdna, Valu("v_cndmask_b16", [](u16 a, u16 b, bool select) { return select ? b : a; })),
    On(kRdna, Valu("v_cvt_i32_i16", [](i16 a) { return static_cast<i32>(a); })),
    On(kRdna, Valu("v_cvt_u32_u16", [](u16 a) { return static_cast<u32>(a); })),
    Valu("v_sat_pk_u8_i16",
         [](u32 a) {
           const i32 low = static_cast<i16>(a), high = static_cast<i16>(a >> 16);
           return static_cast<u16>(Limit(low, 0, 255) | Limit(high, 0, 255) << 8);
         }),
    Valu("v_cvt_pk_i16_i32",
         [](i32 a, i32 b) {
           return (Limit(a, -32768, 32767) & 0xffff) | Limit(b, -32768, 32767) << 16;
         }),
    Valu("v_cvt_off_f32_i4",
         [](u32 a) { return static_cast<f32>(static_cast<i32>(a << 28) >> 28) * 0.0625f; }),
};

BindingTable ValuRdnaTable() { return {kValuRdna, std::size(kValuRdna)}; }

constexpr Binding kValuRdnaFloat[] = {
    GRIDWISE_SIM_EXTREMES("f32", f32),
    GRIDWISE_SIM_EXTREMES("f16", f16),
    GRIDWISE_SIM_EXTREMES("f64", f64),
    GRIDWISE_SIM_EXTREMES3("f32", f32),
    GRIDWISE_SIM_EXTREMES3("f16", f16),
    On(kGfx1201,
       Valu(
           "v_minimum3_f16",
           [](f16 a, f16 b, f16 c) { return ExtremeOrNan<false>(ExtremeOrNan<false>(a, b), c); },
           kSelects)),
    On(kGfx1201,
       Valu(
           "v_maximum3_f16",
           [](f16 a, f16 b, f16 c) { return ExtremeOrNan<true>(ExtremeOrNan<true>(a, b), c); },
           kSelects)),
    On(kGfx1201,
       Packed(
           "v_pk_min_num_f16", [](f16 a, f16 b) { return ExtremeNumber<false>(a, b); }, kSelects)),
    On(kGfx1201,
       Packed(
           "v_pk_max_num_f16", [](f16 a, f16 b) { return ExtremeNumber<true>(a, b); }, kSelects)),
    On(kGfx1201,
       Packed(
           "v_pk_minimum_f16", [](f16 a, f16 b) { return ExtremeOrNan<false>(a, b); }, kSelects)),
    On(kGfx1201,
       Packed(
           "v_pk_maximum_f16", [](f16 a, f16 b) { return ExtremeOrNan<true>(a, b); }, kSelects)),
    On(kRdna, Valu("v_fma_dx9_zero_f32", [](f32 a, f32 b, f32 c) { return FmaZero(a, b, c); })),
    On(kRdna, Valu(
                  "v_fmac_dx9_zero_f32", [](f32 a, f32 b, f32 d) { return FmaZero(a, b, d); },
                  kAccumulates)),
    On(kRdna, Valu("v_mullit_f32", [](f32 a, f32 b, f32 c) { return MulLit(a, b, c); })),
    On(kRdna, Valu("v_fmaak_f16", [](f16 a, f16 b, f16 k) { return Fma(a, b, k); })),
    On(kRdna, Valu("v_fmamk_f16", [](f16 a, f16 k, f16 b) { return Fma(a, k, b); })),
    Valu("v_fract_f16",
         [](f16 a) {
           const f32 x = Float(a), r = x - __builtin_floorf(x);
           return Half(r > 0x1.ffcp-1f ? 0x1.ffcp-1f : r);
         }),
    Valu(
        "v_sin_f16", [](f16 a) { return Half(SinTurns(Float(a))); }, kRoundsItself),
    Valu(
        "v_cos_f16", [](f16 a) { return Half(CosTurns(Float(a))); }, kRoundsItself),
    On(kRdna, Valu("v_cvt_pk_i16_f32",
                   [](f32 a, f32 b) {
                     return (ToField(a, -32768, 32767) & 0xffff) | ToField(b, -32768, 32767) << 16;
                   })),
    On(kRdna, Valu("v_cvt_pk_u16_f32",
                   [](f32 a, f32 b) { return ToField(a, 0, 65535) | ToField(b, 0, 65535) << 16; })),
    Valu("v_cvt_pk_u8_f32",
         [](f32 a, u32 b, u32 c) {
           const u32 shift = 8 * (b & 3);
           return (c & ~(255u << shift)) | ToField(a, 0, 255) << shift;
         }),
    Valu("v_cvt_pknorm_i16_f16",
         [](f16 a, f16 b) {
           return Normalised(Float(a), -1, 32767) | Normalised(Float(b), -1, 32767) << 16;
         }),
    Valu("v_cvt_pknorm_u16_f16",
         [](f16 a, f16 b) {
           return Normalised(Float(a), 0, 65535) | Normalised(Float(b), 0, 65535) << 16;
         }),
    Valu("v_cvt_norm_i16_f16",
         [](f16 a) { return static_cast<u16>(Normalised(Float(a), -1, 32767)); }),
    Valu("v_cvt_norm_u16_f16",
         [](f16 a) { return static_cast<u16>(Normalised(Float(a), 0, 65535)); }),
};

BindingTable ValuRdnaFloatTable() { return {kValuRdnaFloat, std::size(kValuRdnaFloat)}; }

}  // namespace GRIDWISE_SIM_LEVEL
}  // namespace gridwise::sim
