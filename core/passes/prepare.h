// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>

#include "core/base/types.h"
#include "core/conv/direction.h"
#include "core/conv/problem.h"
#include "core/rewrite/fold.h"
#include "core/rewrite/tap_columns.h"
#include "core/rewrite/tap_rows.h"

namespace gridwise {

/// The steps by which a problem is rewritten.
struct Prepared {
  ConvProblem canonical;  // without transpositions, with the type in which operands are copied
  ConvProblem deeper;     // with more channels of x or y, which are copied, or with merged groups
  // Without TMA: canonical, if it can be folded. Otherwise, if it pays, with taps as columns or
  // rows.
  std::optional<Folded> folded;
  std::optional<TapColumns> columns;
  std::optional<TapRows> rows;

  ConvProblem problem;  // what kernels compute, except for the strides of padded pixels

  bool writes_sums() const { return columns || rows; }
  /// Backward-data: whether the pixels of y that a pixel of x meets along w are one of `deeper`.
  bool has_runs_of_y() const {
    return canonical.direction == Direction::kBackwardData && canonical.dims[2] != deeper.dims[2];
  }
  /// In the other directions: whether the pixels of x along w that a pixel of y meets are one pixel
  /// of `deeper`.
  bool has_runs_of_x() const {
    return canonical.direction != Direction::kBackwardData && canonical.dims[2] != deeper.dims[2];
  }
  /// Groups of `canonical` that are merged into one of `deeper`.
  std::int64_t merged_groups() const { return canonical.groups / deeper.groups; }
};

/// The first step: without transpositions, canonical, with operands in type `copied`. `deeper` is
/// the same.
Prepared PrepareCanonical(const ConvProblem& problem, DataType copied);

}  // namespace gridwise
