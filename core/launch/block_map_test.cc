// SPDX-License-Identifier: MIT
// Every tile is computed by exactly one workgroup, whatever the map; and the map is chosen by what
// workgroups read together.

#include "core/launch/block_map.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "core/arch/device_facts.h"
#include "core/estimate/choose_block_map.h"
#include "gtest/gtest.h"

namespace gridwise {
namespace {

/// Whether every tile of such a launch is one workgroup's, and each XCD's are a run of slots.
bool CoversOnce(int rows, int columns, int xcds, int log2_band) {
  const int tiles = rows * columns;
  const BlockMap map = MakeBlockMap(tiles, columns, xcds, log2_band);
  std::vector<bool> seen(static_cast<std::size_t>(tiles));
  for (int i = 0; i < tiles; ++i) {
    const int slot = SlotOf(map.of_launch, i, tiles);
    if (slot < 0 || slot >= tiles) return false;
    if (i >= xcds && slot != SlotOf(map.of_launch, i - xcds, tiles) + 1) return false;
    const TileOfGemm tile = TileAt(map, slot, rows, columns);
    if (tile.row < 0 || tile.row >= rows || tile.column < 0 || tile.column >= columns) return false;
    const auto number = static_cast<std::size_t>(tile.row) * static_cast<std::size_t>(columns) +
                        static_cast<std::size_t>(tile.column);
    if (seen[number]) return false;
    seen[number] = true;
  }
  return true;
}

TEST(BlockMap, IsABijection) {
  int maps = 0;
  for (const int rows : {1, 2, 3, 4, 5, 7, 8, 9, 31, 64}) {
    for (const int columns : {1, 2, 3, 4, 5, 8, 13}) {
      for (const int xcds : {1, 2, 5, 6, 8}) {
        for (int log2_band = 0; log2_band <= 5; ++log2_band) {
          EXPECT_TRUE(CoversOnce(rows, columns, xcds, log2_band));
          ++maps;
        }
      }
    }
  }
  EXPECT_EQ(maps, 10 * 7 * 5 * 6);
}

/// Whether workgroups of a launch with groups and splits have a slot each, those of an XCD one run
/// of them: of the launch, or of each of so many sections of workgroups of adjacent groups.
void ExpectRuns(const BlockMap& map, int sections) {
  const int section = map.slots / sections;
  ASSERT_EQ(section * sections, map.slots);
  std::vector<int> seen(static_cast<std::size_t>(map.workgroups));
  const int xcds = std::max(map.of_launch.xcds, map.of_section.xcds);
  std::vector<int> last(static_cast<std::size_t>(xcds), -1);  // slot of the launch, of each XCD
  for (int i = 0; i < map.workgroups; ++i) {
    const int x = i % map.tiles, y = i / map.tiles % map.groups, z = i / map.tiles / map.groups;
    const auto [number, first_group] = WorkgroupAt(map, x, y, z);
    ASSERT_TRUE(first_group >= 0 && first_group + map.adjacent <= map.groups);
    const int first = number / section * section,
              in_section = SlotOf(map.of_section, number - first, section);
    ASSERT_TRUE(in_section >= 0 && in_section < section);
    const int slot = first_group / map.adjacent * map.slots + first + in_section;
    ++seen[static_cast<std::size_t>(slot)];
    int& before =
        last[static_cast<std::size_t>(map.of_launch.xcds > 1 ? i % xcds : (number - first) % xcds)];
    if (before >= 0 && (map.of_launch.xcds > 1 || before / section == slot / section)) {
      EXPECT_EQ(slot, before + 1);
    }
    before = slot;
    const GroupOfSlot of = GroupAt(map, first + in_section);
    EXPECT_EQ(of.rest * map.adjacent + of.group, first + in_section);
    EXPECT_TRUE(of.group >= 0 && of.group < map.adjacent);
  }
  for (const int count : seen) EXPECT_EQ(count, 1);
}

TEST(BlockMap, GroupsAndSplitsHaveSlotsToo) {
  for (const int tiles : {1, 6, 35}) {
    for (const auto& [groups, adjacent] : {std::pair(1, 1), {2, 2}, {7, 7}, {7, 1}, {6, 3}}) {
      for (const int splits : {1, 3}) {
        for (const int xcds : {1, 3, 8}) {
          const auto map = [&](RunsOf runs) {
            return MakeBlockMap(tiles, /*columns=*/1, xcds, /*log2_band=*/0, groups, adjacent,
                                splits, runs);
          };
          ExpectRuns(map(RunsOf::kLaunch), /*sections=*/1);
          ExpectRuns(map(RunsOf::kSection), /*sections=*/1);
          ExpectRuns(map(RunsOf::kSection), /*sections=*/tiles);
        }
      }
    }
  }
}

TEST(BlockMap, XcdsHaveWholeGroups) {
  // 16 groups of 12 tiles on 8 XCDs: an XCD has the tiles of two groups, one after the other.
  const BlockMap map =
      MakeBlockMap(/*tiles=*/12, /*columns=*/3, /*xcds=*/8, /*log2_band=*/0, /*groups=*/16);
  for (int i = 0; i < 12 * 16; ++i) {
    const auto [number, group] = WorkgroupAt(map, i % 12, i / 12, 0);
    EXPECT_EQ(group / 2, i % 8);
    EXPECT_EQ(group % 2 * 12 + number, i / 8);
  }
}

/// A large GEMM of square tiles.
TileGrid Square(std::int64_t tiles_along_an_axis) {
  return {.tiles = tiles_along_an_axis * tiles_along_an_axis,
          .rows = tiles_along_an_axis,
          .columns = tiles_along_an_axis,
          .row_elements = 128,
          .column_elements = 128};
}

TEST(ChooseBlockMap, XcdsHaveRunsWhereThereAreTilesForThem) {
  EXPECT_EQ(ChooseBlockMap(Gfx::k942, Square(32)).of_launch.xcds, 8);
  EXPECT_EQ(ChooseBlockMap(Gfx::k942, Square(3)).of_launch.xcds, 1) << "9 tiles";
  EXPECT_EQ(ChooseBlockMap(Gfx::k1201, Square(32)).of_launch.xcds, 1);
  EXPECT_EQ(ChooseBlockMap(DeviceFacts(Gfx::k942, 228), Square(32)).of_launch.xcds, 6) << "MI300A";
}

TEST(ChooseBlockMap, BandsShareColumns) {
  // 38 workgroups of an XCD: a row of 32 tiles and a bit reads 2 + 32 lines of tiles; of the bands
  // of rows, 8 x 5 read fewest.
  EXPECT_EQ(ChooseBlockMap(Gfx::k942, Square(32)).band(), 8);
  EXPECT_EQ(
      ChooseBlockMap(
          Gfx::k942,
          {.tiles = 4096, .rows = 4096, .columns = 1, .row_elements = 128, .column_elements = 128})
          .band(),
      1)
      << "one column of tiles";
}

TEST(ChooseBlockMap, GroupsOfATileShareItsXcd) {
  // 38 workgroups of an XCD are of 5 tiles: row-major ones read 1 + 5 lines of tiles, 2 x 3 read 5.
  TileGrid grid = Square(32);
  grid.groups = 8;
  EXPECT_EQ(ChooseBlockMap(Gfx::k942, grid).band(), 8) << "one group after the other";
  grid.groups = 32;
  EXPECT_EQ(ChooseBlockMap(Gfx::k942, grid).of_launch.xcds, 1) << "saves nothing";
  grid = Square(3);
  grid.groups = 8;
  EXPECT_EQ(ChooseBlockMap(Gfx::k942, grid).of_launch.xcds, 8) << "each has a group";
  grid.sections = 4;
  EXPECT_EQ(ChooseBlockMap(Gfx::k942, grid).of_launch.xcds, 8) << "all four sections each";
  grid.groups = 12;
  EXPECT_EQ(ChooseBlockMap(Gfx::k942, grid).of_section.xcds, 8) << "some would have longer ones";
  grid = Square(32);
  grid.groups = 8;
  EXPECT_EQ(ChooseBlockMap(Gfx::k942, grid).slots, 32 * 32);
  grid.group_bytes = 64;  // half a line
  EXPECT_EQ(ChooseBlockMap(Gfx::k942, grid).band(), 2);
  EXPECT_EQ(ChooseBlockMap(Gfx::k942, grid).slots, 32 * 32 * 8);
  // 16 groups of 256 x 128 bytes each. An XCD's L2 holds those of 76 workgroups.
  grid = {.tiles = 196, .rows = 196, .columns = 1, .row_elements = 256, .column_elements = 64};
  grid.groups = 16;
  grid.resident = 2;
  grid.taps = 9;
  grid.group_bytes = 128;
  EXPECT_EQ(ChooseBlockMap(Gfx::k942, grid).adjacent, 16);
  grid.group_bytes = 512;
  EXPECT_EQ(ChooseBlockMap(Gfx::k942, grid).adjacent, 1) << "10 MB";
  // Those of 56 workgroups are 3.7 MB, more than L2 has beside columns. One group after the other
  // would have all of it, unless its pixels, 4 KB apart, fall into a sixteenth of the sets.
  grid.resident = 1.5;
  grid.group_bytes = 256;
  EXPECT_EQ(ChooseBlockMap(Gfx::k942, grid).adjacent, 1);
  grid.pixel_bytes = 4096;
  EXPECT_EQ(ChooseBlockMap(Gfx::k942, grid).adjacent, 16);
  grid.pixel_bytes = 4096 + 128;
  EXPECT_EQ(ChooseBlockMap(Gfx::k942, grid).adjacent, 1) << "all sets";
  // 32 groups of 55 x 4 tiles: side by side each XCD would have one row of each, and share no
  // columns.
  grid = {.tiles = 220, .rows = 55, .columns = 4, .row_elements = 128, .column_elements = 128};
  grid.groups = 32;
  grid.resident = 3;
  grid.taps = 9;
  grid.group_bytes = 512;
  EXPECT_EQ(ChooseBlockMap(Gfx::k942, grid).adjacent, 1) << "columns";
  grid = Square(2);
  grid.splits = 4;
  EXPECT_EQ(ChooseBlockMap(Gfx::k942, grid).of_launch.xcds, 8) << "16 workgroups";
}

TEST(ChooseBlockMap, TilesOfTheSamePixelsShareTheirXcd) {
  // dw of 64 groups of 48 x 128 channels and 9 taps, whose 12 tiles of 96 columns read the same 128
  // channels. Four groups have whole lines of both.
  TileGrid grid = {
      .tiles = 12, .rows = 1, .columns = 12, .row_elements = 48, .column_elements = 96};
  grid.groups = 64;
  grid.splits = 3;
  grid.resident = 3;
  grid.group_bytes = 96;
  EXPECT_EQ(ChooseBlockMap(Gfx::k942, grid).adjacent, 64) << "as of a launch of other sums";
  grid.channels = 128;
  EXPECT_EQ(ChooseBlockMap(Gfx::k942, grid).adjacent, 4);
  EXPECT_EQ(ChooseBlockMap(Gfx::k942, grid).of_launch.xcds, 8);
  grid.groups = 6;
  EXPECT_EQ(ChooseBlockMap(Gfx::k942, grid).adjacent, 6) << "four do not divide them";
  // One tile reads all that there is to read.
  grid = {.tiles = 1, .rows = 1, .columns = 1, .row_elements = 48, .column_elements = 96};
  grid.groups = 64;
  grid.group_bytes = 96;
  grid.channels = 96;
  EXPECT_EQ(ChooseBlockMap(Gfx::k942, grid).adjacent, 64);
}

TEST(ChooseBlockMap, IsPrintable) {
  EXPECT_EQ(ToString(MakeBlockMap(64, 8, 1, 0)), "row-major");
  EXPECT_EQ(ToString(MakeBlockMap(64, 8, 8, 2)), "8 XCDs, bands of 4 rows");
  EXPECT_EQ(ToString(MakeBlockMap(64, 8, 8, 0, /*groups=*/4, /*adjacent=*/2)),
            "8 XCDs by groups, row-major");
  EXPECT_EQ(ToString(MakeBlockMap(64, 8, 8, 0, /*groups=*/4, /*adjacent=*/4)), "8 XCDs, row-major");
}

}  // namespace
}  // namespace gridwise
