// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "core/arch/target.h"
#include "core/launch/part_kernel.h"
#include "direct/config.h"

namespace gridwise::direct {

/// The kernels of an instance of the direct family, for PartsFamily: forward and backward-data, and
/// backward-weight.
std::shared_ptr<const PartKernel> MakeGatherKernel(const DirectConfig& config, Gfx gfx,
                                                   KernelCode code);
std::shared_ptr<const PartKernel> MakeWeightKernel(const DirectConfig& config, Gfx gfx,
                                                   KernelCode code);

}  // namespace gridwise::direct
