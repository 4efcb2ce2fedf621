// SPDX-License-Identifier: MIT
#pragma once

#include "core/arch/tensor_map.h"
#include "core/base/math.h"
#include "core/conv/gemm_map.h"
#include "core/launch/epilogue_args.h"
#include "hopper/base/args.h"
#include "hopper/base/tile_order.h"

namespace gridwise::hopper {

/// Arguments of backward-weight: rows are k, columns blocks of c at a tap, K the pixels of y.
struct WeightArgs {
  TensorMap dy;             // k, pixel, group; or k of all groups, and pixel
  TensorMap x[kMaxParts];   // im2col
  const void* dy_data;      // for lanes that load dy
  int dy_pitch, dy_pixels;  // bytes from one pixel to the next, and the number of pixels
  SubGemm gemm;             // the GEMM of forward
  AxisStrides strides[3];
  int filter[3];
  int tiles, splits, groups;
  TileOrder order;
  int in_cluster;  // the splits of a tile are a cluster, which adds them up
  int adjacent;    // tiles of a split, or splits of a tile in a cluster
  MagicDiv by_tiles, by_adjacent;
  int k, c;                    // per group, or for all groups of a tile
  int of_group_k, of_group_c;  // per group
  MagicDiv by_of_group_k, by_of_group_c;
  int dy_channels;  // channels of dy from one group of a pixel to the next; otherwise 0
  int x_channels;   // the same for x
  int c_blocks;     // blocks of channels
  MagicDiv by_c_blocks, by_taps[2];  // along h and w
  int k_tiles, longer;  // k tiles of pixels, per split; the first `longer` splits have one more
  int is_3d;
  Stores stores;  // not boxes
  ExactArgs exact;
  FetchedArgs fetched[kFetched];
  EpilogueArgs epilogue;
};

}  // namespace gridwise::hopper
