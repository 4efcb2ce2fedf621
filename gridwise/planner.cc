// SPDX-License-Identifier: MIT
#include "gridwise/planner.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "core/base/math.h"
#include "core/conv/tensor_bytes.h"
#include "core/launch/part_kernel.h"
#include "core/passes/converted_type.h"
#include "core/passes/layout_passes.h"
#include "core/planning/plan_micro_batches.h"
#include "core/text/nearest.h"
#include "gridwise/families.h"
#include "gridwise/planner/ranking.h"

namespace gridwise {
namespace {

static_assert(PlanOptions{}.offset_limit == kOffsetLimit);

/// An instance of a family, and its applicability to a problem. Its launches are not kept, because
/// with many sub-GEMMs they are large.
struct Candidate {
  const KernelFamily* family;
  std::size_t instance;
  const InstanceInfo* info;
  Applicability applicability;
  double cycles = kNotRanked;  // the rank's key

  /// Returns why it cannot compute the problem; null if it can.
  const Refusal* refusal() const { return std::get_if<Refusal>(&applicability); }
  const Cost& cost() const { return std::get<Cost>(applicability); }
};

bool IsWanted(const InstanceInfo& instance, const PlanOptions& options) {
  return (options.family.empty() || instance.family == options.family) &&
         (options.op.empty() || instance.op == options.op) &&
         (options.instance.empty() || instance.name == options.instance);
}

/// Returns whether an instance is not ranked because it is not requested.
bool IsPassedOver(const InstanceInfo& instance, const PlanOptions& options) {
  return instance.use == InstanceUse::kOnRequest && options.instance.empty() && options.op.empty();
}

/// The least estimates so far.
class LowestEstimates {
 public:
  explicit LowestEstimates(std::size_t count) : count_(count) {}

  void Add(double cycles) {
    sorted_.insert(std::ranges::upper_bound(sorted_, cycles), cycles);
    if (sorted_.size() > count_) sorted_.pop_back();
  }
  /// Returns the `count`-th least estimate.
  double last() const {
    return sorted_.size() < count_ ? std::numeric_limits<double>::infinity() : sorted_.back();
  }

 private:
  const std::size_t count_;
  std::vector<double> sorted_;
};

constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();

/// Returns whether `instance` is another op's name for the kernel of `last`, which computes the
/// problem. Additional launches of `instance` cannot make it faster.
bool IsSameKernel(const InstanceInfo& instance, const Candidate& last) {
  return last.refusal() == nullptr && instance.code.symbol == last.info->code.symbol &&
         instance.family == last.info->family;
}

/// The types of operands that instances may multiply.
struct OperandTypes {
  DataType given, converted;

