// SPDX-License-Identifier: MIT
#include "gridwise/conv.h"

#include <string>

#include "absl/status/status.h"
#include "core/conv/problem_io.h"
#include "core/conv/validate.h"
#include "core/passes/layout_passes.h"
#include "gridwise/families.h"
#include "gridwise/planner.h"

namespace gridwise {
namespace {

/// Calls choose(choice) with all instances to choose from.
template <class Choose>
auto WithChoice(const ConvProblem& problem, const DeviceFacts& device, const PlanOptions& options,
                Choose choose) {
  PlanContext context = MakePlanContext(problem, device, options);
  const std::vector<const KernelFamily*> families = Families();
  return choose(Choice{context, families, options, [&] { return ToString(problem); }});
}

}  // namespace

absl::Status CheckOptions(const ConvProblem& problem, const DeviceFacts& device,
                          const PlanOptions& options) {
  return WithChoice(problem, device, options,
                    [](const Choice& choice) { return CheckOptions(choice); });
}

std::vector<InstanceExplanation> ExplainInstances(const ConvProblem& problem,
                                                  const DeviceFacts& device,
                                                  const PlanOptions& options) {
  return WithChoice(problem, device, options, ExplainEveryInstance);
}

std::string RankedBy(const ConvProblem& problem, const DeviceFacts& device,
                     const PlanOptions& options) {
  return WithChoice(problem, device, options, SayRanking);
}

absl::StatusOr<std::vector<Plan>> RankPlans(const ConvProblem& problem, const DeviceFacts& device,
                                            int n, const PlanOptions& options) {
  if (absl::Status status = Validate(problem); !status.ok()) return status;
  if (problem.batch == 0) {
    if (absl::Status status = CheckOptions(problem, device, options); !status.ok()) return status;
    return std::vector<Plan>{
        Plan(problem, InstancePlan(device, options, PlanEmptyBatch(problem, device.gfx)))};
  }
  absl::StatusOr<std::vector<InstancePlan>> instances = WithChoice(
      problem, device, options, [n](const Choice& choice) { return ChooseInstances(choice, n); });
  if (!instances.ok()) return instances.status();
  std::vector<Plan> plans;
  for (InstancePlan& instance : *instances) plans.push_back(Plan(problem, std::move(instance)));
  return plans;
}

absl::StatusOr<Plan> MakePlan(const ConvProblem& problem, const DeviceFacts& device,
                              const PlanOptions& options) {
  absl::StatusOr<std::vector<Plan>> plans = RankPlans(problem, device, 1, options);
  if (!plans.ok()) return plans.status();
  return std::move(plans->front());
}

}  // namespace gridwise
