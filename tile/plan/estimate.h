#pragma once

#include "core/arch/device_facts.h"
#include "core/launch/cost.h"
#include "core/launch/part_kernel.h"
#include "core/launch/share_k.h"
#include "tile/config.h"

namespace gridwise::tile {

/// Estimates a launch of `config` in which `splits` workgroups share the steps of each tile.
Cost EstimateCost(const TileConfig& config, const DeviceFacts& device, const Work& work,
                  int splits);

/// ShareK by the estimates of `config`.
Sharing Complete(Sharing sharing, const TileConfig& config, const DeviceFacts& device,
                 const Work& work);

/// Workgroups of a compute unit at a time, as far as registers and LDS go.
double ResidentWorkgroups(const TileConfig& config, const DeviceFacts& device);

}  // namespace gridwise::tile
