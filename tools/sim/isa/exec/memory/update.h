// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "tools/sim/wave/wave.h"

/// What atomics compute: the new value in memory from the old one, operand a, and operand b of
/// those that have two. Arithmetic on T wraps for unsigned T.

namespace gridwise::sim {
inline namespace GRIDWISE_SIM_LEVEL {

struct Swap {
  template <typename T>
  static T Of(T, T a, T) {
    return a;
  }
};
struct CompareSwap {  // a: what to compare with, b: the new value
  template <typename T>
  static T Of(T old, T a, T b) {
    return old == a ? b : old;
  }
};
struct Add {
  template <typename T>
  static T Of(T old, T a, T) {
    return old + a;
  }
};
/// ds_add_f32: rounds to nearest, and flushes denormals as MODE says of floats (llvm-project
/// 89468), which atomics of memory do not.
struct AddUnderMode {
  static float Flushed(float x, bool flush) {
    const uint32_t bits = __builtin_bit_cast(uint32_t, x);
    return flush && (bits & 0x7f800000) == 0 ? __builtin_bit_cast(float, bits & 0x80000000) : x;
  }
  static float Under(uint32_t mode, float old, float a) {
    const bool reads = (mode >> 4 & 1) == 0, writes = (mode >> 5 & 1) == 0;
    return Flushed(Flushed(old, reads) + Flushed(a, reads), writes);
  }
};
struct Subtract {
  template <typename T>
  static T Of(T old, T a, T) {
    return old - a;
  }
};
struct ReverseSubtract {
  template <typename T>
  static T Of(T old, T a, T) {
    return a - old;
  }
};
struct And {
  template <typename T>
  static T Of(T old, T a, T) {
    return old & a;
  }
};
struct Or {
  template <typename T>
  static T Of(T old, T a, T) {
    return old | a;
  }
};
struct Xor {
  template <typename T>
  static T Of(T old, T a, T) {
    return old ^ a;
  }
};
struct MaskedOr {
  template <typename T>
  static T Of(T old, T a, T b) {
    return (old & ~a) | b;
  }
};
struct SubtractToZero {  // stops at 0
  template <typename T>
  static T Of(T old, T a, T) {
    return old < a ? 0 : old - a;
  }
};
struct SubtractIfEnough {
  template <typename T>
  static T Of(T old, T a, T) {
    return old < a ? old : old - a;
  }
};
struct Wrap {
  template <typename T>
  static T Of(T old, T a, T b) {
    return old >= a ? old - a : old + b;
  }
};
struct SwapMarkedHalves {  // each dword whose top bit is set, without that bit
  static uint64_t Of(uint64_t old, uint64_t a, uint64_t) {
    uint64_t result = 0;
    for (const int shift : {0, 32}) {
      const auto data = static_cast<uint32_t>(a >> shift);
      const uint32_t dword =
          data >> 31 != 0 ? data & 0x7fffffff : static_cast<uint32_t>(old >> shift);
      result |= uint64_t{dword} << shift;
    }
    return result;
  }
};
struct Increment {
  template <typename T>
  static T Of(T old, T a, T) {
    return old >= a ? 0 : old + 1;
  }
};
struct Decrement {
  template <typename T>
  static T Of(T old, T a, T) {
    return old == 0 || old > a ? a : old - 1;
  }
};
struct Minimum {  // gives the number if the other is a NaN
  template <typename T>
  static T Of(T old, T a, T) {
    return a < old || old != old ? a : old;
  }
};
struct Maximum {
  template <typename T>
  static T Of(T old, T a, T) {
    return a > old || old != old ? a : old;
  }
};

/// The same with -0 < +0 (RDNA4 ISA, V_MIN_NUM and V_MAX_NUM).
struct MinimumNumber {
  template <typename T>
  static T Of(T old, T a, T b) {
    if (old == 0 && a == 0) return __builtin_signbit(old) ? old : a;
    return Minimum::Of(old, a, b);
  }
};
struct MaximumNumber {
  template <typename T>
  static T Of(T old, T a, T b) {
    if (old == 0 && a == 0) return __builtin_signbit(old) ? a : old;
    return Maximum::Of(old, a, b);
  }
};

GRIDWISE_SIM_INLINE float FloatOfBfloat(uint16_t bits) {
  return __builtin_bit_cast(float, uint32_t{bits} << 16);
}
GRIDWISE_SIM_INLINE uint16_t BfloatOfFloat(float value) {  // rounds to nearest even; NaN stays one
  const uint32_t bits = __builtin_bit_cast(uint32_t, value);
  if (value != value) return static_cast<uint16_t>(bits >> 16 | 0x40);
  return static_cast<uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

/// Whether one of two halves is a NaN, in a format whose infinity these bits are.
GRIDWISE_SIM_INLINE bool HasNan(uint32_t pair, uint32_t infinity) {
  return (pair & 0x7fff) > infinity || (pair >> 16 & 0x7fff) > infinity;
}

struct AddPackedHalves {
  static bool IsNan(uint32_t pair) { return HasNan(pair, 0x7c00); }
  static uint32_t Of(uint32_t old, uint32_t a, uint32_t) {
    typedef _Float16 Half2 __attribute__((vector_size(4)));
    const Half2 x = __builtin_bit_cast(Half2, old), y = __builtin_bit_cast(Half2, a);
    const Half2 sum = {static_cast<_Float16>(x[0] + y[0]), static_cast<_Float16>(x[1] + y[1])};
    return __builtin_bit_cast(uint32_t, sum);
  }
};
struct AddPackedBfloats {
  static bool IsNan(uint32_t pair) { return HasNan(pair, 0x7f80); }
  static uint32_t Of(uint32_t old, uint32_t a, uint32_t) {
    const auto add = [&](int shift) {
      return uint32_t{BfloatOfFloat(FloatOfBfloat(static_cast<uint16_t>(old >> shift)) +
                                    FloatOfBfloat(static_cast<uint16_t>(a >> shift)))};
    };
    return add(0) | add(16) << 16;
  }
};

}  // namespace GRIDWISE_SIM_LEVEL
}  // namespace gridwise::sim
