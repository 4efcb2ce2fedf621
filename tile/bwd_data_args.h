#pragma once

#include "ck/base/math.h"
#include "ck/conv/gemm_map.h"

namespace gridwise::tile {

/// Sub-GEMMs whose descriptors travel in the kernel arguments; more of them are read from device
/// memory.
inline constexpr int kInlineSubGemms = 16;

/// Kernel arguments of backward-data. Sizes are elements unless they say bytes; axes are d, h, w.
struct BwdDataArgs {
  const void* dy;           // [n][od][oh][ow][g][k]
  const void* w;            // [g][k][z][y][x][c]
  void* dx;                 // [n][id][ih][iw][g][c]
  const SubGemm* table;     // [sub_gemms] in device memory; null: inline_table
  long dy_image, dx_image;  // elements of one image, all groups
  int sub_gemms;
  int k, c;                // of one group
  int dy_pixel, dx_pixel;  // elements from one pixel to the next, all groups
  int n_tiles;             // tiles along c
  MagicDiv by_n_tiles;
  int in[3], out[3];  // sizes of dx and dy
  int filter[3];
  int stride[3];
  int tap_step[3], out_step[3];  // see AxisMap
  SubGemm inline_table[kInlineSubGemms];
};

}  // namespace gridwise::tile
