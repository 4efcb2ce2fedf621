// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <vector>

#include "hip/hip_runtime_api.h"
#include "tools/sim/hip/device/runtime.h"
#include "tools/sim/machine/dispatch.h"

namespace gridwise::sim {

/// Arguments as hipModuleLaunchKernel takes them: one pointer per argument, or a list of keys.
struct LaunchArguments {
  void** parameters = nullptr;
  void** extra = nullptr;
};

/// A launch with a copy of its arguments: the program may change the originals afterwards.
struct KernelOperation {
  hipFunction_t function = nullptr;
  const void* named = nullptr;  // what the program called it: a host function, or the handle
  Grid grid;
  std::vector<std::byte> arguments;  // kernarg segment, the hidden ones are still to come
  // Attributes that a graph's node gives back and that change nothing.
  int priority = 0;
  hipAccessPolicyWindow window = {};
};

/// Checks a launch of a valid `function` and copies its arguments. A cooperative grid must fit on
/// the device at once, else hipErrorCooperativeLaunchTooLarge. Reports what is wrong.
hipError_t MakeKernelOperation(hipFunction_t function, const void* named, const Grid& grid,
                               const LaunchArguments& arguments, KernelOperation* operation);

/// hipErrorCooperativeLaunchTooLarge if the device cannot hold all workgroups of a cooperative grid
/// at once. Reports errors.
hipError_t CheckCooperative(hipFunction_t function, const Grid& grid);

/// The grid of HIP's dimensions.
Grid MakeGrid(const dim3& grid, const dim3& block, size_t dynamic_lds_bytes, bool cooperative);

/// Waits until no kernel of `device` is running, in any thread. Does nothing in a host
/// function that a kernel calls.
void WaitForKernel(Device& device);

/// Runs a kernel to its end. Reports.
hipError_t ExecuteKernel(const KernelOperation& operation);

}  // namespace gridwise::sim
