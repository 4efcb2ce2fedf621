#pragma once

#include <span>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/planning/family.h"
#include "core/planning/plan_context.h"
#include "gridwise/plan.h"

/// How an instance is chosen, whatever the problem is called.

namespace gridwise {

/// What plans choose from, and for what: instances of the context's direction.
struct Choice {
  PlanContext& context;
  std::span<const KernelFamily* const> families;
  const PlanOptions& options;
  absl::FunctionRef<std::string()> problem;  // as errors name it
};

/// The context of a valid problem.
PlanContext ContextOf(const ConvProblem& problem, const DeviceFacts& device,
                      const PlanOptions& options);

/// Errors as of CheckOptions of conv.h.
absl::Status CheckOptions(const Choice& choice);

/// The first `n` instances that accept the problem, or all of them, by the model where it is the
/// better judge (model/ranking.h), else by their estimates; as far as their workspaces fit
/// (PlanOptions::workspace_limit). Errors as of RankPlans, but for invalid problems.
absl::StatusOr<std::vector<InstancePlan>> ChooseInstances(const Choice& choice, int n);

/// What every instance says.
std::vector<InstanceExplanation> ExplainEveryInstance(const Choice& choice);

/// What they are ranked by, and why.
std::string SayRanking(const Choice& choice);

}  // namespace gridwise
