// SPDX-License-Identifier: MIT
#pragma once

#include "tools/sim/isa/exec/level.h"

/// Floating-point formats of 4 to 8 bits and bf16: exact conversions to f32, and conversions from
/// f32 that round to nearest even or stochastically. All is plain arithmetic on one value that
/// compilers turn into vector code.

namespace gridwise::sim {
inline namespace GRIDWISE_SIM_LEVEL {

/// What the codes above the largest finite numbers mean.
enum class Specials : u8 {
  kNone,  // nothing: all codes are numbers (OCP fp6, bf6, fp4)
  kIeee,  // an exponent of ones: infinity and NaN (OCP bf8, e5m2)
  kOcp,   // only the code of ones is NaN (OCP fp8, e4m3fn)
  kFnuz,  // -0 is NaN; there is no negative zero (gfx942's fp8 and bf8)
};

template <int kExponent_, int kMantissa_, int kBias_, Specials kSpecials_>
struct SmallFormat {
  static constexpr int kExponent = kExponent_, kMantissa = kMantissa_, kBias = kBias_;
  static constexpr Specials kSpecials = kSpecials_;
  static constexpr int kBits = 1 + kExponent + kMantissa;
  static constexpr u32 kSign = 1u << (kBits - 1);
  static constexpr u32 kMagnitude = kSign - 1;
  /// Code of the largest finite number, and of what overflow gives.
  static constexpr u32 kLargest = kSpecials == Specials::kIeee
                                      ? ((1u << kExponent) - 1) * (1u << kMantissa) - 1
                                  : kSpecials == Specials::kOcp ? kMagnitude - 1
                                                                : kMagnitude;
  static constexpr u32 kNan = kSpecials == Specials::kFnuz ? kSign : kMagnitude;
  static constexpr u32 kInfinity = kSpecials == Specials::kIeee ? kLargest + 1 : kNan;
};

using Fp8 = SmallFormat<4, 3, 7, Specials::kOcp>;
using Bf8 = SmallFormat<5, 2, 15, Specials::kIeee>;
using Fp8Fnuz = SmallFormat<4, 3, 8, Specials::kFnuz>;
using Bf8Fnuz = SmallFormat<5, 2, 16, Specials::kFnuz>;
using Fp6 = SmallFormat<2, 3, 1, Specials::kNone>;
using Bf6 = SmallFormat<3, 2, 3, Specials::kNone>;
using Fp4 = SmallFormat<2, 1, 1, Specials::kNone>;

template <class S>
GRIDWISE_SIM_INLINE f32 FromSmall(u32 code) {
  const u32 magnitude = code & S::kMagnitude;
  const u32 sign = (code & S::kSign) << (32 - S::kBits);
  const u32 normal = (magnitude << (23 - S::kMantissa)) + ((127u - S::kBias) << 23);
  const f32 unit = Bits<f32>(static_cast<u32>(127 + 1 - S::kBias - S::kMantissa) << 23);
  const u32 denormal = Bits<u32>(static_cast<f32>(static_cast<i32>(magnitude)) * unit);
  u32 result = magnitude < (1u << S::kMantissa) ? denormal : normal;
  if constexpr (S::kSpecials == Specials::kIeee) {
    const u32 special = 0x7f800000u | magnitude << (23 - S::kMantissa);
    result = magnitude > S::kLargest ? special : result;
  } else if constexpr (S::kSpecials == Specials::kOcp) {
    result = magnitude > S::kLargest ? 0x7fc00000u : result;
  } else if constexpr (S::kSpecials == Specials::kFnuz) {
    result = (code & (S::kMagnitude | S::kSign)) == S::kSign ? 0x7fc00000u : result;
  }
  return Bits<f32>(result | sign);
}

/// How ToSmall rounds: to nearest even, or by adding the top bits of a random number to the bits
/// that are dropped.
struct Rounding {
  bool stochastic = false;
  u32 random = 0;
};

/// The code of `x`; `saturate`: what is too large, and infinity, becomes the largest finite number
/// instead of infinity or NaN. Formats without NaN saturate always, and map NaN to the largest
/// number too.
template <class S>
GRIDWISE_SIM_INLINE u32 ToSmall(f32 x, bool saturate, Rounding rounding = {}) {
  constexpr i32 kLowest = 1 - S::kBias;  // exponent of denormals
  const u32 bits = Bits<u32>(x), magnitude = bits & 0x7fffffff;
  const u32 sign = bits >> 31 != 0 ? S::kSign : 0;
  const u32 field = magnitude >> 23;
  const u32 significand = (magnitude & 0x7fffff) | (field != 0 ? 0x800000u : 0u);
  const i32 exponent = (field != 0 ? static_cast<i32>(field) : 1) - 127;
  const i32 below = exponent < kLowest ? kLowest - exponent : 0;
  const i32 wanted = 23 - S::kMantissa + below;  // bits to drop
  const u32 drop = static_cast<u32>(wanted > 31 ? 31 : wanted);
  const i32 beyond = wanted - 31;  // bits that are below any random number's
  const u32 mantissa = significand >> (beyond < 0 ? 0 : beyond > 31 ? 31 : beyond);
  const u32 dropped = (1u << drop) - 1;
  const u32 odd = mantissa >> drop & 1;
  // Nearest even adds half a unit less one, and the last kept bit; the sum stays below 2^32.
  const u32 nearest = (dropped >> 1) + odd;
  const u32 noise = rounding.random >> (32 - drop);
  const u32 kept = (mantissa + (rounding.stochastic ? noise : nearest)) >> drop;
  const i32 base = exponent < kLowest ? 0 : exponent - kLowest;
  u32 code = (static_cast<u32>(base) << S::kMantissa) + kept;
  constexpr bool kAlways = S::kSpecials == Specials::kNone;
  const u32 above = kAlways || saturate ? S::kLargest : S::kInfinity;
  code = code > S::kLargest || field >= 255 ? above : code;
  code = magnitude > 0x7f800000 && !kAlways ? S::kNan : code;
  if constexpr (S::kSpecials == Specials::kFnuz) {
    return code == 0 || code == S::kNan ? code : code | sign;
  } else {
    return code | sign;
  }
}

/// bf16 in the low half.
GRIDWISE_SIM_INLINE f32 FromBf16(u32 half) { return Bits<f32>(half << 16); }
GRIDWISE_SIM_INLINE u32 ToBf16(f32 x) {
  const u32 bits = Bits<u32>(x);
  const bool nan = (bits & 0x7fffffff) > 0x7f800000;
  return (nan ? bits | 0x400000 : bits + 0x7fff + (bits >> 16 & 1)) >> 16;
}

}  // namespace GRIDWISE_SIM_LEVEL
}  // namespace gridwise::sim
