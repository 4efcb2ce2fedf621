// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "hip/hip_runtime_api.h"
#include "tools/sim/elf/code_object.h"
#include "tools/sim/hip/device/runtime.h"

namespace gridwise::sim {

/// Workgroups of `items` work-items and `dynamic_lds_bytes` that a compute unit of `device` holds
/// at once, by the registers, LDS and wave slots of the kernel; 0 if it cannot hold one.
int WorkgroupsPerMultiprocessor(const Device& device, const KernelInfo& kernel, uint32_t items,
                                uint64_t dynamic_lds_bytes);

}  // namespace gridwise::sim
