#pragma once

#include "ck/gemm/config.h"
#include "ck/gemm/plan.h"
#include "core/arch/device_facts.h"
#include "core/estimate/tile_cost.h"
#include "core/launch/kernel_needs.h"

namespace gridwise::ck {

/// Workgroups of a compute unit at a time, as far as registers, LDS and waves go: of a kernel that
/// is not compiled as many as its config demands.
double ResidentWorkgroups(const GemmConfig& config, const DeviceFacts& device,
                          const KernelNeeds& needs);

/// What a workgroup does, as estimates need it, of multiplications with these demands.
TileSteps TileStepsOf(const GemmConfig& config, const Demands& demands, const DeviceFacts& device,
                      const KernelNeeds& needs);

}  // namespace gridwise::ck
