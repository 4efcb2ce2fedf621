// SPDX-License-Identifier: MIT
#pragma once

#include "tools/sim/isa/exec/float.h"

/// Results that are rounded once, and not by the host's conversion alone: towards zero, and to
/// fewer bits than the host computes in.

namespace gridwise::sim {
inline namespace GRIDWISE_SIM_LEVEL {

/// Half towards zero, v_cvt_pkrtz: overflow gives the largest finite half, infinity stays.
GRIDWISE_SIM_INLINE u32 HalfTowardsZero(f32 x) {
  const u32 nearest = Bits<u16>(static_cast<f16>(x));
  const f32 back = static_cast<f32>(static_cast<f16>(x));
  const bool grew = WithSign(back, false) > WithSign(x, false);
  return grew ? nearest - 1 : nearest;
}

GRIDWISE_SIM_INLINE f32 Fma(f32 a, f32 b, f32 c) { return __builtin_fmaf(a, b, c); }
GRIDWISE_SIM_INLINE f64 Fma(f64 a, f64 b, f64 c) { return __builtin_fma(a, b, c); }

/// a + b as the nearest number, and what it lacks.
struct TwoSum {
  f64 sum, error;
};
GRIDWISE_SIM_INLINE TwoSum AddExactly(f64 a, f64 b) {
  const f64 sum = a + b, of_b = sum - a;
  return {sum, (a - (sum - of_b)) + (b - of_b)};
}
/// a + b rounded to odd: not the nearest number, but the one with the last bit set if the sum lies
/// between two, so that rounding it to fewer bits is correct.
GRIDWISE_SIM_INLINE f64 AddToOdd(f64 a, f64 b) {
  const TwoSum r = AddExactly(a, b);
  const u64 bits = Bits<u64>(r.sum);
  const bool stays = (bits & 1) != 0 || r.error == 0 || IsNan(r.error);
  return stays ? r.sum : Bits<f64>((r.error > 0) == Sign(r.sum) ? bits - 1 : bits + 1);
}
/// a * b + c the same way, where nothing overflows or is denormal (Boldo and Melquiond, "Emulation
/// of FMA and correctly rounded sums").
GRIDWISE_SIM_INLINE f64 FmaToOdd(f64 a, f64 b, f64 c) {
  const f64 product = a * b, low = Fma(a, b, -product);
  const TwoSum small = AddExactly(c, low), large = AddExactly(product, small.sum);
  return AddToOdd(large.sum, AddToOdd(small.error, large.error));
}

/// Float with the discarded bits of the double ored into its last one (round to odd), so that a
/// second rounding to 16 bits is correct.
GRIDWISE_SIM_INLINE f32 RoundToOdd(f64 x) {
  const f32 nearest = static_cast<f32>(x);
  const f64 error = x - static_cast<f64>(nearest);
  const u32 bits = Bits<u32>(nearest);
  const bool inexact = error != 0 && !IsNan(error) && (bits & 1) == 0;
  // An even neighbour that was rounded away from zero steps back, one that was rounded towards zero
  // steps out.
  const bool away = (error < 0) != Sign(nearest);
  return inexact ? Bits<f32>(away ? bits - 1 : bits + 1) : nearest;
}
GRIDWISE_SIM_INLINE f16 ToHalf(f64 x) { return static_cast<f16>(RoundToOdd(x)); }
/// The bits of a half; with `saturate` (MODE.FP16_OVFL) of the largest one for a finite number that
/// is too large.
GRIDWISE_SIM_INLINE u32 HalfBits(f32 x, bool saturate) {
  const u32 half = Bits<u16>(static_cast<f16>(x));
  return saturate && (half & 0x7fff) == 0x7c00 && !IsInfinite(x) ? half - 1 : half;
}
/// The product of halves is exact in double and so is every sum that is near a rounding boundary of
/// a half.
GRIDWISE_SIM_INLINE f16 Fma(f16 a, f16 b, f16 c) {
  return ToHalf(static_cast<f64>(static_cast<f32>(a)) * static_cast<f64>(static_cast<f32>(b)) +
                static_cast<f64>(static_cast<f32>(c)));
}

}  // namespace GRIDWISE_SIM_LEVEL
}  // namespace gridwise::sim
