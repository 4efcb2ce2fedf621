#include "instances/conv.h"

#include <algorithm>
#include <cstddef>
#include <set>
#include <span>
#include <string_view>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "core/base/nearest.h"
#include "core/conv/problem_io.h"
#include "core/conv/validate.h"
#include "core/launch/choose_block_map.h"
#include "instances/families.h"

namespace gridwise {
namespace {

/// A row of a family, and what it says to a problem. How it computes it is forgotten: with many
/// sub-GEMMs, that is much to keep of every row.
struct Candidate {
  const KernelFamily* family;
  std::size_t row;
  const RowInfo* info;
  Verdict verdict;

  /// Why it cannot compute the problem; null if it can.
  const std::string* reason() const { return std::get_if<std::string>(&verdict); }
  const Cost& cost() const { return std::get<Cost>(verdict); }
};

bool IsWanted(const RowInfo& row, const PlanOptions& options) {
  return (options.family.empty() || row.family == options.family) &&
         (options.op.empty() || row.op == options.op) &&
         (options.row.empty() || row.name == options.row);
}

/// The rows of the problem's direction and type that `options` allows, and what they say to a valid
/// problem.
std::vector<Candidate> AskRows(PlanContext& context, const PlanOptions& options) {
  std::vector<Candidate> candidates;
  const ConvProblem& problem = context.problem();
  for (const KernelFamily* family : Families()) {
    const std::span<const RowInfo> rows = family->Rows(problem.direction, context.device().gfx);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (rows[i].type != problem.type || !IsWanted(rows[i], options)) continue;
      candidates.push_back({family, i, &rows[i], family->Ask(i, context)});
    }
  }
  return candidates;
}

/// Why no row, or not the row that `options` asks for, computes the problem.
std::string NoRowMessage(const ConvProblem& problem, Gfx gfx,
                         const std::vector<Candidate>& candidates) {
  std::string message = absl::StrFormat("no row for %s computes %s:", Name(gfx), ToString(problem));
  if (!HasType(gfx, problem.type)) {
    absl::StrAppend(&message, " it has no instructions that multiply ", Name(problem.type),
                    ", but");
    for (const DataType type : kAllDataTypes) {
      if (HasType(gfx, type)) absl::StrAppend(&message, " ", Name(type));
    }
  }
  for (const Candidate& candidate : candidates) {
    absl::StrAppend(&message, "\n  ", candidate.info->name, ": ", *candidate.reason());
  }
  return message;
}

/// The `n` cheapest rows that accept the problem, or all of them, the cheapest first; of equal ones
/// the one that its family lists first.
std::vector<const Candidate*> Cheapest(const std::vector<Candidate>& candidates, std::size_t n) {
  std::vector<const Candidate*> able;
  for (const Candidate& candidate : candidates) {
    if (candidate.reason() == nullptr) able.push_back(&candidate);
  }
  n = std::min(n, able.size());
  std::partial_sort(able.begin(), able.begin() + static_cast<std::ptrdiff_t>(n), able.end(),
                    [](const Candidate* a, const Candidate* b) {
                      return std::pair(a->cost().cycles, a) < std::pair(b->cost().cycles, b);
                    });
  able.resize(n);
  return able;
}

absl::Status CheckRowExists(const ConvProblem& problem, Gfx gfx, const PlanOptions& options) {
  std::vector<std::string_view> rows;
  std::string families;
  std::set<std::string_view> ops;
  bool has_family = false;
  for (const KernelFamily* family : Families()) {
    absl::StrAppend(&families, families.empty() ? "" : ", ", family->name());
    has_family |= options.family.empty() || family->name() == options.family;
    for (const RowInfo& row : family->Rows(problem.direction, gfx)) {
      if (row.type != problem.type) continue;
      if (!options.row.empty() && IsWanted(row, options)) return absl::OkStatus();
      if (!row.op.empty()) ops.insert(row.op);
      rows.push_back(row.name);
    }
  }
  if (!has_family) {
    return absl::InvalidArgumentError(
        absl::StrFormat("family is %s; must be one of %s", options.family, families));
  }
  if (!options.op.empty() && !ops.contains(options.op)) {
    return absl::InvalidArgumentError(
        absl::StrFormat("op is %s; must be one of %s", options.op, absl::StrJoin(ops, ", ")));
  }
  if (options.row.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrFormat("row is %s; must be one of %s", options.row, NearestList(options.row, rows)));
}

absl::Status CheckSplits(const ConvProblem& problem, int splits) {
  if (splits < 0 || splits > kMaxWorkgroupsYz) {  // which are along a grid's z
    return absl::InvalidArgumentError(
        absl::StrFormat("splits is %d; must be 0 to %d", splits, kMaxWorkgroupsYz));
  }
  if (splits > 1 && SumType(problem.type) != DataType::kF32) {
    return absl::InvalidArgumentError(
        absl::StrFormat("splits is %d; must be 0 or 1, because type is %s and partial sums are f32",
                        splits, Name(problem.type)));
  }
  if (splits > 1 && problem.out_elements() >= kOffsetLimit) {
    return absl::InvalidArgumentError(absl::StrFormat(
        "splits is %d and the output has %d elements; K of outputs with 2^31 or more is not split",
        splits, problem.out_elements()));
  }
  return absl::OkStatus();
}

PlanContext ContextOf(const ConvProblem& problem, const DeviceFacts& device,
                      const PlanOptions& options) {
  return {problem,
          device,
          {.splits = options.splits, .offset_limit = options.offset_limit, .adds = options.atomic}};
}

std::int64_t Workgroups(const KernelLaunch& launch) {
  const auto& [x, y, z] = launch.shape.workgroups;
  return std::int64_t{x} * y * z;
}

/// The workgroups of the launches, in their order.
std::string DescribeLaunches(const std::vector<KernelLaunch>& launches) {
  std::string text;
  for (const KernelLaunch& launch : launches) {
    absl::StrAppendFormat(&text, "%s%d of %d threads", text.empty() ? "" : ", then ",
                          Workgroups(launch), launch.shape.threads[0]);
  }
  return text;
}

/// The order in which workgroups take tiles, in the first launch that has one.
std::string DescribeMap(const std::vector<KernelLaunch>& launches) {
  for (const KernelLaunch& launch : launches) {
    if (launch.map) return gridwise::ToString(*launch.map);
  }
  return "row-major";
}

}  // namespace

