// SPDX-License-Identifier: MIT
#pragma once

#include <optional>

#include "core/conv/problem.h"
#include "core/launch/part_kernel.h"
#include "hopper/base/plan.h"
#include "hopper/halo/args.h"
#include "hopper/line/config.h"

namespace gridwise::hopper {

/// Like the functions of hopper/gather/plan.h, for line instances.
std::optional<Refusal> RejectProblem(const LineConfig& config, const ConvProblem& problem);
PartEstimate EstimateLaunch(const LineConfig& config, const PartRequest& request);
Plan<HaloArgs> PlanLine(const LineConfig& config, const PartRequest& request);

}  // namespace gridwise::hopper
