// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

#include "tools/sim/isa/exec/mask.h"
#include "tools/sim/wave/uop.h"
#include "tools/sim/wave/wave.h"

/// What is checked of an access to memory, and what probes are told of it.
///
/// A new path to memory must call Observe, or probes (check mode, the clock) are blind to it.

namespace gridwise::sim {

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
  AddressSpace space = AddressSpace::kGlobal;
};

/// What an instruction does to memory, for messages, and the bytes of one lane.
struct Access {
  uint32_t bytes;
  bool reads;
  bool writes;
};

/// Tells probes of an access; see MemoryAccess. Every path on which an instruction reaches
/// memory goes through it once.
GRIDWISE_SIM_INLINE void Observe(Wave& w, const Uop& u, Access access, const void* base,
                                 const uint32_t* offset, uint64_t lanes, AddressSpace space) {
  if (w.observe == nullptr) [[likely]]
    return;
  w.observe(w, u,
            {space, access.bytes, access.reads, access.writes, reinterpret_cast<uint64_t>(base),
             offset, lanes});
}

/// The same for one lane.
inline constexpr uint32_t kNoOffsets[kLanes] = {};
GRIDWISE_SIM_INLINE void ObserveLane(Wave& w, const Uop& u, Access access, const void* at, int lane,
                                     AddressSpace space = AddressSpace::kGlobal) {
  Observe(w, u, access, at, kNoOffsets, uint64_t{1} << lane, space);
}

/// Tells of an instruction that public sources leave open on this occasion (isa/README.md, "Not
/// known").
GRIDWISE_SIM_INLINE void NoteNotKnown(Wave& w, const Uop& u) {
  if (w.not_known != nullptr) w.not_known(w, u);
}

constexpr const char* OutsideAllocations(Access access) {
  return access.writes ? (access.reads ? "updates memory outside every allocation"
                                       : "writes outside every allocation")
                       : "reads outside every allocation";
}

/// Tells probes of an access to LDS that ends outside. The caller does as hardware does: a load
/// gives 0, of more than one dword too if only a part is outside, and nothing is stored (ISA
/// documents of RDNA3 and CDNA4, on LDS addresses out of range); on gfx12 this is so of each dword
/// (RDNA4 ISA 3.3.5), and the two halves of ds_read2 and ds_write2 are accesses of their own.
GRIDWISE_SIM_INLINE void NoteOutsideLds(Wave& w, const Uop& u, Access access, int lane,
                                        uint64_t address) {
  if (w.outside_lds == nullptr) [[likely]]
    return;
  RaiseFault(w, u,
             access.writes ? "writes LDS outside what the workgroup has"
                           : "reads LDS outside what the workgroup has",
             lane, address, access.bytes, AddressSpace::kLds);
  w.outside_lds(w);
}

/// Whether an atomic's lanes are at multiples of its size, as the hardware wants; a fault if not.
/// What is no atomic may be anywhere.
GRIDWISE_SIM_INLINE bool CheckAligned(Wave& w, const Uop& u, Access access, uint64_t base,
                                      const uint32_t* offset, uint64_t lanes,
                                      AddressSpace space = AddressSpace::kGlobal) {
  if (!access.reads || !access.writes) return true;
  for (; lanes != 0; lanes &= lanes - 1) {
    const int l = __builtin_ctzll(lanes);
    if ((base + offset[l]) % access.bytes == 0) continue;
    return RaiseFault(w, u, "updates memory at an address that is no multiple of the size", l,
                      base + offset[l], access.bytes, space);
  }
  return true;
}

/// Bounds of the offsets of the lanes in `exec`, which is not empty.
struct OffsetBounds {
  uint32_t least, greatest;
};
template <int kCount>
GRIDWISE_SIM_INLINE OffsetBounds BoundsOfFirst(const uint32_t* offset) {
  OffsetBounds bounds = {~0u, 0};
  for (int l = 0; l < kCount; ++l) {
    bounds.least = offset[l] < bounds.least ? offset[l] : bounds.least;
    bounds.greatest = offset[l] > bounds.greatest ? offset[l] : bounds.greatest;
  }
  return bounds;
}
GRIDWISE_SIM_INLINE OffsetBounds BoundsOf(const uint32_t* offset, uint64_t exec) {
  if (exec == ~uint64_t{0}) return BoundsOfFirst<kLanes>(offset);
  if (exec == kLowHalf) return BoundsOfFirst<kLanes / 2>(offset);
  alignas(64) uint32_t on[kLanes];
  ExpandMask(exec, on);
  OffsetBounds bounds = {~0u, 0};
  for (int l = 0; l < kLanes; ++l) {
    const uint32_t low = offset[l] | ~on[l], high = offset[l] & on[l];
    bounds.least = low < bounds.least ? low : bounds.least;
    bounds.greatest = high > bounds.greatest ? high : bounds.greatest;
  }
  return bounds;
}

}  // namespace GRIDWISE_SIM_LEVEL
}  // namespace gridwise::sim
