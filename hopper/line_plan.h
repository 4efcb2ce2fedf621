// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>

#include "core/conv/problem.h"
#include "core/launch/part_kernel.h"
#include "hopper/halo_args.h"
#include "hopper/line.h"
#include "hopper/plan.h"

namespace gridwise::hopper {

/// Like the functions of plan.h, for line instances.
std::optional<std::string> RejectProblem(const LineConfig& config, const ConvProblem& problem);
PartEstimate EstimateLaunch(const LineConfig& config, const PartRequest& request);
Plan<HaloArgs> PlanLine(const LineConfig& config, const PartRequest& request);

}  // namespace gridwise::hopper
