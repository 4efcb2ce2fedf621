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

/// Offset of a scalar access: immediate plus SGPR src[3] if there is one.
GRIDWISE_SIM_INLINE uint64_t ScalarOffset(Wave& w, const Uop& u) {
  uint64_t offset = static_cast<int64_t>(u.imm);
  if (u.src[3] != kNoRef) offset += *Row(w, u.src[3]);
  return offset;
}

/// The low address bits that an access of `bytes` ignores: those of a dword, or of less if it is
/// less.
constexpr uint64_t Unaligned(uint32_t bytes) { return bytes < 4 ? bytes - 1 : 3; }

/// Notes an access that depends on whether they are ignored in the sum of `base` and the offsets,
/// as here, or in each of them.
GRIDWISE_SIM_INLINE void NoteUnaligned(Wave& w, const Uop& u, uint64_t base, uint32_t bytes) {
  const uint64_t low = Unaligned(bytes);
  const uint64_t scalar = u.src[3] == kNoRef ? 0 : *Row(w, u.src[3]);
  if ((base & low) + (static_cast<uint64_t>(u.imm) & low) + (scalar & low) > low) [[unlikely]]
    NoteNotKnown(w, u);
}

/// s_load, s_store: the address is src[2] + offset. Null, after a fault, if it is in no allocation.
struct FromAddress {
  template <typename Body>
  static bool Apply(Wave& w, const Uop& u, Access access, const Body& body) {
    const uint64_t base = Read64(w, u.src[2]);
    NoteUnaligned(w, u, base, access.bytes);
    const uint64_t address = (base + ScalarOffset(w, u)) & ~Unaligned(access.bytes);
    if (!InAllocation(w, address, address + access.bytes))
      return RaiseFault(w, u, OutsideAllocations(access), -1, address, access.bytes);
    ObserveLane(w, u, access, reinterpret_cast<void*>(address), 0);
    body(reinterpret_cast<std::byte*>(address), access.bytes);
    return true;
  }
};

/// s_buffer_load, s_buffer_store: src[2] is a resource. Only the dwords that end at or before
/// num_records (times the stride, if there is one) are accessed; of less than a dword or of an
/// atomic, all bytes or none.
struct FromBuffer {
  template <typename Body>
  static bool Apply(Wave& w, const Uop& u, Access access, const Body& body) {
    const uint32_t* resource = Row(w, u.src[2]);
    const uint64_t base = (uint64_t{resource[1] & 0xffff} << 32) | resource[0];
    const uint64_t stride = resource[1] >> 16 & 0x3fff;
    const uint64_t records = resource[2] * (stride == 0 ? 1 : stride);
    NoteUnaligned(w, u, 0, access.bytes);
    const uint64_t offset = ScalarOffset(w, u) & ~Unaligned(access.bytes);
    const bool whole = access.bytes < 4 || (access.reads && access.writes);
    uint32_t bytes = access.bytes;
    if (offset + bytes > records)
      bytes = whole || offset > records ? 0 : static_cast<uint32_t>(records - offset) / 4 * 4;
    const uint64_t address = base + offset;
    if (bytes != 0 && !InAllocation(w, address, address + bytes))
      return RaiseFault(w, u, OutsideAllocations(access), -1, address, bytes);
    if (bytes != 0)
      ObserveLane(w, u, {bytes, access.reads, access.writes}, reinterpret_cast<void*>(address), 0);
    body(reinterpret_cast<std::byte*>(address), bytes);
    return true;
  }
};

/// dst = kDwords dwords; 0 for those out of a buffer's range.
template <typename Place, int kDwords>
bool ScalarLoad(Wave& w, const Uop& u) {
  return Place::Apply(w, u, {4 * kDwords, true, false}, [&](const std::byte* from, uint32_t bytes) {
    uint32_t result[kDwords];
    if (bytes == sizeof(result)) {
      std::memcpy(result, from, sizeof(result));
    } else {
      std::memset(result, 0, sizeof(result));
      std::memcpy(result, from, bytes);
    }
    std::memcpy(Row(w, u.dst), result, sizeof(result));
  });
}

/// dst = a T, extended to a dword.
template <typename Place, typename T>
bool ScalarLoadPart(Wave& w, const Uop& u) {
  return Place::Apply(w, u, {sizeof(T), true, false}, [&](const std::byte* from, uint32_t bytes) {
    T value = 0;
    std::memcpy(&value, from, bytes);
    *Row(w, u.dst) = static_cast<uint32_t>(static_cast<int32_t>(value));
  });
}

template <typename Place, int kDwords>
bool ScalarStore(Wave& w, const Uop& u) {
  return Place::Apply(w, u, {4 * kDwords, false, true}, [&](std::byte* to, uint32_t bytes) {
    std::memcpy(to, Row(w, u.src[1]), bytes);
  });
}

