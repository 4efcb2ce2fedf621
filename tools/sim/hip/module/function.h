// SPDX-License-Identifier: MIT
#pragma once

#include "hip/hip_runtime_api.h"
#include "tools/sim/hip/device/runtime.h"

namespace gridwise::sim {

/// The kernel on `device` that `function` stands for: the program's host function, or a handle,
/// which later HIP versions take in its place. Reports what went wrong.
hipError_t FunctionOn(Device& device, const void* function, hipFunction_t* handle);

/// The same on the current device.
hipError_t CurrentFunction(const void* function, hipFunction_t* handle);

}  // namespace gridwise::sim
