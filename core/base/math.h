// SPDX-License-Identifier: MIT
/// Integer arithmetic shared by host planning and device code. Device-usable.
#pragma once

#if defined(__HIP__) || defined(__CUDA__)
#define GRIDWISE_HD __attribute__((host)) __attribute__((device))
#else
#define GRIDWISE_HD  ///< Marks a function that the host and the device both call.
#endif

namespace gridwise {

/// Smallest integer >= a / b, for a >= 0 and b > 0.
template <typename T>
GRIDWISE_HD constexpr T CeilDiv(T a, T b) {
  return a / b + (a % b != 0);
}

/// Smallest multiple of `step` that is >= a, for a >= 0 and step > 0.
template <typename T>
GRIDWISE_HD constexpr T AlignUp(T a, T step) {
  return CeilDiv(a, step) * step;
}

/// Greatest common divisor of a >= 0 and b >= 0. Gcd(a, 0) = a.
template <typename T>
GRIDWISE_HD constexpr T Gcd(T a, T b) {
  while (b != 0) {
    const T rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

/// A divisor d in the form that Divide() multiplies by.
struct MagicDiv {
  unsigned multiplier = 1;
  unsigned shift = 0;
};

/// The form of `divisor`, 1 <= divisor < 2^31.
///
/// s = ceil(log2 d), m = floor(2^32 (2^s - d) / d) + 1. Then 2^32 + m = 2^(32+s) / d + e with
/// 0 < e <= 1, and floor(n (2^32 + m) / 2^(32+s)) = floor(n / d) if n e / 2^(32+s) < 1 / d, which
/// 2^s >= d grants to all n < 2^32. m fits 32 bits because 2^s <= 2 d - 2 for d > 1.
GRIDWISE_HD constexpr MagicDiv MakeMagicDiv(unsigned divisor) {
  unsigned shift = 0;
  while ((1ull << shift) < divisor) ++shift;
  const unsigned long long excess = (1ull << shift) - divisor;
  return {.multiplier = static_cast<unsigned>((excess << 32) / divisor + 1), .shift = shift};
}

/// floor(n / d), exact for n < 2^31; past it the sum could exceed 32 bits.
GRIDWISE_HD constexpr unsigned Divide(unsigned n, MagicDiv by) {
  const unsigned high =
      static_cast<unsigned>((static_cast<unsigned long long>(n) * by.multiplier) >> 32);
  return (high + n) >> by.shift;
}

}  // namespace gridwise
