// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "tools/sim/isa/bind/memory.h"
#include "tools/sim/isa/exec/mask.h"
#include "tools/sim/isa/exec/memory/access.h"
#include "tools/sim/wave/uop.h"
#include "tools/sim/wave/wave.h"

/// What memory instructions share: where the lanes' addresses come from (Global, Lds, ...), and
/// what is done at each lane's address (the operations: Load, Store, and the atomics in
/// exec/memory/update.h). Every instruction is a pair of both.
///
/// Operands of a memory micro-op:
///   dst     rows that are loaded, or that an atomic returns the old value in (kNoRef: none)
///   src[0]  rows of the address or offset (kNoRef: off)
///   src[1]  rows of the data to store
///   src[2]  scalar base (kNoRef: off), or the buffer resource
///   src[3]  scalar offset of a buffer
///   imm     the instruction's offset in bytes
///   data    flags below
///   data2   of LDS and FLAT: so many dwords of an access together are inside of LDS or outside (0:
///           all of it)

namespace gridwise::sim {
inline namespace GRIDWISE_SIM_LEVEL {

/// Calls `body(lane)` for the lanes in `mask`, lowest first.
template <typename Body>
GRIDWISE_SIM_INLINE void ForLanes(uint64_t mask, const Body& body) {
  for (; mask != 0; mask &= mask - 1) body(__builtin_ctzll(mask));
}

/// Applies `Op` at checked addresses: Op::All if every lane of a wave64 or wave32 is on, else
/// Op::Masked if so many are that going through rows is faster than going through lanes.
template <typename Op>
__attribute__((noinline)) void Apply(Wave& w, const Uop& u, const LaneAddresses& at) {
  Observe(w, u, Op::kAccess, at.base, at.offset, at.lanes, at.space);
  if constexpr (requires { Op::Masked(w, u, at); }) {
    if (at.lanes == ~uint64_t{0}) return Op::template All<kLanes>(w, u, at.base, at.offset);
    const uint64_t touched = at.lanes | at.zeroed;
    if (at.lanes == kLowHalf && touched == kLowHalf)
      return Op::template All<kLanes / 2>(w, u, at.base, at.offset);
    if (__builtin_popcountll(touched) >= Op::kMaskedFrom) return Op::Masked(w, u, at);
  }
  if (at.zeroed != 0) ForLanes(at.zeroed, [&](int l) { Op::Zero(w, u, l); });
  ForLanes(at.lanes, [&](int l) { Op::Lane(w, u, l, at.base + at.offset[l]); });
}

/// An operation for the code that finds addresses (exec/memory/address.cc, exec/memory/buffer.cc),
/// which is compiled once for all of them.
struct Operation {
  Access access;
  void (*apply)(Wave&, const Uop&, const LaneAddresses&);
  void (*lane)(Wave&, const Uop&, int lane, std::byte*);
  /// Null, or all lanes at one scratch address.
  void (*scratch_row)(Wave&, const Uop&, std::byte*) = nullptr;
  /// Null, or the first dwords of a lane; the others are out of a buffer's range.
  void (*partial)(Wave&, const Uop&, int lane, std::byte*, uint32_t dwords) = nullptr;
};
template <typename Op>
constexpr Operation OperationOf() {
  Operation operation = {
      .access = Op::kAccess,
      .apply = &Apply<Op>,
      .lane = [](Wave& w, const Uop& u, int l, std::byte* p) { Op::Lane(w, u, l, p); }};
  if constexpr (requires(Wave& w, const Uop& u, std::byte* p) { Op::ScratchRow(w, u, p); })
    operation.scratch_row = [](Wave& w, const Uop& u, std::byte* p) { Op::ScratchRow(w, u, p); };
  if constexpr (requires(Wave& w, const Uop& u, std::byte* p) { Op::Partial(w, u, 0, p, 0u); })
    operation.partial = [](Wave& w, const Uop& u, int l, std::byte* p, uint32_t dwords) {
      Op::Partial(w, u, l, p, dwords);
    };
  return operation;
}
template <typename Op>
inline constexpr Operation kOperation = OperationOf<Op>();

bool AtGlobal(Wave& w, const Uop& u, const Operation& op);
bool AtGlobalThreads(Wave& w, const Uop& u, const Operation& op);
bool AtFlat(Wave& w, const Uop& u, const Operation& op);
bool AtScratch(Wave& w, const Uop& u, const Operation& op);
/// At 32-bit offsets of each lane's own space, in the lanes of `exec`.
bool AtScratchOffsets(Wave& w, const Uop& u, const uint32_t* address, uint64_t exec,
                      const Operation& op);
bool AtLds(Wave& w, const Uop& u, const uint32_t* offset, uint32_t imm, uint64_t exec,
           const Operation& op);
bool AtBuffer(Wave& w, const Uop& u, const Operation& op);

/// global_*: 64-bit VGPR address, or scalar base and 32-bit VGPR offset.
template <typename Op>
bool Global(Wave& w, const Uop& u) {
  return AtGlobal(w, u, kOperation<Op>);
}
/// global_*_addtid: scalar base, and lane l's dword is the lth.
template <typename Op>
bool GlobalAddTid(Wave& w, const Uop& u) {
  return AtGlobalThreads(w, u, kOperation<Op>);
}
/// flat_*: 64-bit VGPR address whose high half may name LDS or scratch.
template <typename Op>
bool Flat(Wave& w, const Uop& u) {
  return AtFlat(w, u, kOperation<Op>);
}
/// scratch_*: VGPR offset, SGPR offset, both or neither, and a signed immediate.
template <typename Op>
bool Scratch(Wave& w, const Uop& u) {
  return AtScratch(w, u, kOperation<Op>);
}
/// buffer_*: base, range and layout from a 4-dword resource in SGPRs, which may be that of scratch.
template <typename Op>
bool Buffer(Wave& w, const Uop& u) {
  return AtBuffer(w, u, kOperation<Op>);
}
/// Applies `Op` to LDS at offset + imm in the lanes of `exec`.
template <typename Op>
bool ApplyLds(Wave& w, const Uop& u, const uint32_t* offset, uint32_t imm, uint64_t exec) {
  return AtLds(w, u, offset, imm, exec, kOperation<Op>);
}
/// ds_*: 32-bit VGPR offset into the workgroup's LDS.
template <typename Op>
bool Lds(Wave& w, const Uop& u) {
  return ApplyLds<Op>(w, u, Row(w, u.src[0]), static_cast<uint32_t>(u.imm), Exec(w));
}

}  // namespace GRIDWISE_SIM_LEVEL
}  // namespace gridwise::sim
