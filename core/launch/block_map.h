// SPDX-License-Identifier: MIT
/// The block map: which tile of the output a workgroup computes. Device-usable.
///
/// Tiles of a launch are numbered sub-GEMM by sub-GEMM, and within a sub-GEMM by rows of tiles.
/// Workgroups that run at the same time share operands in the L2 of their XCD: those in a row of
/// tiles share rows of A, those in a column share columns of B. The map chooses which tiles run
/// together, in two steps:
///
///   workgroup --XCDs--> slot        each XCD gets a contiguous run of slots
///   slot --bands--> (row, column)   within a band of rows, columns follow one after the other
///
/// Both are bijections, which block_map_test.cc proves by enumeration. Slots may also count groups
/// and splits, so that those of a tile run next to each other: adjacent groups lie in the same
/// memory lines. Groups that share no lines run one after the other, each on as few XCDs as
/// possible. XCDs get runs of the whole launch, or of one group at a time if each group has
/// sub-GEMMs of different lengths.
#pragma once

#include "core/base/math.h"

namespace gridwise {

/// Consecutive workgroups that XCDs share: number i runs on XCD i % XCDs.
struct XcdRuns {
  int xcds = 1;
  MagicDiv by_xcds = MakeMagicDiv(1);
};
constexpr XcdRuns MakeXcdRuns(int xcds) {
  return {.xcds = xcds, .by_xcds = MakeMagicDiv(static_cast<unsigned>(xcds))};
}

/// A block map of some size. The default is row-major on one XCD.
struct BlockMap {
  XcdRuns of_launch;  // one of the two has one XCD
  XcdRuns of_section;
  int log2_band = 0;  // log2 of the rows of tiles in a band; 0: row-major
  int tiles = 1;      // along x of the launch; groups are along y, splits along z
  int groups = 1;
  int adjacent = 1;    // groups that run next to each other; divides the number of groups
  int slots = 1;       // workgroups of `adjacent` groups
  int workgroups = 1;  // of the launch
  // XCDs' runs of the launch have this many slots; the first XCDs have one more.
  int slots_of_xcd = 1, xcds_with_more = 0;
  MagicDiv by_tiles, by_adjacent, by_slots;
  MagicDiv by_columns, by_band;  // tiles in a row, and in a band

  constexpr int band() const { return 1 << log2_band; }
};

/// Whether XCDs get runs of a section or of the whole launch.
enum class RunsOf { kSection, kLaunch };

/// The map of a launch of `tiles` tiles in rows of `columns`, with groups and splits. `adjacent`
/// groups run next to each other; it divides the number of groups. Requires `log2_band` < 31 and
/// fewer than 2^31 workgroups.
constexpr BlockMap MakeBlockMap(int tiles, int columns, int xcds, int log2_band, int groups = 1,
                                int adjacent = 1, int splits = 1, RunsOf runs = RunsOf::kLaunch) {
  const int launch_xcds = runs == RunsOf::kLaunch ? xcds : 1, workgroups = tiles * groups * splits;
  return {.of_launch = MakeXcdRuns(launch_xcds),
          .of_section = MakeXcdRuns(runs == RunsOf::kSection ? xcds : 1),
          .log2_band = log2_band,
          .tiles = tiles,
          .groups = groups,
          .adjacent = adjacent,
          .slots = tiles * adjacent * splits,
          .workgroups = workgroups,
          .slots_of_xcd = workgroups / launch_xcds,
          .xcds_with_more = workgroups % launch_xcds,
          .by_tiles = MakeMagicDiv(static_cast<unsigned>(tiles)),
          .by_adjacent = MakeMagicDiv(static_cast<unsigned>(adjacent)),
          .by_slots = MakeMagicDiv(static_cast<unsigned>(tiles * adjacent * splits)),
          .by_columns = MakeMagicDiv(static_cast<unsigned>(columns)),
          .by_band = MakeMagicDiv(static_cast<unsigned>(columns) << log2_band)};
}

/// The slot of workgroup `i` if XCDs have runs of `xcd_slots` slots, and the first `rest` of them
/// one more.
GRIDWISE_HD constexpr int SlotOfRuns(const XcdRuns& runs, int i, int xcd_slots, int rest) {
  const int round = static_cast<int>(Divide(static_cast<unsigned>(i), runs.by_xcds));
  const int xcd = i - round * runs.xcds;
  return xcd * xcd_slots + (xcd < rest ? xcd : rest) + round;
}

/// The slot of workgroup `i` of `count` consecutive ones: XCDs have runs of slots, in their order.
GRIDWISE_HD constexpr int SlotOf(const XcdRuns& runs, int i, int count) {
  const int xcd_slots = static_cast<int>(Divide(static_cast<unsigned>(count), runs.by_xcds));
  return SlotOfRuns(runs, i, xcd_slots, count - xcd_slots * runs.xcds);
}

/// The slot of the launch's workgroup `number`.
template <class Map>
GRIDWISE_HD constexpr int SlotOfLaunch(const Map& map, int number) {
  return SlotOfRuns(map.of_launch, number, map.slots_of_xcd, map.xcds_with_more);
}

/// A workgroup's number among those of adjacent groups, consecutive on its XCD.
struct WorkgroupOfGroups {
  int number, first_group;
};
/// The number of workgroup (x, y, z). If XCDs have runs of the launch, the number is its slot.
GRIDWISE_HD constexpr WorkgroupOfGroups WorkgroupAt(const BlockMap& map, int x, int y, int z) {
  const int number = SlotOfLaunch(map, (z * map.groups + y) * map.tiles + x);
  const int before = static_cast<int>(Divide(static_cast<unsigned>(number), map.by_slots));
  return {.number = number - before * map.slots, .first_group = before * map.adjacent};
}

/// The tile, split and group of a slot.
struct GroupOfSlot {
  int rest, group;  // tile and split, in the caller's order; index among adjacent groups
};
GRIDWISE_HD constexpr GroupOfSlot GroupAt(const BlockMap& map, int slot) {
  const int rest = static_cast<int>(Divide(static_cast<unsigned>(slot), map.by_adjacent));
  return {.rest = rest, .group = slot - rest * map.adjacent};
}

struct TileOfGemm {
  int row, column;  // in tiles
};

/// The tile at slot `slot` of a sub-GEMM with the given rows and columns of tiles. Rows that fill
/// no band are row-major. Both results are computed, because a branch would cost more.
template <class Map>
GRIDWISE_HD constexpr TileOfGemm TileAt(const Map& map, int slot, int rows, int columns) {
  const int row = static_cast<int>(Divide(static_cast<unsigned>(slot), map.by_columns));
  const int band = static_cast<int>(Divide(static_cast<unsigned>(slot), map.by_band));
  const int first = band << map.log2_band, of_band = slot - first * columns;
  const int column_of_band = of_band >> map.log2_band;
  const int row_of_band = first + of_band - (column_of_band << map.log2_band);
  const bool fills = first + (1 << map.log2_band) <= rows;
  return {.row = fills ? row_of_band : row,
          .column = fills ? column_of_band : slot - row * columns};
}

}  // namespace gridwise
