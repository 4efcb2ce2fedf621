// SPDX-License-Identifier: MIT
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

/// Selection of instances, for convolutions and matrix multiplications alike.

namespace gridwise {

/// A problem and the instances to choose from: those of the families, for the context's direction.
struct Choice {
  PlanContext& context;
  std::span<const KernelFamily* const> families;
  const PlanOptions& options;
  absl::FunctionRef<std::string()> problem;  // the problem's name in errors
};

/// Returns the context of `problem`, which must be valid.
PlanContext MakePlanContext(const ConvProblem& problem, const DeviceFacts& device,
                            const PlanOptions& options);

/// Errors: those of CheckOptions in conv.h.
absl::Status CheckOptions(const Choice& choice);

/// Returns up to `n` instances that accept the problem and whose workspaces fit
/// (PlanOptions::workspace_limit), fastest predicted first. planner/ranking.h says when the model
/// ranks them and when the estimates do.
///
/// Errors: those of RankPlans, except for invalid problems.
absl::StatusOr<std::vector<InstancePlan>> ChooseInstances(const Choice& choice, int n);

/// Returns the explanations of all instances.
std::vector<InstanceExplanation> ExplainEveryInstance(const Choice& choice);

/// Returns what the instances are ranked by, and why.
std::string SayRanking(const Choice& choice);

}  // namespace gridwise
