// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "core/launch/part_kernel.h"
#include "tile/config.h"

namespace gridwise::tile {

/// The kernels of an instance of the tile family, for PartsFamily: forward and backward-data, for
/// either layout of w, and backward-weight.
std::shared_ptr<const PartKernel> MakeGatherKernel(const TileConfig& config, KernelCode code);
std::shared_ptr<const PartKernel> MakeBwdWeightKernel(const TileConfig& config, KernelCode code);

}  // namespace gridwise::tile
