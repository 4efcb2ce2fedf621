// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/math.h"

/// What the arguments of several kinds of kernels have in common.

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

/// The products of a k tile from `first` to before `end`, at least one.
struct Products {
  int first = 0, end = 0;
};

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
  int other_out, other_source, other_tap;  // strides of w; for dy, other_source is that of pixels
  // Output and source channels per group, if groups of the launch are merged.
  int of_group, of_source_group;
  MagicDiv by_of_group;
};

/// Maximum number of parts of B in f32; other types have one.
inline constexpr int kMaxParts = 3;

}  // namespace gridwise::hopper
