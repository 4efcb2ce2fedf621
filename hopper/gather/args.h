// SPDX-License-Identifier: MIT
#pragma once

#include "core/arch/tensor_map.h"
#include "core/base/math.h"
#include "core/conv/gemm_map.h"
#include "core/launch/epilogue_args.h"
#include "hopper/base/args.h"
#include "hopper/base/tile_order.h"

namespace gridwise::hopper {

/// Arguments of forward and backward-data, see core/conv/gemm_map.h. Sizes are pixels and channels
/// per group; axes are d, h, w.
struct GatherArgs {
  TensorMap source[kMaxPhases];  // im2col, of a sub-GEMM's pixels, or of those of one group
  TensorMap w[kMaxParts];        // c, tap, k, group; in backward-data c, k, or k, tap, c, group
  TensorMap out;                 // if boxes are stored: column, group, row
  SubGemm gemm[kMaxPhases];
  AxisStrides strides[3];
  int filter[3];       // taps of w
  int w_tap, w_group;  // if B lies along its columns: elements from one to the next
  // Otherwise: columns of a box of w, and those that boxes load.
  int box_columns, loaded_columns;
  int sub_gemms;          // their first tiles are counted in rows of tiles
  int steps[kMaxPhases];  // k iterations
  int whole[kMaxPhases];  // of which the first ones multiply all of their k tiles
  // Sub-GEMMs with equal numbers of tiles take turns, one tile at a time, so that those without
  // terms are stored while others multiply.
  int phases_alternate;
  MagicDiv by_sub_gemms;
  int tiles;  // per group, with their splits
  int splits, groups;
  TileOrder order;  // of the tiles of all sub-GEMMs together
  MagicDiv by_tiles, by_splits;
  int in_cluster;  // the splits of a tile are a cluster, which adds them up
  SourceGroups source_groups;
  int k, n;     // source and output channels
  int k_tiles;  // k tiles of one tap
  // First channel of the last k tile, and its products, without those of channels that the k tile
  // before also has, or that do not exist.
  int last_channel;
  Products of_partial;
  int channels_outside;  // K runs over taps within k tiles of channels, else the other way round
  int has_five_axes;     // whether the source's maps have five axes
  Stores stores;
  int staged_pitch;  // bytes from row to row of the epilogue's last tensor; 0: it is not staged
  ExactArgs exact;
  FetchedArgs fetched[kFetched];
  EpilogueArgs epilogue;
};
static_assert(sizeof(GatherArgs) <= 4096, "HIP passes at most 4096 bytes of arguments");

}  // namespace gridwise::hopper
