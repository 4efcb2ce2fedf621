#pragma once

#include <array>

#include "core/launch/part_kernel.h"
#include "hopper/halo.h"
#include "hopper/halo_tiling.h"
#include "hopper/plan.h"

/// What rows of backward-weight that load patches have in common: splits are workgroups that share
/// the tiles of a block of channels, and write sums of their own.

namespace gridwise::hopper {

/// As many splits as the device has units for, unless the request says. `efficiency`: see HaloCost.
PartEstimate EstimateHaloWeight(const Halo& halo, const PartRequest& request, double efficiency);

/// The launch but for where things are in shared memory behind a stage's patch, and its shape; a
/// stage has boxes of `dy_box` lines and cells of dy.
Plan<HaloArgs> PlanHaloWeight(const Halo& halo, const PartRequest& request, int splits,
                              const std::array<int, 2>& dy_box);

}  // namespace gridwise::hopper
