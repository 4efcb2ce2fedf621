#include "instances/row_planner.h"

#include <algorithm>
#include <array>
#include <utility>

#include "absl/strings/str_format.h"
#include "ck/conv/sub_gemms.h"
#include "tile/launch_plan.h"
#include "tile/plan_bwd_weight.h"
#include "tile/plan_gather.h"

namespace gridwise {
namespace {

constexpr std::int64_t kMaxGroups = 65535;  // workgroups along a grid's y
constexpr std::size_t kMaxParts = 4096;

}  // namespace

RowPlanner::RowPlanner(const ConvProblem& problem, Gfx gfx, const RowOptions& options)
    : problem_(RowProblem(problem)),
      reason_(RejectSteps(problem)),
      pass_cycles_(CopyCycles(problem, gfx)),
      gfx_(gfx),
      options_(options) {}

Verdict RowPlanner::PlanFor(const tile::TileConfig& row) {
  if (reason_) return *reason_;
  const bool weights = problem_.direction == Direction::kBackwardWeight;
  if (auto reason = weights ? RejectBwdWeight(row, problem_) : RejectGather(row, problem_)) {
    return *std::move(reason);
  }
  RowPlan plan;
  if (auto reason = AddPart(row, {.problem = problem_}, plan)) return *std::move(reason);

  // Terms of one sum are the parts of backward-weight that have the same output.
  for (const RowPlan::Part& part : plan.parts) {
    plan.terms += weights && part.part.out == plan.parts[0].part.out;
  }
  if (!weights) plan.terms = 1;
  if (static_cast<std::size_t>(plan.terms) != plan.parts.size() && plan.terms > 1) {
    return absl::StrFormat("the problem has %d groups whose sums are too long for one launch",
                           problem_.groups);
  }
  const bool whole = plan.parts.size() == 1;
  for (RowPlan::Part& part : plan.parts) {
    const int splits = whole ? options_.splits : std::max(options_.splits, 1);
    part.kernel = PlanKernel(row, part.part.problem, splits, plan.terms > 1);
  }
  const auto launch_of = [](const RowPlan::Part& part) -> const tile::LaunchPlan& {
    return std::visit([](const auto& kernel) -> const tile::LaunchPlan& { return kernel; },
                      part.kernel);
  };
  plan.splits = launch_of(plan.parts[0]).splits;
  plan.adds = options_.adds;
  plan.cost = launch_of(plan.parts[0]).cost;
  plan.cost.pass_cycles += pass_cycles_;
  for (std::size_t i = 1; i < plan.parts.size(); ++i) {
    plan.cost.pass_cycles += launch_of(plan.parts[i]).cost.cycles;
  }
  if (plan.terms > 1) {
    plan.cost.pass_cycles += tile::PassCycles(
        TraitsOf(gfx_), 4.0 * plan.terms * static_cast<double>(problem_.out_elements()));
  }
  plan.cost = WithCycles(plan.cost);
  return plan;
}

std::optional<std::string> RowPlanner::AddPart(const tile::TileConfig& row, const ConvPart& part,
                                               RowPlan& plan) {
  if (part.problem.groups > kMaxGroups) {
    return AddHalves(row, part, absl::StrFormat("groups is %d", part.problem.groups), plan);
  }
  if (auto reason = TooLarge(row, part.problem)) return AddHalves(row, part, *reason, plan);
  if (plan.parts.size() == kMaxParts) {
    return absl::StrFormat("the problem takes more than %d launches", kMaxParts);
  }
  plan.parts.push_back({.part = part, .kernel = {}});
  return std::nullopt;
}

std::optional<std::string> RowPlanner::AddHalves(const tile::TileConfig& row, const ConvPart& part,
                                                 const std::string& reason, RowPlan& plan) {
  const PartAxis axis = part.problem.groups > kMaxGroups ? PartAxis::kGroups
                        : part.problem.batch > 1         ? PartAxis::kImages
                                                         : PartAxis::kCells;
  const std::optional<std::vector<ConvPart>> halves = Halve(part, axis);
  if (!halves) return reason;
  for (const ConvPart& half : *halves) {
    if (auto half_reason = AddPart(row, half, plan)) return half_reason;
  }
  return std::nullopt;
}

std::optional<std::string> RowPlanner::TooLarge(const tile::TileConfig& row,
                                                const ConvProblem& part) const {
  return part.direction == Direction::kBackwardWeight
             ? TooLargeForBwdWeight(row, part, options_.offset_limit)
             : TooLargeForGather(row, part, options_.offset_limit);
}

KernelPlan RowPlanner::PlanKernel(const tile::TileConfig& row, const ConvProblem& part, int splits,
                                  bool is_partial) {
  const tile::Sharing sharing = {
      .splits = splits,
      .partial_elements = is_partial || splits > 1 ? problem_.out_elements() : 0,
      .adds = options_.adds};
  if (part.direction == Direction::kBackwardWeight) {
    return PlanBwdWeight(row, gfx_, part, sharing);
  }
  if (part != problem_) return PlanGather(row, gfx_, part, MakeSubGemms(part), sharing);
  if (sub_gemms_.empty()) sub_gemms_ = MakeSubGemms(problem_);
  return PlanGather(row, gfx_, part, sub_gemms_, sharing);
}

}  // namespace gridwise
