#pragma once

#include "core/launch/part_kernel.h"
#include "hopper/halo_args.h"
#include "hopper/halo_tiling.h"
#include "hopper/plan.h"

/// What instances of backward-weight that load patches have in common: splits are workgroups that
/// share the tiles of a block of channels, and write sums of their own.

namespace gridwise::hopper {

/// As many splits as the device has units for, unless the request says. `efficiency`: see HaloCost.
PartEstimate EstimateHaloWeight(const Halo& halo, const PartRequest& request, double efficiency);

/// The launch but for where things are in shared memory behind a stage's patch, and its shape;
/// `dy` is the map of that operand.
Plan<HaloArgs> PlanHaloWeight(const Halo& halo, const PartRequest& request, int splits,
                              const TensorMapSpec& dy);

}  // namespace gridwise::hopper
