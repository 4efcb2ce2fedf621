// SPDX-License-Identifier: MIT
#include "hopper/operands/forms.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "core/arch/target.h"
#include "core/base/math.h"
#include "core/base/types.h"
#include "core/passes/converted_type.h"
#include "core/passes/plan_widen.h"
#include "core/rewrite/fold.h"
#include "core/rewrite/images_of_patches.h"
#include "core/rewrite/tap_rows.h"
#include "hopper/operands/tap_columns.h"
#include "hopper/operands/tma_operands.h"

namespace gridwise::hopper {
namespace {

enum class Kind { kSpaced, kPatches, kGroups, kTaps };

class Form final : public OperandForm {
 public:
  explicit Form(Kind kind, bool splits_b = false) : kind_(kind), splits_b_(splits_b) {}

  std::optional<Lines> PaddedPixels(const ConvProblem& canonical, Tensor tensor,
                                    Gfx gfx) const override;
  bool splits_b() const override { return splits_b_; }
  bool transposes_w(const ConvProblem& canonical) const override;
  const OperandForm& Simplest(const ConvProblem& problem, Gfx /*gfx*/) const override {
    if (problem.type == DataType::kTF32) return *this;
    const bool is_spaced =
        kind_ == Kind::kPatches || (kind_ == Kind::kGroups && !SpacesGroups(problem));
    return is_spaced ? Spaced() : *this;
  }

 private:
  bool IsLoaded(DataType type) const { return HasTma(type, splits_b_); }
  Prepared PrepareSteps(const ConvProblem& problem, Gfx gfx) const override;

  const Kind kind_;
  const bool splits_b_;
};

bool Form::transposes_w(const ConvProblem& canonical) const {
  const bool along_k = kind_ == Kind::kTaps || kind_ == Kind::kPatches;
  return along_k && canonical.type == DataType::kTF32 &&
         canonical.direction == Direction::kBackwardData &&
         canonical.weight_layout == WeightLayout::kGKYXC &&
         canonical.strides[static_cast<std::size_t>(Tensor::kW)] == PerAxis{} &&
         canonical.k_per_group() % CopyElements(canonical.type) == 0;
}

Prepared Form::PrepareSteps(const ConvProblem& problem, Gfx gfx) const {
  const bool multiplies_tf32 =
      problem.type == DataType::kTF32 && kind_ != Kind::kSpaced && !splits_b_;
  Prepared prepared =
      PrepareCanonical(problem, multiplies_tf32 ? problem.type : MultipliedType(problem, gfx));
  const bool copies = IsLoaded(prepared.canonical.type);
  if (copies) prepared.canonical = WithImagesOfPatches(prepared.canonical);
  prepared.deeper = prepared.canonical;
  if (splits_b_) {
    prepared.deeper = WithMergedGroups(prepared.canonical);
    if (prepared.merged_groups() > 1) return prepared;
  }
  if (kind_ == Kind::kGroups && SpacesGroups(prepared.canonical)) return prepared;
  const bool may_have_taps = copies && kind_ == Kind::kTaps;
  std::optional<Folded> folded;
  if (!copies || may_have_taps) folded = Fold(prepared.canonical);
  if (may_have_taps) {
    if (!folded) prepared.columns = ChooseTapColumns(prepared.canonical);
    // Halo instances, which do not know rows of taps, compete as well; they are faster for few
    // pixels.
    prepared.rows = WithFewTapRows(prepared.canonical);
  }
  if (!copies) prepared.folded = folded;
  if (copies && !prepared.writes_sums()) {
    prepared.deeper = WithKTiles(prepared.canonical, /*gathers=*/may_have_taps);
  }
  return prepared;
}

std::optional<Lines> Form::PaddedPixels(const ConvProblem& canonical, Tensor tensor,
                                        Gfx /*gfx*/) const {
  if (!IsLoaded(canonical.type)) return std::nullopt;
  const TensorAxes axes = canonical.AxesOf(tensor);
  const bool weights = tensor == Tensor::kW;
  if (weights && transposes_w(canonical)) return std::nullopt;
  // TMA does not load filters for groups of so few channels, except in backward-data, where w lies
  // along c, if those of y are whole k tiles.
  const bool has_k_tiles =
      canonical.direction == Direction::kBackwardData && canonical.k_per_group() % kShortKTile == 0;
  const std::int64_t power = kind_ == Kind::kGroups ? PowerApart(canonical) : 0;
  if (weights && canonical.groups > 1 && (power > 0 || !has_k_tiles)) return std::nullopt;
  if (canonical.strides[static_cast<std::size_t>(tensor)] != PerAxis{} ||
      (weights ? canonical.weight_layout != WeightLayout::kGKYXC
               : canonical.layout != Layout::kNHWGC)) {
    return std::nullopt;
  }
  const std::int64_t channels = axes.size[5];
  const bool multiplies_groups = splits_b_ || canonical.type == DataType::kTF32;
  const std::int64_t multiplied = multiplies_groups ? GroupsMultiplied(canonical) : 1;
  const std::int64_t apart = weights     ? channels
                             : power > 0 ? power
                                         : GroupsApart(canonical, tensor, multiplied);
  const std::int64_t line = weights || apart != channels ? channels : axes.size[4] * channels;
  const std::int64_t aligned =
      weights ? TapsApart(canonical) : AlignUp(line, CopyElements(canonical.type));
  const Lines lines = {.count = axes.Elements() / line,
                       .from_line = line,
                       .to_line = apart != channels ? apart : aligned};
  if (lines.to_line == line || lines.ToElements() >= kMaxWidened) return std::nullopt;
  return lines;
}

}  // namespace

bool SpacesGroups(const ConvProblem& problem) {
  ConvProblem copied = problem;
  if (problem.type != DataType::kTF32) copied.type = MultipliedType(problem, Gfx::kSm90a);
  return HasTma(copied.type, /*parts=*/false) && PowerApart(copied) > 0;
}

const OperandForm& Spaced() {
  static const Form form(Kind::kSpaced);
  return form;
}

const OperandForm& SpacedPatches() {
  static const Form form(Kind::kPatches);
  return form;
}

const OperandForm& SpacedGroups() {
  static const Form form(Kind::kGroups);
  return form;
}

const OperandForm& SpacedTaps() {
  static const Form form(Kind::kTaps);
  return form;
}

const OperandForm& SpacedParts() {
  static const Form form(Kind::kTaps, /*splits_b=*/true);
  return form;
}

}  // namespace gridwise::hopper
