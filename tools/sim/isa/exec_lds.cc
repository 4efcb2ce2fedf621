#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>

#include "tools/sim/isa/bind_memory.h"
#include "tools/sim/isa/binding.h"
#include "tools/sim/isa/exec_load_store.h"
#include "tools/sim/isa/exec_memory.h"
#include "tools/sim/isa/exec_memory_tables.h"
#include "tools/sim/isa/uop.h"
#include "tools/sim/machine/wave.h"

namespace gridwise::sim {
inline namespace GRIDWISE_SIM_LEVEL {
namespace {

/// Applies Op to LDS at offset + imm; for instructions with two accesses.
template <typename Op>
bool OneOfTwo(Wave& w, const Uop& u, const uint32_t* offset, uint32_t imm, uint64_t exec) {
  alignas(64) uint32_t wrapped[kLanes];
  if (!CheckLds(w, u, Op::kAccess, exec, offset, imm, wrapped)) return false;
  Apply<Op>(w, u, {w.lds + imm, offset, exec, 0});
  return true;
}

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
  return OneOfTwo<Load<kDwords>>(w, u, offset, static_cast<uint32_t>(u.imm), exec) &&
         OneOfTwo<Load<kDwords>>(w, second, offset, static_cast<uint32_t>(u.data), exec);
}

/// ds_write2: src[1] to offset + imm, src[2] to offset + data.
template <int kDwords>
bool WriteTwo(Wave& w, const Uop& u) {
  const uint64_t exec = Exec(w);
  if (exec == 0) return true;
  const uint32_t* offset = Row(w, u.src[0]);
  Uop second = u;
  second.src[1] = u.src[2];
  return OneOfTwo<Store<kDwords>>(w, u, offset, static_cast<uint32_t>(u.imm), exec) &&
         OneOfTwo<Store<kDwords>>(w, second, offset, static_cast<uint32_t>(u.data), exec);
}

/// Address of lane l: M0 + imm + 4 * l (ds_read_addtid, ds_write_addtid).
template <typename Op>
bool AddTid(Wave& w, const Uop& u) {
  const uint64_t exec = Exec(w);
  if (exec == 0) return true;
  alignas(64) uint32_t offset[kLanes];
  for (uint32_t l = 0; l < kLanes; ++l) offset[l] = (w.s[kM0] & 0xffff) + 4 * l;
  const OffsetBounds bounds = BoundsOf(offset, exec);
  const uint64_t farthest = uint64_t{bounds.greatest} + static_cast<uint32_t>(u.imm);
  if (farthest + Op::kAccess.bytes > w.lds_bytes) {
    return RaiseFault(w, u, Op::kAccess.writes ? kWritesOutsideLds : kReadsOutsideLds,
                      63 - __builtin_clzll(exec), farthest, Op::kAccess.bytes, AddressSpace::kLds);
  }
  Apply<Op>(w, u, {w.lds + u.imm, offset, exec, 0});
  return true;
}

/// Writes `row` to u.dst in the active lanes.
void WriteActive(Wave& w, const Uop& u, const uint32_t* row) {
  uint32_t* const dst = Row(w, u.dst);
  const uint64_t exec = Exec(w);
  if (exec == ~uint64_t{0}) {
    std::memcpy(dst, row, kRowBytes);
    return;
  }
  ForLanes(exec, [&](int l) { dst[l] = row[l]; });
}

/// dst[l] = data[(address[l] + imm) / 4 mod wave size]; 0 from inactive lanes. Uses no LDS.
void BackwardPermute(Wave& w, const Uop& u) {
  const uint32_t* address = Row(w, u.src[0]);
  const uint32_t* data = Row(w, u.src[1]);
  const uint32_t mask = w.all_lanes == ~uint64_t{0} ? 63 : 31;
  const uint64_t exec = Exec(w);
  alignas(64) uint32_t source[kLanes];
  alignas(64) uint32_t result[kLanes];
  if (exec == ~uint64_t{0}) {
    std::memcpy(source, data, sizeof(source));
  } else {
    for (int l = 0; l < kLanes; ++l) source[l] = exec >> l & 1 ? data[l] : 0;
  }
  for (int l = 0; l < kLanes; ++l)
    result[l] = source[(address[l] + static_cast<uint32_t>(u.imm)) / 4 & mask];
  WriteActive(w, u, result);
}

/// dst[(address[l] + imm) / 4 mod wave size] = data[l] for active l, the highest wins; 0 where no
/// lane sends to.
void ForwardPermute(Wave& w, const Uop& u) {
  const uint32_t* address = Row(w, u.src[0]);
  const uint32_t* data = Row(w, u.src[1]);
  const uint32_t mask = w.all_lanes == ~uint64_t{0} ? 63 : 31;
  alignas(64) uint32_t result[kLanes] = {};
  ForLanes(Exec(w), [&](int l) {
    result[(address[l] + static_cast<uint32_t>(u.imm)) / 4 & mask] = data[l];
  });
  WriteActive(w, u, result);
}

/// ds_swizzle_b32 (CDNA3 ISA, "DS_SWIZZLE_B32"): a fixed exchange within groups of 32 lanes (quad
/// permute: of 4); 0 from inactive lanes. imm is the 16-bit pattern.
void Swizzle(Wave& w, const Uop& u) {
  const uint32_t pattern = static_cast<uint32_t>(u.imm);
  const uint32_t* data = Row(w, u.src[0]);
  const uint64_t exec = Exec(w);
  alignas(64) uint32_t result[kLanes];
  for (uint32_t l = 0; l < kLanes; ++l) {
    uint32_t from;
    if (pattern >= 0xc000) {  // rotate: lanes that the mask selects stay in their group
      const uint32_t keep = pattern & 0x1f, count = pattern >> 5 & 0x1f;
      const uint32_t moved = pattern >> 10 & 1 ? l - count : l + count;
      from = (l & 0x20) | (l & keep) | (moved & 0x1f & ~keep);
    } else if (pattern & 0x8000) {
      from = (l & ~3u) | (pattern >> (2 * (l & 3)) & 3);
    } else {
      from = (l & 0x20) |
             ((((l & 0x1f) & (pattern & 0x1f)) | (pattern >> 5 & 0x1f)) ^ (pattern >> 10 & 0x1f));
    }
    result[l] = exec >> from & 1 ? data[from] : 0;
  }
  WriteActive(w, u, result);
}

constexpr OpTraits Reads(uint8_t dwords) { return {.dwords = dwords, .flags = kMemoryLoad}; }
constexpr OpTraits Writes(uint8_t dwords) { return {.dwords = dwords, .flags = kMemoryStore}; }
constexpr OpTraits Strided(OpTraits traits) {
  traits.flags |= kLdsStride64;
  return traits;
}

}  // namespace

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
      {"ds_read_u8_d16", kLds, &BindLds, &Step<&Lds<LoadPart<uint8_t, Place::kLow>>>, Reads(1)},
      {"ds_read_u8_d16_hi", kLds, &BindLds, &Step<&Lds<LoadPart<uint8_t, Place::kHigh>>>, Reads(1)},
      {"ds_read_i8_d16", kLds, &BindLds, &Step<&Lds<LoadPart<int8_t, Place::kLow>>>, Reads(1)},
      {"ds_read_i8_d16_hi", kLds, &BindLds, &Step<&Lds<LoadPart<int8_t, Place::kHigh>>>, Reads(1)},
      {"ds_read_u16_d16", kLds, &BindLds, &Step<&Lds<LoadPart<uint16_t, Place::kLow>>>, Reads(1)},
      {"ds_read_u16_d16_hi", kLds, &BindLds, &Step<&Lds<LoadPart<uint16_t, Place::kHigh>>>,
       Reads(1)},
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
      {"ds_bpermute_b32", kLds, &BindLdsPermute, &Step<&BackwardPermute>, Reads(1)},
      {"ds_permute_b32", kLds, &BindLdsPermute, &Step<&ForwardPermute>, Reads(1)},
      {"ds_swizzle_b32", kLds, &BindLdsSwizzle, &Step<&Swizzle>, Reads(1)},
  };
  return {kTable, std::size(kTable)};
}

}  // namespace GRIDWISE_SIM_LEVEL
}  // namespace gridwise::sim
