// SPDX-License-Identifier: MIT
#pragma once

#include "hopper/kernel/ring.h"

namespace gridwise::hopper {

/// A k tile of pixels of at most 64 channels that lanes of four warps load, 8 bytes at a time, to
/// where TMA would put them. TMA cannot load pixels that are not multiples of 16 bytes apart. A
/// lane has the same pieces of every k tile.
template <int kPixels>
class LaneKTile {
 public:
  /// `pieces` of 8 bytes per pixel; pixels are `pitch` bytes apart.
  GRIDWISE_DEVICE LaneKTile(int pieces, int pitch) {
    const int first = (WarpId() % 4) * kOfWarp, end = first + kOfWarp;
    int pixel = first + ThreadId() % 32 / pieces, piece = ThreadId() % 32 % pieces;
#pragma unroll
    for (int i = 0; i < kPieces; ++i) {
      pixel_[i] = pixel < end ? pixel : kNone;
      to_[i] = pixel * 128 + ((piece / 2 ^ (pixel & 7)) << 4) + piece % 2 * 8;
      from_[i] = pixel * pitch + piece * 8;
      piece += 32 % pieces;
      pixel += 32 / pieces;
      if (piece >= pieces) piece -= pieces, ++pixel;
    }
  }

  /// Starts to load the k tile whose first pixel is at `from`; zeros from pixel `end` on.
  GRIDWISE_DEVICE void Load(SharedAddress to, const char* from, int end) const {
#pragma unroll
    for (int i = 0; i < kPieces; ++i) {
      if (pixel_[i] != kNone) LoadEight(to + to_[i], from + from_[i], pixel_[i] < end);
    }
  }

 private:
  static constexpr int kOfWarp = kPixels / 4, kPieces = kOfWarp * 16 / 32, kNone = kPixels;
  int pixel_[kPieces], to_[kPieces], from_[kPieces];
};

}  // namespace gridwise::hopper
