// Every tile is computed by exactly one workgroup, whatever the map; and the map is chosen by what
// workgroups read together.

#include "core/launch/block_map.h"

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

TEST(ChooseBlockMap, IsPrintable) {
  EXPECT_EQ(ToString(MakeBlockMap(64, 8, 1, 0)), "row-major");
  EXPECT_EQ(ToString(MakeBlockMap(64, 8, 8, 2)), "8 dies, bands of 4 rows");
}

}  // namespace
}  // namespace gridwise
