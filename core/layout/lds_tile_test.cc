// SPDX-License-Identifier: MIT
#include "core/layout/lds_tile.h"

#include <set>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace gridwise {
namespace {

constexpr LdsTile kTiles[] = {{16, 4},  {64, 2}, {64, 4},  {128, 2}, {128, 4},
                              {256, 4}, {64, 8}, {128, 8}, {64, 16}, {64, 1}};
constexpr LdsRows kRows[] = {{64, 2}, {16, 4}, {128, 4}, {64, 8}, {256, 8}};

TEST(LdsTile, EveryPixelHasItsOwnSlot) {
  for (const LdsTile& tile : kTiles) {
    std::set<int> seen;
    for (int row = 0; row < tile.rows; ++row) {
      for (int vector = 0; vector < tile.vectors_per_row; ++vector) {
        const int offset = tile.Offset(row, vector);
        EXPECT_EQ(offset % LdsTile::kVectorBytes, 0);
        EXPECT_GE(offset, 0);
        EXPECT_LT(offset, tile.bytes());
        EXPECT_TRUE(seen.insert(offset).second) << "row " << row << " vector " << vector;
      }
    }
  }
}

TEST(LdsTile, SixteenRowsMoveAnOffsetByAConstant) {
  for (const LdsTile& tile : kTiles) {
    for (int row = 0; row + 16 < tile.rows; ++row) {
      for (int vector = 0; vector < tile.vectors_per_row; ++vector) {
        EXPECT_EQ(tile.Offset(row + 16, vector) - tile.Offset(row, vector),
                  16 * LdsTile::kVectorBytes);
      }
    }
  }
}

// A wave's load puts 16 bytes a lane at consecutive slots.
TEST(LdsRows, LanesThatLoadThePermutedPixelsFillConsecutiveSlots) {
  for (const LdsRows& tile : kRows) {
    for (int lane = 0; lane < tile.rows * tile.vectors_per_row; ++lane) {
      const int row = lane / tile.vectors_per_row;
      const int vector = tile.Permuted(row, lane % tile.vectors_per_row);
      EXPECT_EQ(tile.Offset(row, vector), lane * LdsTile::kVectorBytes);
      EXPECT_EQ(tile.Offset(row + 16, vector) - tile.Offset(row, vector), 16 * tile.row_bytes());
    }
  }
}

TEST(PiecesOfRows, HaveEachRowAtOneSlot) {
  for (int rows = 8; rows <= 40; ++rows) {
    const PiecesOfRows pieces = {rows};
    std::vector<int> slots(rows + 1);
    for (int slot = 0; slot < 64; ++slot) {
      const int row = pieces.RowAt(slot), first = slot / 8 * 8;
      ++slots[row];
      if (row == rows) continue;
      EXPECT_EQ(row, pieces.First(first) + slot % 8) << "of " << rows;
      EXPECT_LT(first, rows);
    }
    slots.pop_back();
    EXPECT_THAT(slots, testing::Each(1)) << "of " << rows;
  }
}

TEST(LdsLines, LanesThatLoadThePermutedPiecesOfLinesFillConsecutiveSlots) {
  for (const LdsLines& tile : {LdsLines{64, 32}, {128, 32}, {256, 64}}) {
    for (int lane = 0; lane < tile.k * tile.pieces(); ++lane) {
      const int k = lane / tile.pieces();
      const int piece = tile.Permuted(k, lane % tile.pieces());
      EXPECT_EQ(tile.Offset(k, piece * LdsLines::kPieceRows), lane * 16);
      EXPECT_EQ(tile.Permuted(k + 4, lane % tile.pieces()), piece);
    }
  }
}

// Lanes of a loader hold consecutive vectors of a row, then the next row.
template <int kLanes, int kPhases>
constexpr int WriteConflictAlongK(LdsTile tile, const LdsPhase<kLanes> (&phases)[kPhases]) {
  return WorstBankConflict(phases, [tile](int lane) {
    return tile.Offset(lane / tile.vectors_per_row, lane % tile.vectors_per_row);
  });
}

// Lanes of a loader hold columns 2 * lane and 2 * lane + 1 of one vector, and write them one after
// the other.
constexpr int WriteConflictAcrossPairs(LdsTile tile, int parity) {
  return WorstBankConflict(kWritePhasesB128, [=](int lane) {
    return tile.Offset((2 * lane + parity) % tile.rows, 2 * lane / tile.rows);
  });
}

// All reads of a tile's fragments by 32x32 or 16x16 matrix instructions: lane % m is the row, lane
// / m the vector.
template <class Tile, int kLanes, int kPhases>
constexpr bool ReadsAreFree(Tile tile, const LdsPhase<kLanes> (&phases)[kPhases], int m) {
  for (int row = 0; row < tile.rows; row += m) {
    for (int vector = 0; vector < tile.vectors_per_row; vector += 64 / m) {
      const auto offset = [=](int lane) { return tile.Offset(row + lane % m, vector + lane / m); };
      if (WorstBankConflict(phases, offset) != 1) return false;
    }
  }
  return true;
}

constexpr bool WritesAlongKAreFree(LdsTile tile) {
  return WriteConflictAlongK(tile, kWritePhasesB128) == 1 &&
         WriteConflictAlongK(tile, kWritePhasesB128Of64) == 1;
}
static_assert(WritesAlongKAreFree({128, 2}) && WritesAlongKAreFree({128, 4}) &&
              WritesAlongKAreFree({128, 8}) && WritesAlongKAreFree({64, 16}));
static_assert(WriteConflictAcrossPairs({128, 4}, 0) == 1 &&
              WriteConflictAcrossPairs({128, 4}, 1) == 1);
static_assert(ReadsAreFree(LdsTile{128, 4}, kReadPhasesB128, 32) &&
              ReadsAreFree(LdsTile{128, 2}, kReadPhasesB128, 32));
static_assert(ReadsAreFree(LdsTile{64, 4}, kReadPhasesB128, 16) &&
              ReadsAreFree(LdsTile{64, 8}, kReadPhasesB128, 16));
static_assert(ReadsAreFree(LdsTile{128, 4}, kReadPhasesB128Of64, 32) &&
              ReadsAreFree(LdsTile{128, 2}, kReadPhasesB128Of64, 32) &&
              ReadsAreFree(LdsTile{64, 4}, kReadPhasesB128Of64, 16) &&
              ReadsAreFree(LdsTile{64, 8}, kReadPhasesB128Of64, 16));

// By the blocks of 4x4 matrix instructions, which read 4 rows of a vector each.
constexpr bool BlockReadsAreFree(LdsTile tile) {
  for (int row = 0; row < tile.rows; row += 8) {
    const auto offset = [=](int lane) {
      return tile.Offset(row + lane / 32 * 4 + lane % 4, lane / 4 % tile.vectors_per_row);
    };
    if (WorstBankConflict(kReadPhasesB128, offset) != 1) return false;
  }
  return true;
}
static_assert(BlockReadsAreFree({128, 8}));

// Rows: 64 banks, as targets that load 16 bytes a lane straight to LDS have.
static_assert(ReadsAreFree(LdsRows{128, 2}, kReadPhasesB128Of64, 32) &&
              ReadsAreFree(LdsRows{128, 4}, kReadPhasesB128Of64, 32) &&
              ReadsAreFree(LdsRows{128, 8}, kReadPhasesB128Of64, 32));
static_assert(ReadsAreFree(LdsRows{64, 4}, kReadPhasesB128Of64, 16) &&
              ReadsAreFree(LdsRows{64, 8}, kReadPhasesB128Of64, 16));

// Lines: a phase of 32 lanes reads 8 bytes a lane, of 32 rows and 4 lines; lane % 16 / 4 is the
// line, and 4 lanes of one have 16 consecutive rows.
constexpr bool LineReadsAreFree(LdsLines tile) {
  for (int k = 0; k < tile.k; k += 4) {
    for (int row = 0; row < tile.rows; row += 32) {
      bool touched[32] = {};
      for (int lane = 0; lane < 32; ++lane) {
        const int at = tile.Offset(k + lane % 16 / 4, row + lane / 16 * 16 + lane % 4 * 4) / 8 % 32;
        if (touched[at]) return false;
        touched[at] = true;
      }
    }
  }
  return true;
}
static_assert(LineReadsAreFree({64, 32}) && LineReadsAreFree({128, 32}) &&
              LineReadsAreFree({256, 64}));

// Vector FMAs: the lanes of a wave read rows of one vector, several of them the same one, which is
// one access. The most different ones on the same banks, whatever lanes a phase has.
template <class RowOfLane>
constexpr int SharedReadConflict(LdsTile tile, RowOfLane row_of_lane) {
  bool read[64] = {};
  int hits[8] = {}, worst = 0;
  for (int lane = 0; lane < 32; ++lane) {
    const int at = tile.Offset(row_of_lane(lane), 1) / LdsTile::kVectorBytes - tile.rows;
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

// The counter itself must be able to find conflicts: without the permutation a row of vectors lands
// on few banks.
constexpr int PlainWriteConflictAlongK(LdsTile tile) {
  return WorstBankConflict(kWritePhasesB128, [tile](int lane) {
    return (lane % tile.vectors_per_row * tile.rows + lane / tile.vectors_per_row) *
           LdsTile::kVectorBytes;
  });
}
static_assert(PlainWriteConflictAlongK({128, 4}) == 4);

}  // namespace
}  // namespace gridwise
