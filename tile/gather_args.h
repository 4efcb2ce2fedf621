// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/math.h"
#include "core/conv/gemm_map.h"
#include "core/launch/block_map.h"
#include "core/launch/epilogue_args.h"
#include "core/launch/sub_gemm_table.h"
#include "tile/fixup_args.h"

namespace gridwise::tile {

/// How an instance with a halo divides the pixels of a sub-GEMM (kernel/halo.h). An image is cut
/// into `count` strips along w. The rows of a strip are `pitch` positions long and consecutive. The
/// last positions of a row, one less than the filter taps along w, are no pixels. A tile is a run
/// of positions of a strip. The tiles of all strips and images follow one another, and a workgroup
/// computes `run` of them, or the last ones.
struct Strips {
  int pitch,
      width;  // positions per row; those that are pixels, except in the last strip
  int count;  // strips per image
  int tiles;  // per strip
  int all;    // tiles of all images
  int run;
  MagicDiv by_pitch, by_count, by_tiles;
};

/// What a workgroup needs to find its tile, in a memory line that is loaded at once. GatherArgs and
/// its block map have most of it, too.
struct PlainGrid {
  enum Kind {
    kPlain,         // one group and one sub-GEMM
    kSections,      // several
    kCountsImages,  // offsets within a tile count from its first image: from the tensors' first,
                    // they would exceed 31 bits
  };
  int kind;
  int n_tiles, splits;
  MagicDiv by_splits;
  int tiles;
  XcdRuns of_launch;
  int slots_of_xcd, xcds_with_more, log2_band;
  MagicDiv by_columns, by_band;
};
static_assert(sizeof(PlainGrid) == 64);

/// Kernel arguments of the gathering kernels, forward and backward-data; see core/conv/gemm_map.h.
/// Strides are bytes, so any packed or strided layout with contiguous channels is only a matter of
/// numbers. Axes are d, h, w.
struct GatherArgs {
  PlainGrid grid;
  const void* source;          // x or dy
  const void* w;               //
  const SubGemm* table;        // [sub_gemms] in device memory; null: inline_table
  long source_image;           // from one image to the next
  long source_group, w_group;  // from one group to the next
  int sub_gemms;
  int k, n;  // source and output channels of a tile's groups; of one group if the instance fills
             // groups up
  int source_pixel[3];     // from one pixel to the next along an axis
  int w_tap[3];            // from one tap of the filter to the next along an axis
  int w_k, w_n;            // from one source channel and output channel to the next
  int n_tiles;             // tiles along n
  BlockMap map;            //
  int source_size[3];      // pixels
  long source_bias;        // bytes by which taps reach before the source's first pixel
  AxisStrides strides[3];  //
  int splits;              // workgroups that share a tile's K; each writes an output of its own
  MagicDiv by_splits;      //
  int k_tiles;             // of a tap's channels, one per step
  MagicDiv by_k_tiles;     //
  EpilogueArgs epilogue;   // y or dx
  FixupArgs fixup;         // for instances that join splits
  SubGemm inline_table[kInlineSubGemms];
  Strips strips[kInlineSubGemms];  // per sub-GEMM; only for instances with a halo, whose m counts
                                   // workgroups' tiles
  int groups;                      // of the problem; for instances that fill groups up
};

}  // namespace gridwise::tile
