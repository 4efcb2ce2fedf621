#pragma once

#include "core/launch/part_kernel.h"
#include "core/planning/family.h"

namespace gridwise {

/// What `kernel` says to the context's canonical problem, with the passes before and after, in as
/// many parts as it takes: parts write elements of the output that no other does, or terms of sums.
Applicability EstimateInParts(const PartKernel& kernel, PlanContext& context);

/// The launches of that, where there is no reason against it.
LaunchPlan LaunchInParts(const PartKernel& kernel, PlanContext& context);

}  // namespace gridwise
