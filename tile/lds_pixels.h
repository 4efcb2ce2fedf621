// SPDX-License-Identifier: MIT
#pragma once

#include "core/layout/lds_tile.h"

namespace gridwise::tile {

/// Where LDS has the source pixels that a tile reads through every filter tap: [pixel][vector of
/// the pixel], with padding after each pixel, so that adjacent pixels lie on different banks
/// whichever is first.
struct LdsPixels {
  int pixels = 0;
  int data_bytes = 0;  // per pixel: 4 or 8 vectors, or some pixels
  int room_bytes = 0;  // padding: 16; 32 if the lanes of a phase read two vectors of 4 pixels each;
                       // 8 if the lanes of a phase over 32 banks read half a vector of 16 pixels

  constexpr int pixel_bytes() const { return data_bytes + room_bytes; }
  constexpr int bytes() const { return AlignUp(pixels * pixel_bytes(), LdsTile::kVectorBytes); }
  /// Alignment of every vector.
  constexpr int alignment() const {
    return pixel_bytes() % LdsTile::kVectorBytes == 0 ? LdsTile::kVectorBytes : 8;
  }

  /// Byte offset of a vector of `pixel`.
  constexpr int Offset(int pixel, int vector) const {
    return pixel * pixel_bytes() + vector * LdsTile::kVectorBytes;
  }
};

}  // namespace gridwise::tile
