// SPDX-License-Identifier: MIT
#pragma once

#include "core/launch/instance_shape.h"
#include "hopper/base/config.h"
#include "hopper/dense_halo/config.h"
#include "hopper/depthwise/config.h"
#include "hopper/halo/config.h"
#include "hopper/halo_weight/config.h"
#include "hopper/line/config.h"
#include "hopper/narrow/config.h"
#include "hopper/phases/config.h"
#include "hopper/simt/config.h"

/// Instances as numbers, for models. Waves are warps; those that multiply exclude the producer's
/// warpgroup. `mma_m` counts all rows of a tile that a warpgroup has, with an instruction for each
/// 64.

namespace gridwise::hopper {

InstanceShape ShapeOf(const Config& config);
InstanceShape ShapeOf(const PhasesConfig& config);
InstanceShape ShapeOf(const HaloConfig& config);
InstanceShape ShapeOf(const HaloWeightConfig& config);
InstanceShape ShapeOf(const HaloDenseConfig& config);
InstanceShape ShapeOf(const DepthwiseWeightConfig& config);
InstanceShape ShapeOf(const LineConfig& config);
InstanceShape ShapeOf(const NarrowWeightConfig& config);
InstanceShape ShapeOf(const SimtConfig& config);

}  // namespace gridwise::hopper
