// SPDX-License-Identifier: MIT
#pragma once

#include "hopper/halo/multiply.h"
#include "hopper/halo/tile.h"
#include "hopper/kernel/store.h"

namespace gridwise::hopper {

/// Where a thread's rows lie in its team's staging: a tile's pixels line after line of the output,
/// as its box is stored, with phases next to each other. A thread has the row that StoreMatrix4
/// takes from it; of f32 the two rows of its sums. Pixels that are in no tile lie after the last
/// one that is. There is room, since they have rows as well.
template <HaloConfig kC>
class StagedRows {
 public:
  static constexpr int kRows = SizeOf(kC.type) == 4 ? 2 : 1;  // per 64 pixels

  GRIDWISE_DEVICE StagedRows(const HaloArgs& args, int warpgroup)
      : line_(args.tile_w * kC.up), end_(args.tile_h * kC.up * line_) {
    const int lane = ThreadId() % 32, warp = ThreadId() % 128 / 32;
#pragma unroll
    for (int rep = 0; rep < kC.reps; ++rep) {
#pragma unroll
      for (int i = 0; i < kRows; ++i) {
        const int row = kRows == 1 ? lane % 16 : lane / 4 + i * 8;
        const int pixel = (warpgroup * kC.reps + rep) * 64 + warp * 16 + row;
        const int h = Quotient(pixel, args.by_pitch), w = pixel - h * args.pitch;
        first_[rep][i] = h < args.tile_h && w < args.tile_w ? h * kC.up * line_ + w * kC.up : end_;
      }
    }
  }
  /// The offset of output pixel y, x among those that a tile's pixel has.
  GRIDWISE_DEVICE int At(int rep, int i, int y, int x) const {
    const int first = first_[rep][i];
    return kC.up == 1 || first == end_ ? first : first + y * line_ + x;
  }

 private:
  int line_, end_;
  int first_[kC.reps][kRows];
};

/// Puts a thread's sums of 64 pixels into the team's staging, with the 128-byte swizzle.
template <HaloConfig kC>
GRIDWISE_DEVICE void StageSums(SharedAddress staging, const int (&rows)[StagedRows<kC>::kRows],
                               const float (&d)[kC.block() / 2]) {
  constexpr int kColumns = 32 / SizeOf(kC.type);  // at a time
  const int lane = ThreadId() % 32;
#pragma unroll
  for (int j = 0; j < kC.block() / 8; j += kColumns / 8) {
    const float* const v = d + j * 4;
    if constexpr (SizeOf(kC.type) == 4) {
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const int row = rows[half], piece = (j * 2 + lane % 4 / 2) ^ (row & 7);
        const int at = static_cast<int>(staging - DynamicSharedMemory()) + row * 128 + piece * 16;
        *reinterpret_cast<Vec<float, 2>*>(dynamic_shared_memory + at + lane % 2 * 8) =
            Vec<float, 2>{v[half * 2], v[half * 2 + 1]};
      }
    } else {
      StoreMatrix4(staging + rows[0] * 128 + ((j + lane / 16) ^ (rows[0] & 7)) * 16,
                   Pack<kC.type>(v[0], v[1]), Pack<kC.type>(v[2], v[3]), Pack<kC.type>(v[4], v[5]),
                   Pack<kC.type>(v[6], v[7]));
    }
  }
}

/// TMA stores a team's tile from shared memory.
template <HaloConfig kC>
GRIDWISE_DEVICE void StoreHaloBox(const HaloArgs& args, const HaloTileAt& tile, int block,
                                  SharedAddress staging, int warpgroup, int barrier, bool is_first,
                                  HaloSums<kC>& sums) {
  const StagedRows<kC> staged(args, warpgroup);  // recomputed for each tile: registers are few
#pragma unroll
  for (int i = 0; i < kC.phases(); ++i) {
#pragma unroll
    for (int rep = 0; rep < kC.reps; ++rep) {
      auto& d = sums.d[i][rep];
      FinishSums(args.epilogue, d);
      int rows[StagedRows<kC>::kRows];
#pragma unroll
      for (int r = 0; r < StagedRows<kC>::kRows; ++r) {
        rows[r] = staged.At(rep, r, i / kC.up ^ args.flip_h, i % kC.up ^ args.flip_w);
      }
      StageSums<kC>(staging, rows, d);
    }
  }
  FenceAsyncProxy();
  WaitAt(barrier, 128 * kC.consumers);
  if (!is_first) return;
  StoreBox(args.other, staging, block * kC.block(), tile.w * kC.up, tile.h * kC.up, tile.d,
           tile.image);
  CommitStores();
}

}  // namespace gridwise::hopper
