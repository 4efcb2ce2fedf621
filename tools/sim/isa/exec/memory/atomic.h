// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "tools/sim/isa/exec/memory/memory.h"
#include "tools/sim/wave/uop.h"
#include "tools/sim/wave/wave.h"

/// An atomic, whatever the address space, with an update of exec/memory/update.h.

namespace gridwise::sim {
inline namespace GRIDWISE_SIM_LEVEL {

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
