#pragma once

#include "hip/hip_runtime_api.h"
#include "tools/sim/machine/dispatch.h"

namespace gridwise::sim {

/// How hipModuleLaunchKernel's arguments come: one pointer per argument, or a list of keys.
struct LaunchArguments {
  void** parameters = nullptr;
  void** extra = nullptr;
};

/// Runs `function` to its end. A cooperative grid must fit on the device at once, else
/// hipErrorCooperativeLaunchTooLarge. Reports.
hipError_t Launch(hipFunction_t function, const Grid& grid, const LaunchArguments& arguments);

}  // namespace gridwise::sim
