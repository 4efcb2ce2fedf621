#pragma once

#include <cstdint>
#include <string>

#include "core/arch/device_facts.h"
#include "core/launch/block_map.h"

namespace gridwise {

/// The tiles of a launch, as far as their order goes.
struct TileGrid {
  std::int64_t tiles = 1;             // of all sub-GEMMs of a group
  std::int64_t rows = 1, columns;     // of tiles, of the largest sub-GEMM
  int row_elements, column_elements;  // of a tile: rows of A, columns of B
  double resident = 1;                // workgroups of a compute unit
  std::int64_t groups = 1, splits = 1;
  std::int64_t group_bytes = 0;  // from a group's channels of a pixel to the next group's; 0: far
  std::int64_t pixel_bytes = 0;  // from a pixel to the next one, of all groups; 0: far
  std::int64_t taps = 1;         // at which pixels are read
  std::int64_t sections = 1;     // sub-GEMMs of a group, whose tiles are of unlike length
  std::int64_t channels = 0;     // of a group, where K is pixels (backward-weight)

  /// Columns are the same channels at each tap, and all tiles of a split run next to each other; in
  /// other launches splits of a tile do.
  bool sums_pixels() const { return channels != 0; }
};

/// The map whose workgroups, of those that run on an XCD at the same time, read the fewest rows of
/// A and columns of B together. The smallest band of equal ones; XCDs share the workgroups where
/// each has several. Groups run next to each other where their channels share lines of memory, or
/// where L2 holds the pixels of all of them from tap to tap (of one it would use only those sets
/// that its channels of each pixel fall into) and that saves more than they would by sharing
/// columns of B, as they do when they run one after the other; then XCDs have groups of their own,
/// where that saves enough. Of tiles that read the same pixels (backward-weight), an XCD has those
/// of as few groups as use whole lines.
BlockMap ChooseBlockMap(const DeviceFacts& device, const TileGrid& grid);

/// E.g. "row-major", "bands of 4 rows", "8 XCDs, bands of 4 rows", "8 XCDs by groups, row-major".
std::string ToString(const BlockMap& map);

}  // namespace gridwise
