// SPDX-License-Identifier: MIT
#pragma once

#include "core/arch/tensor_map.h"
#include "core/base/math.h"
#include "core/conv/gemm_map.h"
#include "core/launch/epilogue_args.h"
#include "hopper/tile_order.h"

namespace gridwise::hopper {

/// How the output is stored: by elements, with any epilogue; by vectors of 4 columns, see
/// StoreVectors; or by TMA boxes, whose rows are pixels in memory order.
enum class Stores { kElements, kVectors, kBoxes };

/// How a k tile of channels is kept from reaching into another group. kWindows: it cannot, and
/// groups are windows of the channels of a pixel. kMaps: each group has a map. kAxis: groups are a
/// map's outermost axis, after the images, which take the place of a third axis of pixels.
enum class SourceGroups { kWindows, kMaps, kAxis };

/// Maximum number of sub-GEMMs in a launch: one tensor map each.
inline constexpr int kMaxPhases = 9;

/// A small operand that workgroups fetch into L2, a share each, before they know what they will
/// load. Otherwise their first loads would wait for memory and for the tensor's descriptor.
struct FetchedArgs {
  const void* data;
  int bytes, share;  // multiples of 16; 0: the operand is not fetched
};
inline constexpr int kFetched = 2;

/// For f32: the operands themselves, to recompute sums for which their parts are wrong. Strides are
/// elements.
struct ExactArgs {
  const float *source, *other;  // other: w, or in backward-weight dy
  long source_image, source_pixel[3];
  int source_size[3];  // pixels
  int source_group, other_group;
  int other_out, other_source, other_tap;  // of w; the distance of pixels of dy is other_source
  // Output and source channels per group, if groups of the launch are merged.
  int of_group, of_source_group;
  MagicDiv by_of_group;
};

/// Maximum number of parts of B in f32; other types have one.
inline constexpr int kMaxParts = 3;

/// Arguments of forward and backward-data, see core/conv/gemm_map.h. Sizes are pixels and channels
/// per group; axes are d, h, w.
struct GatherArgs {
  TensorMap source[kMaxPhases];  // im2col, of a sub-GEMM's pixels, or of those of one group
  TensorMap w[kMaxParts];        // c, tap, k, group; in backward-data c, k
  TensorMap out;                 // if boxes are stored: column, group, row
  SubGemm gemm[kMaxPhases];
  AxisStrides strides[3];
  int filter[3];          // taps of w
  int w_tap, w_group;     // backward-data: elements from one to the next
  int sub_gemms;          // their first tiles are counted in rows of tiles
  int steps[kMaxPhases];  // of K
  // Sub-GEMMs with equal numbers of tiles take turns, one tile at a time, so that those without
  // terms are stored while others multiply.
  int phases_alternate;
  MagicDiv by_sub_gemms;
  int tiles;  // per group, with their splits
  int splits, groups;
  TileOrder order;  // of all sub-GEMMs
  MagicDiv by_tiles, by_splits;
  int in_cluster;  // the splits of a tile are a cluster, which adds them up
  SourceGroups source_groups;
  int k, n;              // source and output channels
  int k_tiles;           // of a tap's k
  int channels_outside;  // K runs over taps within k tiles of channels, else the other way round
  int has_five_axes;     // of the source's maps
  Stores stores;
  ExactArgs exact;
  FetchedArgs fetched[kFetched];
  EpilogueArgs epilogue;
};
static_assert(sizeof(GatherArgs) <= 4096, "HIP passes at most 4096 bytes of arguments");

/// Arguments of backward-weight: rows are k, columns blocks of 64 c at a tap, K the pixels of y.
struct WeightArgs {
  TensorMap dy;             // k, pixel, group; or k of all groups, and pixel
  TensorMap x[kMaxParts];   // im2col
  const void* dy_data;      // for lanes that load dy
  int dy_pitch, dy_pixels;  // bytes from one pixel to the next, and the number of pixels
  SubGemm gemm;             // of forward
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
  int dy_channels;                   // of dy from one group of a pixel to the next; otherwise 0
  int x_channels;                    // the same for x
  int c_blocks;                      // of 64 channels
  MagicDiv by_c_blocks, by_taps[2];  // along h and w
  int k_tiles, longer;  // of 64 pixels, per split; the first `longer` splits have one more
  int is_3d;
  Stores stores;  // not boxes
  ExactArgs exact;
  FetchedArgs fetched[kFetched];
  EpilogueArgs epilogue;
};

}  // namespace gridwise::hopper
