#pragma once

#include "core/layout/lds_tile.h"

namespace gridwise::tile {

/// Where source pixels lie in LDS that a tile reads through every filter tap: [pixel][chunk of the
/// pixel], with some room behind each, so that neighbouring pixels lie on different banks whichever
/// is the first.
struct LdsPixels {
  int pixels = 0;      //
  int data_bytes = 0;  // of a pixel: 4 or 8 chunks, or some pixels
  int room_bytes =
      0;  // behind chunks: 16; 32 where the lanes of a phase read two chunks of 4 pixels
          // each; 8 where those of one that covers 32 banks read half a chunk of 16

  constexpr int pixel_bytes() const { return data_bytes + room_bytes; }
  constexpr int bytes() const { return AlignUp(pixels * pixel_bytes(), LdsTile::kChunkBytes); }
  /// Of every chunk.
  constexpr int alignment() const {
    return pixel_bytes() % LdsTile::kChunkBytes == 0 ? LdsTile::kChunkBytes : 8;
  }

  /// Byte offset of a chunk of `pixel`.
  constexpr int Offset(int pixel, int chunk) const {
    return pixel * pixel_bytes() + chunk * LdsTile::kChunkBytes;
  }
};

}  // namespace gridwise::tile
