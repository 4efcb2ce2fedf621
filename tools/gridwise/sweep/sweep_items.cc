// SPDX-License-Identifier: MIT
#include "tools/gridwise/sweep/sweep_items.h"

#include <algorithm>
#include <cstddef>
#include <random>
#include <string_view>
#include <variant>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "core/arch/target.h"
#include "gridwise/plan.h"
#include "tools/gridwise/problem/selection.h"

namespace gridwise {
namespace {

bool IsWanted(const InstanceExplanation& explanation, const Problem& problem,
              WantedInstances instances) {
  const auto* const conv = std::get_if<ConvProblem>(&problem);
  return instances == nullptr ||
         (conv != nullptr && std::find(instances->begin(), instances->end(),
                                       BuiltInstance{explanation.family, conv->direction,
                                                     explanation.instance}) != instances->end());
}

/// Keeps the instances that rank first, and some of the others at random, by the seed and the
/// problem.
void Sample(const SweepOptions& options, const Problem& problem,
            std::vector<InstanceChoice>& instances) {
  std::ranges::stable_sort(instances, {}, &InstanceChoice::ranked_cycles);
  const std::size_t first = std::min<std::size_t>(options.first_instances, instances.size());
  const std::size_t count =
      std::min<std::size_t>(first + options.random_instances, instances.size());
  const std::string text = absl::StrCat(options.seed, " ", ToString(problem));
  std::seed_seq seed(text.begin(), text.end());
  std::mt19937_64 random(seed);
  for (std::size_t i = first; i < count; ++i) {
    std::swap(instances[i], instances[i + random() % (instances.size() - i)]);
  }
  instances.resize(count);
}

/// Keeps the problems of a shard.
absl::Status KeepShard(const std::string& shard, std::vector<SelectedProblem>& problems) {
  if (shard.empty()) return absl::OkStatus();
  const std::vector<std::string_view> parts = absl::StrSplit(shard, '/');
  std::size_t index = 0, count = 0;
  if (parts.size() != 2 || !absl::SimpleAtoi(parts[0], &index) ||
      !absl::SimpleAtoi(parts[1], &count) || index < 1 || index > count) {
    return absl::InvalidArgumentError(
        absl::StrFormat("--shard is '%s'; must be two numbers as 2/8, the first from 1 to the "
                        "second",
                        shard));
  }
  std::size_t position = 0;
  std::erase_if(problems, [&](const SelectedProblem&) { return position++ % count != index - 1; });
  return absl::OkStatus();
}

/// Returns the instances that `options` requests.
SweepItem MakeItem(const SelectedProblem& selected, const DeviceFacts& device,
                   const SweepOptions& options, WantedInstances wanted_instances) {
  const Problem& problem = selected.problem;
  SweepItem item = {.name = selected.name,
                    .index = selected.index,
                    .problem = problem,
                    .instances = {},
                    .reason = ""};
  const PlanOptions wanted = {.instance = options.instance,
                              .family = options.family,
                              .op = options.op,
                              .splits = options.splits};
  const auto microseconds = [&](const Cost& cost) { return cost.cycles / device.clock_ghz * 1e-3; };
  const absl::StatusOr<InstancePlan> plan = MakePlan(problem, device, wanted);
  if (!plan.ok()) {
    item.instances = {{}};
    item.reason = plan.status().message();
  } else if (!options.all_instances && !IsSampled(options) && wanted_instances == nullptr) {
    item.instances = {{.family = plan->family(),
                       .instance = plan->instance(),
                       .estimate_us = microseconds(plan->cost()),
                       .splits = plan->splits()}};
  } else {
    for (const InstanceExplanation& explanation : ExplainInstances(problem, device, wanted)) {
      if (explanation.reason || !IsWanted(explanation, problem, wanted_instances)) continue;
      item.instances.push_back({explanation.family, explanation.instance,
                                microseconds(explanation.cost), explanation.ranked_cycles,
                                static_cast<int>(explanation.cost.splits)});
    }
    if (IsSampled(options)) Sample(options, problem, item.instances);
  }
  return item;
}

}  // namespace

bool IsSampled(const SweepOptions& options) {
  return options.first_instances > 0 || options.random_instances > 0;
}

absl::StatusOr<std::vector<SweepItem>> SelectItems(const SweepOptions& options,
                                                   const RequestedTarget& target,
                                                   WantedInstances wanted_instances,
                                                   std::FILE* people) {
  absl::StatusOr<Selection> selection = SelectProblems(options.request, target, options.max_flops);
  if (!selection.ok()) return selection.status();
  if (absl::Status status = KeepShard(options.shard, selection->problems); !status.ok()) {
    return status;
  }
  if (selection->too_large > 0) {
    absl::FPrintF(people, "%d problems have more than %.3g operations and are left out\n",
                  selection->too_large, options.max_flops);
  }
  std::vector<SweepItem> items;
  for (const SelectedProblem& selected : selection->problems) {
    items.push_back(MakeItem(selected, target.device, options, wanted_instances));
  }
  return items;
}

}  // namespace gridwise
