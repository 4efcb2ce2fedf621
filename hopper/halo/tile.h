// SPDX-License-Identifier: MIT
#pragma once

#include "hopper/halo/args.h"
#include "hopper/kernel/ring.h"
#include "hopper/kernel/roles.h"

/// The tiles of kernels that load patches, and where operands lie in memory.

namespace gridwise::hopper {

/// A tile's image and its first pixel, counted in a phase.
struct HaloTileAt {
  int image, d, h, w;
};

GRIDWISE_DEVICE HaloTileAt FindHaloTile(const HaloArgs& args, int tile) {
  const int line = Quotient(tile, args.by_tiles_w), slice = Quotient(line, args.by_tiles_h);
  const int image = Quotient(slice, args.by_out_d);
  return {.image = image,
          .d = slice - image * args.out_d,
          .h = (line - slice * args.tiles_h) * args.tile_h,
          .w = (tile - line * args.tiles_w) * args.tile_w};
}

/// The tiles of this workgroup, which has one block of channels: first, first + step, ...
struct HaloWork {
  int block, first, step, tiles;
  int split;  // K is too short to split: all splits but the first are zeros

  GRIDWISE_DEVICE explicit HaloWork(const HaloArgs& args)
      : block(BlockIdX() % args.blocks),
        first(BlockIdX() / args.blocks % args.workgroups),
        step(args.workgroups),
        tiles(args.tiles_w * args.tiles_h * args.slices),
        split(BlockIdX() / args.blocks / args.workgroups) {}
};

template <int kStages, int kTeams = 1>
GRIDWISE_DEVICE Ring<kStages, kTeams> HaloRing(const HaloArgs& args, SharedAddress base) {
  return Ring<kStages, kTeams>(base, args.stage_bytes, base + args.barriers_at);
}

/// Starts to load the patch of a tile into the ring's stage: the channels from `channel` on, of
/// slices `d` after the first.
template <class AnyRing>
GRIDWISE_DEVICE void LoadPatch(const HaloArgs& args, const AnyRing& ring, int channel,
                               const HaloTileAt& tile, int d = 0) {
  for (int i = 0; i < args.planes; ++i) {
    LoadBox(ring.at() + i * args.plane_bytes, args.source, ring.full(), channel,
            args.origin_w + args.plane_w[i] + tile.w * args.source_step_w,
            args.origin_h + args.plane_h[i] + tile.h * args.source_step_h,
            args.origin_d + args.plane_d[i] + tile.d * args.source_step_d + d, tile.image);
  }
}

/// The source pixel of a tap and a pixel of a tile; null if it is outside the tensor.
template <class T>
GRIDWISE_DEVICE const T* SourceOf(const HaloArgs& args, const HaloTap& tap, const HaloTileAt& tile,
                                  int h, int w) {
  const int from_d = args.origin_d + tile.d * args.source_step_d + tap.d;
  const int from_h = args.origin_h + h * args.source_step_h + tap.h;
  const int from_w = args.origin_w + w * args.source_step_w + tap.w;
  if (from_d < 0 || from_d >= args.source_d || from_h < 0 || from_h >= args.source_h ||
      from_w < 0 || from_w >= args.source_w) {
    return nullptr;
  }
  const PixelStrides& strides = args.source_stride_of;
  return static_cast<const T*>(args.source_data) + tile.image * strides.image +
         static_cast<long>(from_d) * strides.d + static_cast<long>(from_h) * strides.h +
         static_cast<long>(from_w) * strides.w;
}

/// The element of w; null if it is of another group, or in a gap after one.
template <class T>
GRIDWISE_DEVICE const T* FilterOf(const HaloArgs& args, const HaloTap& tap, int out, int source) {
  const int group = out >> args.log_group, mask = args.group_mask;
  if (source >> args.log_group != group || out >= args.channels || (out & mask) >= args.of_group ||
      (source & mask) >= args.of_source_group) {
    return nullptr;
  }
  return static_cast<const T*>(args.other_data) + group * args.w_group +
         static_cast<long>(out & mask) * args.w_out +
         static_cast<long>(source & mask) * args.w_source + tap.z * args.w_z + tap.y * args.w_y +
         tap.x * args.w_x;
}

}  // namespace gridwise::hopper