  explicit OperandTypes(const PlanContext& context)
      : given(context.problem().type),
        converted(ConvertedType(context.problem(), context.device().gfx)) {}
  bool Include(DataType type) const { return type == given || type == converted; }
};

Applicability CheckApplicability(const KernelFamily& family, std::size_t instance,
                                 PlanContext& context) {
  if (context.problem().batch > 0) return family.CheckApplicability(instance, context);
  return Refuse<"the batch is 0: there is nothing to multiply">();
}

/// Returns the instances of the problem's direction and type that the options allow, with their
/// applicability. Requires that the problem is valid.
///
/// Only the least `wanted` estimates are exact; the others are at least as large. If several
/// instances have the same kernel, only the first one is returned, unless all are wanted or an op
/// is named. Instances that are not ranked are returned only if all are wanted.
std::vector<Candidate> CheckInstances(const Choice& choice, std::size_t wanted = kAll) {
  const bool once = wanted != kAll && choice.options.op.empty() && choice.options.instance.empty();
  std::vector<Candidate> candidates;
  LowestEstimates least(wanted);
  PlanContext& context = choice.context;
  const ConvProblem& problem = context.problem();
  const OperandTypes types(context);
  for (const KernelFamily* family : choice.families) {
    const std::span<const InstanceInfo> instances =
        family->Instances(problem.direction, context.device().gfx);
    candidates.reserve(candidates.size() + instances.size());
    for (std::size_t i = 0; i < instances.size(); ++i) {
      if (!types.Include(instances[i].type) || !IsWanted(instances[i], choice.options)) continue;
      const bool passed_over = IsPassedOver(instances[i], choice.options);
      if (passed_over && wanted != kAll) continue;
      if (once && !candidates.empty() && IsSameKernel(instances[i], candidates.back())) continue;
      candidates.push_back({family, i, &instances[i], CheckApplicability(*family, i, context)});
      if (candidates.back().refusal() != nullptr || passed_over) continue;
      least.Add(candidates.back().cost().cycles);
      context.set_enough_cycles(least.last());
    }
  }
  context.set_enough_cycles(std::numeric_limits<double>::infinity());
  return candidates;
}

/// Ranks the candidates that compute the problem.
model::Ranking Rank(const Choice& choice, std::vector<Candidate>& candidates) {
  std::vector<model::RankedInstance> instances;
  instances.reserve(candidates.size());
  const auto is_ranked = [&](const Candidate& candidate) {
    return candidate.refusal() == nullptr && !IsPassedOver(*candidate.info, choice.options);
  };
  for (const Candidate& candidate : candidates) {
    if (!is_ranked(candidate)) continue;
    instances.push_back({.family = candidate.info->family,
                         .shape = candidate.info->shape,
                         .cost = candidate.cost()});
  }
  const bool asks =
      choice.options.model && instances.size() > 1;  // a single instance needs no ranking
  model::Ranking ranking =
      model::Rank(asks ? model::BuiltInModel(choice.context.device().gfx) : nullptr,
                  model::ModelUse::kWhereBetter, choice.context, instances);
  auto instance = instances.begin();
  for (Candidate& candidate : candidates) {
    if (is_ranked(candidate)) candidate.cycles = (instance++)->cycles;
  }
  return ranking;
}

/// Returns why no instance, or not the requested one, computes the problem.
std::string NoInstanceMessage(const Choice& choice, const std::vector<Candidate>& candidates) {
  const Gfx gfx = choice.context.device().gfx;
  const DataType wanted = choice.context.problem().type;
  std::string message =
      absl::StrFormat("no instance for %s computes %s:", Name(gfx), choice.problem());
  if (!HasType(gfx, wanted)) {
    absl::StrAppend(&message, " it has no instructions that multiply ", Name(wanted), ", but");
    for (const DataType type : kAllDataTypes) {
      if (HasType(gfx, type)) absl::StrAppend(&message, " ", Name(type));
    }
  }
  if (candidates.empty() && HasType(gfx, wanted)) {
    absl::StrAppend(
        &message,
        " this program has no instances of its direction and type for the target; either "
        "there are none, or --//tools/config:families, :directions and :types left "
        "them out");
  }
  for (const Candidate& candidate : candidates) {
    absl::StrAppend(&message, "\n  ", candidate.info->name, ": ", candidate.refusal()->reason());
  }
  return message;
}

/// Iterates over the instances that accept the problem, by rank. Equal instances are in the order
/// of their family's list.
class ByRank {
 public:
  explicit ByRank(const std::vector<Candidate>& candidates) {
    for (const Candidate& candidate : candidates) {
      if (candidate.refusal() == nullptr) left_.push_back(&candidate);
    }
    std::ranges::make_heap(left_, IsBehind);
  }

  /// Returns the next instance; null after the last one.
  const Candidate* Next() {
    if (left_.empty()) return nullptr;
    std::ranges::pop_heap(left_, IsBehind);
    const Candidate* const next = left_.back();
    left_.pop_back();
    return next;
  }

 private:
  static bool IsBehind(const Candidate* a, const Candidate* b) {
    return std::pair(a->cycles, a) > std::pair(b->cycles, b);
  }

  std::vector<const Candidate*> left_;
};

/// Plans of instances by rank, with the rank's key. Their tables may have a gigabyte, so that no
/// more are kept than are wanted, and none is copied.
struct RankedPlans {
  std::vector<std::pair<double, InstancePlan>> fitting, too_large;
  // The workspace and the instance of the smallest one of all that are too large.
  std::pair<std::int64_t, std::string> least = {std::numeric_limits<std::int64_t>::max(), ""};

