// SPDX-License-Identifier: MIT
#pragma once

#include "ck/gemm/args.h"
#include "ck/gemm/config.h"
#include "ck/gemm/lane_coordinate.h"
#include "core/arch/memory.h"

namespace gridwise::ck {

/// Where the elements of the tile are in the output, and in the tensors that are combined with it:
/// offsets of the tile's lines, rows and then columns, in LDS.
template <GemmConfig kC>
class OutputOffsets {
  static constexpr int kLines = kC.tile.m + kC.tile.n;
  static constexpr int kMerged = kC.merge;

 public:
  /// `lds` has room for kC.offsets_of_outputs() bytes, and for an index of each column's matrix.
  GRIDWISE_DEVICE OutputOffsets(Constant<ProblemArgs>* problem, int first_m, int first_n, char* lds)
      : problem_(problem),
        first_m_(first_m),
        first_n_(first_n),
        offsets_(reinterpret_cast<unsigned*>(lds)),
        matrix_of_column_(reinterpret_cast<int*>(lds + kC.offsets_of_outputs())) {}

  /// Computes offsets in the output, and in the tensors after it.
  GRIDWISE_DEVICE void Find(const OutputArgs& out) const {
    for (int i = ThreadId(); i < kLines; i += kC.threads()) {
      offsets_[i] = OffsetOf(&problem_->c, i);
      for (int t = 0; t < out.tensors; ++t) {
        offsets_[(t + 1) * kLines + i] = OffsetOf(&problem_->d[t], i);
      }
    }
    if constexpr (kMerged > 1) {
      const int columns = problem_->c.axis[1].length / kMerged;  // per matrix
      for (int i = ThreadId(); i < kC.tile.n; i += kC.threads()) {
        matrix_of_column_[i] = (first_n_ + i) / columns;
      }
    }
  }

  /// Offsets of lines in the output.
  GRIDWISE_DEVICE const unsigned* OfOutput() const { return offsets_; }
  /// Offsets of lines in a tensor.
  GRIDWISE_DEVICE const unsigned* OfTensor(int t) const { return offsets_ + (t + 1) * kLines; }

  /// Offset of an element in `offsets` of some tensor; out of range if there is none. `column`
  /// counts among the lines.
  GRIDWISE_DEVICE unsigned At(const unsigned* offsets, int row, int column) const {
    if constexpr (kMerged > 1) {
      if (matrix_of_column_[column - kC.tile.m] != row % kMerged) return Buffer::kOutOfRange;
    }
    return __builtin_elementwise_add_sat(offsets[row], offsets[column]);
  }

  /// Whether `kC.vec_out()` elements from `column` on are adjacent in memory, and exist together or
  /// not.
  GRIDWISE_DEVICE static bool IsRun(const unsigned* offsets, int by_element, int column) {
    return kMerged == 1 && !by_element && offsets[column + kC.vec_out() - 1] != Buffer::kOutOfRange;
  }

 private:
  GRIDWISE_DEVICE unsigned OffsetOf(Constant<ViewArgs>* view, int line) const {
    const bool is_row = line < kC.tile.m;
    const int index = is_row ? first_m_ + line : first_n_ + line - kC.tile.m;
    Constant<AxisArgs>* const axis = &view->axis[is_row ? 0 : 1];
    if (index >= axis->length) return Buffer::kOutOfRange;
    int digit[AxisArgs::kDigits];
    FindDigits(axis, index, digit);
    return LaneCoordinate::Of(axis, digit).offset +
           (is_row ? view->origin.offset : view->first_term);
  }

  Constant<ProblemArgs>* const problem_;
  const int first_m_, first_n_;
  unsigned* const offsets_;
  int* const matrix_of_column_;
};

}  // namespace gridwise::ck
