// SPDX-License-Identifier: MIT
#include <cstddef>
#include <cstdint>
#include <iterator>

#include "tools/sim/isa/bind/binding.h"
#include "tools/sim/isa/bind/memory.h"
#include "tools/sim/isa/exec/memory/load_store.h"
#include "tools/sim/isa/exec/memory/load_store_part.h"
#include "tools/sim/isa/exec/memory/memory.h"
#include "tools/sim/isa/exec/memory/whole.h"
#include "tools/sim/isa/exec/memory_tables.h"
#include "tools/sim/wave/uop.h"
#include "tools/sim/wave/wave.h"

namespace gridwise::sim {
inline namespace GRIDWISE_SIM_LEVEL {
namespace {

/// Loads to LDS (CDNA3 and CDNA4 ISA, "Memory Buffer Load to LDS"): lane l's value goes to M0[17:0]
/// + instruction offset + 4 * l; one of 3 or 4 dwords, to 16 * l in place of that.
template <typename T, int kDwords = 1>
struct LoadToLds {
  static constexpr Access kAccess = {
      .bytes = kDwords == 1 ? sizeof(T) : 4 * kDwords, .reads = true, .writes = false};
  static constexpr uint32_t kLdsBytes = 4 * kDwords;

  static uint32_t Address(const Wave& w, const Uop& u, int lane) {
    return (w.s[kM0] & 0x3ffff) + static_cast<uint32_t>(u.imm) +
           (kDwords == 1 ? 4 : 16) * static_cast<uint32_t>(lane);
  }
  static void Lane(Wave& w, const Uop& u, int l, const std::byte* p) {
    if constexpr (kDwords == 1) {
      const uint32_t extended = static_cast<uint32_t>(static_cast<int32_t>(LoadAs<T>(p)));
      std::memcpy(w.lds + Address(w, u, l), &extended, 4);
    } else {
      std::memcpy(w.lds + Address(w, u, l), p, kLdsBytes);
    }
  }
  static void Zero(Wave& w, const Uop& u, int l) {
    std::memset(w.lds + Address(w, u, l), 0, kLdsBytes);
  }
  static void Partial(Wave& w, const Uop& u, int l, const std::byte* p, uint32_t dwords) {
    Zero(w, u, l);
    std::memcpy(w.lds + Address(w, u, l), p, 4 * dwords);
  }
};

template <auto kLoad, typename Op>
bool ToLds(Wave& w, const Uop& u) {
  const uint64_t exec = Exec(w);
  if (exec == 0) return true;
  constexpr Access kToLds = {Op::kLdsBytes, false, true};
  const int last = 63 - __builtin_clzll(exec);
  const uint32_t address = Op::Address(w, u, last);
  uint64_t inside = exec;
  if (uint64_t{address} + Op::kLdsBytes > w.lds_bytes) [[unlikely]] {
    NoteOutsideLds(w, u, kToLds, last, address);
    ForLanes(exec, [&](int l) {
      if (uint64_t{Op::Address(w, u, l)} + Op::kLdsBytes > w.lds_bytes)
        inside &= ~(uint64_t{1} << l);
    });
    SetScalar64(w, kExecLo, inside);
  }
  if (w.observe != nullptr && inside != 0)
      [[unlikely]] {  // the LDS side first, then what is loaded
    uint32_t to[kLanes];
    for (int l = 0; l < kLanes; ++l) to[l] = Op::Address(w, u, l);
    Observe(w, u, kToLds, w.lds, to, inside, AddressSpace::kLds);
  }
  const bool loaded = kLoad(w, u);
  if (inside != exec) [[unlikely]]
    SetScalar64(w, kExecLo, exec);
  return loaded;
}

constexpr OpTraits Loads(uint8_t dwords) { return {.dwords = dwords, .flags = kMemoryLoad}; }
constexpr OpTraits Stores(uint8_t dwords) { return {.dwords = dwords, .flags = kMemoryStore}; }

}  // namespace

#define ROW(NAME, BIND, SPACE, TRAITS, ...) \
  {NAME, OpClass::kVmem, &BIND, &Step<&SPACE<__VA_ARGS__>>, TRAITS}

// CDNA's registers have error correction.
#define HALF_ROW(NAME, BIND, SPACE, TYPE, PLACE)                                              \
  {NAME, OpClass::kVmem, &BIND, &Step<&SPACE<LoadPart<TYPE, PLACE>>>, Loads(1), kRdna}, {     \
    NAME, OpClass::kVmem, &BIND, &Step<&SPACE<LoadPart<TYPE, PLACE##Alone>>>, Loads(1), kGfx9 \
  }

#define LOADS_AND_STORES(PREFIX, BIND, SPACE)                                                     \
  ROW(PREFIX "_load_dword", BIND, SPACE, Loads(1), Load<1>),                                      \
      ROW(PREFIX "_load_dwordx2", BIND, SPACE, Loads(2), Load<2>),                                \
      ROW(PREFIX "_load_dwordx3", BIND, SPACE, Loads(3), Load<3>),                                \
      ROW(PREFIX "_load_dwordx4", BIND, SPACE, Loads(4), Load<4>),                                \
      ROW(PREFIX "_load_ubyte", BIND, SPACE, Loads(1), LoadPart<uint8_t, Place::kDword>),         \
      ROW(PREFIX "_load_sbyte", BIND, SPACE, Loads(1), LoadPart<int8_t, Place::kDword>),          \
      ROW(PREFIX "_load_ushort", BIND, SPACE, Loads(1), LoadPart<uint16_t, Place::kDword>),       \
      ROW(PREFIX "_load_sshort", BIND, SPACE, Loads(1), LoadPart<int16_t, Place::kDword>),        \
      HALF_ROW(PREFIX "_load_ubyte_d16", BIND, SPACE, uint8_t, Place::kLow),                      \
      HALF_ROW(PREFIX "_load_ubyte_d16_hi", BIND, SPACE, uint8_t, Place::kHigh),                  \
      HALF_ROW(PREFIX "_load_sbyte_d16", BIND, SPACE, int8_t, Place::kLow),                       \
      HALF_ROW(PREFIX "_load_sbyte_d16_hi", BIND, SPACE, int8_t, Place::kHigh),                   \
      HALF_ROW(PREFIX "_load_short_d16", BIND, SPACE, uint16_t, Place::kLow),                     \
      HALF_ROW(PREFIX "_load_short_d16_hi", BIND, SPACE, uint16_t, Place::kHigh),                 \
      ROW(PREFIX "_store_dword", BIND, SPACE, Stores(1), Store<1>),                               \
      ROW(PREFIX "_store_dwordx2", BIND, SPACE, Stores(2), Store<2>),                             \
      ROW(PREFIX "_store_dwordx3", BIND, SPACE, Stores(3), Store<3>),                             \
      ROW(PREFIX "_store_dwordx4", BIND, SPACE, Stores(4), Store<4>),                             \
      ROW(PREFIX "_store_byte", BIND, SPACE, Stores(1), StorePart<uint8_t, Place::kDword>),       \
      ROW(PREFIX "_store_byte_d16_hi", BIND, SPACE, Stores(1), StorePart<uint8_t, Place::kHigh>), \
      ROW(PREFIX "_store_short", BIND, SPACE, Stores(1), StorePart<uint16_t, Place::kDword>),     \
      ROW(PREFIX "_store_short_d16_hi", BIND, SPACE, Stores(1), StorePart<uint16_t, Place::kHigh>)

#define TO_LDS_ROW(NAME, BIND, SPACE, ...) \
  {NAME, OpClass::kVmem, &BIND,            \
   &Step<&ToLds<&SPACE<LoadToLds<__VA_ARGS__>>, LoadToLds<__VA_ARGS__>>>, Loads(1)}
#define TO_LDS_ROWS(PREFIX, SUFFIX, BIND, SPACE)                 \
  TO_LDS_ROW(PREFIX "ubyte" SUFFIX, BIND, SPACE, uint8_t),       \
      TO_LDS_ROW(PREFIX "sbyte" SUFFIX, BIND, SPACE, int8_t),    \
      TO_LDS_ROW(PREFIX "ushort" SUFFIX, BIND, SPACE, uint16_t), \
      TO_LDS_ROW(PREFIX "sshort" SUFFIX, BIND, SPACE, int16_t),  \
      TO_LDS_ROW(PREFIX "dword" SUFFIX, BIND, SPACE, uint32_t)
#define TO_LDS_WIDE_ROWS(PREFIX, SUFFIX, BIND, SPACE)            \
  TO_LDS_ROW(PREFIX "dwordx3" SUFFIX, BIND, SPACE, uint32_t, 3), \
      TO_LDS_ROW(PREFIX "dwordx4" SUFFIX, BIND, SPACE, uint32_t, 4)

BindingTable VmemTable() {
  static constexpr Binding kTable[] = {
      LOADS_AND_STORES("global", BindGlobal, Global),
      LOADS_AND_STORES("flat", BindFlat, Flat),
      LOADS_AND_STORES("scratch", BindScratch, Scratch),
      LOADS_AND_STORES("buffer", BindBuffer, Buffer),
      ROW("global_load_addtid_b32", BindGlobalAddTid, GlobalAddTid, Loads(1), Load<1>),
      ROW("global_store_addtid_b32", BindGlobalAddTid, GlobalAddTid, Stores(1), Store<1>),
      TO_LDS_ROWS("global_load_lds_", "", BindGlobalToLds, Global),
      TO_LDS_WIDE_ROWS("global_load_lds_", "", BindGlobalToLds, Global),
      TO_LDS_ROWS("scratch_load_lds_", "", BindScratchToLds, Scratch),
      // BindBuffer looks these up for loads with the modifier "lds".
      TO_LDS_ROWS("buffer_load_", " lds", BindBuffer, Buffer),
      TO_LDS_WIDE_ROWS("buffer_load_", " lds", BindBuffer, Buffer),
      {"buffer_wbl2", OpClass::kVmem, &BindCacheControl, nullptr},
      {"buffer_inv", OpClass::kVmem, &BindCacheControl, nullptr},
      {"buffer_invl2", OpClass::kVmem, &BindCacheControl, nullptr},
      {"buffer_wbinvl1", OpClass::kVmem, &BindCacheControl, nullptr},
      {"buffer_wbinvl1_vol", OpClass::kVmem, &BindCacheControl, nullptr},
      {"buffer_gl0_inv", OpClass::kVmem, &BindCacheControl, nullptr},
      {"buffer_gl1_inv", OpClass::kVmem, &BindCacheControl, nullptr},
      {"global_inv", OpClass::kVmem, &BindCacheControl, nullptr},
      {"global_wb", OpClass::kVmem, &BindCacheControl, nullptr},
      {"global_wbinv", OpClass::kVmem, &BindCacheControl, nullptr},
  };
  return {kTable, std::size(kTable)};
}

}  // namespace GRIDWISE_SIM_LEVEL
}  // namespace gridwise::sim
