// SPDX-License-Identifier: MIT
#include "hopper/base/tile_order.h"

#include <cstddef>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace gridwise::hopper {
namespace {

TEST(TileOrder, HasEachTileOnce) {
  for (const int rows : {1, 5, 13, 157}) {
    for (const int columns : {1, 2, 8, 9, 10, 16, 19}) {
      for (const bool is_of_rows : {false, true}) {
        for (const int at_once : {0, 3, 132}) {
          const TileOrder order = MakeTileOrder(rows, columns, is_of_rows, at_once);
          const auto pitch = static_cast<std::size_t>(columns);
          std::vector<int> times(static_cast<std::size_t>(rows) * pitch);
          for (int tile = 0; tile < rows * columns; ++tile) {
            const TileCoord coord = TileCoordOf(order, tile);
            ASSERT_LT(coord.row, rows);
            ASSERT_LT(coord.column, columns);
            ++times[static_cast<std::size_t>(coord.row) * pitch +
                    static_cast<std::size_t>(coord.column)];
          }
          EXPECT_THAT(times, testing::Each(1)) << rows << " x " << columns << ", " << at_once;
        }
      }
    }
  }
}

// Tiles that follow each other are a block of both.
TEST(TileOrder, DoesLongLinesInBands) {
  const TileOrder order = MakeTileOrder(157, 16, /*is_of_rows=*/true, 132);
  for (int tile = 0; tile < 32; ++tile) {
    EXPECT_LT(TileCoordOf(order, tile).row, 8);
    EXPECT_LT(TileCoordOf(order, tile).column, 4);
  }
}

}  // namespace
}  // namespace gridwise::hopper
