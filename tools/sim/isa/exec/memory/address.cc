// SPDX-License-Identifier: MIT
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "tools/sim/isa/exec/memory/memory.h"
#include "tools/sim/wave/uop.h"
#include "tools/sim/wave/wave.h"

/// Where the lanes' addresses come from, but for buffers.

namespace gridwise::sim {
inline namespace GRIDWISE_SIM_LEVEL {
namespace {

/// Applies `op` to one lane of scratch, whose dwords are swizzled over the lanes: in place if the
/// lane's bytes are in one dword, else by way of a copy.
void ScratchLane(Wave& w, const Uop& u, int lane, uint32_t address, const Operation& op) {
  const auto at = [&](uint32_t i) {
    const uint64_t a = uint64_t{address} + i;
    return w.scratch + ((a / 4) * kLanes + lane) * 4 + a % 4;
  };
  const uint32_t bytes = op.access.bytes, step = address % 4 == 0 && bytes % 4 == 0 ? 4 : 1;
  if (address % 4 + bytes <= 4) return op.lane(w, u, lane, at(0));
  alignas(16) std::byte copy[16];
  if (op.access.reads) {
    for (uint32_t i = 0; i < bytes; i += step) std::memcpy(copy + i, at(i), step);
  }
  op.lane(w, u, lane, copy);
  if (op.access.writes) {
    for (uint32_t i = 0; i < bytes; i += step) std::memcpy(at(i), copy + i, step);
  }
}

}  // namespace

bool AtScratchOffsets(Wave& w, const Uop& u, const uint32_t* address, uint64_t exec,
                      const Operation& op) {
  if (exec == 0) return true;
  const OffsetBounds bounds = BoundsOf(address, exec);
  if (uint64_t{bounds.greatest} + op.access.bytes > w.scratch_bytes) {
    int bad = __builtin_ctzll(exec);
    ForLanes(exec, [&](int l) { bad = address[l] == bounds.greatest ? l : bad; });
    return RaiseFault(
        w, u,
        op.access.writes ? "writes outside the lane's scratch" : "reads outside the lane's scratch",
        bad, bounds.greatest, op.access.bytes, AddressSpace::kScratch);
  }
  Observe(w, u, op.access, nullptr, address, exec, AddressSpace::kScratch);
  if (op.scratch_row != nullptr && exec == w.all_lanes && bounds.least == bounds.greatest &&
      bounds.least % 4 == 0) {
    op.scratch_row(w, u, w.scratch + uint64_t{bounds.least} * kLanes);
    return true;
  }
  ForLanes(exec, [&](int l) { ScratchLane(w, u, l, address[l], op); });
  return true;
}

namespace {

/// Applies `op` to the first dwords of a lane's access to LDS that ends outside, as many as
/// Uop::data2 lets in; false if that is none.
bool PartOfLds(Wave& w, const Uop& u, int lane, uint32_t address, const Operation& op) {
  if (u.data2 == 0 || op.partial == nullptr || address >= w.lds_bytes) return false;
  uint32_t dwords = (w.lds_bytes - address) / 4;
  dwords -= dwords % static_cast<uint32_t>(u.data2);
  if (dwords == 0) return false;
  const Access access = {4 * dwords, op.access.reads, op.access.writes};
  ObserveLane(w, u, access, w.lds + address, lane, AddressSpace::kLds);
  op.partial(w, u, lane, w.lds + address, dwords);
  return true;
}

/// Applies `op` at 64-bit addresses high[l] : low[l], plus imm, by way of the flat apertures if
/// `flat`: the address without imm says whether it is in one (RDNA4 ISA, "FLAT"; LLVM, which folds
/// an offset only where the sum cannot leave it). The general case, a lane at a time, is for lanes
/// that are in different allocations.
bool LaneByLane(Wave& w, const Uop& u, const uint32_t* low, const uint32_t* high, uint64_t exec,
                bool flat, const Operation& op) {
  for (; exec != 0; exec &= exec - 1) {
    const int l = __builtin_ctzll(exec);
    const uint64_t address = (uint64_t{high[l]} << 32 | low[l]) + static_cast<int64_t>(u.imm);
    const uint32_t offset = static_cast<uint32_t>(address), aperture = high[l];
    if (flat && aperture == w.s[kPrivateBase + 1]) {
      uint32_t row[kLanes];
      row[l] = offset;
      if (!AtScratchOffsets(w, u, row, uint64_t{1} << l, op)) return false;
    } else if (flat && aperture == w.s[kSharedBase + 1]) {
      if (uint64_t{offset} + op.access.bytes > w.lds_bytes) {
        NoteOutsideLds(w, u, op.access, l, offset);
        if (PartOfLds(w, u, l, offset, op)) continue;
        op.apply(w, u, {w.lds, kNoOffsets, 0, uint64_t{1} << l, AddressSpace::kLds});
        continue;
      }
      if (!CheckAligned(w, u, op.access, offset, kNoOffsets, uint64_t{1} << l, AddressSpace::kLds))
        return false;
      ObserveLane(w, u, op.access, w.lds + offset, l, AddressSpace::kLds);
      op.lane(w, u, l, w.lds + offset);
    } else {
      if (!InAllocation(w, address, address + op.access.bytes)) {
        return RaiseFault(w, u, OutsideAllocations(op.access), l, address, op.access.bytes);
      }
      if (!CheckAligned(w, u, op.access, address, kNoOffsets, uint64_t{1} << l)) return false;
      ObserveLane(w, u, op.access, reinterpret_cast<void*>(address), l);
      op.lane(w, u, l, reinterpret_cast<std::byte*>(address));
    }
  }
  return true;
}

/// Applies `op` at base + low[l], which may be in different allocations.
bool AtOffsets(Wave& w, const Uop& u, uint64_t base, const uint32_t* low, uint64_t exec,
               const Operation& op) {
  const OffsetBounds bounds = BoundsOf(low, exec);
  if (!InAllocation(w, base + bounds.least, base + bounds.greatest + op.access.bytes))
      [[unlikely]] {
    alignas(64) uint32_t lows[kLanes], highs[kLanes];
    for (int l = 0; l < kLanes; ++l) {
      const uint64_t address = base - static_cast<int64_t>(u.imm) + low[l];
      lows[l] = static_cast<uint32_t>(address);
      highs[l] = static_cast<uint32_t>(address >> 32);
    }
    return LaneByLane(w, u, lows, highs, exec, false, op);
  }
  if (!CheckAligned(w, u, op.access, base, low, exec)) return false;
  op.apply(w, u, {reinterpret_cast<std::byte*>(base), low, exec, 0});
  return true;
}

}  // namespace

bool AtGlobal(Wave& w, const Uop& u, const Operation& op) {
  const uint64_t exec = Exec(w);
  if (exec == 0) return true;
  const uint32_t* low = Row(w, u.src[0]);
  uint64_t base = static_cast<int64_t>(u.imm);
  if (u.src[2] == kNoRef) {
    const uint32_t* high = Row(w, NextRow(u.src[0]));
    const OffsetBounds of_high = BoundsOf(high, exec);
    if (of_high.least != of_high.greatest) return LaneByLane(w, u, low, high, exec, false, op);
    base += uint64_t{of_high.least} << 32;
  } else {
    base += Read64(w, u.src[2]);
  }
  return AtOffsets(w, u, base, low, exec, op);
}

bool AtGlobalThreads(Wave& w, const Uop& u, const Operation& op) {
  const uint64_t exec = Exec(w);
  if (exec == 0) return true;
  alignas(64) uint32_t offset[kLanes];
  for (uint32_t l = 0; l < kLanes; ++l) offset[l] = 4 * l;
  const uint64_t base = u.src[2] == kNoRef ? 0 : Read64(w, u.src[2]);
  return AtOffsets(w, u, base + static_cast<int64_t>(u.imm), offset, exec, op);
}

bool AtFlat(Wave& w, const Uop& u, const Operation& op) {
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
    if (InAllocation(w, base + bounds.least, base + bounds.greatest + op.access.bytes)) {
      if (!CheckAligned(w, u, op.access, base, low, exec)) return false;
      op.apply(w, u, {reinterpret_cast<std::byte*>(base), low, exec, 0});
      return true;
    }
  }
  if (of_high.least == of_high.greatest && of_high.least == w.s[kPrivateBase + 1]) {
    alignas(64) uint32_t address[kLanes];
    for (int l = 0; l < kLanes; ++l) address[l] = low[l] + static_cast<uint32_t>(u.imm);
    return AtScratchOffsets(w, u, address, exec, op);
  }
  return LaneByLane(w, u, low, high, exec, true, op);
}

bool AtScratch(Wave& w, const Uop& u, const Operation& op) {
  uint32_t scalar = static_cast<uint32_t>(u.imm);
  if (u.src[2] != kNoRef) scalar += *Row(w, u.src[2]);
  alignas(64) uint32_t address[kLanes];
  if (u.src[0] == kNoRef) {
    for (uint32_t& lane : address) lane = scalar;
  } else {
    const uint32_t* offset = Row(w, u.src[0]);
    for (int l = 0; l < kLanes; ++l) address[l] = offset[l] + scalar;
  }
  return AtScratchOffsets(w, u, address, Exec(w), op);
}

namespace {

/// The lanes of `exec` whose offset + imm, which wraps at 32 bits, is inside LDS for `bytes` bytes;
/// `address` gets the sums.
GRIDWISE_SIM_INLINE uint64_t LanesInsideLds(const Wave& w, const uint32_t* offset, uint32_t imm,
                                            uint32_t bytes, uint64_t exec, uint32_t* address) {
  uint64_t inside = exec;
  ForLanes(exec, [&](int l) {
    address[l] = offset[l] + imm;
    if (uint64_t{address[l]} + bytes > w.lds_bytes) inside &= ~(uint64_t{1} << l);
  });
  return inside;
}

/// Hand-written kernels (Tensile's) clear registers by loads of LDS from an address that is far
/// after any LDS, the same in all lanes: nothing that an index comes to by mistake, which is near
/// its array or below zero.
bool ClearsRegisters(const Operation& op, OffsetBounds bounds, uint32_t imm) {
  constexpr uint64_t kFarBehind = 1 << 20, kBelowZero = uint64_t{1} << 31;
  const uint64_t address = uint64_t{bounds.least} + imm;
  return !op.access.writes && bounds.least == bounds.greatest && address >= kFarBehind &&
         address < kBelowZero;
}

}  // namespace

bool AtLds(Wave& w, const Uop& u, const uint32_t* offset, uint32_t imm, uint64_t exec,
           const Operation& op) {
  if (exec == 0) return true;
  alignas(64) uint32_t address[kLanes];
  uint64_t inside = exec, outside = 0;
  const uint32_t bytes = op.access.bytes;
  const OffsetBounds bounds = BoundsOf(offset, exec);
  if (uint64_t{bounds.greatest} + imm + bytes > w.lds_bytes) [[unlikely]] {
    inside = LanesInsideLds(w, offset, imm, bytes, exec, address);
    if (inside != exec && !ClearsRegisters(op, bounds, imm)) {
      const int bad = __builtin_ctzll(exec & ~inside);
      NoteOutsideLds(w, u, op.access, bad, address[bad]);
    }
    outside = exec & ~inside;
    ForLanes(outside, [&](int l) {
      if (PartOfLds(w, u, l, address[l], op)) outside &= ~(uint64_t{1} << l);
    });
    offset = address;
    imm = 0;
  }
  if (!CheckAligned(w, u, op.access, imm, offset, inside, AddressSpace::kLds)) return false;
  op.apply(w, u, {w.lds + imm, offset, inside, outside, AddressSpace::kLds});
  return true;
}

}  // namespace GRIDWISE_SIM_LEVEL
}  // namespace gridwise::sim
