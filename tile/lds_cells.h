#pragma once

#include "core/layout/lds_tile.h"

namespace gridwise::tile {

/// Where source cells lie in LDS that a tile reads through every filter tap: [cell][chunk of the
/// cell], with some room behind each, so that neighbouring cells lie on different banks whichever
/// is the first.
struct LdsCells {
  int cells = 0;       //
  int data_bytes = 0;  // of a cell: 4 or 8 chunks, or some pixels
  int room_bytes =
      0;  // behind chunks: 16; 32 where the lanes of a phase read two chunks of 4 cells
          // each; 8 where those of one that covers 32 banks read half a chunk of 16

  constexpr int cell_bytes() const { return data_bytes + room_bytes; }
  constexpr int bytes() const { return AlignUp(cells * cell_bytes(), LdsTile::kChunkBytes); }
  /// Of every chunk.
  constexpr int alignment() const {
    return cell_bytes() % LdsTile::kChunkBytes == 0 ? LdsTile::kChunkBytes : 8;
  }

  /// Byte offset of a chunk of `cell`.
  constexpr int Offset(int cell, int chunk) const {
    return cell * cell_bytes() + chunk * LdsTile::kChunkBytes;
  }
};

namespace lds_cells_proof {

/// Of lanes that read a chunk of neighbouring cells each, or of 4 cells a chunk of each of `groups`
/// groups, and further cells beyond.
constexpr bool ReadsOnce(int chunks_per_cell, int groups) {
  const LdsCells lds = {.cells = 64,
                        .data_bytes = chunks_per_cell * LdsTile::kChunkBytes,
                        .room_bytes = groups == 1 ? 16 : 32};
  const auto offset_of_lane = [&](int lane) {
    if (groups == 1) return lds.Offset(lane % 32, lane / 32);
    return lds.Offset(lane / 4 / groups * 4 + lane % 4, lane / 4 % groups);
  };
  return WorstBankConflict(kReadPhasesB128, offset_of_lane) == 1;
}
GRIDWISE_PROOF(ReadsOnce(4, 1) && ReadsOnce(8, 1) && ReadsOnce(4, 4) && ReadsOnce(8, 8),
               "reads of cells touch each of 32 banks once");

/// Of lanes that read half a chunk of neighbouring cells, 16 consecutive ones a phase. Source:
/// measured on gfx942, see kReadPhasesB128.
constexpr bool HalvesAreReadOnce(int chunks_per_cell) {
  const LdsCells lds = {
      .cells = 16, .data_bytes = chunks_per_cell * LdsTile::kChunkBytes, .room_bytes = 8};
  bool touched[16] = {};  // pairs of banks
  for (int cell = 0; cell < 16; ++cell) {
    bool& pair = touched[lds.Offset(cell, 0) / 8 % 16];
    if (pair) return false;
    pair = true;
  }
  return true;
}
GRIDWISE_PROOF(HalvesAreReadOnce(4) && HalvesAreReadOnce(8),
               "reads of half a chunk touch each of 32 banks once");

}  // namespace lds_cells_proof

}  // namespace gridwise::tile
