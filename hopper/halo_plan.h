// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>

#include "core/conv/problem.h"
#include "core/launch/part_kernel.h"
#include "hopper/halo.h"
#include "hopper/halo_args.h"
#include "hopper/plan.h"

namespace gridwise::hopper {

/// Like the functions of plan.h, for halo instances. In backward-weight, splits are workgroups that
/// share the tiles of a block of channels: as many as the device has units for, unless the request
/// says.
std::optional<std::string> RejectProblem(const HaloConfig& config, const ConvProblem& problem);
std::optional<std::string> RejectProblem(const HaloWeightConfig& config,
                                         const ConvProblem& problem);
std::optional<std::string> RejectProblem(const HaloDenseConfig& config, const ConvProblem& problem);
PartEstimate EstimateLaunch(const HaloDenseConfig& config, const PartRequest& request);
Plan<HaloArgs> PlanHalo(const HaloDenseConfig& config, const PartRequest& request);
PartEstimate EstimateLaunch(const HaloConfig& config, const PartRequest& request);
PartEstimate EstimateLaunch(const HaloWeightConfig& config, const PartRequest& request);
Plan<HaloArgs> PlanHalo(const HaloConfig& config, const PartRequest& request);
Plan<HaloArgs> PlanHalo(const HaloWeightConfig& config, const PartRequest& request);

}  // namespace gridwise::hopper
