// SPDX-License-Identifier: MIT
#pragma once

#include <optional>

#include "core/conv/problem.h"
#include "core/launch/part_kernel.h"
#include "hopper/base/plan.h"
#include "hopper/gather/args.h"
#include "hopper/phases/config.h"

namespace gridwise::hopper {

/// Like the functions of hopper/gather/plan.h, for phase instances.
std::optional<Refusal> RejectProblem(const PhasesConfig& config, const ConvProblem& problem);
PartEstimate EstimateLaunch(const PhasesConfig& config, const PartRequest& request);
Plan<GatherArgs> PlanPhases(const PhasesConfig& config, const PartRequest& request);

}  // namespace gridwise::hopper
