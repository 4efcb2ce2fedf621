// SPDX-License-Identifier: MIT
#include <cstring>

#include "hip/hip_runtime_api.h"
#include "tools/sim/hip/device/runtime.h"

// Device properties in the layout that programs of HIP 4 and 5 were compiled with. Their names are
// those without a version; hip_runtime_api.h of HIP 6 makes macros of these.

#undef hipGetDeviceProperties
#undef hipChooseDevice
#undef hipDeviceProp_t
#include "hip/hip_deprecated.h"  // needs what comes before

namespace gridwise::sim {
namespace {

hipDeviceProp_tR0000 ToHip5(const hipDeviceProp_tR0600& from) {
  hipDeviceProp_tR0000 to;
  std::memset(static_cast<void*>(&to), 0, sizeof(to));
#define SAME(MEMBER) std::memcpy(&to.MEMBER, &from.MEMBER, sizeof(to.MEMBER))
  static_assert(sizeof(to.name) == sizeof(from.name) &&
                sizeof(to.gcnArchName) == sizeof(from.gcnArchName));
  SAME(name), SAME(totalGlobalMem), SAME(sharedMemPerBlock), SAME(regsPerBlock), SAME(warpSize);
  SAME(maxThreadsPerBlock), SAME(maxThreadsDim), SAME(maxGridSize), SAME(clockRate);
  SAME(memoryClockRate), SAME(memoryBusWidth), SAME(totalConstMem), SAME(major), SAME(minor);
  SAME(multiProcessorCount), SAME(l2CacheSize), SAME(maxThreadsPerMultiProcessor);
  SAME(computeMode), SAME(clockInstructionRate), SAME(arch), SAME(concurrentKernels);
  SAME(pciDomainID), SAME(pciBusID), SAME(pciDeviceID), SAME(maxSharedMemoryPerMultiProcessor);
  SAME(isMultiGpuBoard), SAME(canMapHostMemory), SAME(gcnArchName), SAME(integrated);
  SAME(cooperativeLaunch), SAME(cooperativeMultiDeviceLaunch), SAME(memPitch);
  SAME(textureAlignment), SAME(texturePitchAlignment), SAME(kernelExecTimeoutEnabled);
  SAME(ECCEnabled), SAME(isLargeBar), SAME(asicRevision), SAME(managedMemory);
  SAME(directManagedMemAccessFromHost), SAME(concurrentManagedAccess), SAME(pageableMemoryAccess);
  SAME(pageableMemoryAccessUsesHostPageTables);
#undef SAME
  to.gcnArch = from.major * 100 + from.minor * 10;
  return to;
}

// The device that has what is asked for: as much memory and as many units.
template <typename Properties>
hipError_t Choose(int* device, const Properties* wanted) {
  if (device == nullptr || wanted == nullptr) return Report(hipErrorInvalidValue);
  *device = 0;
  for (const auto& candidate : Devices()) {
    const auto& has = candidate->properties;
    if (has.totalGlobalMem < wanted->totalGlobalMem ||
        has.multiProcessorCount < wanted->multiProcessorCount || has.major < wanted->major) {
      continue;
    }
    *device = IndexOf(*candidate);
    break;
  }
  return Report(Devices().empty() ? hipErrorNoDevice : hipSuccess);
}

}  // namespace
}  // namespace gridwise::sim

using namespace gridwise::sim;

extern "C" {

hipError_t hipGetDevicePropertiesR0000(hipDeviceProp_tR0000* properties, int device) {
  if (properties == nullptr) return Report(hipErrorInvalidValue);
  hipDeviceProp_tR0600 current;
  if (hipError_t error = hipGetDevicePropertiesR0600(&current, device); error != hipSuccess)
    return error;
  *properties = ToHip5(current);
  return Report(hipSuccess);
}
hipError_t hipGetDeviceProperties(hipDeviceProp_tR0000* properties, int device) {
  return hipGetDevicePropertiesR0000(properties, device);
}

hipError_t hipChooseDeviceR0000(int* device, const hipDeviceProp_tR0000* wanted) {
  return Choose(device, wanted);
}
hipError_t hipChooseDevice(int* device, const hipDeviceProp_tR0000* wanted) {
  return Choose(device, wanted);
}
hipError_t hipChooseDeviceR0600(int* device, const hipDeviceProp_tR0600* wanted) {
  return Choose(device, wanted);
}

}  // extern "C"
