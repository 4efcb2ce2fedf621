// SPDX-License-Identifier: MIT
#pragma once

#include <optional>

#include "core/conv/problem.h"
#include "core/launch/part_kernel.h"
#include "hopper/base/plan.h"
#include "hopper/simt/config.h"

namespace gridwise::hopper {

/// Like the functions of hopper/gather/plan.h, for SIMT instances.
std::optional<Refusal> RejectProblem(const SimtConfig& config, const ConvProblem& problem);
PartEstimate EstimateLaunch(const SimtConfig& config, const PartRequest& request);
Plan<SimtArgs> PlanSimt(const SimtConfig& config, const PartRequest& request);

}  // namespace gridwise::hopper
