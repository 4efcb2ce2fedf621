// SPDX-License-Identifier: MIT
#pragma once

#include <optional>

#include "core/conv/problem.h"
#include "core/launch/part_kernel.h"
#include "hopper/base/plan.h"
#include "hopper/halo/args.h"
#include "hopper/halo/tiling.h"
#include "hopper/halo_weight/config.h"

/// Shared by backward-weight instances that load patches: splits are workgroups that share the
/// tiles of a block of channels, and write separate sums.

namespace gridwise::hopper {

/// Estimates as many splits as the device has units for, unless the request says. `efficiency`: see
/// HaloCost.
PartEstimate EstimateHaloWeight(const Halo& halo, const PartRequest& request, double efficiency);

/// The launch without the layout of shared memory after a stage's patch, and without its shape.
/// `dy` is the map of that operand.
Plan<HaloArgs> PlanHaloWeight(const Halo& halo, const PartRequest& request, int splits,
                              const TensorMapSpec& dy);

/// Like the functions of hopper/gather/plan.h, for halo instances of backward-weight. Splits are as
/// many as the device has units for, unless the request says.
std::optional<Refusal> RejectProblem(const HaloWeightConfig& config, const ConvProblem& problem);
PartEstimate EstimateLaunch(const HaloWeightConfig& config, const PartRequest& request);
Plan<HaloArgs> PlanHalo(const HaloWeightConfig& config, const PartRequest& request);

}  // namespace gridwise::hopper
