// SPDX-License-Identifier: MIT
#include "core/passes/operand_form.h"

#include "core/base/types.h"
#include "core/passes/converted_type.h"
#include "core/rewrite/canonicalize.h"
#include "core/rewrite/fold.h"
#include "core/rewrite/images_of_patches.h"
#include "core/rewrite/tap_columns.h"
#include "core/rewrite/tap_rows.h"

namespace gridwise {
namespace {

class AdjacentChannelsForm final : public OperandForm {
 private:
  Prepared PrepareSteps(const ConvProblem& problem, Gfx gfx) const override {
    Prepared prepared = PrepareCanonical(problem, MultipliedType(problem, gfx));
    prepared.folded = Fold(prepared.canonical);
    if (TraitsOf(gfx).mma_unit == MmaUnit::kWgmma) return prepared;  // other rates than here
    if (!prepared.folded) prepared.columns = ChooseTapColumns(prepared.canonical, gfx);
    prepared.rows = ChooseTapRows(prepared.canonical, gfx);
    return prepared;
  }
};

class AsTheyAreForm final : public OperandForm {
 public:
  explicit AsTheyAreForm(bool converts) : converts_(converts) {}

  const OperandForm& Simplest(const ConvProblem& problem, Gfx gfx) const override {
    return converts_ && ConvertedType(problem, gfx) == problem.type ? AsTheyAre() : *this;
  }

 private:
  Prepared PrepareSteps(const ConvProblem& problem, Gfx gfx) const override {
    Prepared prepared = PrepareCanonical(problem, converts_ || problem.type == DataType::kTF32
                                                      ? ConvertedType(problem, gfx)
                                                      : problem.type);
    const DataType type = prepared.canonical.type;
    const bool is_loaded = SizeOf(type) == 2 || type == DataType::kI8;
    if (TraitsOf(gfx).mma_unit == MmaUnit::kWgmma && is_loaded) {  // that is, by TMA
      prepared.canonical = WithImagesOfPatches(prepared.canonical);
      prepared.deeper = prepared.canonical;
    }
    return prepared;
  }

  const bool converts_;
};

}  // namespace

Prepared OperandForm::Prepare(const ConvProblem& problem, Gfx gfx) const {
  Prepared prepared = PrepareSteps(problem, gfx);
  prepared.problem = prepared.columns  ? Canonicalize(prepared.columns->problem)
                     : prepared.rows   ? Canonicalize(prepared.rows->problem)
                     : prepared.folded ? prepared.folded->problem
                                       : prepared.deeper;
  return prepared;
}

const OperandForm& AdjacentChannels() {
  static const AdjacentChannelsForm form;
  return form;
}

const OperandForm& AsTheyAre() {
  static const AsTheyAreForm form(/*converts=*/false);
  return form;
}

const OperandForm& Converted() {
  static const AsTheyAreForm form(/*converts=*/true);
  return form;
}

}  // namespace gridwise
