// SPDX-License-Identifier: MIT
#pragma once

#include "core/launch/part_kernel.h"
#include "hopper/halo_args.h"
#include "hopper/halo_tiling.h"
#include "hopper/plan.h"

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

}  // namespace gridwise::hopper
