// SPDX-License-Identifier: MIT
#include "core/passes/prepare.h"

#include <cstdint>
#include <utility>

#include "core/passes/tma_operands.h"
#include "core/rewrite/canonicalize.h"

namespace gridwise {
namespace {

ConvProblem WithoutTranspositions(ConvProblem problem) {
  if (problem.layout == Layout::kNGCHW) problem.layout = Layout::kNHWGC;
  return problem;
}

/// All fields except what kernels compute.
Prepared PrepareForms(const ConvProblem& problem, Gfx gfx, Pixels pixels) {
  Prepared prepared = {.canonical = Canonicalize(WithoutTranspositions(problem)),
                       .deeper = {},
                       .folded = {},
                       .columns = {},
                       .rows = {},
                       .problem = {}};
  const DataType copied = CopiedType(problem, gfx, pixels);
  if (copied != problem.type) {
    prepared.canonical.out_type = problem.output_type();
    prepared.canonical.type = copied;
  }
  if (HasTma(prepared.canonical, gfx, pixels)) {
    prepared.canonical = WithImagesOfPatches(prepared.canonical);
  }
  prepared.deeper = prepared.canonical;
  if (pixels == Pixels::kParts) {
    prepared.deeper = WithMergedGroups(prepared.canonical);
    if (prepared.merged_groups() > 1) return prepared;
  }
  const bool apart = pixels == Pixels::kGroupsApart && SpacesGroups(prepared.canonical, gfx);
  if (apart || !CopiesPixels(pixels)) return prepared;
  const bool copies = HasTma(prepared.canonical, gfx, pixels);
  const bool may_have_taps = copies ? pixels == Pixels::kSpacedTaps || pixels == Pixels::kParts
                                    : TraitsOf(gfx).mma_unit != MmaUnit::kWgmma;
  std::optional<Folded> folded;
  if (!copies || may_have_taps) folded = Fold(prepared.canonical);
  if (may_have_taps) {
    if (!folded) prepared.columns = ChooseTapColumns(prepared.canonical, gfx);
    prepared.rows = ChooseTapRows(prepared.canonical, gfx);
  }
  if (!copies) prepared.folded = std::move(folded);
  if (copies && !prepared.writes_sums()) prepared.deeper = WithKTiles(prepared.canonical);
  return prepared;
}

}  // namespace

DataType CopiedType(const ConvProblem& problem, Gfx gfx, Pixels pixels) {
  if (TraitsOf(gfx).mma_unit != MmaUnit::kWgmma || pixels == Pixels::kAsTheyAre)
    return problem.type;
  if (IsFloat8(problem.type)) {
    return problem.output_type() == DataType::kBF16 ? DataType::kBF16 : DataType::kF16;
  }
  constexpr std::int64_t kMaxTerms = (1 << 24) / (128 * 128);
  const bool is_exact = problem.type == DataType::kI8 && problem.reduction_length() <= kMaxTerms;
  return is_exact && pixels == Pixels::kFloatsAsTheyAre ? DataType::kF16 : problem.type;
}

bool SpacesGroups(const ConvProblem& problem, Gfx gfx) {
  ConvProblem copied = problem;
  copied.type = CopiedType(problem, gfx, Pixels::kGroupsApart);
  return HasTma(copied, gfx, Pixels::kGroupsApart) && PowerApart(copied) > 0;
}

Prepared Prepare(const ConvProblem& problem, Gfx gfx, Pixels pixels) {
  Prepared prepared = PrepareForms(problem, gfx, pixels);
  prepared.problem = prepared.columns  ? Canonicalize(prepared.columns->problem)
                     : prepared.rows   ? Canonicalize(prepared.rows->problem)
                     : prepared.folded ? prepared.folded->problem
                                       : prepared.deeper;
  return prepared;
}

}  // namespace gridwise
