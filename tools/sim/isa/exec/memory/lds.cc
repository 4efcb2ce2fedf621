// SPDX-License-Identifier: MIT
#include <cstdint>
#include <cstring>
#include <iterator>

#include "tools/sim/isa/bind/binding.h"
#include "tools/sim/isa/bind/memory.h"
#include "tools/sim/isa/exec/memory/load_store.h"
#include "tools/sim/isa/exec/memory/load_store_part.h"
#include "tools/sim/isa/exec/memory/memory.h"
#include "tools/sim/isa/exec/memory_tables.h"
#include "tools/sim/wave/uop.h"
#include "tools/sim/wave/wave.h"

namespace gridwise::sim {
inline namespace GRIDWISE_SIM_LEVEL {
namespace {

/// ds_read2: two values of kDwords per lane, from offset + imm and offset + data, into consecutive
/// rows.
template <int kDwords>
bool ReadTwo(Wave& w, const Uop& u) {
  const uint64_t exec = Exec(w);
  if (exec == 0) return true;
  alignas(64) uint32_t offset[kLanes];  // a copy: the destination may be the address register
  std::memcpy(offset, Row(w, u.src[0]), sizeof(offset));
  Uop second = u;
  second.dst = NextRow(u.dst, kDwords);
  return ApplyLds<Load<kDwords>>(w, u, offset, static_cast<uint32_t>(u.imm), exec) &&
         ApplyLds<Load<kDwords>>(w, second, offset, static_cast<uint32_t>(u.data), exec);
}

/// ds_write2: src[1] to offset + imm, src[2] to offset + data.
template <int kDwords>
bool WriteTwo(Wave& w, const Uop& u) {
  const uint64_t exec = Exec(w);
  if (exec == 0) return true;
  const uint32_t* offset = Row(w, u.src[0]);
  Uop second = u;
  second.src[1] = u.src[2];
  return ApplyLds<Store<kDwords>>(w, u, offset, static_cast<uint32_t>(u.imm), exec) &&
         ApplyLds<Store<kDwords>>(w, second, offset, static_cast<uint32_t>(u.data), exec);
}

/// Address of lane l: M0 + imm + 4 * l (ds_read_addtid, ds_write_addtid).
template <typename Op>
bool AddTid(Wave& w, const Uop& u) {
  const uint64_t exec = Exec(w);
  if (exec == 0) return true;
  alignas(64) uint32_t offset[kLanes];
  for (uint32_t l = 0; l < kLanes; ++l) offset[l] = (w.s[kM0] & 0xffff) + 4 * l;
  return ApplyLds<Op>(w, u, offset, static_cast<uint32_t>(u.imm), exec);
}

/// lds_direct_load, ds_direct_load: one value for all lanes, from M0[15:0]; M0[18:16] is its type
/// (RDNA3 ISA, "LDS Direct Load").
bool DirectLoad(Wave& w, const Uop& u) {
  const uint64_t exec = Exec(w);
  if (exec == 0) return true;
  const uint32_t address = w.s[kM0] & 0xffff, type = w.s[kM0] >> 16 & 7;
  constexpr uint32_t kBytes[] = {1, 2, 4, 0, 1, 2, 0, 0};  // u8, u16, dword, -, i8, i16
  const uint32_t bytes = kBytes[type];
  if (bytes == 0) return RaiseFault(w, u, "loads from LDS with a reserved type in M0");
  const Access access = {bytes, true, false};
  uint32_t value = 0;
  if (uint64_t{address} + bytes <= w.lds_bytes) {
    ObserveLane(w, u, access, w.lds + address, __builtin_ctzll(exec), AddressSpace::kLds);
    std::memcpy(&value, w.lds + address, bytes);
  } else {
    NoteOutsideLds(w, u, access, -1, address);
  }
  if (type == 4) value = static_cast<uint32_t>(int32_t{static_cast<int8_t>(value)});
  if (type == 5) value = static_cast<uint32_t>(int32_t{static_cast<int16_t>(value)});
  ForLanes(exec, [&](int l) { Row(w, u.dst)[l] = value; });
  return true;
}

constexpr OpTraits Reads(uint8_t dwords) { return {.dwords = dwords, .flags = kMemoryLoad}; }
constexpr OpTraits Writes(uint8_t dwords) { return {.dwords = dwords, .flags = kMemoryStore}; }
constexpr OpTraits Strided(OpTraits traits) {
  traits.flags |= kLdsStride64;
  return traits;
}

}  // namespace

// CDNA's registers have error correction.
#define HALF_ROW(NAME, TYPE, PLACE)                                                  \
  {NAME, kLds, &BindLds, &Step<&Lds<LoadPart<TYPE, PLACE>>>, Reads(1), kRdna}, {     \
    NAME, kLds, &BindLds, &Step<&Lds<LoadPart<TYPE, PLACE##Alone>>>, Reads(1), kGfx9 \
  }

BindingTable LdsTable() {
  static constexpr OpClass kLds = OpClass::kLds;
  static constexpr Binding kTable[] = {
      {"ds_read_b32", kLds, &BindLds, &Step<&Lds<Load<1>>>, Reads(1)},
      {"ds_read_b64", kLds, &BindLds, &Step<&Lds<Load<2>>>, Reads(2)},
      {"ds_read_b96", kLds, &BindLds, &Step<&Lds<Load<3>>>, Reads(3)},
      {"ds_read_b128", kLds, &BindLds, &Step<&Lds<Load<4>>>, Reads(4)},
      {"ds_read_u8", kLds, &BindLds, &Step<&Lds<LoadPart<uint8_t, Place::kDword>>>, Reads(1)},
      {"ds_read_i8", kLds, &BindLds, &Step<&Lds<LoadPart<int8_t, Place::kDword>>>, Reads(1)},
      {"ds_read_u16", kLds, &BindLds, &Step<&Lds<LoadPart<uint16_t, Place::kDword>>>, Reads(1)},
      {"ds_read_i16", kLds, &BindLds, &Step<&Lds<LoadPart<int16_t, Place::kDword>>>, Reads(1)},
      HALF_ROW("ds_read_u8_d16", uint8_t, Place::kLow),
      HALF_ROW("ds_read_u8_d16_hi", uint8_t, Place::kHigh),
      HALF_ROW("ds_read_i8_d16", int8_t, Place::kLow),
      HALF_ROW("ds_read_i8_d16_hi", int8_t, Place::kHigh),
      HALF_ROW("ds_read_u16_d16", uint16_t, Place::kLow),
      HALF_ROW("ds_read_u16_d16_hi", uint16_t, Place::kHigh),
      {"ds_read2_b32", kLds, &BindLdsTwo, &Step<&ReadTwo<1>>, Reads(1)},
      {"ds_read2_b64", kLds, &BindLdsTwo, &Step<&ReadTwo<2>>, Reads(2)},
      {"ds_read2st64_b32", kLds, &BindLdsTwo, &Step<&ReadTwo<1>>, Strided(Reads(1))},
      {"ds_read2st64_b64", kLds, &BindLdsTwo, &Step<&ReadTwo<2>>, Strided(Reads(2))},
      {"ds_read_addtid_b32", kLds, &BindLdsAddTid, &Step<&AddTid<Load<1>>>, Reads(1)},
      {"ds_write_b32", kLds, &BindLds, &Step<&Lds<Store<1>>>, Writes(1)},
      {"ds_write_b64", kLds, &BindLds, &Step<&Lds<Store<2>>>, Writes(2)},
      {"ds_write_b96", kLds, &BindLds, &Step<&Lds<Store<3>>>, Writes(3)},
      {"ds_write_b128", kLds, &BindLds, &Step<&Lds<Store<4>>>, Writes(4)},
      {"ds_write_b8", kLds, &BindLds, &Step<&Lds<StorePart<uint8_t, Place::kDword>>>, Writes(1)},
      {"ds_write_b8_d16_hi", kLds, &BindLds, &Step<&Lds<StorePart<uint8_t, Place::kHigh>>>,
       Writes(1)},
      {"ds_write_b16", kLds, &BindLds, &Step<&Lds<StorePart<uint16_t, Place::kDword>>>, Writes(1)},
      {"ds_write_b16_d16_hi", kLds, &BindLds, &Step<&Lds<StorePart<uint16_t, Place::kHigh>>>,
       Writes(1)},
      {"ds_write2_b32", kLds, &BindLdsTwo, &Step<&WriteTwo<1>>, Writes(1)},
      {"ds_write2_b64", kLds, &BindLdsTwo, &Step<&WriteTwo<2>>, Writes(2)},
      {"ds_write2st64_b32", kLds, &BindLdsTwo, &Step<&WriteTwo<1>>, Strided(Writes(1))},
      {"ds_write2st64_b64", kLds, &BindLdsTwo, &Step<&WriteTwo<2>>, Strided(Writes(2))},
      {"ds_write_addtid_b32", kLds, &BindLdsAddTid, &Step<&AddTid<Store<1>>>, Writes(1)},
      {"lds_direct_load", kLds, &BindLdsDirect, &Step<&DirectLoad>},
      {"ds_direct_load", kLds, &BindLdsDirect, &Step<&DirectLoad>},
      {"ds_nop", kLds, &BindCacheControl, nullptr},
  };
  return {kTable, std::size(kTable)};
}

}  // namespace GRIDWISE_SIM_LEVEL
}  // namespace gridwise::sim
