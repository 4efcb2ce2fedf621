// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>

#include "core/arch/device_facts.h"
#include "core/launch/block_map.h"

namespace gridwise {

/// The properties of a launch's tiles that their order depends on.
struct TileGrid {
  std::int64_t tiles = 1;             // of all sub-GEMMs, per group
  std::int64_t rows = 1, columns;     // of tiles in the largest sub-GEMM
  int row_elements, column_elements;  // per tile: rows of A, columns of B
  double resident = 1;                // workgroups per compute unit
  std::int64_t groups = 1, splits = 1;
  std::int64_t group_bytes = 0;  // from one group's channels of a pixel to the next group's; 0: far
  std::int64_t pixel_bytes = 0;  // from one pixel to the next, over all groups; 0: far
  std::int64_t taps = 1;         // at which pixels are read
  std::int64_t sections = 1;     // sub-GEMMs per group, if their tiles have different lengths
  std::int64_t channels = 0;     // per group, if K is pixels (backward-weight)

  /// Whether columns are the same channels at each tap, and all tiles of a split run next to each
  /// other. In other launches, splits of a tile do.
  bool sums_pixels() const { return channels != 0; }
};

/// Returns the map in which the workgroups that run on an XCD at the same time read the fewest rows
/// of A and columns of B in total; of equal maps, the one with the smallest band. XCDs share the
/// workgroups if each has several.
///
/// Groups run next to each other in two cases. Either their channels share memory lines. Or L2
/// holds the pixels of all groups from tap to tap, and that saves more than sharing columns of B,
/// which groups do when they run one after the other. (A single group would use only the sets of L2
/// into which its channels of each pixel fall.) In the other order, XCDs have separate groups if
/// that saves enough. If tiles read the same pixels (backward-weight), an XCD has those of as few
/// groups as use whole lines.
BlockMap ChooseBlockMap(const DeviceFacts& device, const TileGrid& grid);

/// E.g. "row-major", "bands of 4 rows", "8 XCDs, bands of 4 rows", "8 XCDs by groups, row-major".
std::string ToString(const BlockMap& map);

}  // namespace gridwise
