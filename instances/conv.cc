#include "instances/conv.h"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "core/base/fields_text.h"
#include "core/conv/problem_io.h"
#include "core/conv/sub_gemms.h"
#include "core/conv/validate.h"
#include "instances/row_planner.h"
#include "instances/steps.h"
#include "tile/plan_gather.h"

namespace gridwise {
namespace {

std::string RowName(Direction direction, int index) {
  return std::visit([](const auto& row) { return PrintFields(row); }, RowAt(direction, index));
}
DataType TypeOf(const Row& row) {
  return std::visit([](const auto& config) { return config.type; }, row);
}

/// Whether a row is compiled for a direction and target. Forward and backward-data share tables.
bool IsFor(Direction direction, Gfx gfx, const Row& row) {
  if (const auto* config = std::get_if<tile::TileConfig>(&row)) {
    return (direction == Direction::kBackwardWeight || tile::DirectionOf(*config) == direction) &&
           Reject(*config, gfx) == nullptr;
  }
  const auto& config = std::get<tile::DirectConfig>(row);
  // In backward-data, neighbouring cells of a sub-GEMM have neighbouring cells of dy.
  return TakesType(direction, config.type) &&
         (direction != Direction::kBackwardData || config.step <= 1) &&
         Reject(config, gfx) == nullptr;
}

/// A row of the direction's table, and what it says to a problem. How it computes it is forgotten:
/// with many sub-GEMMs, that is much to keep of every row.
struct Candidate {
  int index;
  std::variant<std::string, Cost> verdict;

