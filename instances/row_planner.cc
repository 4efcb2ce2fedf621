#include "instances/row_planner.h"

#include <algorithm>
#include <span>
#include <utility>

#include "absl/strings/str_format.h"
#include "core/conv/sub_gemms.h"
#include "tile/launch_plan.h"
#include "tile/plan_bwd_weight.h"
#include "tile/plan_direct.h"
#include "tile/plan_gather.h"

namespace gridwise {
namespace {

constexpr std::int64_t kMaxGroups = 65535;  // workgroups along a grid's y
constexpr std::size_t kMaxParts = std::size_t{1} << 16;

std::optional<std::string> RejectRow(const tile::TileConfig& row, const ConvProblem& problem,
                                     int /*splits*/) {
  return problem.direction == Direction::kBackwardWeight ? RejectBwdWeight(row, problem)
                                                         : RejectGather(row, problem);
}
std::optional<std::string> RejectRow(const tile::DirectConfig& row, const ConvProblem& problem,
                                     int splits) {
  return RejectDirect(row, problem, splits);
}

std::optional<tile::Excess> TooLargeForRow(const tile::TileConfig& row, const ConvProblem& part,
                                           std::int64_t limit) {
  return part.direction == Direction::kBackwardWeight ? TooLargeForBwdWeight(row, part, limit)
                                                      : TooLargeForGather(row, part, limit);
}
std::optional<tile::Excess> TooLargeForRow(const tile::DirectConfig& row, const ConvProblem& part,
                                           std::int64_t limit) {
  return TooLargeForDirect(row, part, limit);
}

KernelPlan PlanGatherRow(const tile::TileConfig& row, Gfx gfx, const ConvProblem& part,
                         std::span<const SubGemm> sub_gemms, tile::Sharing sharing) {
  return PlanGather(row, gfx, part, sub_gemms, sharing);
}
KernelPlan PlanGatherRow(const tile::DirectConfig& row, Gfx gfx, const ConvProblem& part,
                         std::span<const SubGemm> sub_gemms, tile::Sharing sharing) {
  return PlanDirectGather(row, gfx, part, sub_gemms, sharing);
}

KernelPlan PlanWeightRow(const tile::TileConfig& row, Gfx gfx, const ConvProblem& part,
                         tile::Sharing sharing) {
  return PlanBwdWeight(row, gfx, part, sharing);
}
KernelPlan PlanWeightRow(const tile::DirectConfig& row, Gfx gfx, const ConvProblem& part,
                         tile::Sharing sharing) {
  return PlanDirectWeight(row, gfx, part, sharing);
}

}  // namespace

RowPlanner::RowPlanner(const ConvProblem& problem, Gfx gfx, const RowOptions& options)
    : problem_(RowProblem(problem)),
      pass_cycles_(CopyCycles(problem, gfx)),
      gfx_(gfx),
      options_(options) {}

Verdict RowPlanner::PlanFor(const Row& row) {
  RowPlan plan;
  if (auto reason = AddPart(row, {.problem = problem_}, /*term=*/0, plan, plan.terms)) {
    return *std::move(reason);
  }
  // Direct kernels have no epilogue, and their splits always have sums of their own.
  const bool direct = std::holds_alternative<tile::DirectConfig>(row);
  plan.sums_only = direct && problem_.epilogue != Epilogue{};
  const bool whole = plan.parts.size() == 1;
  for (RowPlan::Part& part : plan.parts) {
    const int splits = whole ? options_.splits : std::max(options_.splits, 1);
    part.kernel = PlanKernel(row, part.part.problem, splits, plan.terms > 1 || plan.sums_only);
  }
  const auto launch_of = [](const RowPlan::Part& part) -> const tile::LaunchPlan& {
    return std::visit([](const auto& kernel) -> const tile::LaunchPlan& { return kernel; },
                      part.kernel);
  };
  plan.splits = launch_of(plan.parts[0]).splits;
  plan.adds = options_.adds && !direct;
  plan.cost = launch_of(plan.parts[0]).cost;
  plan.cost.pass_cycles += pass_cycles_;
  for (std::size_t i = 1; i < plan.parts.size(); ++i) {
    plan.cost.pass_cycles += launch_of(plan.parts[i]).cost.cycles;
  }
  if (plan.terms > 1 || (plan.sums_only && plan.splits == 1)) {
    plan.cost.pass_cycles += tile::PassCycles(
        TraitsOf(gfx_), 4.0 * plan.terms * static_cast<double>(problem_.out_elements()));
  }
  plan.cost = WithCycles(plan.cost);
  return plan;
}

std::optional<std::string> RowPlanner::AddPart(const Row& row, const ConvPart& part, int term,
                                               RowPlan& plan, int& end) {
  // Each part anew: half of the groups may be a number that the row cannot merge.
  const auto reject = [&](const auto& config) {
    return RejectRow(config, part.problem, options_.splits);
  };
  if (auto reason = std::visit(reject, row)) return reason;
  if (part.problem.groups > kMaxGroups) {
    return AddHalves(row, part,
                     {absl::StrFormat("groups is %d", part.problem.groups), PartAxis::kGroups},
                     term, plan, end);
  }
  if (const std::optional<tile::Excess> excess = TooLarge(row, part.problem)) {
    const ConvPart trimmed = Trim(part);
    if (trimmed.problem.dims != part.problem.dims) return AddPart(row, trimmed, term, plan, end);
    return AddHalves(row, part, *excess, term, plan, end);
  }
  if (plan.parts.size() == kMaxParts) {
    return absl::StrFormat("the problem takes more than %d launches", kMaxParts);
  }
  plan.parts.push_back({.part = part, .kernel = {}, .term = term});
  end = term + 1;
  return std::nullopt;
}

std::optional<std::string> RowPlanner::AddHalves(const Row& row, const ConvPart& part,
                                                 const tile::Excess& excess, int term,
                                                 RowPlan& plan, int& end) {
  const std::optional<std::vector<ConvPart>> halves = Halve(part, excess.axis);
  if (!halves) return excess.reason;
  const ConvPart &first = halves->front(), &second = halves->back();
  const bool are_terms = first.out == second.out;
  int first_end = term, second_end = term;
  if (auto reason = AddPart(row, first, term, plan, first_end)) return reason;
  const int next = are_terms ? first_end : term;
  if (auto reason = AddPart(row, second, next, plan, second_end)) return reason;
  plan.has_gaps |= !are_terms && first_end != second_end;
  end = std::max(first_end, second_end);
  return std::nullopt;
}

std::optional<tile::Excess> RowPlanner::TooLarge(const Row& row, const ConvProblem& part) const {
  return std::visit(
      [&](const auto& config) { return TooLargeForRow(config, part, options_.offset_limit); }, row);
}

KernelPlan RowPlanner::PlanKernel(const Row& row, const ConvProblem& part, int splits,
                                  bool is_partial) {
  const tile::Sharing sharing = {
      .splits = splits,
      .partial_elements = is_partial || splits > 1 ? problem_.out_elements() : 0,
      .adds = options_.adds};
  if (part.direction == Direction::kBackwardWeight) {
    return std::visit(
        [&](const auto& config) { return PlanWeightRow(config, gfx_, part, sharing); }, row);
  }
  std::vector<SubGemm> of_part;
  if (part != problem_) of_part = MakeSubGemms(part);
  if (part == problem_ && sub_gemms_.empty()) sub_gemms_ = MakeSubGemms(problem_);
  const std::span<const SubGemm> sub_gemms = part == problem_ ? sub_gemms_ : of_part;
  return std::visit(
      [&](const auto& config) { return PlanGatherRow(config, gfx_, part, sub_gemms, sharing); },
      row);
}

}  // namespace gridwise
