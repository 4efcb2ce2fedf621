// SPDX-License-Identifier: MIT
#pragma once

#include "core/arch/tensor_map.h"
#include "core/base/math.h"
#include "core/launch/epilogue_args.h"
#include "hopper/base/args.h"

namespace gridwise::hopper {

/// Maximum number of taps of a filter, and of planes of a patch.
inline constexpr int kMaxHaloTaps = 49;
inline constexpr int kMaxHaloPlanes = 12;

/// A filter tap of a phase.
struct HaloTap {
  int at;  // bytes of a stage from the start of the patch to the source of a tile's first pixel
  short d, h, w;  // source pixels from the patch's corner to that pixel
  short z, y, x;  // in the filter
};

/// Elements from one index to the next.
struct PixelStrides {
  long image;
  int d, h, w;
};

/// Arguments of instances whose tiles are patches of pixels (halo, line and narrow), see
/// hopper/halo/config.h.
struct HaloArgs {
  TensorMap source;  // channel, w, h, image: a plane of a block's channels
  TensorMap other;   // out, a tile; backward-weight: dy, see dy_lines; one group: a k tile of w
  const void* source_data;
  const void* other_data;                          // w, and in backward-weight dy
  PixelStrides source_stride_of, other_stride_of;  // the latter for dy
  long w_group;                                    // strides of w: elements
  int w_out, w_source, w_z, w_y, w_x;
  int filter_runs;  // groups have runs of 16 bytes in w, at multiples of 16 after its first
  int blocks;       // blocks of channels, BlockOf
  int workgroups;   // workgroups that share the tiles of a block
  int channels;     // in all groups, with their gaps; of the output, or of dy in backward-weight
  int source_channels;  // backward-weight: channels of x; line instances: of the source
  int dy_blocks;        // one group in backward-weight: blocks of 64 channels of dy for each of x;
                        // otherwise 0
  int k_tiles, splits;  // one group: steps of K, and the splits that share them
  // Steps with the same source channels: taps along d. In backward-weight: slices of the filter
  // that workgroups divide, or 1.
  int depth;
  MagicDiv by_depth;
  int log_group;        // log2 of the channels from one group to the next
  int group_mask;       // the channels from one group to the next, minus one
  int of_group;         // channels per group of the output, or of dy in backward-weight
  int of_source_group;  // channels per group of the source
  int mixes;  // products have zeros in the filter: of other groups, or of all K of a split
  int tiles_w, tiles_h, slices;  // slices: pixels along d, of all images
  MagicDiv by_tiles_w, by_tiles_h, by_out_d, by_pitch;
  int tile_w, tile_h, pitch;
  int run;   // line instances: elements of a filter line
  int lead;  // and whether there is another one before them, 1 or 0
  // Pixels of the source, or elements of a line for line instances; from one pixel of a tile, or
  // slice, to the next; and of the first tile's corner.
  int source_d, source_h, source_w;
  int source_step_d, source_step_h, source_step_w;
  int origin_d, origin_h, origin_w;
  int out_d, out_h, out_w;  // pixels of the output, or of dy
  int planes, plane_bytes, box_bytes;
  short plane_d[kMaxHaloPlanes], plane_h[kMaxHaloPlanes], plane_w[kMaxHaloPlanes];
  HaloTap tap[kMaxHaloTaps];
  int phase_end[4];    // where the taps of each phase end
  int flip_h, flip_w;  // 1: phase 0 of the axis has the odd pixels
  int stage_bytes;
  int other_at;  // in a stage: dy
  int dy_lines;  // lines of a tile in a box of dy: all, with zeros up to pitch, or one
  int filter_at, staging_at, barriers_at;
  int buffers;         // store buffers per team, used in turn: 1 or 2
  int filter_pitch;    // one group: bytes from one tap to the next
  int filter_columns;  // and in backward-data columns of w, of which a copy may have more than
                       // there are output channels
  int k_tile_bytes;    // and from one k tile to the next, if they stay in shared memory
  Stores stores;
  FetchedArgs fetched[kFetched];
  EpilogueArgs epilogue;
};

}  // namespace gridwise::hopper
