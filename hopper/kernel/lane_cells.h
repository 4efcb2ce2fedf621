#pragma once

#include "hopper/kernel/ring.h"

namespace gridwise::hopper {

/// A slab of cells of at most 64 channels that lanes of four warps load, 8 bytes at a time, to
/// where the copy engine would put them: which cannot load cells that are no multiple of 16 bytes
/// apart. A lane has the same pieces of every slab.
template <int kCells>
class LaneSlab {
 public:
  /// `pieces` of 8 bytes of a cell, of cells that are `pitch` bytes apart.
  GRIDWISE_DEVICE LaneSlab(int pieces, int pitch) {
    const int first = (WarpId() % 4) * kOfWarp, end = first + kOfWarp;
    int cell = first + ThreadId() % 32 / pieces, piece = ThreadId() % 32 % pieces;
#pragma unroll
    for (int i = 0; i < kPieces; ++i) {
      cell_[i] = cell < end ? cell : kNone;
      to_[i] = cell * 128 + ((piece / 2 ^ (cell & 7)) << 4) + piece % 2 * 8;
      from_[i] = cell * pitch + piece * 8;
      piece += 32 % pieces;
      cell += 32 / pieces;
      if (piece >= pieces) piece -= pieces, ++cell;
    }
  }

  /// Starts to load the slab whose first cell is at `from`; zeros from cell `end` on.
  GRIDWISE_DEVICE void Load(SharedAddress to, const char* from, int end) const {
#pragma unroll
    for (int i = 0; i < kPieces; ++i) {
      if (cell_[i] != kNone) LoadEight(to + to_[i], from + from_[i], cell_[i] < end);
    }
  }

 private:
  static constexpr int kOfWarp = kCells / 4, kPieces = kOfWarp * 16 / 32, kNone = kCells;
  int cell_[kPieces], to_[kPieces], from_[kPieces];
};

}  // namespace gridwise::hopper