/// An atomic on a T with the operands in src[1]: a compare-swap has the new value first.
template <typename Place, typename T, typename Update, int kOperands = 1>
bool ScalarAtomic(Wave& w, const Uop& u) {
  return Place::Apply(w, u, {sizeof(T), true, true}, [&](std::byte* at, uint32_t bytes) {
    T operands[2] = {};
    std::memcpy(operands, Row(w, u.src[1]), sizeof(T) * kOperands);
    typename BitsOf<sizeof(T)>::Type old = 0;
    if (bytes != 0) {
      const T a = operands[kOperands - 1], b = operands[0];
      old = Atomic<T, Update, true>::Change(at, a, b);
    }
    if (u.dst != kNoRef) std::memcpy(Row(w, u.dst), &old, sizeof(T));
  });
}

constexpr OpTraits Loads(uint8_t dwords) { return {.dwords = dwords, .flags = kMemoryLoad}; }
constexpr OpTraits Stores(uint8_t dwords) { return {.dwords = dwords, .flags = kMemoryStore}; }
constexpr OpTraits Takes(uint8_t operand_dwords, uint8_t result_dwords) {
  return {.dwords = operand_dwords,
          .flags = kMemoryAtomic | uint32_t{result_dwords} << kResultDwordsShift};
}

}  // namespace

#define ROW(NAME, TRAITS, HANDLER, ...)                                                            \
  {"s_" NAME, OpClass::kSmem, &BindScalarMemory, &Step<&HANDLER<FromAddress, __VA_ARGS__>>,        \
   TRAITS},                                                                                        \
  {                                                                                                \
    "s_buffer_" NAME, OpClass::kSmem, &BindScalarBuffer, &Step<&HANDLER<FromBuffer, __VA_ARGS__>>, \
        TRAITS                                                                                     \
  }
#define ATOMIC_ROWS(NAME, T32, T64, UPDATE)                    \
  ROW("atomic_" NAME, Takes(1, 1), ScalarAtomic, T32, UPDATE), \
      ROW("atomic_" NAME "_x2", Takes(2, 2), ScalarAtomic, T64, UPDATE)

BindingTable SmemTable() {
  static constexpr OpClass kSmem = OpClass::kSmem;
  static constexpr Binding kTable[] = {
      ROW("load_dword", Loads(1), ScalarLoad, 1),
      ROW("load_dwordx2", Loads(2), ScalarLoad, 2),
      ROW("load_b96", Loads(3), ScalarLoad, 3),
      ROW("load_dwordx4", Loads(4), ScalarLoad, 4),
      ROW("load_dwordx8", Loads(8), ScalarLoad, 8),
      ROW("load_dwordx16", Loads(16), ScalarLoad, 16),
      ROW("load_u8", Loads(1), ScalarLoadPart, uint8_t),
      ROW("load_i8", Loads(1), ScalarLoadPart, int8_t),
      ROW("load_u16", Loads(1), ScalarLoadPart, uint16_t),
      ROW("load_i16", Loads(1), ScalarLoadPart, int16_t),
      ROW("store_dword", Stores(1), ScalarStore, 1),
      ROW("store_dwordx2", Stores(2), ScalarStore, 2),
      ROW("store_dwordx4", Stores(4), ScalarStore, 4),
      ATOMIC_ROWS("swap", uint32_t, uint64_t, Swap),
      ATOMIC_ROWS("add", uint32_t, uint64_t, Add),
      ATOMIC_ROWS("sub", uint32_t, uint64_t, Subtract),
      ATOMIC_ROWS("smin", int32_t, int64_t, Minimum),
      ATOMIC_ROWS("umin", uint32_t, uint64_t, Minimum),
      ATOMIC_ROWS("smax", int32_t, int64_t, Maximum),
      ATOMIC_ROWS("umax", uint32_t, uint64_t, Maximum),
      ATOMIC_ROWS("and", uint32_t, uint64_t, And),
      ATOMIC_ROWS("or", uint32_t, uint64_t, Or),
      ATOMIC_ROWS("xor", uint32_t, uint64_t, Xor),
      ATOMIC_ROWS("inc", uint32_t, uint64_t, Increment),
      ATOMIC_ROWS("dec", uint32_t, uint64_t, Decrement),
      ROW("atomic_cmpswap", Takes(2, 1), ScalarAtomic, uint32_t, CompareSwap, 2),
      ROW("atomic_cmpswap_x2", Takes(4, 2), ScalarAtomic, uint64_t, CompareSwap, 2),
      {"s_dcache_inv_vol", kSmem, &BindHint, nullptr},
      {"s_dcache_wb_vol", kSmem, &BindHint, nullptr},
      {"s_dcache_discard", kSmem, &BindHint, nullptr},
      {"s_dcache_discard_x2", kSmem, &BindHint, nullptr},
      {"s_gl1_inv", kSmem, &BindHint, nullptr},
      {"s_prefetch_inst", kSmem, &BindHint, nullptr},
      {"s_prefetch_inst_pc_rel", kSmem, &BindHint, nullptr},
      {"s_prefetch_data", kSmem, &BindHint, nullptr},
      {"s_prefetch_data_pc_rel", kSmem, &BindHint, nullptr},
      {"s_buffer_prefetch_data", kSmem, &BindHint, nullptr},
  };
  return {kTable, std::size(kTable)};
}

}  // namespace GRIDWISE_SIM_LEVEL
}  // namespace gridwise::sim
