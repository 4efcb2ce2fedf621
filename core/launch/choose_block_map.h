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
  std::int64_t group_bytes = 0;  // from a group's channels of a cell to the next group's; 0: far
  std::int64_t taps = 1;         // at which cells are read
  bool splits_are_neighbours = true;  // of the same tile; else those of a split are
};

/// The map whose workgroups, of those that run on a die at the same time, read the fewest rows of A
/// and columns of B together. The smallest band of equal ones; dies share the workgroups where each
/// has several. Groups run next to each other where their channels share lines of memory, or where
/// L2 holds the cells of all of them from tap to tap (of one it would use only those sets that its
/// channels of each cell fall into) and that saves more than they would by sharing columns of B, as
/// they do when they run one after the other.
BlockMap ChooseBlockMap(const DeviceFacts& device, const TileGrid& grid);

/// E.g. "row-major", "bands of 4 rows", "8 dies, bands of 4 rows".
std::string ToString(const BlockMap& map);

}  // namespace gridwise
