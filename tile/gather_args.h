#pragma once

#include "core/base/math.h"
#include "core/conv/gemm_map.h"
#include "tile/epilogue_args.h"

namespace gridwise::tile {

/// Sub-GEMMs whose descriptors travel in the kernel arguments; more of them are read from device
/// memory.
inline constexpr int kInlineSubGemms = 16;

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
  int k, n;               // channels of a tile's groups: of the source, of the output
  int source_cell[3];     // from one cell to the next along an axis
  int w_tap, w_k, w_n;    // from one tap, source channel and output channel to the next
  int n_tiles;            // tiles along n
  MagicDiv by_n_tiles;    //
  int source_size[3];     // cells
  int filter[3];          // taps of w, of which there may be a part
  AxisSteps steps[3];     //
  int splits;             // workgroups that share a tile's K; each writes an output of its own
  MagicDiv by_splits;     //
  EpilogueArgs epilogue;  // y or dx
  SubGemm inline_table[kInlineSubGemms];
};

}  // namespace gridwise::tile
