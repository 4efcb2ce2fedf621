// SPDX-License-Identifier: MIT
#pragma once

#include <optional>

#include "core/conv/problem.h"
#include "core/launch/part_kernel.h"
#include "hopper/base/plan.h"
#include "hopper/halo/args.h"
#include "hopper/narrow/config.h"

namespace gridwise::hopper {

/// Like the functions of hopper/halo/plan.h, for narrow instances.
std::optional<Refusal> RejectProblem(const NarrowWeightConfig& config, const ConvProblem& problem);
PartEstimate EstimateLaunch(const NarrowWeightConfig& config, const PartRequest& request);
Plan<HaloArgs> PlanNarrow(const NarrowWeightConfig& config, const PartRequest& request);

}  // namespace gridwise::hopper
