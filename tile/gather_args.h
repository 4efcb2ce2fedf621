#pragma once

#include "core/base/math.h"
#include "core/conv/gemm_map.h"
#include "core/launch/block_map.h"
#include "core/launch/epilogue_args.h"
#include "core/launch/sub_gemm_table.h"
#include "tile/fixup_args.h"

namespace gridwise::tile {

/// How an instance with a halo divides the pixels of a sub-GEMM (kernel/halo.h): an image into
/// `count` strips along w, whose rows are `pitch` positions and lie one behind the other. The last
/// of them, one less than the filter taps along w, are no pixels. A tile is a run of positions of a
/// strip. The tiles of all strips and images follow one another, and a workgroup computes `run` of
/// them, or the last ones.
struct Strips {
  int pitch,
      width;  // positions of a row, and those of them that are pixels, but for the last strip
  int count;  // strips of an image
  int tiles;  // of a strip
  int all;    // tiles of all images
  int run;
  MagicDiv by_pitch, by_count, by_tiles;
};

/// Kernel arguments of the gathering kernels, forward and backward-data; see core/conv/gemm_map.h.
/// Strides are bytes, so that any packed or strided layout whose channels are contiguous is a
/// matter of numbers. Axes are d, h, w.
struct GatherArgs {
  const void* source;          // x or dy
  const void* w;               //
  const SubGemm* table;        // [sub_gemms] in device memory; null: inline_table
  long source_image;           // from one image to the next
  long source_group, w_group;  // from one group to the next
  int sub_gemms;
  int k, n;  // channels of a tile's groups: of the source, of the output; of one of them where the
             // row fills groups up
  int source_pixel[3];     // from one pixel to the next along an axis
  int w_tap[3];            // from one tap of the filter to the next along an axis
  int w_k, w_n;            // from one source channel and output channel to the next
  int n_tiles;             // tiles along n
  BlockMap map;            //
  int source_size[3];      // pixels
  AxisStrides strides[3];  //
  int splits;              // workgroups that share a tile's K; each writes an output of its own
  MagicDiv by_splits;      //
  int k_tiles;             // of a tap's channels, of a step each
  MagicDiv by_k_tiles;     //
  EpilogueArgs epilogue;   // y or dx
  SubGemm inline_table[kInlineSubGemms];
  Strips strips[kInlineSubGemms];  // of each; of instances with a halo alone, whose m counts
                                   // workgroups' tiles
  int groups;                      // of the problem; for instances that fill groups up
  FixupArgs fixup;                 // of instances that join splits
};

}  // namespace gridwise::tile
