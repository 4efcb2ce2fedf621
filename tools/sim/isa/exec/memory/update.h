// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "tools/sim/isa/exec/memory/memory.h"
#include "tools/sim/wave/uop.h"
#include "tools/sim/wave/wave.h"

/// What atomics compute (the new value in memory from the old one, operand a, and operand b of
/// those that have two; arithmetic on T wraps for unsigned T), and the operation that does it.

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
struct Minimum {  // of a number and a NaN: the number
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

template <int kBytes>
struct BitsOf {
  using Type = uint32_t;
};
template <>
struct BitsOf<8> {
  using Type = uint64_t;
};

/// An atomic on a T. In global memory (kShared) it is one of the host's atomics; LDS belongs to one
/// host thread. Operands: rows src[1], and src[2] for the second one of LDS atomics; a global
/// compare-swap has the new value first and the comparand after it (CDNA3 ISA, "Memory Atomics"),
/// LDS has them the other way round.
template <typename T, typename Update, bool kShared, int kOperands = 1>
struct Atomic {
  static constexpr Access kAccess = {.bytes = sizeof(T), .reads = true, .writes = true};
  using Bits = typename BitsOf<sizeof(T)>::Type;
  static constexpr int kDwords = sizeof(T) / 4;

  static T Operand(Wave& w, Ref ref, int l) {
    const uint32_t* row = Row(w, ref) + l;
    if constexpr (kDwords == 1) {
      return __builtin_bit_cast(T, row[0]);
    } else {
      return __builtin_bit_cast(T, row[0] | uint64_t{row[kLanes]} << 32);
    }
  }
  /// Changes the value at `p` and returns the old one.
  static Bits Change(std::byte* p, T a, T b) {
    Bits old;
    if constexpr (kShared) {
      Bits* const target = reinterpret_cast<Bits*>(p);
      old = __atomic_load_n(target, __ATOMIC_RELAXED);
      Bits update;
      do {
        update = __builtin_bit_cast(Bits, Update::Of(__builtin_bit_cast(T, old), a, b));
      } while (!__atomic_compare_exchange_n(target, &old, update, true, __ATOMIC_SEQ_CST,
                                            __ATOMIC_RELAXED));
    } else {
      std::memcpy(&old, p, sizeof(old));
      const T update = Update::Of(__builtin_bit_cast(T, old), a, b);
      std::memcpy(p, &update, sizeof(update));
    }
    return old;
  }
  /// Whether a value has a payload, and the result then one that nobody knows.
  static bool IsNan(T x) {
    if constexpr (requires { Update::IsNan(x); }) {
      return Update::IsNan(x);
    } else {
      return kOperands == 1 && x != x;
    }
  }
  static void Lane(Wave& w, const Uop& u, int l, std::byte* p) {
    T a = Operand(w, u.src[1], l), b = a;
    if constexpr (kOperands == 2 && kShared) {
      a = Operand(w, NextRow(u.src[1], kDwords), l);
    } else if constexpr (kOperands == 2) {
      b = Operand(w, u.src[2], l);
    }
    Bits old;
    if constexpr (requires { Update::Under(w.mode, a, a); }) {
      std::memcpy(&old, p, sizeof(old));
      const T update = Update::Under(w.mode, __builtin_bit_cast(T, old), a);
      std::memcpy(p, &update, sizeof(update));
    } else {
      old = Change(p, a, b);
    }
    if (IsNan(a) || IsNan(__builtin_bit_cast(T, old))) NoteNotKnown(w, u);
    Return(w, u, l, old);
  }
  static void Zero(Wave& w, const Uop& u, int l) { Return(w, u, l, 0); }
  static void Return(Wave& w, const Uop& u, int l, Bits old) {
    if (u.dst == kNoRef) return;
    uint32_t* row = Row(w, u.dst) + l;
    row[0] = static_cast<uint32_t>(old);
    if constexpr (kDwords == 2) row[kLanes] = static_cast<uint32_t>(old >> 32);
  }
};

}  // namespace GRIDWISE_SIM_LEVEL
}  // namespace gridwise::sim
