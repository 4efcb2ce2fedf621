// SPDX-License-Identifier: MIT
#pragma once

#include "tools/sim/isa/exec/level.h"

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
