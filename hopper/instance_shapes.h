// SPDX-License-Identifier: MIT
#pragma once

#include "core/launch/instance_shape.h"
#include "hopper/config.h"
#include "hopper/halo.h"
#include "hopper/line.h"
#include "hopper/narrow.h"
#include "hopper/phases.h"
#include "hopper/simt.h"

/// Instances as numbers, for models. Waves are warps; those that multiply exclude the producer's
/// warpgroup. `mma_m` counts all rows of a tile that a warpgroup has, with an instruction for each
/// 64.

namespace gridwise::hopper {

InstanceShape ShapeOf(const Config& config);
InstanceShape ShapeOf(const PhasesConfig& config);
InstanceShape ShapeOf(const HaloConfig& config);
InstanceShape ShapeOf(const HaloWeightConfig& config);
InstanceShape ShapeOf(const HaloDenseConfig& config);
InstanceShape ShapeOf(const LineConfig& config);
InstanceShape ShapeOf(const NarrowWeightConfig& config);
InstanceShape ShapeOf(const SimtConfig& config);

}  // namespace gridwise::hopper
