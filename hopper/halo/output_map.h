// SPDX-License-Identifier: MIT
#pragma once

#include "hopper/halo/args.h"
#include "hopper/halo/config.h"
#include "hopper/halo/rounded.h"
#include "hopper/halo/tile.h"
#include "hopper/kernel/roles.h"

namespace gridwise::hopper {

/// An output channel's sum over the terms of its own group, at pixel h, w of a phase, in the slice
/// of a tile.
template <DataType kType>
GRIDWISE_DEVICE float SumOfGroup(const HaloArgs& args, const HaloTileAt& tile, int residues, int h,
                                 int w, int out) {
  using T = Element<kType>;
  const int first = out >> args.log_group << args.log_group, end = args.phase_end[residues];
  float v = 0;
#pragma clang loop unroll(disable)
  for (int tap = residues == 0 ? 0 : args.phase_end[residues - 1]; tap < end; ++tap) {
    const T* const x = SourceOf<T>(args, args.tap[tap], tile, h, w);
#pragma clang loop unroll(disable)
    for (int c = first; c < first + args.of_source_group; ++c) {
      const float source = x == nullptr ? 0 : static_cast<float>(Rounded<kType>(x[c]));
      v += source * static_cast<float>(Rounded<kType>(*FilterOf<T>(args, args.tap[tap], out, c)));
    }
  }
  return v;
}

/// Where rows (phase * kC.pixels() + pixel of a tile) and columns are, see Finisher.
template <HaloConfig kC>
struct HaloOutputMap {
  static constexpr bool kHasGroups = true;
  const HaloArgs& args;
  const HaloTileAt& tile;
  int block, split;

  struct Row {
    bool is_there;
    int residues, h, w;  // its phase; the pixel, counted in the phase
  };
  GRIDWISE_DEVICE Row FindRow(int row) const {
    const int residues = row / kC.pixels(), pixel = row - residues * kC.pixels();
    const int h = Quotient(pixel, args.by_pitch), w = pixel - h * args.pitch;
    Row found = {.is_there = h < args.tile_h && w < args.tile_w,
                 .residues = residues,
                 .h = tile.h + h,
                 .w = tile.w + w};
    found.is_there = found.is_there && OutH(found) < args.out_h && OutW(found) < args.out_w;
    return found;
  }
  GRIDWISE_DEVICE int OutH(const Row& row) const {
    return row.h * kC.up + (row.residues / kC.up ^ args.flip_h);
  }
  GRIDWISE_DEVICE int OutW(const Row& row) const {
    return row.w * kC.up + (row.residues % kC.up ^ args.flip_w);
  }
  GRIDWISE_DEVICE long Bytes(const OutputStrides& strides, const Row& row) const {
    return tile.image * strides.image + static_cast<long>(tile.d) * strides.axis[0] +
           static_cast<long>(OutH(row)) * strides.axis[1] +
           static_cast<long>(OutW(row)) * strides.axis[2];
  }
  GRIDWISE_DEVICE int Count(int) const { return args.channels - block * kC.block(); }
  GRIDWISE_DEVICE int OfGroup(int column) const {
    return (block * kC.block() + column) & args.group_mask;
  }
  GRIDWISE_DEVICE long Column(const OutputStrides& strides, int column) const {
    return ((block * kC.block() + column) >> args.log_group) * strides.group +
           static_cast<long>(OfGroup(column)) * strides.column;
  }
  GRIDWISE_DEVICE bool Has(const Row&, int column) const { return OfGroup(column) < args.of_group; }
  GRIDWISE_DEVICE float Mend(float v, const Row& row, int column) const {
    if (split > 0) return 0;
    if (!args.mixes) return v;
    return SumOfGroup<kC.type>(args, tile, row.residues, row.h, row.w, block * kC.block() + column);
  }
};

}  // namespace gridwise::hopper
