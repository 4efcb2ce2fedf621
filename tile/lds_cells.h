#pragma once

#include "core/layout/lds_tile.h"

namespace gridwise::tile {

/// Where source cells lie in LDS that a tile reads through every filter tap: [cell][chunk of the
/// cell], with some chunks of room behind each, so that neighbouring cells lie on different banks
/// whichever is the first.
struct LdsCells {
  int cells = 0;            //
  int chunks_per_cell = 0;  // 4 or 8
  int room = 0;             // 1, or 2 where the lanes of a phase read two chunks of 4 cells each

  constexpr int cell_bytes() const { return (chunks_per_cell + room) * LdsTile::kChunkBytes; }
  constexpr int bytes() const { return cells * cell_bytes(); }

  /// Byte offset of a chunk of `cell`.
  constexpr int Offset(int cell, int chunk) const {
    return cell * cell_bytes() + chunk * LdsTile::kChunkBytes;
  }
};

namespace lds_cells_proof {

/// Of lanes that read a chunk of neighbouring cells each, or of 4 cells a chunk of each of `groups`
/// groups, and further cells beyond.
constexpr bool ReadsOnce(int chunks_per_cell, int groups) {
  const LdsCells lds = {
      .cells = 64, .chunks_per_cell = chunks_per_cell, .room = groups == 1 ? 1 : 2};
  const auto offset_of_lane = [&](int lane) {
    if (groups == 1) return lds.Offset(lane % 32, lane / 32);
    return lds.Offset(lane / 4 / groups * 4 + lane % 4, lane / 4 % groups);
  };
  return WorstBankConflict(kReadPhasesB128, offset_of_lane) == 1;
}
GRIDWISE_PROOF(ReadsOnce(4, 1) && ReadsOnce(8, 1) && ReadsOnce(4, 4) && ReadsOnce(8, 8),
               "reads of cells touch each of 32 banks once");

}  // namespace lds_cells_proof

}  // namespace gridwise::tile
