#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "core/launch/launch.h"
#include "core/planning/family.h"
#include "core/planning/plan_context.h"

namespace gridwise {

/// Returns whether a problem can be computed in turns: some images at a time, in a workspace that
/// the turns share. This requires that the images follow one another in memory. It also requires
/// that each image has its own output, or that the sums are f32.
bool HasTurns(const ConvProblem& problem);

/// Returns the launches that compute the context's problem in `turns` turns by an instance of
/// `family`. Each turn has the same number of images, or one more. Sums over images are added at
/// the end: the workspace has an f32 dw for each turn.
///
/// Requires HasTurns(problem), that the instance computes the problem, and that `turns` is at most
/// the number of images. Returns nullopt if the instance does not compute so few images, or if it
/// needs memory that is zero at the start.
std::optional<LaunchPlan> LaunchInTurns(const KernelFamily& family, std::size_t instance,
                                        const PlanContext& context, std::int64_t turns);

}  // namespace gridwise
