#pragma once

#include "core/arch/device_facts.h"
#include "core/launch/tile_cost.h"
#include "tile/config.h"

namespace gridwise::tile {

/// What a workgroup does, as estimates need it.
TileSteps TileStepsOf(const TileConfig& config, const DeviceFacts& device);

/// Workgroups of a compute unit at a time, as far as registers and LDS go.
double ResidentWorkgroups(const TileConfig& config, const DeviceFacts& device);

}  // namespace gridwise::tile
