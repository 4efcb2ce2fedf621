// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/math.h"

namespace gridwise {

/// The layout of an operand tile [rows][k] in LDS.
///
/// The tile is stored as vectors of 16 bytes of consecutive k (one ds_read_b128; 8 elements of 2
/// bytes or 4 of 4) in the order [vector of the row][row]. Within a column of vectors, rows are
/// permuted by an exclusive-or that spreads two kinds of accesses over the banks:
///   - writes of adjacent lanes, which hold adjacent k of one row (operand A) or of every other row
///     (operand B),
///   - reads of the matrix fragments, whose lanes hold adjacent rows.
/// Rows are permuted within aligned runs of kPeriodRows, so adding a multiple of it to the row
/// moves an address by a constant. There are 32 or 64 banks.
struct LdsTile {
  static constexpr int kVectorBytes = 16;
  static constexpr int kPeriodRows = 16;

  int rows = 0;             // a multiple of 16
  int vectors_per_row = 0;  // 1, 2, 4, 8 or 16

  bool operator==(const LdsTile&) const = default;

  constexpr int bytes() const { return rows * vectors_per_row * kVectorBytes; }

  /// Byte offset of a vector of `row`.
  constexpr int Offset(int row, int vector) const {
    // The low 3 bits of a row's slot choose among 32 banks, the low 4 among 64. A row's vectors
    // differ in the former, and in the latter together with the rows next to it. Bits 0 and 2 of
    // the second 8 rows spread every other row over 32 banks.
    const int low = (vector * CeilDiv(8, vectors_per_row)) & 7;
    const int high = vectors_per_row == 16 ? vector & 8 : (vector & 1) << 3;
    return (vector * rows + (row ^ low ^ high ^ 5 * ((row >> 3) & 1))) * kVectorBytes;
  }
};

/// The layout of an operand tile [rows][k] in LDS that loads fill directly, 16 bytes per lane to
/// consecutive vectors: [row][vector of the row]. The vectors of a row are permuted by an
/// exclusive-or with the row within an aligned run of 16. The reads of the matrix fragments, whose
/// lanes hold adjacent rows, then touch each of 64 banks once.
struct LdsRows {
  int rows = 0;             // a multiple of 16
  int vectors_per_row = 0;  // 2, 4 or 8

  constexpr int row_bytes() const { return vectors_per_row * LdsTile::kVectorBytes; }

  /// The vector of `row` at a slot among its vectors, and the slot of a vector: the permutation is
  /// its own inverse.
  constexpr int Permuted(int row, int vector) const {
    const int bit_1 = (row >> 1) & 1, bit_2 = (row >> 2) & 1, bit_3 = (row >> 3) & 1;
    if (vectors_per_row == 2) return vector ^ bit_3;
    if (vectors_per_row == 4) return vector ^ (bit_3 | (bit_2 ^ bit_3) << 1);
    return vector ^ (bit_1 | bit_2 << 1 | bit_3 << 2);
  }
  /// Byte offset of a vector of `row`.
  constexpr int Offset(int row, int vector) const {
    return row * row_bytes() + Permuted(row, vector) * LdsTile::kVectorBytes;
  }
};

/// The layout in LDS of an operand tile whose rows are consecutive in memory, while matrix
/// fragments need runs of k: lines of one k, of pieces of 8 elements of 2 bytes (16 bytes) along
/// the rows. Fragments are read by ds_read_b64_tr_b16, whose groups of 16 lanes read 16 rows of 4
/// lines and transpose them. Pieces are permuted by an exclusive-or with the line. The two groups
/// of a phase, which read 32 rows, then touch each of 64 banks once.
struct LdsLines {
  static constexpr int kPieceRows = 8;

  int rows = 0;  // a multiple of 64
  int k = 0;     // lines

  constexpr int pieces() const { return rows / kPieceRows; }  // per line
  constexpr int line_bytes() const { return rows * 2; }

  /// The piece at a slot of line `k`, and the slot of a piece. Lines 4 apart have the same order.
  constexpr int Permuted(int k, int piece) const {
    return piece ^ (pieces() == 8 ? (k >> 1 & 1) : (k & 3)) << 2;
  }
  /// Byte offset of an element.
  constexpr int Offset(int k, int row) const {
    return k * line_bytes() + Permuted(k, row / kPieceRows) * 16 + row % kPieceRows * 2;
  }

