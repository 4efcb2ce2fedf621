#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "tools/sim/isa/uop.h"
#include "tools/sim/machine/wave.h"

/// What memory instructions share: where the lanes' addresses come from (Resolve...), and what is
/// done at each lane's address (the operations: Load, Store, and the atomics in exec_atomics.cc).
/// Every instruction is a pair of both.
///
/// Operands of a memory micro-op:
///   dst     rows that are loaded, or that an atomic returns the old value in (kNoRef: none)
///   src[0]  rows of the address or offset (kNoRef: off)
///   src[1]  rows of the data to store
///   src[2]  scalar base (kNoRef: off), or the buffer resource
///   src[3]  scalar offset of a buffer
///   imm     the instruction's offset in bytes
///   data    flags below
///
/// A new path to memory must call Observe, or check mode is blind to it.

namespace gridwise::sim {

/// Uop::data of buffer instructions.
inline constexpr uint64_t kBufferOffen = 1;
inline constexpr uint64_t kBufferIdxen = 2;

/// Looks [first, last) up in the allocation map and remembers its allocation in the wave. Compiled
/// once.
bool FindAllocation(Wave& w, uint64_t first, uint64_t last);

inline namespace GRIDWISE_SIM_LEVEL {

/// Whether [first, last) lies in one allocation.
GRIDWISE_SIM_INLINE bool InAllocation(Wave& w, uint64_t first, uint64_t last) {
  for (const MemoryRange& range : w.recent) {
    if (first >= range.begin && last <= range.end && first <= last) return true;
  }
  return FindAllocation(w, first, last);
}

/// The addresses of an instruction's lanes, checked: lane l of `lanes` is at base + offset[l].
/// Lanes of `zeroed` are out of a buffer's range: a load gives 0 and a store does nothing; their
/// offsets mean nothing.
struct LaneAddresses {
  std::byte* base;
  const uint32_t* offset;
  uint64_t lanes;
  uint64_t zeroed;
};

/// What an instruction does to memory, for messages, and the bytes of one lane.
struct Access {
  uint32_t bytes;
  bool reads;
  bool writes;
};

/// Tells check mode of an access; see MemoryAccess. Every path on which an instruction reaches
/// memory goes through it once.
GRIDWISE_SIM_INLINE void Observe(Wave& w, const Uop& u, Access access, const void* base,
                                 const uint32_t* offset, uint64_t lanes,
                                 AddressSpace space = AddressSpace::kGlobal) {
  if (w.observe == nullptr) [[likely]]
    return;
  w.observe(w, u,
            {space, access.bytes, access.reads, access.writes, reinterpret_cast<uint64_t>(base),
             offset, lanes});
}

/// The same for one lane.
inline constexpr uint32_t kNoOffsets[kLanes] = {};
GRIDWISE_SIM_INLINE void ObserveLane(Wave& w, const Uop& u, Access access, const void* at,
                                     int lane) {
  Observe(w, u, access, at, kNoOffsets, uint64_t{1} << lane);
}

constexpr const char* OutsideAllocations(Access access) {
  return access.writes ? (access.reads ? "updates memory outside every allocation"
                                       : "writes outside every allocation")
                       : "reads outside every allocation";
}

inline constexpr char kReadsOutsideLds[] = "reads LDS outside what the workgroup has";
inline constexpr char kWritesOutsideLds[] = "writes LDS outside what the workgroup has";

/// Bounds of the offsets of the lanes in `exec`, which is not empty.
struct OffsetBounds {
  uint32_t least, greatest;
};
GRIDWISE_SIM_INLINE OffsetBounds BoundsOf(const uint32_t* offset, uint64_t exec) {
  OffsetBounds bounds = {~0u, 0};
  if (exec == ~uint64_t{0}) {
    for (int l = 0; l < kLanes; ++l) {
      bounds.least = offset[l] < bounds.least ? offset[l] : bounds.least;
      bounds.greatest = offset[l] > bounds.greatest ? offset[l] : bounds.greatest;
    }
    return bounds;
  }
  for (uint64_t left = exec; left != 0; left &= left - 1) {
    const uint32_t o = offset[__builtin_ctzll(left)];
    bounds.least = o < bounds.least ? o : bounds.least;
    bounds.greatest = o > bounds.greatest ? o : bounds.greatest;
  }
  return bounds;
}

/// Calls `body(lane)` for the lanes in `mask`, lowest first.
template <typename Body>
GRIDWISE_SIM_INLINE void ForLanes(uint64_t mask, const Body& body) {
  for (; mask != 0; mask &= mask - 1) body(__builtin_ctzll(mask));
}

/// Applies `Op` at checked addresses.
template <typename Op>
__attribute__((noinline)) void Apply(Wave& w, const Uop& u, const LaneAddresses& at) {
  Observe(w, u, Op::kAccess, at.base, at.offset, at.lanes);
  if constexpr (requires { Op::All(w, u, at.base, at.offset); }) {
    if (at.lanes == ~uint64_t{0}) return Op::All(w, u, at.base, at.offset);
    if constexpr (requires { Op::AllOrZero(w, u, at.base, at.offset, at.lanes); }) {
      if ((at.lanes | at.zeroed) == ~uint64_t{0})
        return Op::AllOrZero(w, u, at.base, at.offset, at.lanes);
    }
  }
  if (at.zeroed != 0) ForLanes(at.zeroed, [&](int l) { Op::Zero(w, u, l); });
  ForLanes(at.lanes, [&](int l) { Op::Lane(w, u, l, at.base + at.offset[l]); });
}

/// Applies `Op` to one lane of scratch, whose dwords are swizzled over the lanes.
template <typename Op>
void ApplyScratchLane(Wave& w, const Uop& u, int lane, uint32_t address) {
  alignas(16) std::byte bytes[Op::kAccess.bytes];
  const auto at = [&](uint32_t i) {
    const uint64_t a = uint64_t{address} + i;
    return w.scratch + ((a / 4) * kLanes + lane) * 4 + a % 4;
  };
  if (Op::kAccess.reads) {
    for (uint32_t i = 0; i < Op::kAccess.bytes; ++i) bytes[i] = *at(i);
  }
  Op::Lane(w, u, lane, bytes);
  if (Op::kAccess.writes) {
    for (uint32_t i = 0; i < Op::kAccess.bytes; ++i) *at(i) = bytes[i];
  }
}

/// Scratch addresses of the lanes in `exec`: 32-bit offsets of each lane's own space.
template <typename Op>
bool ApplyScratch(Wave& w, const Uop& u, const uint32_t* address, uint64_t exec) {
  if (exec == 0) return true;
  const OffsetBounds bounds = BoundsOf(address, exec);
  if (uint64_t{bounds.greatest} + Op::kAccess.bytes > w.scratch_bytes) {
    int bad = __builtin_ctzll(exec);
    ForLanes(exec, [&](int l) { bad = address[l] == bounds.greatest ? l : bad; });
    return RaiseFault(w, u,
                      Op::kAccess.writes ? "writes outside the lane's scratch"
                                         : "reads outside the lane's scratch",
                      bad, bounds.greatest, Op::kAccess.bytes, AddressSpace::kScratch);
  }
  Observe(w, u, Op::kAccess, nullptr, address, exec, AddressSpace::kScratch);
  if constexpr (requires { Op::ScratchRow(w, u, w.scratch); }) {
    if (exec == ~uint64_t{0} && bounds.least == bounds.greatest && bounds.least % 4 == 0) {
      Op::ScratchRow(w, u, w.scratch + uint64_t{bounds.least} * kLanes);
      return true;
    }
  }
  ForLanes(exec, [&](int l) { ApplyScratchLane<Op>(w, u, l, address[l]); });
  return true;
}

/// Applies `Op` at 64-bit addresses high[l] : low[l], plus imm, by way of the flat apertures if
/// `kFlat`. The general case, a lane at a time, is for lanes that are in different allocations.
template <typename Op, bool kFlat>
__attribute__((noinline)) bool ApplyLaneByLane(Wave& w, const Uop& u, const uint32_t* low,
                                               const uint32_t* high, uint64_t exec) {
  for (; exec != 0; exec &= exec - 1) {
    const int l = __builtin_ctzll(exec);
    const uint64_t address = (uint64_t{high[l]} << 32 | low[l]) + static_cast<int64_t>(u.imm);
    const uint32_t offset = static_cast<uint32_t>(address);
    const uint32_t aperture = static_cast<uint32_t>(address >> 32);
    if (kFlat && aperture == w.s[kPrivateBase + 1]) {
      uint32_t row[kLanes];
      row[l] = offset;
      if (!ApplyScratch<Op>(w, u, row, uint64_t{1} << l)) return false;
    } else if (kFlat && aperture == w.s[kSharedBase + 1]) {
      if (uint64_t{offset} + Op::kAccess.bytes > w.lds_bytes) {
        return RaiseFault(w, u, Op::kAccess.writes ? kWritesOutsideLds : kReadsOutsideLds, l,
                          offset, Op::kAccess.bytes, AddressSpace::kLds);
      }
      ObserveLane(w, u, Op::kAccess, w.lds + offset, l);
      Op::Lane(w, u, l, w.lds + offset);
    } else {
      if (!InAllocation(w, address, address + Op::kAccess.bytes)) {
        return RaiseFault(w, u, OutsideAllocations(Op::kAccess), l, address, Op::kAccess.bytes);
      }
      ObserveLane(w, u, Op::kAccess, reinterpret_cast<void*>(address), l);
      Op::Lane(w, u, l, reinterpret_cast<std::byte*>(address));
    }
  }
  return true;
}

/// global_*: 64-bit VGPR address, or scalar base and 32-bit VGPR offset.
template <typename Op>
bool Global(Wave& w, const Uop& u) {
  const uint64_t exec = Exec(w);
  if (exec == 0) return true;
  const uint32_t* low = Row(w, u.src[0]);
  uint64_t base = static_cast<int64_t>(u.imm);
  if (u.src[2] == kNoRef) {
    const uint32_t* high = Row(w, NextRow(u.src[0]));
    const OffsetBounds of_high = BoundsOf(high, exec);
    if (of_high.least != of_high.greatest) return ApplyLaneByLane<Op, false>(w, u, low, high, exec);
    base += uint64_t{of_high.least} << 32;
  } else {
    base += Read64(w, u.src[2]);
  }
  const OffsetBounds bounds = BoundsOf(low, exec);
  if (!InAllocation(w, base + bounds.least, base + bounds.greatest + Op::kAccess.bytes))
      [[unlikely]] {
    alignas(64) uint32_t lows[kLanes], highs[kLanes];
    for (int l = 0; l < kLanes; ++l) {
      const uint64_t address = base - static_cast<int64_t>(u.imm) + low[l];
      lows[l] = static_cast<uint32_t>(address);
      highs[l] = static_cast<uint32_t>(address >> 32);
    }
    return ApplyLaneByLane<Op, false>(w, u, lows, highs, exec);
  }
  Apply<Op>(w, u, {reinterpret_cast<std::byte*>(base), low, exec, 0});
  return true;
}

/// flat_*: 64-bit VGPR address whose high half may name LDS or scratch.
template <typename Op>
bool Flat(Wave& w, const Uop& u) {
  const uint64_t exec = Exec(w);
  if (exec == 0) return true;
  const uint32_t* low = Row(w, u.src[0]);
  const uint32_t* high = Row(w, NextRow(u.src[0]));
  const OffsetBounds of_high = BoundsOf(high, exec);
  const bool aperture =
      of_high.least == w.s[kPrivateBase + 1] || of_high.least == w.s[kSharedBase + 1];
  if (of_high.least == of_high.greatest && !aperture) {
    const uint64_t base = (uint64_t{of_high.least} << 32) + static_cast<int64_t>(u.imm);
    const OffsetBounds bounds = BoundsOf(low, exec);
    if (InAllocation(w, base + bounds.least, base + bounds.greatest + Op::kAccess.bytes)) {
      Apply<Op>(w, u, {reinterpret_cast<std::byte*>(base), low, exec, 0});
      return true;
    }
  }
  if (of_high.least == of_high.greatest && of_high.least == w.s[kPrivateBase + 1]) {
    alignas(64) uint32_t address[kLanes];
    for (int l = 0; l < kLanes; ++l) address[l] = low[l] + static_cast<uint32_t>(u.imm);
    return ApplyScratch<Op>(w, u, address, exec);
  }
  return ApplyLaneByLane<Op, true>(w, u, low, high, exec);
}

/// scratch_*: VGPR offset, SGPR offset, both or neither, and a signed immediate.
template <typename Op>
bool Scratch(Wave& w, const Uop& u) {
  uint32_t scalar = static_cast<uint32_t>(u.imm);
  if (u.src[2] != kNoRef) scalar += *Row(w, u.src[2]);
  alignas(64) uint32_t address[kLanes];
  if (u.src[0] == kNoRef) {
    for (uint32_t& lane : address) lane = scalar;
  } else {
    const uint32_t* offset = Row(w, u.src[0]);
    for (int l = 0; l < kLanes; ++l) address[l] = offset[l] + scalar;
  }
  return ApplyScratch<Op>(w, u, address, Exec(w));
}

/// The addresses of a buffer instruction. False: it faulted.
struct BufferAddresses {
  LaneAddresses at;
  uint64_t partial;  // lanes with some dwords in range and some not; they are in no other mask
  alignas(64) uint32_t offset[kLanes];
};
bool ResolveBuffer(Wave& w, const Uop& u, Access access, BufferAddresses& out);

/// buffer_*: base and range from a 4-dword resource in SGPRs.
template <typename Op>
bool Buffer(Wave& w, const Uop& u) {
  BufferAddresses addresses;
  if (!ResolveBuffer(w, u, Op::kAccess, addresses)) return false;
  Apply<Op>(w, u, addresses.at);
  if constexpr (requires { Op::Partial(w, u, 0, addresses.at.base, 0u); }) {
    if (addresses.partial != 0) {
      const uint32_t records = Row(w, u.src[2])[2] - *Row(w, u.src[3]);
      ForLanes(addresses.partial, [&](int l) {
        std::byte* const at = addresses.at.base + addresses.offset[l];
        const uint32_t dwords = (records - addresses.offset[l]) / 4;
        ObserveLane(w, u, {4 * dwords, Op::kAccess.reads, Op::kAccess.writes}, at, l);
        Op::Partial(w, u, l, at, dwords);
      });
    }
  } else {
    ForLanes(addresses.partial, [&](int l) { Op::Zero(w, u, l); });
  }
  return true;
}

/// Whether offset[lane] + imm, which wraps at 32 bits, is inside LDS for `bytes` bytes in all lanes
/// of `exec`. Where some lane's sum wraps, the sums are written to `wrapped`, `offset` is made to
/// point there and imm becomes 0.
GRIDWISE_SIM_INLINE bool CheckLds(Wave& w, const Uop& u, Access access, uint64_t exec,
                                  const uint32_t*& offset, uint32_t& imm, uint32_t* wrapped) {
  const OffsetBounds bounds = BoundsOf(offset, exec);
  if (uint64_t{bounds.greatest} + imm + access.bytes <= w.lds_bytes) [[likely]]
    return true;
  int bad = -1;
  ForLanes(exec, [&](int l) {
    wrapped[l] = offset[l] + imm;
    if (uint64_t{wrapped[l]} + access.bytes > w.lds_bytes && bad < 0) bad = l;
  });
  offset = wrapped;
  imm = 0;
  if (bad < 0) return true;
  return RaiseFault(w, u, access.writes ? kWritesOutsideLds : kReadsOutsideLds, bad, wrapped[bad],
                    access.bytes, AddressSpace::kLds);
}

/// ds_*: 32-bit VGPR offset into the workgroup's LDS.
template <typename Op>
bool Lds(Wave& w, const Uop& u) {
  const uint64_t exec = Exec(w);
  if (exec == 0) return true;
  const uint32_t* offset = Row(w, u.src[0]);
  uint32_t imm = static_cast<uint32_t>(u.imm);
  alignas(64) uint32_t wrapped[kLanes];
  if (!CheckLds(w, u, Op::kAccess, exec, offset, imm, wrapped)) return false;
  Apply<Op>(w, u, {w.lds + imm, offset, exec, 0});
  return true;
}

}  // namespace GRIDWISE_SIM_LEVEL
}  // namespace gridwise::sim