std::vector<RowInfo> ListRows() {
  std::vector<RowInfo> infos;
  for (const Gfx gfx : kAllGfx) {
    for (const Direction direction : kAllDirections) {
      for (const KernelFamily* family : Families()) {
        const std::span<const RowInfo> rows = family->Rows(direction, gfx);
        infos.insert(infos.end(), rows.begin(), rows.end());
      }
    }
  }
  return infos;
}

std::vector<RowVerdict> ExplainRows(const ConvProblem& problem, const DeviceFacts& device,
                                    const PlanOptions& options) {
  std::vector<RowVerdict> verdicts;
  PlanContext context = ContextOf(problem, device, options);
  for (const Candidate& candidate : AskRows(context, options)) {
    RowVerdict& verdict = verdicts.emplace_back();
    verdict.family = candidate.info->family;
    verdict.row = candidate.info->name;
    if (const std::string* reason = candidate.reason()) {
      verdict.reason = *reason;
    } else {
      verdict.cost = candidate.cost();
    }
  }
  return verdicts;
}

absl::StatusOr<std::vector<Plan>> RankPlans(const ConvProblem& problem, const DeviceFacts& device,
                                            int n, const PlanOptions& options) {
  if (n < 1) return absl::InvalidArgumentError(absl::StrFormat("n is %d; must be >= 1", n));
  if (absl::Status status = Validate(problem); !status.ok()) return status;
  if (absl::Status status = CheckSplits(problem, options.splits); !status.ok()) return status;
  if (!options.row.empty() || !options.family.empty() || !options.op.empty()) {
    absl::Status status = CheckRowExists(problem, device.gfx, options);
    if (!status.ok()) return status;
  }
  PlanContext context = ContextOf(problem, device, options);
  const std::vector<Candidate> candidates = AskRows(context, options);
  std::vector<Plan> plans;
  for (const Candidate* chosen : Cheapest(candidates, static_cast<std::size_t>(n))) {
    Plan::Data data = {.problem = problem,
                       .device = device,
                       .options = options,
                       .launches = chosen->family->MakeLaunches(chosen->row, context)};
    data.options.family = chosen->info->family;
    data.options.op = chosen->info->op;
    data.options.row = chosen->info->name;
    plans.push_back(Plan(std::move(data)));
  }
  if (plans.empty()) {
    return absl::UnimplementedError(NoRowMessage(problem, device.gfx, candidates));
  }
  return plans;
}

absl::StatusOr<Plan> MakePlan(const ConvProblem& problem, const DeviceFacts& device,
                              const PlanOptions& options) {
  absl::StatusOr<std::vector<Plan>> plans = RankPlans(problem, device, 1, options);
  if (!plans.ok()) return plans.status();
  return std::move(plans->front());
}

std::int64_t Plan::workgroups() const {
  std::int64_t count = 0;
  for (const KernelLaunch& launch : launch_plan().launches) count += Workgroups(launch);
  return count;
}

std::string Plan::ToString() const {
  const std::vector<GemmShape>& shapes = SubGemms();
  std::string text = absl::StrFormat("row        %s (%s)\nsub-GEMMs  %d per group\n", row(),
                                     family(), shapes.size());
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
  if (splits() > 1) {
    absl::StrAppendFormat(&text, "splits     %d workgroups share the K of a tile\n", splits());
  }
  absl::StrAppendFormat(
      &text, "workgroups %s, in %d launch%s\norder      %s\nworkspace  %d bytes\nestimate   %s\n",
      DescribeLaunches(launch_plan().launches), launches(), launches() == 1 ? "" : "es",
      DescribeMap(launch_plan().launches), workspace_bytes(), cost().ToString(device().clock_ghz));
  return text;
}

}  // namespace gridwise
