// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

#include "tools/sim/isa/exec/memory/memory.h"
#include "tools/sim/wave/uop.h"
#include "tools/sim/wave/wave.h"

/// buffer_*: base, range and layout from a 4-dword resource in SGPRs.

namespace gridwise::sim {
inline namespace GRIDWISE_SIM_LEVEL {

/// The addresses of a buffer instruction. Lanes with some dwords in range and some not are in
/// `partial` and in no other mask.
struct BufferAddresses {
  LaneAddresses at;
  uint64_t partial;
  /// 0, or the bytes of a swizzled buffer that lie together; pieces that follow each other in a
  /// record are piece_stride bytes apart.
  uint32_t piece, piece_stride;
  alignas(64) uint32_t offset[kLanes];
  uint8_t dwords[kLanes];  // in range, of the lanes of `partial`
  uint8_t phase[kLanes];   // of a swizzled access: its start within a piece
};

/// Finds them and checks them against the resource's range and the allocations; false: it faulted.
/// `by_dword`: an access may be in range in part. Lanes of a swizzled buffer are all in `partial`
/// or zeroed.
bool ResolveBuffer(Wave& w, const Uop& u, Access access, bool by_dword, BufferAddresses& out);

/// Host address of byte i of a lane's access.
GRIDWISE_SIM_INLINE std::byte* BufferByte(const BufferAddresses& a, int lane, uint32_t i) {
  std::byte* const first = a.at.base + a.offset[lane];
  if (a.piece == 0) return first + i;
  const uint32_t within = a.phase[lane] + i;
  return first - a.phase[lane] + uint64_t{within / a.piece} * a.piece_stride + within % a.piece;
}

}  // namespace GRIDWISE_SIM_LEVEL
}  // namespace gridwise::sim
