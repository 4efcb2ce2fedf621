#pragma once

#include "core/launch/part_kernel.h"
#include "core/planning/family.h"

namespace gridwise {

/// The answer of `kernel` to the context's canonical problem, with the passes before and after, in
/// as many parts as necessary. Each part writes elements of the output that no other part writes,
/// or terms of sums.
Applicability EstimateInParts(const PartKernel& kernel, PlanContext& context);

/// The launches of that plan. Requires that EstimateInParts found no refusal.
LaunchPlan LaunchInParts(const PartKernel& kernel, PlanContext& context);

}  // namespace gridwise
