// SPDX-License-Identifier: MIT
#pragma once

#include <optional>

#include "core/arch/target.h"
#include "core/base/types.h"
#include "core/conv/problem.h"
#include "core/launch/part_kernel.h"
#include "core/rewrite/fold.h"
#include "core/rewrite/tap_columns.h"
#include "core/rewrite/tap_rows.h"

namespace gridwise {

/// The type in which operands are copied, or their own. Hopper's matrix unit adds up fewer bits of
/// products of 8-bit floats than f32 has. These therefore become f16, which has all their values,
/// or bf16 if that is the output's type. i8 becomes f16 if sums are integers that f32 represents.
DataType CopiedType(const ConvProblem& problem, Gfx gfx, Pixels pixels);

/// Whether Pixels::kGroupsApart differs from Pixels::kSpaced.
bool SpacesGroups(const ConvProblem& problem, Gfx gfx);

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
  /// Groups of `canonical` that are merged into one of `deeper`.
  std::int64_t merged_groups() const { return canonical.groups / deeper.groups; }
};

Prepared Prepare(const ConvProblem& problem, Gfx gfx, Pixels pixels);

}  // namespace gridwise
