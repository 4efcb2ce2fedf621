// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>

#include "hip/hip_runtime_api.h"
#include "tools/sim/hip/device/runtime.h"

/// The memory that the program allocated or registered through HIP, of all devices. Device::memory
/// knows which addresses the device's kernels may touch; this knows what they are to the program.

namespace gridwise::sim {

enum class AllocationKind { kDevice, kHost, kManaged, kRegistered };

struct AllocationType {
  AllocationKind kind = AllocationKind::kDevice;
  unsigned int flags = 0;  // as given to hipHostMalloc, hipMallocManaged or hipHostRegister
  std::shared_ptr<ihipMemPoolHandle_t> pool = nullptr;  // pool.h
};

/// Advice about the use of memory (hipMemAdvise). Programs can read it back; it has no effect.
struct Advice {
  bool read_mostly = false;
  bool coarse_grained = false;
  int preferred = hipInvalidDeviceId;
  int prefetched = hipInvalidDeviceId;
  std::set<int> accessed_by;
};

/// The addresses that a graph's node allocates: the same at every launch, as long as anything may
/// launch the graph. They count as allocated from the start, so that captured operations can be
/// checked. If no launch allocates them, they end with this object.
struct Reservation {
  Reservation(Device& device, void* begin, uint64_t bytes)
      : device(device), begin(begin), bytes(bytes) {}
  ~Reservation();
  Reservation(const Reservation&) = delete;
  Reservation& operator=(const Reservation&) = delete;

  Device& device;
  void* const begin;
  const uint64_t bytes;
};

struct Allocation {
  void* begin = nullptr;
  uint64_t bytes = 0;
  AllocationType type;
  Device* device = nullptr;                            // the current one when it was made
  bool is_reserved = false;                            // a Reservation has its memory
  std::shared_ptr<Reservation> reservation = nullptr;  // while a launch has it allocated
  Advice advice = {};
};

/// Allocates on `device`. Kernels of every device may touch memory other than kDevice. kDevice
/// memory is for `device`, and for devices with peer access to it or access to the pool. 0 bytes
/// give a null pointer. Reports.
hipError_t Allocate(Device& device, size_t bytes, AllocationType type, void** pointer);

/// Frees memory from Allocate; does nothing for null. hipErrorInvalidValue for every other pointer.
/// Reports.
hipError_t Release(void* pointer);

/// Reserves `bytes`, at least one. nullptr if there is not that much memory.
std::shared_ptr<Reservation> Reserve(Device& device, size_t bytes);
/// Allocates what is reserved; Release frees it. Its contents are undefined. Reports.
hipError_t Allocate(std::shared_ptr<Reservation> reservation);

/// Makes the program's own memory known to all devices, and forgets it. Reports.
hipError_t RegisterHost(Device& device, void* pointer, size_t bytes, unsigned int flags);
hipError_t UnregisterHost(void* pointer);

/// The allocation that holds `pointer`.
std::optional<Allocation> FindAllocation(const void* pointer);

/// Changes the advice for the allocation that holds all of [pointer, pointer + bytes); false if
/// there is none.
bool Advise(const void* pointer, size_t bytes, const std::function<void(Advice&)>& change);

/// Sets the access that kernels of `device`, which is not the pool's, have to present and future
/// memory of `pool`. A device that may read may also write.
void SetPoolAccess(ihipMemPoolHandle_t& pool, Device& device, hipMemAccessFlags access);
hipMemAccessFlags PoolAccess(const ihipMemPoolHandle_t& pool, const Device& device);

/// How many bytes a pool has allocated: now, and at most since that was last reset to what it is
/// now.
struct PoolUse {
  uint64_t bytes, most;
};
PoolUse UseOf(const ihipMemPoolHandle_t& pool);
void ResetPeakUsed(ihipMemPoolHandle_t& pool);

/// Peer access: whether kernels of `device` may touch the memory of `peer`.
bool HasPeerAccess(const Device& device, const Device& peer);
void SetPeerAccess(Device& device, Device& peer, bool on);

}  // namespace gridwise::sim
