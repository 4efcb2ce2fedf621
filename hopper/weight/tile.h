// SPDX-License-Identifier: MIT
#pragma once

#include "hopper/base/config.h"
#include "hopper/kernel/roles.h"
#include "hopper/weight/args.h"

/// The tiles of a workgroup, and the blocks of their columns, or of their rows if x is A.

namespace gridwise::hopper {

/// A tile of dw in a group, and the part of K that a workgroup sums.
struct WeightTileAt {
  int group, split;
  int k, block;    // first output channel, and block of channels of x
  int first, end;  // k tiles

  GRIDWISE_DEVICE int steps() const { return end - first; }
};

/// Blocks of channels of x in a tile, and the boxes of a block.
template <Config kC>
inline constexpr int kXBlocks = (kC.x_is_a ? kC.rows() : kC.columns) / kC.block_columns();
template <Config kC>
inline constexpr int kBoxesOfBlock = (kC.block_columns() + kC.box_columns() - 1) / kC.box_columns();

template <Config kC>
GRIDWISE_DEVICE WeightTileAt FindTile(const WeightArgs& args, int tile) {
  const int group = Quotient(tile, args.by_tiles);
  tile -= group * args.tiles;
  // Tiles that run at the same time sum the same pixels, except in clusters.
  const int outer = Quotient(tile, args.by_adjacent), inner = tile - outer * args.adjacent;
  const int split = args.in_cluster ? inner : outer;
  tile = args.in_cluster ? outer : inner;
  const TileCoord coord = TileCoordOf(args.order, tile);
  const int first = split * args.k_tiles + (split < args.longer ? split : args.longer);
  return {.group = group,
          .split = split,
          .k = kC.x_is_a ? coord.column * kC.columns : coord.row * kC.rows(),
          .block = kC.x_is_a ? coord.row * kXBlocks<kC> : coord.column * kXBlocks<kC>,
          .first = first,
          .end = first + args.k_tiles + (split < args.longer ? 1 : 0)};
}

/// A filter tap, and the channels of x of a block; none if `tap` is past the last.
template <Config kC>
struct WeightBlock {
  int tap, t[3], channel;

  GRIDWISE_DEVICE WeightBlock(const WeightArgs& args, int block)
      : tap(Quotient(block, args.by_c_blocks)),
        channel((block - tap * args.c_blocks) * kC.block_columns()) {
    const int by_w = Quotient(tap, args.by_taps[1]);
    t[2] = tap - by_w * args.gemm.axis[2].taps;
    t[0] = Quotient(by_w, args.by_taps[0]);
    t[1] = by_w - t[0] * args.gemm.axis[1].taps;
  }
};

}  // namespace gridwise::hopper
