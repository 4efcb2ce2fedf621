#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>

#include "tools/sim/isa/bind_memory.h"
#include "tools/sim/isa/binding.h"
#include "tools/sim/isa/exec_memory.h"
#include "tools/sim/isa/exec_memory_tables.h"
#include "tools/sim/isa/uop.h"
#include "tools/sim/machine/wave.h"

namespace gridwise::sim {
inline namespace GRIDWISE_SIM_LEVEL {
namespace {

// What atomics compute: the new value in memory from the old one, operand a, and operand b of those
// that have two. Arithmetic on T wraps for unsigned T.
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

float FloatOfBfloat(uint16_t bits) { return __builtin_bit_cast(float, uint32_t{bits} << 16); }
uint16_t BfloatOfFloat(float value) {  // rounds to nearest even; NaN stays one
  const uint32_t bits = __builtin_bit_cast(uint32_t, value);
  if (value != value) return static_cast<uint16_t>(bits >> 16 | 0x40);
  return static_cast<uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

struct AddPackedHalves {
  static uint32_t Of(uint32_t old, uint32_t a, uint32_t) {
    typedef _Float16 Half2 __attribute__((vector_size(4)));
    const Half2 x = __builtin_bit_cast(Half2, old), y = __builtin_bit_cast(Half2, a);
    const Half2 sum = {static_cast<_Float16>(x[0] + y[0]), static_cast<_Float16>(x[1] + y[1])};
    return __builtin_bit_cast(uint32_t, sum);
  }
};
struct AddPackedBfloats {
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
/// compare-swap has the new value first and the comparand behind it (CDNA3 ISA, "Memory Atomics"),
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
  static void Lane(Wave& w, const Uop& u, int l, std::byte* p) {
    T a = Operand(w, u.src[1], l), b = a;
    if constexpr (kOperands == 2 && kShared) {
      a = Operand(w, NextRow(u.src[1], kDwords), l);
    } else if constexpr (kOperands == 2) {
      b = Operand(w, u.src[2], l);
    }
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

constexpr OpTraits Takes(uint8_t operand_dwords, uint8_t result_dwords) {
  return {.dwords = operand_dwords,
          .flags = kMemoryAtomic | uint32_t{result_dwords} << kResultDwordsShift};
}
constexpr OpTraits Lds1(uint8_t dwords) { return Takes(dwords, 0); }
constexpr OpTraits Lds2(uint8_t dwords) {
  OpTraits traits = Takes(dwords, 0);
  traits.flags |= kLdsTwoOperands;
  return traits;
}
constexpr OpTraits Returning(OpTraits traits) {
  traits.flags |= kLdsReturns;
  return traits;
}

}  // namespace

#define DEVICE_ROWS(NAME, TRAITS, ...)                                                             \
  {"global_atomic_" NAME, OpClass::kVmem, &BindGlobal, &Step<&Global<Atomic<__VA_ARGS__>>>,        \
   TRAITS},                                                                                        \
      {"flat_atomic_" NAME, OpClass::kVmem, &BindFlat, &Step<&Flat<Atomic<__VA_ARGS__>>>, TRAITS}, \
  {                                                                                                \
    "buffer_atomic_" NAME, OpClass::kVmem, &BindBuffer, &Step<&Buffer<Atomic<__VA_ARGS__>>>,       \
        TRAITS                                                                                     \
  }
#define INTEGER_ROWS(NAME, T32, T64, UPDATE)         \
  DEVICE_ROWS(NAME, Takes(1, 1), T32, UPDATE, true), \
      DEVICE_ROWS(NAME "_x2", Takes(2, 2), T64, UPDATE, true)

#define LDS_ROWS(NAME, SUFFIX, TRAITS, ...)                                                     \
  {"ds_" NAME "_" SUFFIX, OpClass::kLds, &BindLdsAtomic, &Step<&Lds<Atomic<__VA_ARGS__>>>,      \
   TRAITS},                                                                                     \
  {                                                                                             \
    "ds_" NAME "_rtn_" SUFFIX, OpClass::kLds, &BindLdsAtomic, &Step<&Lds<Atomic<__VA_ARGS__>>>, \
        Returning(TRAITS)                                                                       \
  }
#define LDS_PAIR(NAME, S32, S64, T32, T64, UPDATE) \
  LDS_ROWS(NAME, S32, Lds1(1), T32, UPDATE, false), LDS_ROWS(NAME, S64, Lds1(2), T64, UPDATE, false)

BindingTable AtomicTable() {
  static constexpr Binding kTable[] = {
      INTEGER_ROWS("swap", uint32_t, uint64_t, Swap),
      INTEGER_ROWS("add", uint32_t, uint64_t, Add),
      INTEGER_ROWS("sub", uint32_t, uint64_t, Subtract),
      INTEGER_ROWS("smin", int32_t, int64_t, Minimum),
      INTEGER_ROWS("umin", uint32_t, uint64_t, Minimum),
      INTEGER_ROWS("smax", int32_t, int64_t, Maximum),
      INTEGER_ROWS("umax", uint32_t, uint64_t, Maximum),
      INTEGER_ROWS("and", uint32_t, uint64_t, And),
      INTEGER_ROWS("or", uint32_t, uint64_t, Or),
      INTEGER_ROWS("xor", uint32_t, uint64_t, Xor),
      INTEGER_ROWS("inc", uint32_t, uint64_t, Increment),
      INTEGER_ROWS("dec", uint32_t, uint64_t, Decrement),
      DEVICE_ROWS("cmpswap", Takes(2, 1), uint32_t, CompareSwap, true, 2),
      DEVICE_ROWS("cmpswap_x2", Takes(4, 2), uint64_t, CompareSwap, true, 2),
      DEVICE_ROWS("add_f32", Takes(1, 1), float, Add, true),
      DEVICE_ROWS("add_f64", Takes(2, 2), double, Add, true),
      DEVICE_ROWS("min_f64", Takes(2, 2), double, Minimum, true),
      DEVICE_ROWS("max_f64", Takes(2, 2), double, Maximum, true),
      DEVICE_ROWS("pk_add_f16", Takes(1, 1), uint32_t, AddPackedHalves, true),
      DEVICE_ROWS("pk_add_bf16", Takes(1, 1), uint32_t, AddPackedBfloats, true),
      LDS_PAIR("add", "u32", "u64", uint32_t, uint64_t, Add),
      LDS_PAIR("sub", "u32", "u64", uint32_t, uint64_t, Subtract),
      LDS_PAIR("rsub", "u32", "u64", uint32_t, uint64_t, ReverseSubtract),
      LDS_PAIR("inc", "u32", "u64", uint32_t, uint64_t, Increment),
      LDS_PAIR("dec", "u32", "u64", uint32_t, uint64_t, Decrement),
      LDS_PAIR("min", "i32", "i64", int32_t, int64_t, Minimum),
      LDS_PAIR("max", "i32", "i64", int32_t, int64_t, Maximum),
      LDS_PAIR("min", "u32", "u64", uint32_t, uint64_t, Minimum),
      LDS_PAIR("max", "u32", "u64", uint32_t, uint64_t, Maximum),
      LDS_PAIR("min", "f32", "f64", float, double, Minimum),
      LDS_PAIR("max", "f32", "f64", float, double, Maximum),
      LDS_PAIR("add", "f32", "f64", float, double, Add),
      LDS_PAIR("and", "b32", "b64", uint32_t, uint64_t, And),
      LDS_PAIR("or", "b32", "b64", uint32_t, uint64_t, Or),
      LDS_PAIR("xor", "b32", "b64", uint32_t, uint64_t, Xor),
      LDS_PAIR("wrxchg", "b32", "b64", uint32_t, uint64_t, Swap),
      LDS_ROWS("mskor", "b32", Lds2(1), uint32_t, MaskedOr, false, 2),
      LDS_ROWS("mskor", "b64", Lds2(2), uint64_t, MaskedOr, false, 2),
      LDS_ROWS("cmpst", "b32", Lds2(1), uint32_t, CompareSwap, false, 2),
      LDS_ROWS("cmpst", "b64", Lds2(2), uint64_t, CompareSwap, false, 2),
      LDS_ROWS("cmpst", "f32", Lds2(1), float, CompareSwap, false, 2),
      LDS_ROWS("cmpst", "f64", Lds2(2), double, CompareSwap, false, 2),
      LDS_ROWS("pk_add", "f16", Lds1(1), uint32_t, AddPackedHalves, false),
      LDS_ROWS("pk_add", "bf16", Lds1(1), uint32_t, AddPackedBfloats, false),
  };
  return {kTable, std::size(kTable)};
}

}  // namespace GRIDWISE_SIM_LEVEL
}  // namespace gridwise::sim
