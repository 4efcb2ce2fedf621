#include "ck/layout/lds_tile.h"

#include <set>

#include "gtest/gtest.h"

namespace gridwise {
namespace {

constexpr LdsTile kTiles[] = {{16, 4},  {64, 2},  {64, 4}, {128, 2},
                              {128, 4}, {256, 4}, {64, 8}, {128, 8}};

TEST(LdsTile, EveryCellHasItsOwnPlace) {
  for (const LdsTile& tile : kTiles) {
    std::set<int> seen;
    for (int row = 0; row < tile.rows; ++row) {
      for (int cell = 0; cell < tile.cells_per_row; ++cell) {
        const int offset = tile.Offset(row, cell);
        EXPECT_EQ(offset % LdsTile::kCellBytes, 0);
        EXPECT_GE(offset, 0);
        EXPECT_LT(offset, tile.bytes());
        EXPECT_TRUE(seen.insert(offset).second) << "row " << row << " cell " << cell;
      }
    }
  }
}

TEST(LdsTile, SixteenRowsMoveAnOffsetByAConstant) {
  for (const LdsTile& tile : kTiles) {
    for (int row = 0; row + 16 < tile.rows; ++row) {
      for (int cell = 0; cell < tile.cells_per_row; ++cell) {
        EXPECT_EQ(tile.Offset(row + 16, cell) - tile.Offset(row, cell), 16 * LdsTile::kCellBytes);
      }
    }
  }
}

// Lanes of a loader hold consecutive cells of a row, then the next row.
constexpr int WriteConflictAlongK(LdsTile tile) {
  return WorstBankConflict(kWritePhasesB128, [tile](int lane) {
    return tile.Offset(lane / tile.cells_per_row, lane % tile.cells_per_row);
  });
}

// Lanes of a loader hold columns 2 * lane and 2 * lane + 1 of one cell, and write them one after
// the other.
constexpr int WriteConflictAcrossPairs(LdsTile tile, int parity) {
  return WorstBankConflict(kWritePhasesB128, [=](int lane) {
    return tile.Offset((2 * lane + parity) % tile.rows, 2 * lane / tile.rows);
  });
}

// Fragment of a 32x32 or 16x16 matrix instruction: lane % m is the row, lane / m the cell.
constexpr int ReadConflict(LdsTile tile, int m, int first_row, int first_cell) {
  return WorstBankConflict(kReadPhasesB128, [=](int lane) {
    return tile.Offset(first_row + lane % m, first_cell + lane / m);
  });
}

static_assert(WriteConflictAlongK({128, 4}) == 1 && WriteConflictAlongK({128, 2}) == 1 &&
              WriteConflictAlongK({128, 8}) == 1);
static_assert(WriteConflictAcrossPairs({128, 4}, 0) == 1 &&
              WriteConflictAcrossPairs({128, 4}, 1) == 1);
static_assert(ReadConflict({128, 4}, 32, 0, 0) == 1 && ReadConflict({128, 4}, 32, 96, 2) == 1);
static_assert(ReadConflict({128, 2}, 32, 64, 0) == 1);
static_assert(ReadConflict({64, 4}, 16, 48, 0) == 1 && ReadConflict({64, 8}, 16, 16, 4) == 1);

// Vector FMAs: the lanes of a wave read rows of one cell, several of them the same one, which is
// one access. The most different ones on the same banks, whatever lanes a phase has.
template <class RowOfLane>
constexpr int SharedReadConflict(LdsTile tile, RowOfLane row_of_lane) {
  bool read[64] = {};
  int hits[8] = {}, worst = 0;
  for (int lane = 0; lane < 32; ++lane) {
    const int at = tile.Offset(row_of_lane(lane), 1) / LdsTile::kCellBytes - tile.rows;
    if (!read[at] && ++hits[at % 8] > worst) worst = hits[at % 8];
    read[at] = true;
  }
  return worst;
}
constexpr int RunsOfFourConflict(int e) {
  return SharedReadConflict({64, 4}, [=](int lane) { return lane / 8 * 4 + e; });
}
constexpr int EightRowsConflict(int e) {
  return SharedReadConflict({64, 4}, [=](int lane) { return lane % 8 + 8 * e; });
}
static_assert(RunsOfFourConflict(0) == 1 && RunsOfFourConflict(1) == 1 &&
              RunsOfFourConflict(2) == 1 && RunsOfFourConflict(3) == 1);
static_assert(EightRowsConflict(0) == 1 && EightRowsConflict(1) == 1);
static_assert(SharedReadConflict({64, 4}, [](int lane) { return lane / 8 * 16; }) == 4);

// The counter itself must be able to find conflicts: without the permutation a row of cells lands
// on few banks.
constexpr int PlainWriteConflictAlongK(LdsTile tile) {
  return WorstBankConflict(kWritePhasesB128, [tile](int lane) {
    return (lane % tile.cells_per_row * tile.rows + lane / tile.cells_per_row) *
           LdsTile::kCellBytes;
  });
}
static_assert(PlainWriteConflictAlongK({128, 4}) == 4);

}  // namespace
}  // namespace gridwise
