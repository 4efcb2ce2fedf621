// SPDX-License-Identifier: MIT
#pragma once

#include <optional>

#include "core/conv/problem.h"
#include "core/launch/part_kernel.h"
#include "hopper/base/plan.h"
#include "hopper/depthwise/args.h"
#include "hopper/depthwise/config.h"

namespace gridwise::hopper {

/// Like the functions of hopper/halo/plan.h, for depthwise instances.
std::optional<Refusal> RejectProblem(const DepthwiseWeightConfig& config,
                                     const ConvProblem& problem);
PartEstimate EstimateLaunch(const DepthwiseWeightConfig& config, const PartRequest& request);
Plan<DepthwiseWeightArgs> PlanDepthwise(const DepthwiseWeightConfig& config,
                                        const PartRequest& request);

}  // namespace gridwise::hopper
