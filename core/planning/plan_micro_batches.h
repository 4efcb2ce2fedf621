// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "core/launch/launch.h"
#include "core/planning/family.h"
#include "core/planning/plan_context.h"

namespace gridwise {

/// Returns whether a problem can be computed by micro-batches: some images at a time, in a
/// workspace that the micro-batches share. This requires that the images follow one another in
/// memory. It also requires that each image has its own output, or that the sums are f32.
bool HasMicroBatches(const ConvProblem& problem);

/// Returns the launches that compute the context's problem in `count` micro-batches by an instance
/// of `family`. Each micro-batch has the same number of images, or one more. Sums over images are
/// added at the end: the workspace has an f32 dw for each micro-batch.
///
/// Requires HasMicroBatches(problem), that the instance computes the problem, and that `count` is
/// at most the number of images. Returns nullopt if the instance does not compute so few images, or
/// if it needs memory that is zero at the start.
std::optional<LaunchPlan> LaunchMicroBatches(const KernelFamily& family, std::size_t instance,
                                             const PlanContext& context, std::int64_t count);

}  // namespace gridwise
