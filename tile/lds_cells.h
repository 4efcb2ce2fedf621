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

}  // namespace gridwise::tile
