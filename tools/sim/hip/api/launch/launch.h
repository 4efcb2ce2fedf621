// SPDX-License-Identifier: MIT
#pragma once

#include "hip/hip_runtime_api.h"
#include "tools/sim/hip/launch/launch.h"

namespace gridwise::sim {

/// Puts a launch on `stream`: of a handle, which the program calls `named`, or of a host function
/// (or handle, as later HIP versions have it). Report.
hipError_t LaunchHandle(hipFunction_t function, const void* named, const Grid& grid,
                        hipStream_t stream, const LaunchArguments& arguments);
hipError_t LaunchHostFunction(const void* host_function, const Grid& grid, hipStream_t stream,
                              const LaunchArguments& arguments);

}  // namespace gridwise::sim
