// SPDX-License-Identifier: MIT
/// A small dense matrix product for the CPU reference: operands are gathered from float tensors,
/// packed as doubles and multiplied in registers.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace gridwise {

/// One operand of a product: up to `max_lines` rows of A (or columns of B) by up to kMaxSteps terms
/// of the sums, packed as [line / width][step][line % width]. Lines past the last are zero.
class PackedOperand {
 public:
  static constexpr int kMaxSteps = 256;

  /// `width` lines go through a register block together.
  PackedOperand(int width, int max_lines);

  /// Empties the operand; from now on it has `lines` lines.
  void Reset(int lines);
  /// Sets terms `step` .. step + count - 1 of every line: element (line, step + i) is
  /// starts[line][i], or 0 if starts[line] is null.
  void SetSteps(int step, std::span<const float* const> starts, int count);
  /// Sets one term of `count` lines from `first_line`, a multiple of the width: element
  /// (first_line + i, step) is start[i], or 0 if `start` is null.
  void SetLines(int step, int first_line, const float* start, int count);

  const double* panel(int index) const { return &packed_[index * kMaxSteps * width_]; }
  int panels() const { return panels_; }

 private:
  int width_;
  int panels_ = 0;
  std::vector<double> packed_;
};

/// The sums of one tile of the output: rows * cols, over any number of terms.
class ReferenceTile {
 public:
  static constexpr int kRows = 64, kCols = 128;               ///< largest tile
  static constexpr int kBlockRows = 4, kBlockCols = 8;        ///< register block
  static constexpr int kMaxSteps = PackedOperand::kMaxSteps;  ///< terms packed at a time

  ReferenceTile();

  /// Sums := 0.
  void Reset(int rows, int cols);
  /// Makes room for `count` <= kMaxSteps more terms and returns the step of the first one.
  int AddSteps(int count);
  PackedOperand& a() { return a_; }
  PackedOperand& b() { return b_; }
  /// Adds the terms packed so far to the sums.
  void Multiply();
  /// Sum of a row and a column; valid after Multiply().
  double At(int row, int col) const {
    const int block = (col / kBlockCols) * a_.panels() + row / kBlockRows;
    return sums_[(block * kBlockRows + row % kBlockRows) * kBlockCols + col % kBlockCols];
  }

 private:
  PackedOperand a_, b_;
  int steps_ = 0;
  std::vector<double> sums_;  // [column block][row block][kBlockRows][kBlockCols]
};

}  // namespace gridwise
