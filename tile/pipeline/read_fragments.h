// SPDX-License-Identifier: MIT
#pragma once

#include "core/arch/memory.h"
#include "tile/config.h"
#include "tile/load/vectors_of_lane.h"
#include "tile/pipeline/wave_acc.h"
#include "tile/roles.h"

namespace gridwise::tile {

/// The vector of its row that a lane reads as the i-th of a k tile.
template <TileConfig kC>
GRIDWISE_DEVICE int FragmentVector(int i) {
  const int k_fragment = i / kC.fragment_reads(), part = i % kC.fragment_reads();
  return (k_fragment * kC.mma.lane_groups() + Lane<kC>() / kC.mma.m) * kC.fragment_reads() + part;
}

/// Reads the fragments of an operand that lies along k, from k tiles in LDS that loads filled
/// directly.
template <TileConfig kC, LdsRows kTile>
class ReadRows {
 public:
  /// `lds` is the tile in the first k tile, and `row` the lane's row for the wave's first matrix
  /// instruction. Rows for the others follow at a constant distance, see LdsRows.
  GRIDWISE_DEVICE ReadRows(const char* lds, int row) {
    for (int i = 0; i < kVectors; ++i) vectors_[i] = lds + kTile.Offset(row, FragmentVector<kC>(i));
  }

  /// The fragment of k_fragment `k_fragment` for matrix instruction `rep` of the wave.
  template <class Operand>
  GRIDWISE_DEVICE void Read(int k_fragment, int rep, int buffer,
                            Fragment<kC, Operand>& fragment) const {
    using Result = Fragment<kC, Operand>;
    const int offset = buffer * kC.k_tile_bytes() + rep * kC.mma.m * kTile.row_bytes();
    struct {
      VectorType<kC> vector[kC.fragment_reads()];
    } read;
    for (int i = 0; i < kC.fragment_reads(); ++i) {
      read.vector[i] = *reinterpret_cast<const VectorType<kC>*>(
          vectors_[k_fragment * kC.fragment_reads() + i] + offset);
    }
    fragment = __builtin_bit_cast(Result, read);
  }

 private:
  static constexpr int kVectors = kC.tile.k / kC.fragment_k() * kC.fragment_reads();

  const char* vectors_[kVectors];
};

/// The same for an operand that does not lie along k: a read transposes 4 lines, so two reads make
/// a vector.
template <TileConfig kC, LdsLines kTile, int kReps>
class ReadLines {
  static constexpr int kLines = LdsLines::kReadLines, kHalves = LdsLines::kPieceRows / kLines;

 public:
  GRIDWISE_DEVICE ReadLines(const char* lds, int row) {
    const int k = FragmentVector<kC>(0) * kC.vector();
    for (int rep = 0; rep < kReps; ++rep) {
      runs_[rep] = lds + kTile.ReadOffset(Lane<kC>(), k, row + rep * kC.mma.m);
    }
  }

  template <class Operand>
  GRIDWISE_DEVICE void Read(int k_fragment, int rep, int buffer,
                            Fragment<kC, Operand>& fragment) const {
    using Result = Fragment<kC, Operand>;
    using Run = Vec<Element<kC.type>, kLines>;
    const char* const from =
        runs_[rep] + buffer * kC.k_tile_bytes() + k_fragment * kC.fragment_k() * kTile.line_bytes();
    struct {
      Run run[kHalves];
    } read;
    for (int half = 0; half < kHalves; ++half) {
      read.run[half] = ReadTransposed<Run>(from + half * kLines * kTile.line_bytes());
    }
    fragment = __builtin_bit_cast(Result, read);
  }

 private:
  const char* runs_[kReps];  // of k_fragment 0
};

/// The reader for a tile of `kRows` rows.
template <bool kTransposed, TileConfig kC, int kRows, int kReps>
struct FragmentReader {
  using Type = ReadRows<kC, kC.lds_rows(kRows)>;
};
template <TileConfig kC, int kRows, int kReps>
struct FragmentReader<true, kC, kRows, kReps> {
  using Type = ReadLines<kC, kC.lds_lines(kRows), kReps>;
};

}  // namespace gridwise::tile
