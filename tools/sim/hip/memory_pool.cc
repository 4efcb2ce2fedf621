#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "hip/hip_runtime_api.h"
#include "tools/sim/hip/allocations.h"
#include "tools/sim/hip/capture.h"
#include "tools/sim/hip/operation.h"
#include "tools/sim/hip/runtime.h"

// Stream ordered allocation. Every device has one pool, which keeps nothing: what is freed is freed
// at once.

namespace gridwise::sim {
namespace {

// A pool is its device.
hipMemPool_t PoolOf(Device& device) { return reinterpret_cast<hipMemPool_t>(&device); }

Device* DeviceOfPool(hipMemPool_t pool) {
  for (const auto& device : Devices()) {
    if (PoolOf(*device) == pool) return device.get();
  }
  return nullptr;
}

hipError_t GivePool(hipMemPool_t* pool, int index) {
  if (pool == nullptr) return Report(hipErrorInvalidValue);
  Device* device = DeviceAt(index);
  if (device == nullptr) return Report(hipErrorInvalidDevice);
  *pool = PoolOf(*device);
  return Report(hipSuccess);
}

// Captured, the memory is known at once and allocated when the graph is launched.
hipError_t AllocateCaptured(Device& device, size_t bytes, hipStream_t stream, void** pointer) {
  *pointer = nullptr;
  if (bytes == 0) return Report(hipSuccess);
  std::shared_ptr<Reservation> memory = Reserve(device, bytes);
  if (memory == nullptr) return Report(hipErrorOutOfMemory);
  void* const begin = memory->begin;
  const hipError_t error = Enqueue(stream, AllocateOperation{std::move(memory)});
  if (error == hipSuccess) *pointer = begin;
  return error;
}

hipError_t AllocateOn(Device& device, size_t bytes, hipStream_t stream, void** pointer) {
  if (IsCaptured(stream)) return AllocateCaptured(device, bytes, stream, pointer);
  if (hipError_t error = MayEnqueueUncaptured(stream); error != hipSuccess) return Report(error);
  return Allocate(device, bytes, {}, pointer);
}

}  // namespace
}  // namespace gridwise::sim

using namespace gridwise::sim;

extern "C" {

hipError_t hipMallocAsync(void** pointer, size_t bytes, hipStream_t stream) {
  if (pointer == nullptr) return Report(hipErrorInvalidValue);
  Device* device = NeedDevice();
  return device == nullptr ? hipErrorNoDevice : AllocateOn(*device, bytes, stream, pointer);
}
hipError_t hipFreeAsync(void* pointer, hipStream_t stream) {
  if (IsCaptured(stream))
    return pointer == nullptr ? Report(hipSuccess) : Enqueue(stream, ReleaseOperation{pointer});
  if (hipError_t error = MayEnqueueUncaptured(stream); error != hipSuccess) return Report(error);
  return Release(pointer);
}

hipError_t hipMallocFromPoolAsync(void** pointer, size_t bytes, hipMemPool_t pool,
                                  hipStream_t stream) {
  Device* device = DeviceOfPool(pool);
  if (pointer == nullptr || device == nullptr) return Report(hipErrorInvalidValue);
  return AllocateOn(*device, bytes, stream, pointer);
}

hipError_t hipDeviceGetDefaultMemPool(hipMemPool_t* pool, int device) {
  return GivePool(pool, device);
}
hipError_t hipDeviceGetMemPool(hipMemPool_t* pool, int device) { return GivePool(pool, device); }

hipError_t hipMemPoolTrimTo(hipMemPool_t pool, size_t) {
  return Report(DeviceOfPool(pool) != nullptr ? hipSuccess : hipErrorInvalidValue);
}

// How much a pool keeps, and how it reuses it, can be set and changes nothing.
hipError_t hipMemPoolSetAttribute(hipMemPool_t pool, hipMemPoolAttr, void* value) {
  return Report(DeviceOfPool(pool) != nullptr && value != nullptr ? hipSuccess
                                                                  : hipErrorInvalidValue);
}

hipError_t hipMemPoolGetAttribute(hipMemPool_t pool, hipMemPoolAttr attribute, void* value) {
  const Device* device = DeviceOfPool(pool);
  if (device == nullptr || value == nullptr) return Report(hipErrorInvalidValue);
  switch (attribute) {
    case hipMemPoolReuseFollowEventDependencies:
    case hipMemPoolReuseAllowOpportunistic:
    case hipMemPoolReuseAllowInternalDependencies:
      *static_cast<int*>(value) = 0;
      return Report(hipSuccess);
    case hipMemPoolAttrReleaseThreshold:
    case hipMemPoolAttrReservedMemHigh:
    case hipMemPoolAttrUsedMemHigh:
      *static_cast<uint64_t*>(value) = 0;
      return Report(hipSuccess);
    case hipMemPoolAttrReservedMemCurrent:
    case hipMemPoolAttrUsedMemCurrent:
      *static_cast<uint64_t*>(value) = device->memory.allocated_bytes();
      return Report(hipSuccess);
    default:
      return Report(hipErrorInvalidValue);
  }
}

}  // extern "C"