  /// Lanes that transpose together, and the lines that they transpose.
  static constexpr int kReadLanes = 16, kReadLines = 4;
  /// The offset that `lane` reads to get elements k to k + 3 of `row`. k is a multiple of 4, and
  /// the rows of lanes that transpose together are consecutive.
  constexpr int ReadOffset(int lane, int k, int row) const {
    const int of_group = lane % kReadLanes;
    return Offset(k + of_group / kReadLines, row - of_group + of_group % kReadLines * 4);
  }
};

/// Rows that LdsLines gets in pieces, if they are not a multiple of a piece: the last piece ends
/// with the last row, and so repeats some rows of the piece before it.
struct PiecesOfRows {
  static constexpr int kPiece = LdsLines::kPieceRows;

  int rows = 0;  // at least a piece

  /// The first row of the piece at `slot`, a multiple of a piece below `rows`.
  constexpr int First(int slot) const { return slot < rows - kPiece ? slot : rows - kPiece; }
  /// The row at a slot, each row once; `rows` if there is none, or if the row is at another slot.
  constexpr int RowAt(int slot) const {
    const int whole = rows / kPiece * kPiece;
    if (slot < whole) return slot;
    const int row = slot - (AlignUp(rows, kPiece) - rows);
    return row >= whole && row < rows ? row : rows;
  }
};

/// Lanes that access LDS in the same phase, for accesses of a wave of 64.
template <int kLanes>
struct LdsPhase {
  int lanes[kLanes];
};

/// Reads of 16 bytes from 32 banks. Source: measured on gfx942, see the AMD Shark empirical LDS
/// study; lanes 32 to 63 repeat this pattern.
inline constexpr LdsPhase<8> kReadPhasesB128[] = {{{0, 1, 2, 3, 20, 21, 22, 23}},
                                                  {{4, 5, 6, 7, 16, 17, 18, 19}},
                                                  {{8, 9, 10, 11, 28, 29, 30, 31}},
                                                  {{12, 13, 14, 15, 24, 25, 26, 27}}};
/// Writes: 8 consecutive lanes.
inline constexpr LdsPhase<8> kWritePhasesB128[] = {{{0, 1, 2, 3, 4, 5, 6, 7}},
                                                   {{8, 9, 10, 11, 12, 13, 14, 15}},
                                                   {{16, 17, 18, 19, 20, 21, 22, 23}},
                                                   {{24, 25, 26, 27, 28, 29, 30, 31}}};
/// Assumes that writes to 64 banks also go by consecutive lanes, which nobody has measured.
inline constexpr LdsPhase<16> kWritePhasesB128Of64[] = {
    {{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}},
    {{16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31}}};
/// Reads of 16 bytes from 64 banks. Source: gfx950, the same study.
inline constexpr LdsPhase<16> kReadPhasesB128Of64[] = {
    {{0, 1, 2, 3, 12, 13, 14, 15, 20, 21, 22, 23, 24, 25, 26, 27}},
    {{4, 5, 6, 7, 8, 9, 10, 11, 16, 17, 18, 19, 28, 29, 30, 31}}};

/// Returns the largest number of 16-byte accesses of one phase that fall on the same 4 banks, where
/// the lanes of a phase could touch each bank once; 1 is conflict-free. `offset_of_lane(lane)` is
/// the byte offset that lane 0..63 accesses.
template <int kLanes, int kPhases, class OffsetOfLane>
constexpr int WorstBankConflict(const LdsPhase<kLanes> (&phases)[kPhases],
                                OffsetOfLane offset_of_lane) {
  int worst = 0;
  for (int half = 0; half < 2; ++half) {
    for (const LdsPhase<kLanes>& phase : phases) {
      int hits[kLanes] = {};
      for (int lane : phase.lanes) {
        const int bank_group = offset_of_lane(lane + 32 * half) / LdsTile::kVectorBytes % kLanes;
        if (++hits[bank_group] > worst) worst = hits[bank_group];
      }
    }
  }
  return worst;
}

}  // namespace gridwise
