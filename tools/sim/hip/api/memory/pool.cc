// SPDX-License-Identifier: MIT
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <utility>

#include "absl/strings/str_format.h"
#include "hip/hip_runtime_api.h"
#include "tools/sim/hip/api/memory/find_pool.h"
#include "tools/sim/hip/device/runtime.h"
#include "tools/sim/hip/graph/operation.h"
#include "tools/sim/hip/memory/allocations.h"
#include "tools/sim/hip/stream/capture.h"
#include "tools/sim/hip/stream/queue.h"

// Stream ordered allocation.

namespace gridwise::sim {
namespace {

using Pool = ihipMemPoolHandle_t;

struct Pools {
  std::mutex mutex;
  std::map<Pool*, std::shared_ptr<Pool>> live;
  std::map<const Device*, Pool*> defaults;
  std::map<const Device*, Pool*> current;  // what hipDeviceSetMemPool has set
};

Pools& ThePools() {
  static auto* const pools = new Pools;
  return *pools;
}

Pool* Add(Pools& pools, Device& device, uint64_t max_bytes) {
  auto pool = std::make_shared<Pool>(&device, max_bytes);
  Pool* const handle = pool.get();
  pools.live[handle] = std::move(pool);
  return handle;
}

// The device's own pool; that of its allocations which name none.
Pool* DefaultPool(Pools& pools, Device& device) {
  Pool*& pool = pools.defaults[&device];
  if (pool == nullptr) pool = Add(pools, device, /*max_bytes=*/0);
  return pool;
}

Pool* CurrentPool(Pools& pools, Device& device) {
  const auto set = pools.current.find(&device);
  return set != pools.current.end() ? set->second : DefaultPool(pools, device);
}

hipError_t GivePool(hipMemPool_t* pool, int index, Pool* (*choose)(Pools&, Device&)) {
  if (pool == nullptr) return Report(hipErrorInvalidValue);
  Device* device = DeviceAt(index);
  if (device == nullptr) return Report(hipErrorInvalidDevice);
  std::lock_guard lock(ThePools().mutex);
  *pool = choose(ThePools(), *device);
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

hipError_t AllocateFrom(hipMemPool_t handle, size_t bytes, hipStream_t stream, void** pointer) {
  std::shared_ptr<Pool> pool = FindPool(handle);
  if (pointer == nullptr || pool == nullptr) return Report(hipErrorInvalidValue);
  Device& device = *pool->device;
  if (IsCaptured(stream)) return AllocateCaptured(device, bytes, stream, pointer);
  if (hipError_t error = MayEnqueueUncaptured(stream); error != hipSuccess) return Report(error);
  // Deferred operations of the stream may free memory that this allocation needs.
  if (pool->max_bytes != 0) static_cast<void>(RunDeferred(stream, device));
  return Allocate(device, bytes, {.pool = std::move(pool)}, pointer);
}

// The device of `location`; nullptr for the host and what is no location.
Device* DeviceAt(const hipMemLocation& location) {
  return location.type == hipMemLocationTypeDevice ? sim::DeviceAt(location.id) : nullptr;
}

hipError_t CheckProperties(const hipMemPoolProps& properties) {
  if (properties.allocType != hipMemAllocationTypePinned) {
    return Report(hipErrorInvalidValue,
                  absl::StrFormat("a memory pool has allocations of type %d; it must be "
                                  "hipMemAllocationTypePinned",
                                  static_cast<int>(properties.allocType)));
  }
  // A handle is refused when it is exported.
  if (properties.handleTypes != hipMemHandleTypeNone &&
      properties.handleTypes != hipMemHandleTypePosixFileDescriptor) {
    return Report(hipErrorNotSupported,
                  absl::StrFormat("a memory pool with handles of type %d is not supported",
                                  static_cast<int>(properties.handleTypes)));
  }
  if (DeviceAt(properties.location) == nullptr) {
    return Report(
        hipErrorInvalidValue,
        absl::StrFormat("a memory pool is at location %d of type %d; it must be a device",
                        properties.location.id, static_cast<int>(properties.location.type)));
  }
  return hipSuccess;
}

hipError_t CheckAccess(const Pool& pool, const hipMemAccessDesc& wanted) {
  const Device* const device = DeviceAt(wanted.location);
  const bool none = wanted.flags == hipMemAccessFlagsProtNone;
  if (device == nullptr || (!none && wanted.flags != hipMemAccessFlagsProtRead &&
                            wanted.flags != hipMemAccessFlagsProtReadWrite)) {
    return Report(hipErrorInvalidValue,
                  absl::StrFormat("access %d to a memory pool for location %d of type %d; it must "
                                  "be one of HIP's and for a device",
                                  static_cast<int>(wanted.flags), wanted.location.id,
                                  static_cast<int>(wanted.location.type)));
  }
  if (none && device == pool.device) {
    return Report(hipErrorInvalidValue,
                  absl::StrFormat("access to a memory pool is taken from device %d, its own",
                                  wanted.location.id));
  }
  return hipSuccess;
}

}  // namespace

std::shared_ptr<ihipMemPoolHandle_t> FindPool(hipMemPool_t pool) {
  Pools& pools = ThePools();
  std::lock_guard lock(pools.mutex);
  const auto found = pools.live.find(pool);
  return found == pools.live.end() ? nullptr : found->second;
}

}  // namespace gridwise::sim

using namespace gridwise::sim;

extern "C" {

hipError_t hipMallocAsync(void** pointer, size_t bytes, hipStream_t stream) {
  if (pointer == nullptr) return Report(hipErrorInvalidValue);
  hipMemPool_t pool = nullptr;
  if (NeedDevice() == nullptr) return hipErrorNoDevice;
  if (hipError_t error = GivePool(&pool, CurrentDeviceIndex(), CurrentPool); error != hipSuccess)
    return error;
  return AllocateFrom(pool, bytes, stream, pointer);
}
hipError_t hipFreeAsync(void* pointer, hipStream_t stream) {
  if (IsCaptured(stream))
    return pointer == nullptr ? Report(hipSuccess) : Enqueue(stream, ReleaseOperation{pointer});
  if (hipError_t error = MayEnqueueUncaptured(stream); error != hipSuccess) return Report(error);
  const std::optional<Allocation> allocation = FindAllocation(pointer);
  if (pointer != nullptr && (!allocation || allocation->begin != pointer))
    return Report(hipErrorInvalidValue);
  return Enqueue(stream, CallOperation{[=](Device*) { return Release(pointer); }});
}

hipError_t hipMallocFromPoolAsync(void** pointer, size_t bytes, hipMemPool_t pool,
                                  hipStream_t stream) {
  return AllocateFrom(pool, bytes, stream, pointer);
}

hipError_t hipMemPoolCreate(hipMemPool_t* pool, const hipMemPoolProps* properties) {
  if (pool == nullptr || properties == nullptr) return Report(hipErrorInvalidValue);
  if (hipError_t error = CheckProperties(*properties); error != hipSuccess) return error;
  std::lock_guard lock(ThePools().mutex);
  *pool = Add(ThePools(), *DeviceAt(properties->location), properties->maxSize);
  return Report(hipSuccess);
}

hipError_t hipMemPoolDestroy(hipMemPool_t pool) {
  Pools& pools = ThePools();
  std::lock_guard lock(pools.mutex);
  const auto found = pools.live.find(pool);
  if (found == pools.live.end()) return Report(hipErrorInvalidValue);
  if (DefaultPool(pools, *pool->device) == pool)
    return Report(hipErrorInvalidValue, "a device's default memory pool cannot be destroyed");
  std::erase_if(pools.current, [&](const auto& entry) { return entry.second == pool; });
  pools.live.erase(found);
  return Report(hipSuccess);
}

hipError_t hipMemPoolSetAccess(hipMemPool_t pool, const hipMemAccessDesc* wanted, size_t count) {
  const std::shared_ptr<Pool> found = FindPool(pool);
  if (found == nullptr || (wanted == nullptr && count != 0)) return Report(hipErrorInvalidValue);
  const std::span<const hipMemAccessDesc> all(wanted, count);
  for (const hipMemAccessDesc& one : all) {
    if (hipError_t error = CheckAccess(*found, one); error != hipSuccess) return error;
  }
  for (const hipMemAccessDesc& one : all) {
    Device* const device = DeviceAt(one.location);
    if (device != found->device) SetPoolAccess(*found, *device, one.flags);
  }
  return Report(hipSuccess);
}

hipError_t hipMemPoolGetAccess(hipMemAccessFlags* access, hipMemPool_t pool,
                               hipMemLocation* location) {
  const std::shared_ptr<Pool> found = FindPool(pool);
  if (access == nullptr || found == nullptr || location == nullptr)
    return Report(hipErrorInvalidValue);
  const Device* const device = DeviceAt(*location);
  if (device == nullptr) return Report(hipErrorInvalidValue);
  *access = PoolAccess(*found, *device);
  return Report(hipSuccess);
}

hipError_t hipDeviceGetDefaultMemPool(hipMemPool_t* pool, int device) {
  return GivePool(pool, device, DefaultPool);
}
hipError_t hipDeviceGetMemPool(hipMemPool_t* pool, int device) {
  return GivePool(pool, device, CurrentPool);
}
hipError_t hipDeviceSetMemPool(int index, hipMemPool_t pool) {
  const Device* const device = DeviceAt(index);
  if (device == nullptr) return Report(hipErrorInvalidDevice);
  const std::shared_ptr<Pool> found = FindPool(pool);
  if (found == nullptr) return Report(hipErrorInvalidValue);
  if (found->device != device) {
    return Report(hipErrorInvalidDevice,
                  absl::StrFormat("device %d is given a memory pool of device %d", index,
                                  IndexOf(*found->device)));
  }
  std::lock_guard lock(ThePools().mutex);
  ThePools().current[device] = pool;
  return Report(hipSuccess);
}

hipError_t hipMemPoolTrimTo(hipMemPool_t pool, size_t) {
  return Report(FindPool(pool) != nullptr ? hipSuccess : hipErrorInvalidValue);
}

}  // extern "C"
