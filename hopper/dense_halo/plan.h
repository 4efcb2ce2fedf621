// SPDX-License-Identifier: MIT
#pragma once

#include <optional>

#include "core/conv/problem.h"
#include "core/launch/part_kernel.h"
#include "hopper/base/plan.h"
#include "hopper/dense_halo/config.h"
#include "hopper/halo/args.h"

namespace gridwise::hopper {

/// Like the functions of hopper/gather/plan.h, for halo instances with one group.
std::optional<Refusal> RejectProblem(const HaloDenseConfig& config, const ConvProblem& problem);
PartEstimate EstimateLaunch(const HaloDenseConfig& config, const PartRequest& request);
Plan<HaloArgs> PlanHalo(const HaloDenseConfig& config, const PartRequest& request);

}  // namespace gridwise::hopper
