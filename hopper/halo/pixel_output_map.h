// SPDX-License-Identifier: MIT
#pragma once

#include "hopper/halo/tile.h"

namespace gridwise::hopper {

/// Where rows of a tile of pixels, counted by pitch, and columns of one group from `first_column`
/// on are, see Finisher.
struct PixelOutputMap {
  const HaloArgs& args;
  const HaloTileAt& tile;
  int first_column = 0;
  int end = 1 << 30;  // rows from there on do not exist

  struct Row {
    bool is_there;
    int h, w;
  };
  GRIDWISE_DEVICE Row FindRow(int row) const {
    const int h = Quotient(row, args.by_pitch), w = row - h * args.pitch;
    return {.is_there = row < end && h < args.tile_h && w < args.tile_w &&
                        tile.h + h < args.out_h && tile.w + w < args.out_w,
            .h = tile.h + h,
            .w = tile.w + w};
  }
  GRIDWISE_DEVICE long Bytes(const OutputStrides& strides, const Row& row) const {
    return tile.image * strides.image + static_cast<long>(tile.d) * strides.axis[0] +
           static_cast<long>(row.h) * strides.axis[1] + static_cast<long>(row.w) * strides.axis[2];
  }
  GRIDWISE_DEVICE int Count(int column) const { return args.channels - first_column - column; }
  GRIDWISE_DEVICE long Column(const OutputStrides& strides, int column) const {
    return static_cast<long>(first_column + column) * strides.column;
  }
  GRIDWISE_DEVICE bool Has(const Row&, int) const { return true; }
  GRIDWISE_DEVICE float Mend(float v, const Row&, int) const { return v; }
};

}  // namespace gridwise::hopper
