// SPDX-License-Identifier: MIT
#pragma once

#include <optional>

#include "core/conv/problem.h"
#include "core/launch/part_kernel.h"
#include "hopper/base/plan.h"
#include "hopper/halo/args.h"
#include "hopper/halo/config.h"

namespace gridwise::hopper {

/// Like the functions of hopper/gather/plan.h, for halo instances.
std::optional<Refusal> RejectProblem(const HaloConfig& config, const ConvProblem& problem);
PartEstimate EstimateLaunch(const HaloConfig& config, const PartRequest& request);
Plan<HaloArgs> PlanHalo(const HaloConfig& config, const PartRequest& request);

}  // namespace gridwise::hopper
