// SPDX-License-Identifier: MIT
#include <cstdint>
#include <optional>

#include "hip/hip_runtime_api.h"
#include "tools/sim/hip/device/runtime.h"
#include "tools/sim/hip/launch/launch.h"
#include "tools/sim/hip/memory/allocations.h"
#include "tools/sim/hip/stream/capture.h"
#include "tools/sim/hip/stream/queue.h"

// Allocation of all kinds of memory, and how much memory there is.

namespace gridwise::sim {
namespace {

/// Rows of pitched allocations start at multiples of this (imagePitchAlignment of the devices).
constexpr size_t kPitch = 256;

hipError_t AllocateOnCurrent(void** pointer, size_t bytes, AllocationType type) {
  if (pointer == nullptr) return Report(hipErrorInvalidValue);
  if (hipError_t error = MayCallUnsafe(); error != hipSuccess) return Report(error);
  Device* device = NeedDevice();
  return device == nullptr ? hipErrorNoDevice : Allocate(*device, bytes, type, pointer);
}

// hipFree waits for the device, so that no kernel loses its memory.
void WaitForAllThatMayTouch(const void* pointer) {
  std::optional<Allocation> allocation = FindAllocation(pointer);
  if (!allocation && pointer != nullptr) {  // a graph that is yet to run may allocate it
    static_cast<void>(RunDeferred());
    allocation = FindAllocation(pointer);
  }
  if (!allocation) return;
  const bool everybody_s = allocation->type.kind != AllocationKind::kDevice;
  for (const auto& device : Devices()) {
    if (everybody_s || device.get() == allocation->device ||
        HasPeerAccess(*device, *allocation->device)) {
      static_cast<void>(RunDeferred(*device));
      WaitForKernel(*device);
    }
  }
}

hipError_t ReleaseUnlessCaptured(void* pointer) {
  if (hipError_t error = MayCallUnsafe(); error != hipSuccess) return Report(error);
  WaitForAllThatMayTouch(pointer);
  return Release(pointer);
}

hipError_t AllocatePitched(void** pointer, size_t* pitch, size_t width, size_t rows) {
  if (pointer == nullptr || pitch == nullptr) return Report(hipErrorInvalidValue);
  if (width == 0 || rows == 0) {
    *pointer = nullptr;
    return Report(hipSuccess);
  }
  if (width > SIZE_MAX - kPitch) return Report(hipErrorInvalidValue);
  *pitch = (width + kPitch - 1) / kPitch * kPitch;
  if (rows > SIZE_MAX / *pitch) return Report(hipErrorInvalidValue);
  return AllocateOnCurrent(pointer, *pitch * rows, {});
}

constexpr unsigned int kHostFlags = hipHostMallocPortable | hipHostMallocMapped |
                                    hipHostMallocWriteCombined | hipHostMallocNumaUser |
                                    hipHostMallocCoherent | hipHostMallocNonCoherent;
constexpr unsigned int kManagedFlags = hipMemAttachGlobal | hipMemAttachHost;

}  // namespace
}  // namespace gridwise::sim

using namespace gridwise::sim;

extern "C" {

hipError_t hipMalloc(void** pointer, size_t bytes) { return AllocateOnCurrent(pointer, bytes, {}); }

hipError_t hipExtMallocWithFlags(void** pointer, size_t bytes, unsigned int) {
  return hipMalloc(pointer, bytes);
}

hipError_t hipFree(void* pointer) { return ReleaseUnlessCaptured(pointer); }

hipError_t hipHostMalloc(void** pointer, size_t bytes, unsigned int flags) {
  constexpr unsigned int kBoth = hipHostMallocCoherent | hipHostMallocNonCoherent;
  if ((flags & ~kHostFlags) != 0 || (flags & kBoth) == kBoth) return Report(hipErrorInvalidValue);
  return AllocateOnCurrent(pointer, bytes, {AllocationKind::kHost, flags});
}

hipError_t hipHostAlloc(void** pointer, size_t bytes, unsigned int flags) {
  return hipHostMalloc(pointer, bytes, flags);
}
hipError_t hipMallocHost(void** pointer, size_t bytes) { return hipHostMalloc(pointer, bytes, 0); }
hipError_t hipMemAllocHost(void** pointer, size_t bytes) {
  return hipHostMalloc(pointer, bytes, 0);
}
hipError_t hipHostFree(void* pointer) { return ReleaseUnlessCaptured(pointer); }
hipError_t hipFreeHost(void* pointer) { return ReleaseUnlessCaptured(pointer); }

hipError_t hipMallocManaged(void** pointer, size_t bytes, unsigned int flags) {
  if (flags != hipMemAttachGlobal && flags != hipMemAttachHost) return Report(hipErrorInvalidValue);
  return AllocateOnCurrent(pointer, bytes, {AllocationKind::kManaged, flags & kManagedFlags});
}

hipError_t hipMallocPitch(void** pointer, size_t* pitch, size_t width, size_t height) {
  return AllocatePitched(pointer, pitch, width, height);
}

hipError_t hipMemAllocPitch(hipDeviceptr_t* pointer, size_t* pitch, size_t width, size_t height,
                            unsigned int element_bytes) {
  if (element_bytes != 4 && element_bytes != 8 && element_bytes != 16)
    return Report(hipErrorInvalidValue);
  return AllocatePitched(pointer, pitch, width, height);
}

hipError_t hipMalloc3D(hipPitchedPtr* pointer, hipExtent extent) {
  if (pointer == nullptr) return Report(hipErrorInvalidValue);
  if (extent.depth != 0 && extent.height > SIZE_MAX / extent.depth)
    return Report(hipErrorInvalidValue);
  pointer->xsize = extent.width;
  pointer->ysize = extent.height;
  pointer->pitch = 0;
  return AllocatePitched(&pointer->ptr, &pointer->pitch, extent.width,
                         extent.height * extent.depth);
}

hipError_t hipHostRegister(void* pointer, size_t bytes, unsigned int flags) {
  if (pointer == nullptr || bytes == 0) return Report(hipErrorInvalidValue);
  Device* device = NeedDevice();
  return device == nullptr ? hipErrorNoDevice : RegisterHost(*device, pointer, bytes, flags);
}

hipError_t hipHostUnregister(void* pointer) {
  static_cast<void>(RunDeferred());
  return UnregisterHost(pointer);
}

hipError_t hipMemGetInfo(size_t* free_bytes, size_t* total_bytes) {
  Device* device = NeedDevice();
  if (device == nullptr) return hipErrorNoDevice;
  const Memory& memory = device->memory;
  if (free_bytes != nullptr) *free_bytes = memory.free_bytes();
  if (total_bytes != nullptr) *total_bytes = memory.capacity();
  return Report(hipSuccess);
}

// A hint, as those of advice.cc.
hipError_t hipStreamAttachMemAsync(hipStream_t, void* pointer, size_t, unsigned int) {
  return Report(FindAllocation(pointer) ? hipSuccess : hipErrorInvalidValue);
}

}  // extern "C"
