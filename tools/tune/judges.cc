#include "tools/tune/judges.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <variant>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "core/arch/parse_gfx.h"
#include "core/arch/target.h"
#include "core/conv/problem_io.h"
#include "core/planning/family.h"
#include "core/planning/parts_family.h"
#include "core/planning/plan_context.h"
#include "core/text/csv.h"
#include "gridwise/families.h"
#include "gridwise/planner/features.h"
#include "tools/tune/config_space.h"

namespace gridwise {
namespace {

/// The name of a row's family, that outlives the row.
std::string_view FamilyName(const RowInfo& info) {
  for (const ConfigSpace* space : ConfigSpaces()) {
    if (space->family() == info.family) return space->family();
  }
  return "other";
}

/// A row of a family.
struct FamilyRow {
  std::shared_ptr<const KernelFamily> family;
  std::size_t index = 0;
};

/// The row of a name: of those that there are, or of a family of its own, without code.
absl::StatusOr<FamilyRow> FindRow(const std::string& row, Direction direction, Gfx gfx) {
  for (const KernelFamily* family : Families()) {
    const std::span<const RowInfo> rows = family->Rows(direction, gfx);
    const auto found = std::ranges::find(rows, row, &RowInfo::name);
    if (found == rows.end()) continue;
    return FamilyRow{std::shared_ptr<const KernelFamily>(family, [](const KernelFamily*) {}),
                     static_cast<std::size_t>(found - rows.begin())};
  }
  for (const ConfigSpace* space : ConfigSpaces()) {
    const absl::StatusOr<ConfigSpace::Values> values = space->Parse(row, direction);
    if (!values.ok() || !space->Check(*values, direction, gfx).ok()) continue;
    auto family = std::make_shared<PartsFamily>(std::string(space->family()));
    family->Add(direction, gfx, space->MakeKernel(*values, direction, gfx, {}));
    return FamilyRow{std::move(family)};
  }
  return absl::InvalidArgumentError(
      absl::StrFormat("row %s is no config's name of any family on %s", row, Name(gfx)));
}

/// What a row says to the context's problem.
absl::StatusOr<model::RankedRow> AskRow(const std::string& name, PlanContext& context) {
  const Direction direction = context.problem().direction;
  const Gfx gfx = context.device().gfx;
  const absl::StatusOr<FamilyRow> row = FindRow(name, direction, gfx);
  if (!row.ok()) return row.status();
  const Verdict verdict = row->family->Ask(row->index, context);
  if (const Refusal* refusal = std::get_if<Refusal>(&verdict)) {
    return absl::InvalidArgumentError(absl::StrFormat(
        "row %s does not compute %s: %s", name, ToString(context.problem()), refusal->reason));
  }
  const RowInfo& info = row->family->Rows(direction, gfx)[row->index];
  return model::RankedRow{
      .family = FamilyName(info), .shape = info.shape, .cost = std::get<Cost>(verdict)};
}

absl::StatusOr<PlanContext> ContextOf(const TimedProblem& timed, int splits = 0) {
  const absl::StatusOr<ConvProblem> problem = ParseProblem(timed.sizes);
  if (!problem.ok()) return problem.status();
  const std::optional<Gfx> gfx = ParseGfx(timed.device);
  if (!gfx) {
    return absl::InvalidArgumentError(absl::StrFormat("device is %s; there is none", timed.device));
  }
  return PlanContext(*problem, *gfx, {.splits = splits});
}

/// Elements of a tile; 0 of kernels without one.
double TileOf(const model::RankedRow& row) { return 1.0 * row.shape.tile_m * row.shape.tile_n; }

Judge Ranked(std::string name, const ModelOf& model_of, model::ModelUse use) {
  return {std::move(name),
          [model_of, use](const TimedProblem& timed) -> absl::StatusOr<std::vector<double>> {
            absl::StatusOr<AskedProblem> asked = AskTimedRows(timed);
            if (!asked.ok()) return asked.status();
            PlanContext context(asked->problem, asked->device, {});
            model::Rank(model_of(asked->device.gfx), use, context, asked->rows);
            std::vector<double> cycles;
            for (const model::RankedRow& row : asked->rows) cycles.push_back(row.cycles);
            return cycles;
          }};
}

/// The problem whatever its batch: what is not to be both trained on and tried.
std::string GeometryOf(ConvProblem problem) {
  problem.batch = 1;
  return ToString(problem);
}

std::string Header() {
  std::vector<std::string> names = {"geometry", "problem", "device",      "direction", "type",
                                    "family",   "row",     "estimate_us", "ms",        "at_least"};
  for (const std::string_view name : model::FeatureNames()) names.emplace_back(name);
  return absl::StrJoin(names, ",") + "\n";
}

}  // namespace

absl::StatusOr<AskedProblem> AskTimedRows(const TimedProblem& problem) {
  absl::StatusOr<PlanContext> context = ContextOf(problem);
  if (!context.ok()) return context.status();
  AskedProblem asked = {.problem = context->problem(), .device = context->device(), .rows = {}};
  for (const RowTime& time : problem.times) {
    const absl::StatusOr<model::RankedRow> row = AskRow(time.row, *context);
    if (!row.ok()) return row.status();
    asked.rows.push_back(*row);
  }
  return asked;
}

std::vector<Judge> StandardJudges(const ModelOf& model_of) {
  const auto none = [](Gfx) -> const model::Model* { return nullptr; };
  std::vector<Judge> judges = {
      Ranked("planner", model_of, model::ModelUse::kWhereBetter),
      Ranked("estimates", none, model::ModelUse::kWhereBetter),
      Ranked("model wherever trained", model_of, model::ModelUse::kWhereKnown),
  };
  judges.push_back(
      {"largest tile", [](const TimedProblem& timed) -> absl::StatusOr<std::vector<double>> {
         const absl::StatusOr<AskedProblem> asked = AskTimedRows(timed);
         if (!asked.ok()) return asked.status();
         std::vector<double> sizes;
         for (const auto& row : asked->rows) sizes.push_back(-TileOf(row));
         return sizes;
       }});
  return judges;
}

absl::StatusOr<std::string> PrintTrainingTable(const std::vector<TimedProblem>& problems,
                                               int& unknown) {
  std::string text = Header();
  unknown = 0;
  for (const TimedProblem& timed : problems) {
    absl::StatusOr<PlanContext> context = ContextOf(timed);
    if (!context.ok()) return context.status();
    const model::FeatureMaker maker(*context);
    const ConvProblem& problem = context->problem();
    const double ghz = context->device().clock_ghz;
    std::vector<std::pair<const RowTime*, model::RankedRow>> rows;
    for (const RowTime& time : timed.times) {
      // As it was timed, whatever number of splits it would have today.
      absl::StatusOr<PlanContext> timed_context = ContextOf(timed, time.splits);
      if (!timed_context.ok()) return timed_context.status();
      const absl::StatusOr<model::RankedRow> row = AskRow(time.row, *timed_context);
      if (!row.ok()) {
        ++unknown;
        continue;
      }
      rows.emplace_back(&time, *row);
    }
    std::vector<double> cycles;
    for (const auto& [time, row] : rows) cycles.push_back(row.cost.cycles);
    std::ranges::sort(cycles);
    for (const auto& [time, row] : rows) {
      const auto rank = std::ranges::lower_bound(cycles, row.cost.cycles) - cycles.begin();
      const model::Features features =
          maker.Of(row.shape, row.cost,
                   {.rank = static_cast<int>(rank),
                    .least_cycles = cycles.front(),
                    .second_cycles = cycles[cycles.size() > 1 ? 1 : 0]});
      const std::vector<std::string> known = {GeometryOf(problem),
                                              timed.sizes,
                                              timed.device,
                                              Name(problem.direction),
                                              Name(problem.type),
                                              std::string(row.family),
                                              time->row,
                                              absl::StrFormat("%.6g", row.cost.cycles / ghz * 1e-3),
                                              absl::StrFormat("%.6g", time->ms),
                                              time->at_least ? "1" : "0"};
      absl::StrAppend(&text, JoinCsvLine(known));
      for (std::size_t i = 0; i < model::FeatureNames().size(); ++i) {
        absl::StrAppendFormat(&text, ",%.6g", features[i]);
      }
      text += '\n';
    }
  }
  return text;
}

}  // namespace gridwise