  /// Returns the first `n` plans. Those that are too large come after the others.
  std::vector<InstancePlan> First(std::size_t n) && {
    std::vector<InstancePlan> plans;
    for (auto* const each : {&fitting, &too_large}) {
      for (auto& [cycles, plan] : *each) {
        if (plans.size() < n) plans.push_back(std::move(plan));
      }
    }
    return plans;
  }
};

/// Returns the bytes of workspace that a plan may need.
std::int64_t RoomFor(const Choice& choice, const LaunchPlan& plan) {
  return choice.options.workspace_limit.value_or(choice.context.device().memory_bytes -
                                                 plan.tensor_bytes);
}

/// Returns the launches of a candidate. If there is no room to copy all images to another layout,
/// the launches copy fewer images at a time.
LaunchPlan MakeLaunches(const Choice& choice, const Candidate& candidate) {
  constexpr std::int64_t kMaxMicroBatches = 64;
  const ConvProblem& problem = choice.context.problem();
  LaunchPlan plan = candidate.family->MakeLaunches(candidate.instance, choice.context);
  plan.tensor_bytes = TensorBytes(problem);
  const std::int64_t room = RoomFor(choice, plan);
  const bool has_micro_batches = problem.layout == Layout::kNGCHW && HasMicroBatches(problem);
  if (plan.workspace_bytes <= room || room <= 0 || !has_micro_batches) return plan;
  const std::int64_t most = std::min(problem.batch, kMaxMicroBatches);
  std::int64_t count = std::clamp<std::int64_t>(CeilDiv(plan.workspace_bytes, room), 2, most);
  for (;; count = std::min(2 * count, most)) {
    auto in_micro_batches =
        LaunchMicroBatches(*candidate.family, candidate.instance, choice.context, count);
    // Sums over images need more room if there are more micro-batches.
    if (!in_micro_batches || in_micro_batches->workspace_bytes >= plan.workspace_bytes) return plan;
    in_micro_batches->tensor_bytes = plan.tensor_bytes;
    plan = *std::move(in_micro_batches);
    if (plan.workspace_bytes <= room || count == most) return plan;
  }
}

InstancePlan MakeInstancePlan(const Choice& choice, const Candidate& candidate) {
  PlanOptions of_instance = choice.options;
  of_instance.family = candidate.info->family;
  of_instance.op = candidate.info->op;
  of_instance.instance = candidate.info->name;
  return {choice.context.device(), std::move(of_instance), MakeLaunches(choice, candidate)};
}

/// Makes plans of the candidates, by rank, until `wanted` of them fit.
RankedPlans MakePlans(const Choice& choice, const std::vector<Candidate>& candidates,
                      std::size_t wanted) {
  RankedPlans plans;
  ByRank by_rank(candidates);
  while (plans.fitting.size() < wanted) {
    const Candidate* const candidate = by_rank.Next();
    if (candidate == nullptr) break;
    InstancePlan plan = MakeInstancePlan(choice, *candidate);
    const std::int64_t bytes = plan.workspace_bytes(), room = RoomFor(choice, plan.launch_plan());
    if (bytes <= room) {
      plans.fitting.emplace_back(candidate->cycles, std::move(plan));
      continue;
    }
    if (bytes < plans.least.first) plans.least = {bytes, plan.instance()};
    if (plans.too_large.size() < wanted) {
      plans.too_large.emplace_back(candidate->cycles, std::move(plan));
    }
    // If not even the tensors fit, the next plans do not either.
    if (room < 0 && !choice.options.workspace_limit && plans.too_large.size() == wanted) break;
  }
  return plans;
}

/// Adds plans of `unsplit`, whose K is not split, for instances that have no plan that fits in the
/// allowed workspace.
void AddUnsplit(RankedPlans unsplit, RankedPlans& plans) {
  for (auto& [cycles, plan] : unsplit.fitting) {
    const bool is_there = std::ranges::any_of(plans.fitting, [&](const auto& other) {
      return other.second.instance() == plan.instance() && other.second.family() == plan.family();
    });
    if (!is_there) plans.fitting.emplace_back(cycles, std::move(plan));
  }
  std::ranges::stable_sort(plans.fitting, {}, [](const auto& plan) { return plan.first; });
  plans.too_large = std::move(unsplit.too_large);
  plans.least = std::move(unsplit.least);
}

/// Returns the error if all plans need more workspace than allowed.
absl::Status NoRoom(const Choice& choice, const RankedPlans& plans) {
  return absl::ResourceExhaustedError(absl::StrFormat(
      "no instance computes %s in a workspace of %d bytes; the least is %d, of %s",
      choice.problem(), *choice.options.workspace_limit, plans.least.first, plans.least.second));
}

bool Has(const std::vector<std::string_view>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

absl::Status CheckInstanceExists(const Choice& choice) {
  const PlanOptions& options = choice.options;
  const ConvProblem& problem = choice.context.problem();
  std::vector<std::string_view> instances, families;
  std::set<std::string_view> ops;
  const OperandTypes types(choice.context);
  for (const KernelFamily* family : choice.families) {
    // A family with additional instances appears more than once.
    if (!Has(families, family->name())) families.push_back(family->name());
    for (const InstanceInfo& instance :
         family->Instances(problem.direction, choice.context.device().gfx)) {
      if (!types.Include(instance.type)) continue;
      if (!options.instance.empty() && IsWanted(instance, options)) return absl::OkStatus();
      if (!instance.op.empty()) ops.insert(instance.op);
      instances.push_back(instance.name);
    }
  }
  if (!options.family.empty() && !Has(families, options.family)) {
    return absl::InvalidArgumentError(absl::StrFormat(
        "family is %s; must be one of %s", options.family, absl::StrJoin(families, ", ")));
  }
  if (!options.op.empty() && !ops.contains(options.op)) {
    return absl::InvalidArgumentError(
        absl::StrFormat("op is %s; must be one of %s", options.op, absl::StrJoin(ops, ", ")));
  }
  if (options.instance.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrFormat("instance is %s; must be one of %s",
                                                    options.instance,
                                                    NearestList(options.instance, instances)));
}

absl::Status CheckSplits(const ConvProblem& problem, int splits) {
  if (splits < 0 || splits > kMaxWorkgroupsYz) {  // splits are along the grid's z
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

}  // namespace

PlanContext MakePlanContext(const ConvProblem& problem, const DeviceFacts& device,
                            const PlanOptions& options) {
  return {problem,
          device,
          {.splits = options.splits,
           .offset_limit = options.offset_limit,
           .adds = options.atomic,
           .launch_per_sub_gemm = options.launch_per_sub_gemm},
          UsualOperands(device.gfx)};
}

absl::Status CheckOptions(const Choice& choice) {
  const PlanOptions& options = choice.options;
  absl::Status status = CheckSplits(choice.context.problem(), options.splits);
  if (!status.ok()) return status;
  if (options.workspace_limit.value_or(0) < 0) {
    return absl::InvalidArgumentError(
        absl::StrFormat("workspace_limit is %d; must be >= 0", *options.workspace_limit));
  }
  if (options.instance.empty() && options.family.empty() && options.op.empty()) return status;
  return CheckInstanceExists(choice);
}

absl::StatusOr<std::vector<InstancePlan>> ChooseInstances(const Choice& choice, int n) {
  const PlanOptions& options = choice.options;
  if (n < 1) return absl::InvalidArgumentError(absl::StrFormat("n is %d; must be >= 1", n));
  if (absl::Status status = CheckOptions(choice); !status.ok()) return status;
  const auto wanted = static_cast<std::size_t>(n);
  std::vector<Candidate> candidates = CheckInstances(choice, std::max(wanted, model::kAsked));
  Rank(choice, candidates);
  RankedPlans plans = MakePlans(choice, candidates, wanted);
  if (plans.fitting.empty() && plans.too_large.empty()) {
    return absl::UnimplementedError(NoInstanceMessage(choice, candidates));
  }
  if (!options.workspace_limit || plans.too_large.empty()) return std::move(plans).First(wanted);
  if (options.splits == 0) {
    PlanOptions unsplit = options;
    unsplit.splits = 1;
    PlanContext context =
        MakePlanContext(choice.context.problem(), choice.context.device(), unsplit);
    const Choice of_unsplit = {context, choice.families, unsplit, choice.problem};
    candidates = CheckInstances(of_unsplit, std::max(wanted, model::kAsked));
    Rank(of_unsplit, candidates);
    AddUnsplit(MakePlans(of_unsplit, candidates, wanted), plans);
  }
  if (plans.fitting.empty()) return NoRoom(choice, plans);
  plans.too_large.clear();
  return std::move(plans).First(wanted);
}

std::vector<InstanceExplanation> ExplainEveryInstance(const Choice& choice) {
  std::vector<Candidate> candidates = CheckInstances(choice);
  Rank(choice, candidates);
  std::vector<InstanceExplanation> explanations;
  for (const Candidate& candidate : candidates) {
    InstanceExplanation& explanation = explanations.emplace_back();
    explanation.family = candidate.info->family;
    explanation.instance = candidate.info->name;
    if (const Refusal* refusal = candidate.refusal()) {
      explanation.reason = refusal->reason();
      explanation.code = refusal->code();
    } else {
      explanation.cost = candidate.cost();
      explanation.ranked_cycles = candidate.cycles;
      explanation.workspace_bytes = MakeInstancePlan(choice, candidate).workspace_bytes();
    }
  }
  return explanations;
}

std::string SayRanking(const Choice& choice) {
  std::vector<Candidate> candidates = CheckInstances(choice);
  const model::Ranking ranking = Rank(choice, candidates);
  return absl::StrCat(ranking.by_model ? "the model: " : "the estimates: ", ranking.about);
}

}  // namespace gridwise
