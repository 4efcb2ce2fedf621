// SPDX-License-Identifier: MIT
#pragma once

#include "core/launch/part_kernel.h"
#include "core/planning/family.h"

namespace gridwise {

/// Returns the cost of `kernel` for the context's canonical problem, with the passes before and
/// after, or the reason why it cannot compute it. The problem is divided into as many parts as
/// needed. Each part writes elements of the output that no other part writes, or terms of sums.
Applicability EstimateInParts(const PartKernel& kernel, PlanContext& context);

/// Returns the launches. Requires that EstimateInParts returned a cost.
LaunchPlan LaunchInParts(const PartKernel& kernel, PlanContext& context);

}  // namespace gridwise
