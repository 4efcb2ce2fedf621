// SPDX-License-Identifier: MIT
#pragma once

#include "tools/sim/isa/exec/lanes.h"

/// Floating-point pieces that the compiler turns into vector code. They keep denormals and round as
/// the host is set to, which is to nearest even unless exec/scalar/mode.cc says otherwise.

namespace gridwise::sim {
inline namespace GRIDWISE_SIM_LEVEL {

template <class T>
struct FloatFormat;
template <>
struct FloatFormat<f16> {
  using Int = u16;
  static constexpr int kMantissa = 10;
  static constexpr int kExponentMask = 0x1f;
};
template <>
struct FloatFormat<f32> {
  using Int = u32;
  static constexpr int kMantissa = 23;
  static constexpr int kExponentMask = 0xff;
};
template <>
struct FloatFormat<f64> {
  using Int = u64;
  static constexpr int kMantissa = 52;
  static constexpr int kExponentMask = 0x7ff;
};

template <class T>
GRIDWISE_SIM_INLINE bool IsNan(T x) {
  return x != x;
}
template <class T>
GRIDWISE_SIM_INLINE T Quiet(T x) {
  using F = FloatFormat<T>;
  return Bits<T>(static_cast<typename F::Int>(Bits<typename F::Int>(x) |
                                              typename F::Int{1} << (F::kMantissa - 1)));
}
template <class T>
GRIDWISE_SIM_INLINE bool IsSignaling(T x) {
  using F = FloatFormat<T>;
  return IsNan(x) && (Bits<typename F::Int>(x) >> (F::kMantissa - 1) & 1) == 0;
}
/// Biased exponent.
template <class T>
GRIDWISE_SIM_INLINE int Exponent(T x) {
  using F = FloatFormat<T>;
  return static_cast<int>(Bits<typename F::Int>(x) >> F::kMantissa) & F::kExponentMask;
}
template <class T>
GRIDWISE_SIM_INLINE bool Sign(T x) {
  return Bits<typename FloatFormat<T>::Int>(x) >> (sizeof(T) * 8 - 1) != 0;
}
template <class T>
GRIDWISE_SIM_INLINE T WithSign(T x, bool negative) {
  using Int = typename FloatFormat<T>::Int;
  constexpr Int kSign = static_cast<Int>(Int{1} << (sizeof(T) * 8 - 1));
  const Int magnitude = static_cast<Int>(Bits<Int>(x) & static_cast<Int>(~kSign));
  return Bits<T>(static_cast<Int>(magnitude | (negative ? kSign : Int{0})));
}
template <class T>
GRIDWISE_SIM_INLINE T Infinity() {
  return static_cast<T>(__builtin_inff());
}
template <class T>
GRIDWISE_SIM_INLINE bool IsInfinite(T x) {
  return WithSign(x, false) == Infinity<T>();
}

/// A denormal as a zero of its sign.
template <class T>
GRIDWISE_SIM_INLINE T Flush(T x) {
  return Exponent(x) == 0 ? WithSign(T(0), Sign(x)) : x;
}

/// CDNA's dot products with a sum in f32 read and write no denormals of it, which become +0, and of
/// bf16 read none: measured on gfx950 (llvm-project 205101); the CDNA3 ISA (6.4) says so of gfx942.
GRIDWISE_SIM_INLINE f32 FlushToPlus(f32 x) { return Exponent(x) == 0 ? 0.0f : x; }
GRIDWISE_SIM_INLINE u32 FlushBf16Pair(u32 x) {
  return x & (((x & 0x7f80) != 0 ? 0xffffu : 0x8000u) |
              ((x & 0x7f800000) != 0 ? 0xffff0000u : 0x80000000u));
}

/// min and max with MODE.IEEE set: a signaling NaN gives a quiet one, a quiet NaN gives the other
/// operand, -0 < +0.
template <bool kMax, class T>
GRIDWISE_SIM_INLINE T MinMax(T a, T b) {
  const bool a_first = kMax ? (a > b || (a == b && Sign(b))) : (a < b || (a == b && Sign(a)));
  T result = a_first ? a : b;
  result = IsNan(b) ? a : result;
  result = IsNan(a) ? b : result;
  result = IsSignaling(b) ? Quiet(b) : result;
  result = IsSignaling(a) ? Quiet(a) : result;
  return IsNan(result) ? Quiet(result) : result;
}
template <class T>
GRIDWISE_SIM_INLINE T Minimum(T a, T b) {
  return MinMax<false>(a, b);
}
template <class T>
GRIDWISE_SIM_INLINE T Maximum(T a, T b) {
  return MinMax<true>(a, b);
}
/// The middle one; with a NaN, the minimum (MI300 ISA, V_MED3_F32).
template <class T>
GRIDWISE_SIM_INLINE T Median(T a, T b, T c) {
  const T low = Minimum(Minimum(a, b), c);
  const T middle = Maximum(Minimum(a, b), Minimum(Maximum(a, b), c));
  return IsNan(a) || IsNan(b) || IsNan(c) ? low : middle;
}

/// The number among the two, if there is one (IEEE 754-2019 minimumNumber, maximumNumber; RDNA4
/// ISA, V_MIN_NUM_F32): a signaling NaN counts as a quiet one.
template <bool kMax, class T>
GRIDWISE_SIM_INLINE T ExtremeNumber(T a, T b) {
  return MinMax<kMax>(IsNan(a) ? Quiet(a) : a, IsNan(b) ? Quiet(b) : b);
}
/// A NaN if there is one (IEEE 754-2019 minimum, maximum; RDNA4 ISA, V_MINIMUM_F32).
template <bool kMax, class T>
GRIDWISE_SIM_INLINE T ExtremeOrNan(T a, T b) {
  const T number = MinMax<kMax>(a, b);
  return IsNan(a) ? Quiet(a) : IsNan(b) ? Quiet(b) : number;
}
template <class T>
GRIDWISE_SIM_INLINE T MedianNumber(T a, T b, T c) {
  const auto quiet = [](T x) { return IsNan(x) ? Quiet(x) : x; };
  return Median(quiet(a), quiet(b), quiet(c));
}

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

/// x * 2^e rounded once, for any e.
template <class T>
GRIDWISE_SIM_INLINE T Scale(T x, int e);
template <>
GRIDWISE_SIM_INLINE f64 Scale(f64 x, int e) {
  return __builtin_ldexp(x, e);
}
template <>
GRIDWISE_SIM_INLINE f32 Scale(f32 x, int e) {
  const int limited = e < -300  ? -300
                      : e > 300 ? 300
                                : e;  // 2^300 is normal in double: the product is exact
  return static_cast<f32>(static_cast<f64>(x) * Bits<f64>(static_cast<u64>(limited + 1023) << 52));
}
template <>
GRIDWISE_SIM_INLINE f16 Scale(f16 x, int e) {
  const int limited = e < -60 ? -60 : e > 60 ? 60 : e;
  return static_cast<f16>(static_cast<f32>(x) * Bits<f32>(static_cast<u32>(limited + 127) << 23));
}

/// Class mask of v_cmp_class: sNaN, qNaN, -inf, -normal, -denormal, -0, +0, +denormal, +normal,
/// +inf.
template <class T>
GRIDWISE_SIM_INLINE bool HasClass(T x, u32 mask) {
  using Int = typename FloatFormat<T>::Int;
  const bool negative = Sign(x);
  const u64 magnitude = Bits<Int>(WithSign(x, false));
  const int exponent = Exponent(x);
  const u32 kind = exponent == FloatFormat<T>::kExponentMask ? 3
                   : exponent != 0                           ? 2
                   : magnitude != 0                          ? 1
                                                             : 0;
  const u32 bit = IsNan(x) ? (IsSignaling(x) ? 0 : 1) : negative ? 5 - kind : 6 + kind;
  return (mask >> bit & 1) != 0;
}

}  // namespace GRIDWISE_SIM_LEVEL
}  // namespace gridwise::sim
