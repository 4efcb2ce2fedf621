#pragma once

namespace gridwise {

/// Where an operand tile [rows][k] lives in LDS.
///
/// The tile is stored as cells of 16 bytes of consecutive k (one ds_read_b128; 8 elements of 2
/// bytes or 4 of 4) in the order [cell of the row][row], and within a column of cells rows are
/// permuted by an exclusive-or that spreads over the banks
///   - the writes of neighbouring lanes, which hold neighbouring k of one row (operand A) or every
///   other row (operand B),
///   - the reads of the matrix fragments, whose lanes hold neighbouring rows.
/// Rows are permuted within aligned runs of 8, so that adding a multiple of 16 to the row moves an
/// address by a constant.
struct LdsTile {
  static constexpr int kCellBytes = 16;

  int rows = 0;           // a multiple of 16
  int cells_per_row = 0;  // 2, 4 or 8

  bool operator==(const LdsTile&) const = default;

  constexpr int bytes() const { return rows * cells_per_row * kCellBytes; }

  /// Byte offset of a cell of `row`.
  constexpr int Offset(int row, int cell) const {
    const int spread = (cell * (8 / cells_per_row)) & 7;
    return (cell * rows + (row ^ spread ^ ((row >> 3) & 1))) * kCellBytes;
  }
};

/// Lanes that access LDS in the same phase, for 16-byte accesses of a wave of 64.
struct LdsPhase {
  int lanes[8];
};

/// Reads. Source: measured on gfx942, see the AMD Shark empirical LDS study; lanes 32 to 63 repeat
/// this pattern.
inline constexpr LdsPhase kReadPhasesB128[] = {{{0, 1, 2, 3, 20, 21, 22, 23}},
                                               {{4, 5, 6, 7, 16, 17, 18, 19}},
                                               {{8, 9, 10, 11, 28, 29, 30, 31}},
                                               {{12, 13, 14, 15, 24, 25, 26, 27}}};
/// Writes: 8 consecutive lanes.
inline constexpr LdsPhase kWritePhasesB128[] = {{{0, 1, 2, 3, 4, 5, 6, 7}},
                                                {{8, 9, 10, 11, 12, 13, 14, 15}},
                                                {{16, 17, 18, 19, 20, 21, 22, 23}},
                                                {{24, 25, 26, 27, 28, 29, 30, 31}}};

/// The most 16-byte accesses of one phase that fall on the same 4 of 32 banks; 1 is conflict-free.
/// `offset_of_lane(lane)` is the byte offset that lane 0..63 accesses.
template <class OffsetOfLane>
constexpr int WorstBankConflict(const LdsPhase (&phases)[4], OffsetOfLane offset_of_lane) {
  int worst = 0;
  for (int half = 0; half < 2; ++half) {
    for (const LdsPhase& phase : phases) {
      int hits[8] = {};
      for (int lane : phase.lanes) {
        const int bank_group = offset_of_lane(lane + 32 * half) / LdsTile::kCellBytes % 8;
        if (++hits[bank_group] > worst) worst = hits[bank_group];
      }
    }
  }
  return worst;
}

}  // namespace gridwise
