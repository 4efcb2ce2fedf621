// SPDX-License-Identifier: MIT
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>

#include "tools/sim/isa/bind/binding.h"
#include "tools/sim/isa/bind/memory.h"
#include "tools/sim/isa/exec/memory/atomic.h"
#include "tools/sim/isa/exec/memory/memory.h"
#include "tools/sim/isa/exec/memory/update.h"
#include "tools/sim/isa/exec/memory_tables.h"
#include "tools/sim/wave/uop.h"
#include "tools/sim/wave/wave.h"

namespace gridwise::sim {
inline namespace GRIDWISE_SIM_LEVEL {
namespace {

/// ds_wrxchg2: exchanges src[1] with what is at offset + imm, and src[2] at offset + data; the old
/// values go to consecutive rows.
template <typename T>
bool ExchangeTwo(Wave& w, const Uop& u) {
  using Exchange = Atomic<T, Swap, false>;
  const uint64_t exec = Exec(w);
  if (exec == 0) return true;
  // Copies: the first result may go to a register that the second exchange reads.
  constexpr int kDwords = Exchange::kDwords;
  std::memcpy(Row(w, TempRef(0)), Row(w, u.src[0]), kRowBytes);
  std::memcpy(Row(w, TempRef(1)), Row(w, u.src[2]), kDwords * kRowBytes);
  Uop second = u;
  second.dst = NextRow(u.dst, kDwords);
  second.src[1] = TempRef(1);
  const uint32_t* offset = Row(w, TempRef(0));
  return ApplyLds<Exchange>(w, u, offset, static_cast<uint32_t>(u.imm), exec) &&
         ApplyLds<Exchange>(w, second, offset, static_cast<uint32_t>(u.data), exec);
}

/// ds_append, ds_consume: every active lane gets the dword at M0[15:0] + imm, to which (from which)
/// their number is added (subtracted).
template <int kSign>
bool CountLanes(Wave& w, const Uop& u) {
  const uint64_t exec = Exec(w);
  if (exec == 0) return true;
  const uint32_t address = (w.s[kM0] & 0xffff) + static_cast<uint32_t>(u.imm);
  constexpr Access kAccess = {4, true, true};
  uint32_t old = 0;
  if (uint64_t{address} + kAccess.bytes <= w.lds_bytes) {
    std::byte* const at = w.lds + address;
    ObserveLane(w, u, kAccess, at, __builtin_ctzll(exec), AddressSpace::kLds);
    const auto count = static_cast<uint32_t>(kSign * __builtin_popcountll(exec));
    old = Atomic<uint32_t, Add, false>::Change(at, count, 0);
  } else {
    NoteOutsideLds(w, u, kAccess, -1, address);
  }
  ForLanes(exec, [&](int l) { Row(w, u.dst)[l] = old; });
  return true;
}

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
/// ds_cmpstore: the new value comes first.
constexpr OpTraits NewValueFirst(uint8_t dwords) {
  OpTraits traits = Lds2(dwords);
  traits.flags |= kLdsNewValueFirst;
  return traits;
}
constexpr OpTraits TwoAddresses(uint8_t dwords, uint32_t flags = 0) {
  return {.dwords = dwords, .flags = kMemoryLoad | kMemoryStore | flags};
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

constexpr Binding kAtomic[] = {
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
    DEVICE_ROWS("csub_u32", Takes(1, 1), uint32_t, SubtractToZero, true),
    DEVICE_ROWS("sub_clamp_u32", Takes(1, 1), uint32_t, SubtractToZero, true),
    DEVICE_ROWS("cond_sub_u32", Takes(1, 1), uint32_t, SubtractIfEnough, true),
    DEVICE_ROWS("cmpswap_f32", Takes(2, 1), float, CompareSwap, true, 2),
    DEVICE_ROWS("min_f32", Takes(1, 1), float, Minimum, true),
    DEVICE_ROWS("max_f32", Takes(1, 1), float, Maximum, true),
    DEVICE_ROWS("min_num_f32", Takes(1, 1), float, MinimumNumber, true),
    DEVICE_ROWS("max_num_f32", Takes(1, 1), float, MaximumNumber, true),
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
    LDS_ROWS("add", "f32", Lds1(1), float, AddUnderMode, false),
    LDS_ROWS("add", "f64", Lds1(2), double, Add, false),
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
    LDS_ROWS("cmpstore", "b32", NewValueFirst(1), uint32_t, CompareSwap, false, 2),
    LDS_ROWS("cmpstore", "b64", NewValueFirst(2), uint64_t, CompareSwap, false, 2),
    LDS_ROWS("cmpstore", "f32", NewValueFirst(1), float, CompareSwap, false, 2),
    LDS_ROWS("cmpstore", "f64", NewValueFirst(2), double, CompareSwap, false, 2),
    LDS_PAIR("min_num", "f32", "f64", float, double, MinimumNumber),
    LDS_PAIR("max_num", "f32", "f64", float, double, MaximumNumber),
    LDS_ROWS("sub_clamp", "u32", Lds1(1), uint32_t, SubtractToZero, false),
    LDS_ROWS("cond_sub", "u32", Lds1(1), uint32_t, SubtractIfEnough, false),
    {"ds_wrap_rtn_b32", OpClass::kLds, &BindLdsAtomic,
     &Step<&Lds<Atomic<uint32_t, Wrap, false, 2>>>, Returning(Lds2(1))},
    {"ds_condxchg32_rtn_b64", OpClass::kLds, &BindLdsAtomic,
     &Step<&Lds<Atomic<uint64_t, SwapMarkedHalves, false>>>, Returning(Lds1(2))},
    {"ds_wrxchg2_rtn_b32", OpClass::kLds, &BindLdsTwo, &Step<&ExchangeTwo<uint32_t>>,
     TwoAddresses(1)},
    {"ds_wrxchg2_rtn_b64", OpClass::kLds, &BindLdsTwo, &Step<&ExchangeTwo<uint64_t>>,
     TwoAddresses(2)},
    {"ds_wrxchg2st64_rtn_b32", OpClass::kLds, &BindLdsTwo, &Step<&ExchangeTwo<uint32_t>>,
     TwoAddresses(1, kLdsStride64)},
    {"ds_wrxchg2st64_rtn_b64", OpClass::kLds, &BindLdsTwo, &Step<&ExchangeTwo<uint64_t>>,
     TwoAddresses(2, kLdsStride64)},
    {"ds_append",
     OpClass::kLds,
     &BindLdsAddTid,
     &Step<&CountLanes<1>>,
     {.dwords = 1, .flags = kMemoryLoad}},
    {"ds_consume",
     OpClass::kLds,
     &BindLdsAddTid,
     &Step<&CountLanes<-1>>,
     {.dwords = 1, .flags = kMemoryLoad}},
    LDS_ROWS("pk_add", "f16", Lds1(1), uint32_t, AddPackedHalves, false),
    LDS_ROWS("pk_add", "bf16", Lds1(1), uint32_t, AddPackedBfloats, false),
};

BindingTable AtomicTable() { return {kAtomic, std::size(kAtomic)}; }

}  // namespace GRIDWISE_SIM_LEVEL
}  // namespace gridwise::sim
