// SPDX-License-Identifier: MIT
#pragma once

#include "hopper/halo/multiply.h"
#include "hopper/halo/tile.h"
#include "hopper/kernel/store.h"

namespace gridwise::hopper {

/// Where a thread's rows lie in its team's staging, for StoreMatrix4: a tile's pixels line after
/// line of the output, as its box is stored, with phases next to each other. Pixels that are in no
/// tile lie after the last one that is. There is room, since they have rows as well.
template <HaloConfig kC>
class StagedRows {
 public:
  GRIDWISE_DEVICE StagedRows(const HaloArgs& args, int warpgroup)
      : line_(args.tile_w * kC.up), end_(args.tile_h * kC.up * line_) {
#pragma unroll
    for (int rep = 0; rep < kC.reps; ++rep) {
      const int pixel =
          (warpgroup * kC.reps + rep) * 64 + ThreadId() % 128 / 32 * 16 + ThreadId() % 16;
      const int h = Quotient(pixel, args.by_pitch), w = pixel - h * args.pitch;
      first_[rep] = h < args.tile_h && w < args.tile_w ? h * kC.up * line_ + w * kC.up : end_;
    }
  }
  /// The offset of output pixel y, x among those that a tile's pixel has.
  GRIDWISE_DEVICE int At(int rep, int y, int x) const {
    return kC.up == 1 || first_[rep] == end_ ? first_[rep] : first_[rep] + y * line_ + x;
  }

 private:
  int line_, end_;
  int first_[kC.reps];
};

/// TMA stores a team's tile from shared memory.
template <HaloConfig kC>
GRIDWISE_DEVICE void StoreHaloBox(const HaloArgs& args, const HaloTileAt& tile, int block,
                                  SharedAddress staging, int warpgroup, int barrier, bool is_first,
                                  HaloSums<kC>& sums) {
  const int lane = ThreadId() % 32;
  const StagedRows<kC> rows(args, warpgroup);  // recomputed for each tile: registers are few
#pragma unroll
  for (int i = 0; i < kC.phases(); ++i) {
#pragma unroll
    for (int rep = 0; rep < kC.reps; ++rep) {
      auto& d = sums.d[i][rep];
      FinishSums(args.epilogue, d);
      const int row = rows.At(rep, i / kC.up ^ args.flip_h, i % kC.up ^ args.flip_w);
#pragma unroll
      for (int j = 0; j < 8; j += 2) {
        const float* const v = d + j * 4;
        StoreMatrix4(staging + row * 128 + ((j + lane / 16) ^ (row & 7)) * 16,
                     Pack<kC.type>(v[0], v[1]), Pack<kC.type>(v[2], v[3]),
                     Pack<kC.type>(v[4], v[5]), Pack<kC.type>(v[6], v[7]));
      }
    }
  }
  FenceAsyncProxy();
  WaitAt(barrier, 128 * kC.consumers);
  if (!is_first) return;
  StoreBox(args.other, staging, block * 64, tile.w * kC.up, tile.h * kC.up, tile.d, tile.image);
  CommitStores();
}

}  // namespace gridwise::hopper
