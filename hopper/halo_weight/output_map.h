// SPDX-License-Identifier: MIT
#pragma once

#include "hopper/halo/tile.h"
#include "hopper/halo_weight/config.h"

namespace gridwise::hopper {

/// A block of channels of x, and of dy: the same block, or, with one group, any pair.
struct HaloWeightBlock {
  int x, dy;

  GRIDWISE_DEVICE HaloWeightBlock(const HaloArgs& args, const HaloWork& work)
      : x(args.dy_blocks > 0 ? work.block / args.dy_blocks : work.block),
        dy(args.dy_blocks > 0 ? work.block - x * args.dy_blocks : work.block) {}
};

/// The taps of a workgroup: all, or those of a slice of the filter.
struct HaloWeightTaps {
  int first, count;

  GRIDWISE_DEVICE HaloWeightTaps(const HaloArgs& args, const HaloWork& work)
      : first(args.phase_end[0] / args.depth * work.split), count(args.phase_end[0] / args.depth) {}
};

template <DataType kType>
struct HaloWeightOutputMap {
  const HaloArgs& args;
  const HaloWork& work;
  const HaloWeightBlock& block;
  const HaloTap& tap;

  struct Row {
    bool is_there;
    int k;
  };
  GRIDWISE_DEVICE Row FindRow(int row) const {
    const int k = block.dy * 64 + row;
    return {.is_there = k < args.channels && (k & args.group_mask) < args.of_group, .k = k};
  }
  GRIDWISE_DEVICE long Bytes(const OutputStrides& strides, const Row& row) const {
    return (row.k >> args.log_group) * strides.group +
           static_cast<long>(row.k & args.group_mask) * strides.row;
  }
  GRIDWISE_DEVICE int Count(int) const { return args.source_channels - block.x * 64; }
  GRIDWISE_DEVICE long Column(const OutputStrides& strides, int column) const {
    return static_cast<long>(tap.z) * strides.axis[0] + static_cast<long>(tap.y) * strides.axis[1] +
           static_cast<long>(tap.x) * strides.axis[2] +
           static_cast<long>((block.x * 64 + column) & args.group_mask) * strides.column;
  }
  GRIDWISE_DEVICE bool Has(const Row& row, int column) const {
    const int c = block.x * 64 + column;
    return c >> args.log_group == row.k >> args.log_group &&
           (c & args.group_mask) < args.of_source_group;
  }
  GRIDWISE_DEVICE float Mend(float, const Row& row, int column) const {
    using T = Element<kType>;
    const T* const dy = static_cast<const T*>(args.other_data) + row.k;
    float sum = 0;
#pragma clang loop unroll(disable)
    for (int i = work.first; i < work.tiles; i += work.step) {
      const HaloTileAt tile = FindHaloTile(args, i);
#pragma clang loop unroll(disable)
      for (int pixel = 0; pixel < args.tile_h * args.tile_w; ++pixel) {
        const int h = tile.h + pixel / args.tile_w, w = tile.w + pixel % args.tile_w;
        if (h >= args.out_h || w >= args.out_w) continue;
        const T* const x = SourceOf<T>(args, tap, tile, h, w);
        const PixelStrides& strides = args.other_stride_of;
        const long at = tile.image * strides.image + static_cast<long>(tile.d) * strides.d +
                        static_cast<long>(h) * strides.h + static_cast<long>(w) * strides.w;
        const float source = x == nullptr ? 0 : static_cast<float>(x[block.x * 64 + column]);
        sum += static_cast<float>(dy[at]) * source;
      }
    }
    return sum;
  }
};

}  // namespace gridwise::hopper
