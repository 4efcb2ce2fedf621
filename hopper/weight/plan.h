// SPDX-License-Identifier: MIT
#pragma once

#include "core/launch/part_kernel.h"
#include "hopper/base/config.h"
#include "hopper/base/plan.h"
#include "hopper/weight/args.h"

namespace gridwise::hopper {

/// Like PlanGather of hopper/gather/plan.h, whose other functions are also for backward-weight.
Plan<WeightArgs> PlanWeight(const Config& config, const PartRequest& request);

}  // namespace gridwise::hopper
