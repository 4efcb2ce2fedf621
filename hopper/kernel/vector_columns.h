// SPDX-License-Identifier: MIT
#pragma once

#include "hopper/kernel/finish.h"

/// Where vectors of columns of a row are in global memory.

namespace gridwise::hopper {

/// Where a lane's vectors of 64 columns of a row are, from `first` on: `mine` columns after
/// multiples of 8 or 16. In groups of a power of two of columns, this lane's part and the rest add
/// up. `strides` are those of the output or of a tensor of its shape.
template <class Finish>
class VectorColumns {
 public:
  GRIDWISE_DEVICE VectorColumns(const Finish& finish, const OutputStrides& strides, int first,
                                int mine)
      : finish_(finish),
        strides_(strides),
        first_(Finish::kHasGroups ? Here(first) : first),
        mine_(Finish::kHasGroups ? Here(mine) : mine),
        count_(finish.Count(first)) {}

  GRIDWISE_DEVICE bool Has(int column) const {
    if constexpr (Finish::kHasGroups) {
      if (!finish_.output().Has({}, first_ + column + mine_)) return false;
    }
    return column + mine_ < count_;
  }
  /// Bytes from a row's first column to this lane's part, and from there to a vector's.
  GRIDWISE_DEVICE long AtMine(int bytes) const {
    return Finish::kHasGroups ? Column(mine_) - Column(0) : Column(first_) + mine_ * bytes;
  }
  GRIDWISE_DEVICE long At(int column, int bytes) const {
    return Finish::kHasGroups ? Column(first_ + column) : column * bytes;
  }

 private:
  GRIDWISE_DEVICE long Column(int column) const {
    return finish_.output().Column(strides_, column);
  }

  const Finish& finish_;
  const OutputStrides& strides_;
  int first_, mine_, count_;
};

/// The same where columns are adjacent in runs: addresses are computed once for each run. `first`
/// is a multiple of kRun, unless only the 16 columns from it on are used, which are of one run.
template <class Finish>
  requires(Finish::kRun > 0)
class VectorColumns<Finish> {
 public:
  static constexpr int kRun = Finish::kRun;

  GRIDWISE_DEVICE VectorColumns(const Finish& finish, const OutputStrides& strides, int first,
                                int mine)
      : mine_(mine) {
#pragma unroll
    for (int run = 0; run < 64 / kRun; ++run) {
      const int column = Here(first) + run * kRun;
      count_[run] = finish.CountOfRun(column);
      at_[run] = finish.output().Column(strides, column);
    }
  }

  GRIDWISE_DEVICE bool Has(int column) const {
    return column % kRun + mine_ < count_[column / kRun];
  }
  GRIDWISE_DEVICE long AtMine(int bytes) const { return mine_ * bytes; }
  GRIDWISE_DEVICE long At(int column, int bytes) const {
    return at_[column / kRun] + column % kRun * bytes;
  }

 private:
  int mine_, count_[64 / kRun];
  long at_[64 / kRun];
};

}  // namespace gridwise::hopper
