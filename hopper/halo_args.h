#pragma once

#include "core/arch/tensor_map.h"
#include "core/base/math.h"
#include "core/launch/epilogue_args.h"
#include "hopper/args.h"

namespace gridwise::hopper {

/// Taps of a filter, and planes of a patch.
inline constexpr int kMaxHaloTaps = 49;
inline constexpr int kMaxHaloPlanes = 12;

/// A filter tap of a phase.
struct HaloTap {
  int at;         // bytes of a stage from where the patch begins to a tile's first pixel's source
  short d, h, w;  // source pixels from the patch's corner to that one
  short z, y, x;  // of the filter
};

/// Elements from one index to the next.
struct PixelStrides {
  long image;
  int d, h, w;
};

/// Arguments of instances whose tiles are patches of pixels, see hopper/halo.h: halo, line and
/// narrow ones.
struct HaloArgs {
  TensorMap source;  // channel, w, h, image: a plane of 64 channels
  TensorMap other;   // out, a tile; backward-weight: dy, see dy_lines; one group: w, of a k tile
  const void* source_data;
  const void* other_data;                          // w, and in backward-weight dy
  PixelStrides source_stride_of, other_stride_of;  // the latter of dy
  long w_group;                                    // strides of w: elements
  int w_out, w_source, w_z, w_y, w_x;
  int filter_runs;      // groups have runs of 16 bytes in w, at multiples of 16 behind its first
  int blocks;           // of 64 channels
  int workgroups;       // workgroups that share the tiles of a block
  int channels;         // of all groups, with their gaps; the output's, or in backward-weight dy's
  int source_channels;  // of backward-weight: those of x; of line instances
  int dy_blocks;        // and, of one group, blocks of 64 channels of dy, for each of x; else 0
  int k_tiles, splits;  // of one group: steps of K, and who shares them
  // Of these, as many have the same source channels: taps along d. Of backward-weight: slices of
  // the filter that workgroups divide, or 1.
  int depth;
  MagicDiv by_depth;
  int log_group;        // of channels from one group to the next
  int group_mask;       // one less than these, of which a group has
  int of_group;         // of the output, or in backward-weight of dy, so many
  int of_source_group;  // and of the source
  int mixes;            // products have zeros for a filter: of other groups, or of all K of a split
  int tiles_w, tiles_h, slices;  // slices: pixels along d, of all images
  MagicDiv by_tiles_w, by_tiles_h, by_out_d, by_pitch;
  int tile_w, tile_h, pitch;
  int run;   // of line instances: elements of a filter line
  int lead;  // and whether there is another before them, 1 or 0
  // Pixels of the source; of line instances, elements of a line. From one pixel of a tile, or
  // slice, to the next; and of the first tile's corner.
  int source_d, source_h, source_w;
  int source_step_d, source_step_h, source_step_w;
  int origin_d, origin_h, origin_w;
  int out_d, out_h, out_w;  // pixels of the output, or of dy
  int planes, plane_bytes, box_bytes;
  short plane_d[kMaxHaloPlanes], plane_h[kMaxHaloPlanes], plane_w[kMaxHaloPlanes];
  HaloTap tap[kMaxHaloTaps];
  int phase_end[4];    // taps of a phase end here
  int flip_h, flip_w;  // 1: phase 0 of the axis is of odd pixels
  int stage_bytes;
  int other_at;  // in a stage: dy
  int dy_lines;  // lines of a tile that a box of dy has: all, with zeros up to pitch, or one
  int filter_at, staging_at, barriers_at;
  int buffers;       // of a team for stores, used in turn: 1 or 2
  int filter_pitch;  // bytes from one tap to the next, of one group
  int k_tile_bytes;  // and from one k tile to the next, where they stay in shared memory
  Stores stores;
  FetchedArgs fetched[kFetched];
  EpilogueArgs epilogue;
};

}  // namespace gridwise::hopper
