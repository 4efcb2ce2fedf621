// SPDX-License-Identifier: MIT
#pragma once

#include "ck/gemm/config.h"
#include "ck/gemm/plan.h"
#include "core/arch/device_facts.h"
#include "core/estimate/tile_cost.h"
#include "core/launch/kernel_needs.h"

namespace gridwise::ck {

/// Workgroups per compute unit at a time, limited by registers, LDS and waves. If the kernel is not
/// compiled, as many as its config demands.
double ResidentWorkgroups(const GemmConfig& config, const DeviceFacts& device,
                          const KernelNeeds& needs);

/// The work of a workgroup, as estimates need it, for multiplications with these demands.
TileSteps MakeTileSteps(const GemmConfig& config, const Demands& demands, const DeviceFacts& device,
                        const KernelNeeds& needs);

}  // namespace gridwise::ck
