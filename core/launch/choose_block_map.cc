#include "core/launch/choose_block_map.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_format.h"
#include "core/arch/machine_facts.h"

namespace gridwise {
namespace {

constexpr int kMaxLog2Band = 5;

/// Rows of A and columns of B that `resident` consecutive slots read, in elements of K. Of rows
/// that L2 keeps from tap to tap, for all `taps` of K once.
double Reads(const TileGrid& grid, double resident, int log2_band, double taps = 1) {
  const auto columns = static_cast<double>(grid.columns);
  const double band_rows = std::ldexp(1.0, log2_band);
  const double bands = resident / (band_rows * columns);  // that the slots fill
  const double rows = std::ceil(std::max(bands, 1.0)) * band_rows;
  const double touched = std::min(columns, std::ceil(resident / band_rows));
  return std::min(rows, static_cast<double>(grid.rows)) * grid.row_elements / taps +
         touched * grid.column_elements;
}

/// How many of the groups run next to each other: all, or one.
std::int64_t NeighboursOf(const DeviceFacts& device, const TileGrid& grid) {
  constexpr std::int64_t kLineBytes = 128;
  constexpr double kOfCells = 0.75;  // of L2: the rest is of columns, which pass through
  if (grid.group_bytes == 0) return 1;
  if (grid.group_bytes < kLineBytes) return grid.groups;
  if (grid.taps == 1) return 1;
  const double resident = device.compute_units * grid.resident / device.dies;
  const auto groups = static_cast<double>(grid.groups);
  const double tiles = std::max(1.0, resident / groups);  // of a group
  const double rows = std::max(1.0, tiles / static_cast<double>(grid.columns));
  const double cells =
      std::min(groups, resident) * rows * grid.row_elements * static_cast<double>(grid.group_bytes);
  if (cells > kOfCells * MachineFactsOf(device.gfx).l2_bytes) return 1;
  // Of each tile.
  const double beside = Reads(grid, tiles, 0, static_cast<double>(grid.taps)) / tiles;
  const double behind = Reads(grid, resident, 0) / resident;
  return beside < behind ? grid.groups : 1;
}

}  // namespace

BlockMap ChooseBlockMap(const DeviceFacts& device, const TileGrid& grid) {
  const std::int64_t neighbours = NeighboursOf(device, grid);
  const int dies = grid.tiles * grid.groups * grid.splits >= 2 * device.dies ? device.dies : 1;
  const double units = static_cast<double>(device.compute_units) / dies;
  // Tiles that run at the same time.
  const auto tiles = static_cast<double>(grid.tiles);
  const auto of_tile =
      static_cast<double>(neighbours * (grid.splits_are_neighbours ? grid.splits : 1));
  const double of_die = grid.splits_are_neighbours
                            ? tiles / dies
                            : std::min(tiles, tiles * static_cast<double>(grid.splits) / dies);
  const double resident = std::clamp(of_die, 1.0, std::max(1.0, units * grid.resident / of_tile));
  int log2_band = 0;
  double least = Reads(grid, resident, 0);
  for (int candidate = 1; candidate <= kMaxLog2Band && (1 << candidate) <= grid.rows; ++candidate) {
    if (grid.columns == 1) break;  // all orders are the same
    const double reads = Reads(grid, resident, candidate);
    if (reads >= least) continue;
    least = reads;
    log2_band = candidate;
  }
  return MakeBlockMap(static_cast<int>(grid.tiles), static_cast<int>(grid.columns), dies, log2_band,
                      static_cast<int>(grid.groups), static_cast<int>(neighbours),
                      static_cast<int>(grid.splits));
}

std::string ToString(const BlockMap& map) {
  const std::string bands =
      map.log2_band == 0 ? "row-major" : absl::StrFormat("bands of %d rows", map.band());
  return map.dies == 1 ? bands : absl::StrFormat("%d dies, %s", map.dies, bands);
}

}  // namespace gridwise
