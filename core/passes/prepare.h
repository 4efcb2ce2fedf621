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

/// The type that operands are copied in, or their own. Hopper's matrix unit adds up fewer bits of
/// products of 8-bit floats than f32 has, so these become f16, which has all their values, or bf16
/// where that is the output's type. i8 becomes f16 where sums are integers that f32 has.
DataType CopiedType(const ConvProblem& problem, Gfx gfx, Pixels pixels);

/// Whether Pixels::kGroupsApart is other than Pixels::kSpaced.
bool SpacesGroups(const ConvProblem& problem, Gfx gfx);

/// What becomes of a problem, step by step.
struct Prepared {
  ConvProblem canonical;  // without transpositions, of the type that operands are copied in
  ConvProblem deeper;     // with more channels of x or y, which are copied, or with merged groups
  // Without TMA: canonical, if that can be folded.
  // Or else, if it pays, with taps as columns or rows.
  std::optional<Folded> folded;
  std::optional<TapColumns> columns;
  std::optional<TapRows> rows;

  ConvProblem problem;  // what kernels compute, but for the strides of padded pixels

  bool writes_sums() const { return columns || rows; }
  /// Groups of `canonical` that are one of `deeper`.
  std::int64_t merged_groups() const { return canonical.groups / deeper.groups; }
};

Prepared Prepare(const ConvProblem& problem, Gfx gfx, Pixels pixels);

}  // namespace gridwise