  /// Why it cannot compute the problem; null if it can.
  const std::string* reason() const { return std::get_if<std::string>(&verdict); }
  const Cost& cost() const { return std::get<Cost>(verdict); }
};

RowPlanner PlannerFor(const ConvProblem& problem, Gfx gfx, const PlanOptions& options) {
  return {problem, gfx, {options.splits, options.offset_limit, options.atomic}};
}

/// The rows of the problem's direction and type that are compiled for `gfx`, and what they say to a
/// valid problem.
std::vector<Candidate> AskRows(const ConvProblem& problem, Gfx gfx, RowPlanner& planner) {
  std::vector<Candidate> candidates;
  for (int i = 0; i < RowCount(problem.direction); ++i) {
    const Row row = RowAt(problem.direction, i);
    if (TypeOf(row) != problem.type || !IsFor(problem.direction, gfx, row)) continue;
    const Verdict verdict = planner.PlanFor(row);
    const RowPlan* const plan = std::get_if<RowPlan>(&verdict);
    Candidate& candidate = candidates.emplace_back();
    candidate.index = i;
    if (plan != nullptr) {
      candidate.verdict = plan->cost;
    } else {
      candidate.verdict = std::get<std::string>(verdict);
    }
  }
  return candidates;
}

/// Why no row, or not the row that `options` asks for, computes the problem.
std::string NoRowMessage(const ConvProblem& problem, Gfx gfx,
                         const std::vector<Candidate>& candidates, const PlanOptions& options) {
  std::string message = absl::StrFormat("no row for %s computes %s:", Name(gfx), ToString(problem));
  if (!HasType(gfx, problem.type)) {
    absl::StrAppend(&message, " it has no instructions that multiply ", Name(problem.type),
                    ", but");
    for (const DataType type : kAllDataTypes) {
      if (HasType(gfx, type)) absl::StrAppend(&message, " ", Name(type));
    }
  }
  for (const Candidate& candidate : candidates) {
    const std::string name = RowName(problem.direction, candidate.index);
    if (!options.row.empty() && name != options.row) continue;
    absl::StrAppend(&message, "\n  ", name, ": ",
                    candidate.reason() == nullptr ? "" : *candidate.reason());
  }
  return message;
}

/// The accepting row that `options` asks for, or else the cheapest; null if there is none.
const Candidate* Choose(Direction direction, const std::vector<Candidate>& candidates,
                        const PlanOptions& options) {
  const Candidate* best = nullptr;
  for (const Candidate& candidate : candidates) {
    if (candidate.reason() != nullptr) continue;
    if (!options.row.empty() && RowName(direction, candidate.index) != options.row) continue;
    if (best == nullptr || candidate.cost().cycles < best->cost().cycles) {
      best = &candidate;
    }
  }
  return best;
}

absl::Status CheckRowExists(Direction direction, const std::vector<Candidate>& candidates,
                            const std::string& row) {
  if (row.empty()) return absl::OkStatus();
  std::string known;
  for (const Candidate& candidate : candidates) {
    const std::string name = RowName(direction, candidate.index);
    if (name == row) return absl::OkStatus();
    absl::StrAppend(&known, known.empty() ? "" : ", ", name);
  }
  return absl::InvalidArgumentError(absl::StrFormat("row is %s; must be one of %s", row, known));
}

/// The GEMMs of one group, of all parts.
std::vector<GemmShape> ShapesOf(const RowPlan& plan) {
  std::vector<GemmShape> shapes;
  for (const auto& [part, kernel, term] : plan.parts) {
    const ConvProblem& problem = part.problem;
    if (problem.direction == Direction::kBackwardWeight) {
      shapes.push_back({.m = problem.k_per_group(),
                        .n = problem.filter_taps() * problem.c_per_group(),
                        .k = problem.batch * problem.out_cells()});
      continue;
    }
    const bool forward = problem.direction == Direction::kForward;
    const std::int64_t n = forward ? problem.k_per_group() : problem.c_per_group();
    const std::int64_t k = forward ? problem.c_per_group() : problem.k_per_group();
    for (const SubGemm& gemm : MakeSubGemms(problem)) {
      shapes.push_back({.m = gemm.m, .n = n, .k = Taps(gemm) * k});
    }
  }
  return shapes;
}

/// The workgroups of the launches, in their order.
std::string DescribeSteps(const std::vector<Step>& steps) {
  std::string text;
  for (const Step& step : steps) {
    const auto& [x, y, z] = step.shape.workgroups;
    absl::StrAppendFormat(&text, "%s%d of %d threads", text.empty() ? "" : ", then ",
                          std::int64_t{x} * y * z, step.shape.threads[0]);
  }
  return text;
}

absl::Status CheckSplits(const ConvProblem& problem, int splits) {
  constexpr int kMaxSplits = 65535;  // workgroups along a grid's z
  if (splits < 0 || splits > kMaxSplits) {
    return absl::InvalidArgumentError(
        absl::StrFormat("splits is %d; must be 0 to %d", splits, kMaxSplits));
  }
  if (splits > 1 && SumType(problem.type) != DataType::kF32) {
    return absl::InvalidArgumentError(
        absl::StrFormat("splits is %d; must be 0 or 1, because type is %s and partial sums are f32",
                        splits, Name(problem.type)));
  }
  if (splits > 1 && problem.out_elements() >= tile::kOffsetLimit) {
    return absl::InvalidArgumentError(absl::StrFormat(
        "splits is %d and the output has %d elements; K of outputs with 2^31 or more is not split",
        splits, problem.out_elements()));
  }
  return absl::OkStatus();
}

}  // namespace

std::vector<RowInfo> ListRows() {
  std::vector<RowInfo> infos;
  for (const Gfx gfx : kAllGfx) {
    for (const Direction direction : kAllDirections) {
      for (int i = 0; i < RowCount(direction); ++i) {
        if (!IsFor(direction, gfx, RowAt(direction, i))) continue;
        const RowKernel kernel = KernelOf(direction, i);
        infos.push_back({.name = RowName(direction, i),
                         .direction = direction,
                         .gfx = gfx,
                         .code = FindCode(kernel.table, gfx, kernel.row).value_or(""),
                         .symbol = kernel.symbol});
      }
    }
  }
  return infos;
}

std::vector<RowVerdict> ExplainRows(const ConvProblem& problem, Gfx gfx) {
  std::vector<RowVerdict> verdicts;
  RowPlanner planner = PlannerFor(problem, gfx, {});
  for (const Candidate& candidate : AskRows(problem, gfx, planner)) {
    RowVerdict& verdict = verdicts.emplace_back();
    verdict.row = RowName(problem.direction, candidate.index);
    if (const std::string* reason = candidate.reason()) {
      verdict.reason = *reason;
    } else {
      verdict.cost = candidate.cost();
    }
  }
  return verdicts;
}

absl::StatusOr<Plan> MakePlan(const ConvProblem& problem, Gfx gfx, const PlanOptions& options) {
  if (absl::Status status = Validate(problem); !status.ok()) return status;
  if (absl::Status status = CheckSplits(problem, options.splits); !status.ok()) return status;
  RowPlanner planner = PlannerFor(problem, gfx, options);
  const std::vector<Candidate> candidates = AskRows(problem, gfx, planner);
  if (absl::Status status = CheckRowExists(problem.direction, candidates, options.row);
      !status.ok())
    return status;
  const Candidate* const chosen = Choose(problem.direction, candidates, options);
  if (chosen == nullptr) {
    return absl::UnimplementedError(NoRowMessage(problem, gfx, candidates, options));
  }
  Plan plan;
  plan.problem_ = problem;
  plan.gfx_ = gfx;
  plan.row_ = RowName(problem.direction, chosen->index);
  const Verdict verdict = planner.PlanFor(RowAt(problem.direction, chosen->index));
  const RowPlan& row_plan = std::get<RowPlan>(verdict);
  plan.splits_ = row_plan.splits;
  plan.cost_ = row_plan.cost;
  plan.gemms_ = ShapesOf(row_plan);
  plan.steps_ = MakeSteps(problem, chosen->index, row_plan);
  return plan;
}

std::int64_t Plan::workgroups() const {
  std::int64_t count = 0;
  for (const Step& step : steps_.steps) {
    const auto& [x, y, z] = step.shape.workgroups;
    count += std::int64_t{x} * y * z;
  }
  return count;
}

std::string Plan::ToString() const {
  const std::vector<GemmShape>& shapes = SubGemms();
  std::string text =
      absl::StrFormat("row        %s\nsub-GEMMs  %d per group\n", row_, shapes.size());
  std::vector<std::pair<GemmShape, int>> counted;  // in the order of the first of each shape
  for (const GemmShape& shape : shapes) {
    const auto same = std::find_if(counted.begin(), counted.end(),
                                   [&](const auto& entry) { return entry.first == shape; });
    if (same == counted.end()) {
      counted.emplace_back(shape, 1);
    } else {
      ++same->second;
    }
  }
  for (const auto& [shape, count] : counted) {
    absl::StrAppendFormat(&text, "           %d x (M %d, N %d, K %d)%s\n", count, shape.m, shape.n,
                          shape.k,
                          shape.k == 0 ? ": no tap reaches these cells, written as zero" : "");
  }
  if (splits_ > 1) {
    absl::StrAppendFormat(&text, "splits     %d workgroups share the K of a tile\n", splits_);
  }
  absl::StrAppendFormat(&text,
                        "workgroups %s, in %d launch%s\nworkspace  %d bytes\nestimate   %s\n",
                        DescribeSteps(steps_.steps), launches(), launches() == 1 ? "" : "es",
                        workspace_bytes(), cost().ToString(TraitsOf(gfx_).clock_ghz));
  return text;
}

}  // namespace gridwise
