// SPDX-License-Identifier: MIT
#include <cstddef>
#include <span>

#include "absl/strings/str_format.h"
#include "hip/hip_runtime_api.h"
#include "tools/sim/hip/abi/hip7.h"
#include "tools/sim/hip/api/launch/launch.h"
#include "tools/sim/hip/device/runtime.h"
#include "tools/sim/hip/launch/launch.h"

// Launches with attributes (HIP 7).

namespace gridwise::sim {
namespace {

// Applies attributes to a launch's grid. Hints about caches and priorities, and domains of
// memory order, change no result: there is one memory, and launches run one after the other.
hipError_t ApplyAttributes(const hipLaunchAttribute* attributes, size_t count, Grid* grid) {
  if (count != 0 && attributes == nullptr) {
    return Report(hipErrorInvalidValue,
                  absl::StrFormat("the launch has %d attributes and no list of them", count));
  }
  for (const hipLaunchAttribute& attribute : std::span(attributes, count)) {
    switch (static_cast<int>(attribute.id)) {
      case hipLaunchAttributeCooperative:
        grid->cooperative = attribute.value.cooperative != 0;
        break;
      case hipLaunchAttributeAccessPolicyWindow:
      case hipLaunchAttributePriority:
      case hipLaunchAttributeMemSyncDomainMap:
      case hipLaunchAttributeMemSyncDomain:
        break;
      case hipLaunchAttributeSynchronizationPolicy:
        return Report(hipErrorInvalidValue,
                      "the launch has a synchronization policy, an attribute of streams");
      default:
        return Report(hipErrorNotSupported,
                      absl::StrFormat("the launch has attribute %d, which is not supported",
                                      static_cast<int>(attribute.id)));
    }
  }
  return hipSuccess;
}

}  // namespace
}  // namespace gridwise::sim

using namespace gridwise::sim;

extern "C" {

hipError_t hipLaunchKernelExC(const hipLaunchConfig_t* config, const void* function,
                              void** parameters) {
  if (config == nullptr) return Report(hipErrorInvalidValue);
  Grid grid = MakeGrid(config->gridDim, config->blockDim, config->dynamicSmemBytes,
                       /*cooperative=*/false);
  const hipError_t error = ApplyAttributes(config->attrs, config->numAttrs, &grid);
  return error != hipSuccess ? error
                             : LaunchHostFunction(function, grid, config->stream, {parameters});
}

hipError_t hipDrvLaunchKernelEx(const HIP_LAUNCH_CONFIG* config, hipFunction_t function,
                                void** parameters, void** extra) {
  if (config == nullptr) return Report(hipErrorInvalidValue);
  Grid grid = MakeGrid(dim3(config->gridDimX, config->gridDimY, config->gridDimZ),
                       dim3(config->blockDimX, config->blockDimY, config->blockDimZ),
                       config->sharedMemBytes, /*cooperative=*/false);
  const hipError_t error = ApplyAttributes(config->attrs, config->numAttrs, &grid);
  return error != hipSuccess
             ? error
             : LaunchHandle(function, function, grid, config->hStream, {parameters, extra});
}

}  // extern "C"
