// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstring>
#include <iterator>

#include "hip/hip_runtime_api.h"
#include "tools/sim/hip/device/runtime.h"
#include "tools/sim/hip/stream/capture.h"
#include "tools/sim/hip/stream/queue.h"

// Devices: how many there are, which one is current, what they can do.

namespace gridwise::sim {
namespace {

struct Attribute {
  hipDeviceAttribute_t attribute;
  int (*value)(const hipDeviceProp_t&);
};

// 2 GiB - 1 stands for what an int cannot hold.
template <typename T>
int Saturate(T value) {
  return static_cast<int>(std::min<unsigned long long>(value, 2147483647));
}

#define PROPERTY(ATTRIBUTE, MEMBER) \
  {hipDeviceAttribute##ATTRIBUTE, [](const hipDeviceProp_t& p) { return Saturate(p.MEMBER); }}

constexpr Attribute kAttributes[] = {
    PROPERTY(EccEnabled, ECCEnabled),
    PROPERTY(AsyncEngineCount, asyncEngineCount),
    PROPERTY(CanMapHostMemory, canMapHostMemory),
    PROPERTY(ClockRate, clockRate),
    PROPERTY(ComputeMode, computeMode),
    PROPERTY(ConcurrentKernels, concurrentKernels),
    PROPERTY(CooperativeLaunch, cooperativeLaunch),
    PROPERTY(Integrated, integrated),
    PROPERTY(KernelExecTimeout, kernelExecTimeoutEnabled),
    PROPERTY(L2CacheSize, l2CacheSize),
    PROPERTY(ComputeCapabilityMajor, major),
    PROPERTY(ComputeCapabilityMinor, minor),
    PROPERTY(ManagedMemory, managedMemory),
    PROPERTY(MaxBlocksPerMultiProcessor, maxBlocksPerMultiProcessor),
    PROPERTY(MaxBlockDimX, maxThreadsDim[0]),
    PROPERTY(MaxBlockDimY, maxThreadsDim[1]),
    PROPERTY(MaxBlockDimZ, maxThreadsDim[2]),
    PROPERTY(MaxGridDimX, maxGridSize[0]),
    PROPERTY(MaxGridDimY, maxGridSize[1]),
    PROPERTY(MaxGridDimZ, maxGridSize[2]),
    PROPERTY(MaxThreadsPerBlock, maxThreadsPerBlock),
    PROPERTY(MaxThreadsPerMultiProcessor, maxThreadsPerMultiProcessor),
    PROPERTY(MaxPitch, memPitch),
    PROPERTY(MemoryBusWidth, memoryBusWidth),
    PROPERTY(MemoryClockRate, memoryClockRate),
    PROPERTY(MultiprocessorCount, multiProcessorCount),
    {hipDeviceAttributePhysicalMultiProcessorCount,
     [](const hipDeviceProp_t& p) {
       const int units_per_multiprocessor = p.warpSize == 32 ? 2 : 1;
       return p.multiProcessorCount * units_per_multiprocessor;
     }},
    PROPERTY(PciBusId, pciBusID),
    PROPERTY(PciDeviceId, pciDeviceID),
    PROPERTY(PciDomainID, pciDomainID),
    PROPERTY(MaxRegistersPerBlock, regsPerBlock),
    PROPERTY(MaxRegistersPerMultiprocessor, regsPerMultiprocessor),
    PROPERTY(MaxSharedMemoryPerBlock, sharedMemPerBlock),
    PROPERTY(SharedMemPerBlockOptin, sharedMemPerBlockOptin),
    PROPERTY(SharedMemPerMultiprocessor, sharedMemPerMultiprocessor),
    PROPERTY(MaxSharedMemoryPerMultiprocessor, maxSharedMemoryPerMultiProcessor),
    PROPERTY(TotalConstantMemory, totalConstMem),
    PROPERTY(TotalGlobalMem, totalGlobalMem),
    PROPERTY(UnifiedAddressing, unifiedAddressing),
    PROPERTY(WarpSize, warpSize),
    PROPERTY(MemoryPoolsSupported, memoryPoolsSupported),
    PROPERTY(HostRegisterSupported, hostRegisterSupported),
    PROPERTY(ClockInstructionRate, clockInstructionRate),
    PROPERTY(WallClockRate, clockInstructionRate),
    PROPERTY(IsLargeBar, isLargeBar),
    PROPERTY(ConcurrentManagedAccess, concurrentManagedAccess),
    PROPERTY(CooperativeMultiDeviceLaunch, cooperativeMultiDeviceLaunch),
    PROPERTY(DirectManagedMemAccessFromHost, directManagedMemAccessFromHost),
    PROPERTY(HostNativeAtomicSupported, hostNativeAtomicSupported),
    PROPERTY(IsMultiGpuBoard, isMultiGpuBoard),
    PROPERTY(PageableMemoryAccess, pageableMemoryAccess),
    PROPERTY(StreamPrioritiesSupported, streamPrioritiesSupported),
    PROPERTY(TextureAlignment, textureAlignment),
    PROPERTY(TexturePitchAlignment, texturePitchAlignment),
    PROPERTY(SurfaceAlignment, surfaceAlignment),
    PROPERTY(CanUseHostPointerForRegisteredMem, canUseHostPointerForRegisteredMem),
    PROPERTY(ComputePreemptionSupported, computePreemptionSupported),
    PROPERTY(AsicRevision, asicRevision),
    {hipDeviceAttributeVirtualMemoryManagementSupported, [](const hipDeviceProp_t&) { return 0; }},
    {hipDeviceAttributeCanUseStreamWaitValue, [](const hipDeviceProp_t&) { return 1; }},
    {hipDeviceAttributeImageSupport, [](const hipDeviceProp_t&) { return 0; }},
    {hipDeviceAttributeFineGrainSupport, [](const hipDeviceProp_t&) { return 1; }},
};

}  // namespace
}  // namespace gridwise::sim

using namespace gridwise::sim;

extern "C" {

hipError_t hipInit(unsigned int flags) {
  if (flags != 0) return Report(hipErrorInvalidValue);
  return Report(Devices().empty() ? hipErrorNoDevice : hipSuccess);
}

hipError_t hipRuntimeGetVersion(int* version) {
  if (version == nullptr) return Report(hipErrorInvalidValue);
  *version = HIP_VERSION;
  return Report(hipSuccess);
}

hipError_t hipDriverGetVersion(int* version) { return hipRuntimeGetVersion(version); }

hipError_t hipGetDeviceCount(int* count) {
  if (count == nullptr) return Report(hipErrorInvalidValue);
  *count = static_cast<int>(Devices().size());
  return Report(*count == 0 ? hipErrorNoDevice : hipSuccess);
}

hipError_t hipSetDevice(int device) { return Report(SetCurrentDevice(device)); }

hipError_t hipGetDevice(int* device) {
  if (device == nullptr) return Report(hipErrorInvalidValue);
  if (CurrentDevice() == nullptr) return Report(hipErrorNoDevice);
  *device = CurrentDeviceIndex();
  return Report(hipSuccess);
}

hipError_t hipDeviceGet(hipDevice_t* device, int ordinal) {
  if (device == nullptr) return Report(hipErrorInvalidValue);
  if (DeviceAt(ordinal) == nullptr) return Report(hipErrorInvalidDevice);
  *device = ordinal;
  return Report(hipSuccess);
}

hipError_t hipDeviceGetName(char* name, int bytes, hipDevice_t device) {
  if (name == nullptr || bytes <= 0) return Report(hipErrorInvalidValue);
  if (DeviceAt(device) == nullptr) return Report(hipErrorInvalidDevice);
  std::strncpy(name, DeviceAt(device)->properties.name, bytes - 1);
  name[bytes - 1] = 0;
  return Report(hipSuccess);
}

hipError_t hipDeviceTotalMem(size_t* bytes, hipDevice_t device) {
  if (bytes == nullptr) return Report(hipErrorInvalidValue);
  if (DeviceAt(device) == nullptr) return Report(hipErrorInvalidDevice);
  *bytes = DeviceAt(device)->memory.capacity();
  return Report(hipSuccess);
}

hipError_t hipDeviceComputeCapability(int* major, int* minor, hipDevice_t device) {
  if (major == nullptr || minor == nullptr) return Report(hipErrorInvalidValue);
  if (DeviceAt(device) == nullptr) return Report(hipErrorInvalidDevice);
  *major = DeviceAt(device)->properties.major;
  *minor = DeviceAt(device)->properties.minor;
  return Report(hipSuccess);
}

// hip_runtime_api.h makes hipGetDeviceProperties a macro for this versioned name.
hipError_t hipGetDevicePropertiesR0600(hipDeviceProp_t* properties, int device) {
  if (properties == nullptr) return Report(hipErrorInvalidValue);
  if (DeviceAt(device) == nullptr) return Report(hipErrorInvalidDevice);
  *properties = DeviceAt(device)->properties;
  properties->pciBusID = device;
  return Report(hipSuccess);
}

hipError_t hipDeviceGetAttribute(int* value, hipDeviceAttribute_t attribute, int device) {
  if (value == nullptr) return Report(hipErrorInvalidValue);
  if (DeviceAt(device) == nullptr) return Report(hipErrorInvalidDevice);
  const auto* found = std::find_if(std::begin(kAttributes), std::end(kAttributes),
                                   [&](const Attribute& a) { return a.attribute == attribute; });
  if (found == std::end(kAttributes)) return Report(hipErrorInvalidValue);
  *value = found->value(DeviceAt(device)->properties);
  return Report(hipSuccess);
}

hipError_t hipDeviceSynchronize(void) {
  if (CurrentDevice() == nullptr) return Report(hipErrorNoDevice);
  if (hipError_t error = MayWaitForAll(); error != hipSuccess) return Report(error);
  const hipError_t error = RunDeferred(*CurrentDevice());
  return Report(error != hipSuccess ? error : CurrentDevice()->fault.load());
}

// Forgets a kernel's fault. Memory stays allocated: handles to it may be live.
hipError_t hipDeviceReset(void) {
  if (CurrentDevice() == nullptr) return Report(hipErrorNoDevice);
  static_cast<void>(RunDeferred(*CurrentDevice()));
  CurrentDevice()->fault.store(hipSuccess);
  return Report(hipSuccess);
}

}  // extern "C"
