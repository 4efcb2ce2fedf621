#pragma once

#include "core/arch/tensor_map.h"
#include "core/base/math.h"
#include "core/conv/gemm_map.h"
#include "core/launch/epilogue_args.h"
#include "hopper/tile_order.h"

namespace gridwise::hopper {

/// How the output is stored: by elements, whatever the epilogue; by vectors of 4 columns, see
/// StoreVectors; or by boxes of TMA, whose rows are pixels in the order of memory.
enum class Stores { kElements, kVectors, kBoxes };

/// How a k tile of channels is kept from reaching into another group: it cannot, and groups are
/// windows of the channels of a pixel; groups have a map each; or they are a map's outermost axis,
/// behind the images, which are where a third axis of pixels would be.
enum class SourceGroups { kWindows, kMaps, kAxis };

/// Sub-GEMMs of a launch: a tensor map each.
inline constexpr int kMaxPhases = 9;

/// A small operand: workgroups begin to fetch it into L2, a share each, before they know what they
/// will load. Its first loads wait for memory, and for what TMA knows of the tensor.
struct FetchedArgs {
  const void* data;
  int bytes, share;  // multiples of 16; 0: the operand is not fetched
};
inline constexpr int kFetched = 2;

/// Of f32, where the operands themselves are, to compute sums that those of their parts are wrong
/// for. Strides are elements.
struct ExactArgs {
  const float *source, *other;  // other: w, or in backward-weight dy
  long source_image, source_pixel[3];
  int source_size[3];  // pixels
  int source_group, other_group;
  int other_out, other_source, other_tap;  // of w; of dy from pixel to pixel: other_source
  // Output and source channels of a group, of which the launch's have several.
  int of_group, of_source_group;
  MagicDiv by_of_group;
};

/// Parts of B of f32; other types have one.
inline constexpr int kMaxParts = 3;

/// Arguments of forward and backward-data, see core/conv/gemm_map.h. Sizes are pixels and channels
/// of a group; axes are d, h, w.
struct GatherArgs {
  TensorMap source[kMaxPhases];  // im2col, of a sub-GEMM's pixels, or of those and a group
  TensorMap w[kMaxParts];        // c, tap, k, group; of backward-data c, k
  TensorMap out;                 // where boxes are stored: column, group, row
  SubGemm gemm[kMaxPhases];
  AxisStrides strides[3];
  int filter[3];          // taps of w
  int w_tap, w_group;     // of backward-data: elements from one to the next
  int sub_gemms;          // whose first tiles are counted in rows of tiles
  int steps[kMaxPhases];  // of K
  // Sub-GEMMs of as many tiles each take turns, one by one: so that those without terms are stored
  // while others multiply.
  int phases_alternate;
  MagicDiv by_sub_gemms;
  int tiles;  // of a group, with their splits
  int splits, groups;
  TileOrder order;  // of all sub-GEMMs
  MagicDiv by_tiles, by_splits;
  int in_cluster;  // splits of a tile are a cluster, which adds them up
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
  const void* dy_data;      // and what lanes need that load it
  int dy_pitch, dy_pixels;  // bytes from a pixel to the next, and how many there are
  SubGemm gemm;             // of forward
  AxisStrides strides[3];
  int filter[3];
  int tiles, splits, groups;
  TileOrder order;
  int in_cluster;  // splits of a tile are a cluster, which adds them up
  int neighbours;  // tiles of a split, or splits of a tile of a cluster
  MagicDiv by_tiles, by_neighbours;
  int k, c;                    // of a group, or of the groups of a tile
  int of_group_k, of_group_c;  // and of each
  MagicDiv by_of_group_k, by_of_group_c;
  int dy_channels;                   // of dy from group to group of a pixel; else 0
  int x_channels;                    // and of x
  int c_blocks;                      // of 64 channels
  MagicDiv by_c_blocks, by_taps[2];  // along h and w
  int k_tiles, longer;               // of 64 pixels: of a split, of which the first have one more
  int is_3d;
  Stores stores;  // not boxes
  ExactArgs exact;
  FetchedArgs fetched[kFetched];
  EpilogueArgs epilogue;
};

}  // namespace gridwise::hopper
