#include "core/passes/prepare.h"

#include <cstdint>
#include <utility>

#include "core/passes/copy_engine.h"
#include "core/rewrite/simplify.h"

namespace gridwise {
namespace {

ConvProblem WithoutTranspositions(ConvProblem problem) {
  if (problem.layout == Layout::kNGCHW) problem.layout = Layout::kNHWGC;
  return problem;
}

/// All but what kernels compute.
Prepared PrepareForms(const ConvProblem& problem, Gfx gfx, Cells cells) {
  Prepared prepared = {.simple = Simplify(WithoutTranspositions(problem)),
                       .deeper = {},
                       .folded = {},
                       .columns = {},
                       .rows = {},
                       .problem = {}};
  const DataType copied = CopiedType(problem, gfx, cells);
  if (copied != problem.type) {
    prepared.simple.out_type = problem.output_type();
    prepared.simple.type = copied;
  }
  if (HasCopyEngine(prepared.simple, gfx, cells)) {
    prepared.simple = WithImagesOfPatches(prepared.simple);
  }
  prepared.deeper = prepared.simple;
  if (cells == Cells::kParts) {
    prepared.deeper = WithMergedGroups(prepared.simple);
    if (prepared.merged_groups() > 1) return prepared;
  }
  const bool apart = cells == Cells::kGroupsApart && SpacesGroups(prepared.simple, gfx);
  if (apart || !CopiesCells(cells)) return prepared;
  const bool copies = HasCopyEngine(prepared.simple, gfx, cells);
  const bool may_have_taps = copies ? cells == Cells::kSpacedTaps || cells == Cells::kParts
                                    : TraitsOf(gfx).mma_unit != MmaUnit::kWgmma;
  std::optional<Folded> folded;
  if (!copies || may_have_taps) folded = Fold(prepared.simple);
  if (may_have_taps) {
    if (!folded) prepared.columns = ChooseTapColumns(prepared.simple, gfx);
    prepared.rows = ChooseTapRows(prepared.simple, gfx);
  }
  if (!copies) prepared.folded = std::move(folded);
  if (copies && !prepared.writes_sums()) prepared.deeper = WithSlabs(prepared.simple);
  return prepared;
}

}  // namespace

DataType CopiedType(const ConvProblem& problem, Gfx gfx, Cells cells) {
  if (TraitsOf(gfx).mma_unit != MmaUnit::kWgmma || cells == Cells::kAsTheyAre) return problem.type;
  if (IsFloat8(problem.type)) {
    return problem.output_type() == DataType::kBF16 ? DataType::kBF16 : DataType::kF16;
  }
  constexpr std::int64_t kMostTerms = (1 << 24) / (128 * 128);
  const bool is_exact = problem.type == DataType::kI8 && problem.reduction_length() <= kMostTerms;
  return is_exact && cells == Cells::kFloatsAsTheyAre ? DataType::kF16 : problem.type;
}

bool SpacesGroups(const ConvProblem& problem, Gfx gfx) {
  ConvProblem copied = problem;
  copied.type = CopiedType(problem, gfx, Cells::kGroupsApart);
  return HasCopyEngine(copied, gfx, Cells::kGroupsApart) && PowerApart(copied) > 0;
}

Prepared Prepare(const ConvProblem& problem, Gfx gfx, Cells cells) {
  Prepared prepared = PrepareForms(problem, gfx, cells);
  prepared.problem = prepared.columns  ? Simplify(prepared.columns->problem)
                     : prepared.rows   ? Simplify(prepared.rows->problem)
                     : prepared.folded ? prepared.folded->problem
                                       : prepared.deeper;
  return prepared;
}

}  // namespace gridwise
