// Every tile is computed by exactly one workgroup, whatever the map; and the map is chosen by what
// workgroups read together.

#include "core/launch/block_map.h"

#include <cstddef>
#include <utility>
#include <vector>

#include "core/arch/device_facts.h"
#include "core/launch/choose_block_map.h"
#include "gtest/gtest.h"

namespace gridwise {
namespace {

TEST(BlockMap, IsABijection) {
  int maps = 0;
  for (const int rows : {1, 2, 3, 7, 8, 9, 31, 64}) {
    for (const int columns : {1, 2, 3, 5, 8, 13}) {
      for (const int dies : {1, 2, 6, 8}) {
        for (int log2_band = 0; log2_band <= 5; ++log2_band) {
          EXPECT_TRUE(block_map_proof::CoversOnce<64 * 13>(rows, columns, dies, log2_band));
          ++maps;
        }
      }
    }
  }
  EXPECT_EQ(maps, 8 * 6 * 4 * 6);
}

/// Whether workgroups of a launch with groups and splits have a slot each, those of a die one run
/// of them, in sections of workgroups that start one after the other.
void ExpectRuns(const BlockMap& map, int splits, int sections) {
  const int section = map.slots / sections;
  ASSERT_EQ(section * sections, map.slots);
  const int runs = map.groups / map.neighbours;
  std::vector<int> seen(static_cast<std::size_t>(map.slots * runs));
  for (int z = 0; z < splits; ++z) {
    for (int y = 0; y < map.groups; ++y) {
      for (int x = 0; x < map.tiles; ++x) {
        const auto [i, first_group] = WorkgroupAt(map, x, y, z);
        ASSERT_TRUE(first_group >= 0 && first_group + map.neighbours <= map.groups);
        const int first = i / section * section, slot = SlotOf(map, i - first, section);
        ASSERT_TRUE(slot >= 0 && slot < section);
        ++seen[static_cast<std::size_t>(first_group / map.neighbours * map.slots + first + slot)];
        if (i - first >= map.dies) {
          EXPECT_EQ(slot, SlotOf(map, i - first - map.dies, section) + 1);
        }
        const GroupOfSlot of = GroupAt(map, slot);
        EXPECT_EQ(of.rest * map.neighbours + of.group, slot);
        EXPECT_TRUE(of.group >= 0 && of.group < map.neighbours);
      }
    }
  }
  for (const int count : seen) EXPECT_EQ(count, 1);
}

TEST(BlockMap, GroupsAndSplitsHaveSlotsToo) {
  for (const int tiles : {1, 6, 35}) {
    for (const auto& [groups, neighbours] : {std::pair(1, 1), {2, 2}, {7, 7}, {7, 1}, {6, 3}}) {
      for (const int splits : {1, 3}) {
        for (const int dies : {1, 3, 8}) {
          const BlockMap map =
              MakeBlockMap(tiles, /*columns=*/1, dies, /*log2_band=*/0, groups, neighbours, splits);
          ExpectRuns(map, splits, /*sections=*/1);
          ExpectRuns(map, splits, /*sections=*/tiles);
        }
      }
    }
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

TEST(ChooseBlockMap, DiesHaveRunsWhereThereAreTilesForThem) {
  EXPECT_EQ(ChooseBlockMap(Gfx::k942, Square(32)).dies, 8);
  EXPECT_EQ(ChooseBlockMap(Gfx::k942, Square(3)).dies, 1) << "9 tiles";
  EXPECT_EQ(ChooseBlockMap(Gfx::k1201, Square(32)).dies, 1);
  EXPECT_EQ(ChooseBlockMap(DeviceFacts(Gfx::k942, 228), Square(32)).dies, 6) << "MI300A";
}

TEST(ChooseBlockMap, BandsShareColumns) {
  // 38 workgroups of a die: a row of 32 tiles and a bit reads 2 + 32 lines of tiles; of the bands
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

TEST(ChooseBlockMap, GroupsOfATileShareItsDie) {
  // 38 workgroups of a die are of 5 tiles: row-major ones read 1 + 5 lines of tiles, 2 x 3 read 5.
  TileGrid grid = Square(32);
  grid.groups = 8;
  EXPECT_EQ(ChooseBlockMap(Gfx::k942, grid).band(), 8) << "one group after the other";
  EXPECT_EQ(ChooseBlockMap(Gfx::k942, grid).slots, 32 * 32);
  grid.group_bytes = 64;  // half a line
  EXPECT_EQ(ChooseBlockMap(Gfx::k942, grid).band(), 2);
  EXPECT_EQ(ChooseBlockMap(Gfx::k942, grid).slots, 32 * 32 * 8);
  // 16 groups of 256 x 128 bytes each, of which a die's L2 holds those of 76 workgroups.
  grid = {.tiles = 196, .rows = 196, .columns = 1, .row_elements = 256, .column_elements = 64};
  grid.groups = 16;
  grid.resident = 2;
  grid.taps = 9;
  grid.group_bytes = 128;
  EXPECT_EQ(ChooseBlockMap(Gfx::k942, grid).neighbours, 16);
  grid.group_bytes = 512;
  EXPECT_EQ(ChooseBlockMap(Gfx::k942, grid).neighbours, 1) << "10 MB";
  // 32 groups of 55 x 4 tiles: side by side each die would have one row of each, and share no
  // columns.
  grid = {.tiles = 220, .rows = 55, .columns = 4, .row_elements = 128, .column_elements = 128};
  grid.groups = 32;
  grid.resident = 3;
  grid.taps = 9;
  grid.group_bytes = 512;
  EXPECT_EQ(ChooseBlockMap(Gfx::k942, grid).neighbours, 1) << "columns";
  grid = Square(2);
  grid.splits = 4;
  EXPECT_EQ(ChooseBlockMap(Gfx::k942, grid).dies, 8) << "16 workgroups";
}

TEST(ChooseBlockMap, IsPrintable) {
  EXPECT_EQ(ToString(MakeBlockMap(64, 8, 1, 0)), "row-major");
  EXPECT_EQ(ToString(MakeBlockMap(64, 8, 8, 2)), "8 dies, bands of 4 rows");
}

}  // namespace
}  // namespace gridwise
