// SPDX-License-Identifier: MIT
#include "tools/sim/hip/memory/allocations.h"

#include <sys/mman.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <set>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_format.h"
#include "tools/sim/check/device_bytes.h"
#include "tools/sim/hip/memory/pool.h"
#include "tools/sim/memory/memory.h"

namespace gridwise::sim {
namespace {

struct Table {
  std::mutex mutex;
  std::map<uint64_t, Allocation> allocations;               // by first address
  std::set<std::pair<const Device*, const Device*>> peers;  // {who, whose memory}
};

Table& TheTable() {
  static auto* const table = new Table;
  return *table;
}

uint64_t Address(const void* pointer) { return reinterpret_cast<uint64_t>(pointer); }

constexpr std::string_view Label(AllocationKind kind) {
  switch (kind) {
    case AllocationKind::kDevice:
      return "allocation";
    case AllocationKind::kHost:
      return "pinned host allocation";
    case AllocationKind::kManaged:
      return "managed allocation";
    case AllocationKind::kRegistered:
      return "registered host memory";
  }
  return "";
}

// Whether kernels of `device`, which is not its own, may touch the allocation.
bool IsShownTo(const Table& table, const Allocation& allocation, const Device& device) {
  const ihipMemPoolHandle_t* const pool = allocation.type.pool.get();
  return allocation.type.kind != AllocationKind::kDevice ||
         table.peers.count({&device, allocation.device}) != 0 ||
         (pool != nullptr && pool->access.count(&device) != 0);
}

absl::Status Show(const Allocation& allocation, Device& device) {
  return device.memory.Register(allocation.begin, allocation.bytes, Label(allocation.type.kind));
}

void HideFromOthers(const Table& table, const Allocation& allocation) {
  for (const auto& device : Devices()) {
    if (device.get() == allocation.device || !IsShownTo(table, allocation, *device)) continue;
    device->memory.Unregister(allocation.begin).IgnoreError();
  }
}

// Changes who may touch what, and shows and hides what that changes for kernels of `device`.
template <typename Change>
void ChangeAccess(const Table& table, Device& device, Change change) {
  std::set<const Allocation*> shown;
  for (const auto& [address, allocation] : table.allocations) {
    if (IsShownTo(table, allocation, device)) shown.insert(&allocation);
  }
  change();
  for (const auto& [address, allocation] : table.allocations) {
    const bool is_shown = IsShownTo(table, allocation, device);
    if (allocation.device == &device || is_shown == (shown.count(&allocation) != 0)) continue;
    if (is_shown) {
      Show(allocation, device).IgnoreError();
    } else {
      device.memory.Unregister(allocation.begin).IgnoreError();
    }
  }
}

// Enters the allocation, which its own device's memory knows already.
absl::Status Insert(Table& table, const Allocation& allocation) {
  table.allocations[Address(allocation.begin)] = allocation;
  if (ihipMemPoolHandle_t* const pool = allocation.type.pool.get(); pool != nullptr) {
    pool->used_bytes += allocation.bytes;
    pool->peak_used_bytes = std::max(pool->peak_used_bytes, pool->used_bytes);
  }
  for (const auto& device : Devices()) {
    if (device.get() == allocation.device || !IsShownTo(table, allocation, *device)) continue;
    if (absl::Status status = Show(allocation, *device); !status.ok()) return status;
  }
  return absl::OkStatus();
}

// Makes reserved memory known.
absl::Status ShowReserved(Table& table, Reservation& reserved,
                          std::shared_ptr<Reservation> allocated) {
  const Allocation allocation = {.begin = reserved.begin,
                                 .bytes = reserved.bytes,
                                 .type = {},
                                 .device = &reserved.device,
                                 .is_reserved = true,
                                 .reservation = std::move(allocated)};
  if (absl::Status status = Show(allocation, reserved.device); !status.ok()) return status;
  return Insert(table, allocation);
}

absl::Status End(const Allocation& allocation) {
  Memory& memory = allocation.device->memory;
  return allocation.is_reserved ? memory.Unregister(allocation.begin)
                                : memory.Free(allocation.begin);
}

// The allocation that begins at `pointer`, taken out of the table; nothing if there is none or it
// is not one that the caller may end.
std::optional<Allocation> Take(Table& table, const void* pointer, bool registered) {
  const auto found = table.allocations.find(Address(pointer));
  if (found == table.allocations.end()) return std::nullopt;
  Allocation allocation = found->second;
  if ((allocation.type.kind == AllocationKind::kRegistered) != registered) return std::nullopt;
  HideFromOthers(table, allocation);
  if (allocation.type.pool != nullptr) allocation.type.pool->used_bytes -= allocation.bytes;
  table.allocations.erase(found);
  return allocation;
}

}  // namespace

hipError_t Allocate(Device& device, size_t bytes, AllocationType type, void** pointer) {
  *pointer = nullptr;
  if (bytes == 0) return Report(hipSuccess);
  Table& table = TheTable();
  std::lock_guard lock(table.mutex);
  const ihipMemPoolHandle_t* const pool = type.pool.get();
  if (pool != nullptr && pool->max_bytes != 0 && bytes > pool->max_bytes - pool->used_bytes) {
    return Report(hipErrorOutOfMemory,
                  absl::StrFormat("the memory pool has %u bytes, of which %u are in use; %u are "
                                  "asked for",
                                  pool->max_bytes, pool->used_bytes, bytes));
  }
  const absl::StatusOr<void*> memory = device.memory.Allocate(bytes, Label(type.kind));
  if (!memory.ok()) return Report(hipErrorOutOfMemory);
  if (absl::Status status = Insert(table, {*memory, bytes, type, &device}); !status.ok())
    return Report(hipErrorOutOfMemory, status);
  *pointer = *memory;
  if (type.kind == AllocationKind::kDevice)
    DeviceBytes::Process().Allocated(Address(*memory), bytes);
  return Report(hipSuccess);
}

hipError_t Release(void* pointer) {
  if (pointer == nullptr) return Report(hipSuccess);
  Table& table = TheTable();
  std::optional<Allocation> allocation;  // outlives the lock: its end may end a reservation
  std::lock_guard lock(table.mutex);
  DeviceBytes::Process().Freed(Address(pointer));
  allocation = Take(table, pointer, /*registered=*/false);
  if (!allocation || !End(*allocation).ok()) return Report(hipErrorInvalidValue);
  return Report(hipSuccess);
}

std::shared_ptr<Reservation> Reserve(Device& device, size_t bytes) {
  if (bytes > device.memory.free_bytes()) return nullptr;
  // As in Memory, a byte after the end stays unknown.
  void* const begin = mmap(nullptr, bytes + 1, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (begin == MAP_FAILED) return nullptr;
  auto reservation = std::make_shared<Reservation>(device, begin, bytes);
  Table& table = TheTable();
  std::lock_guard lock(table.mutex);
  ShowReserved(table, *reservation, nullptr).IgnoreError();  // addresses that nobody else has
  return reservation;
}

Reservation::~Reservation() {
  Table& table = TheTable();
  std::lock_guard lock(table.mutex);
  if (const std::optional<Allocation> allocation = Take(table, begin, /*registered=*/false))
    End(*allocation).IgnoreError();
  munmap(begin, bytes + 1);
}

hipError_t Allocate(std::shared_ptr<Reservation> reservation) {
  Table& table = TheTable();
  std::lock_guard lock(table.mutex);
  Reservation& reserved = *reservation;
  const auto known = table.allocations.find(Address(reserved.begin));
  if (known != table.allocations.end()) {
    known->second.reservation = std::move(reservation);
  } else if (absl::Status status = ShowReserved(table, reserved, std::move(reservation));
             !status.ok()) {
    return Report(hipErrorOutOfMemory, status);
  }
  DeviceBytes::Process().Freed(Address(reserved.begin));
  DeviceBytes::Process().Allocated(Address(reserved.begin), reserved.bytes);
  return Report(hipSuccess);
}

hipError_t RegisterHost(Device& device, void* pointer, size_t bytes, unsigned int flags) {
  Table& table = TheTable();
  std::lock_guard lock(table.mutex);
  const Allocation allocation = {pointer, bytes, {AllocationKind::kRegistered, flags}, &device};
  if (!Show(allocation, device).ok()) return Report(hipErrorHostMemoryAlreadyRegistered);
  const absl::Status status = Insert(table, allocation);
  return status.ok() ? Report(hipSuccess) : Report(hipErrorHostMemoryAlreadyRegistered, status);
}

hipError_t UnregisterHost(void* pointer) {
  Table& table = TheTable();
  std::lock_guard lock(table.mutex);
  const std::optional<Allocation> allocation = Take(table, pointer, /*registered=*/true);
  if (!allocation || !allocation->device->memory.Unregister(pointer).ok())
    return Report(hipErrorHostMemoryNotRegistered);
  return Report(hipSuccess);
}

std::optional<Allocation> FindAllocation(const void* pointer) {
  Table& table = TheTable();
  std::lock_guard lock(table.mutex);
  auto next = table.allocations.upper_bound(Address(pointer));
  if (next == table.allocations.begin()) return std::nullopt;
  const Allocation& allocation = std::prev(next)->second;
  if (Address(pointer) - Address(allocation.begin) >= allocation.bytes) return std::nullopt;
  return allocation;
}

bool HasPeerAccess(const Device& device, const Device& peer) {
  Table& table = TheTable();
  std::lock_guard lock(table.mutex);
  return table.peers.count({&device, &peer}) != 0;
}

void SetPeerAccess(Device& device, Device& peer, bool on) {
  Table& table = TheTable();
  std::lock_guard lock(table.mutex);
  ChangeAccess(table, device, [&] {
    if (on) {
      table.peers.insert({&device, &peer});
    } else {
      table.peers.erase({&device, &peer});
    }
  });
}

bool Advise(const void* pointer, size_t bytes, const std::function<void(Advice&)>& change) {
  Table& table = TheTable();
  std::lock_guard lock(table.mutex);
  const auto next = table.allocations.upper_bound(Address(pointer));
  if (next == table.allocations.begin()) return false;
  Allocation& allocation = std::prev(next)->second;
  const uint64_t offset = Address(pointer) - Address(allocation.begin);
  if (offset >= allocation.bytes || bytes > allocation.bytes - offset) return false;
  change(allocation.advice);
  return true;
}

void SetPoolAccess(ihipMemPoolHandle_t& pool, Device& device, hipMemAccessFlags access) {
  Table& table = TheTable();
  std::lock_guard lock(table.mutex);
  ChangeAccess(table, device, [&] {
    if (access == hipMemAccessFlagsProtNone) {
      pool.access.erase(&device);
    } else {
      pool.access[&device] = access;
    }
  });
}

hipMemAccessFlags PoolAccess(const ihipMemPoolHandle_t& pool, const Device& device) {
  std::lock_guard lock(TheTable().mutex);
  if (&device == pool.device) return hipMemAccessFlagsProtReadWrite;
  const auto found = pool.access.find(&device);
  return found == pool.access.end() ? hipMemAccessFlagsProtNone : found->second;
}

PoolUse UseOf(const ihipMemPoolHandle_t& pool) {
  std::lock_guard lock(TheTable().mutex);
  return {pool.used_bytes, pool.peak_used_bytes};
}

void ResetPeakUsed(ihipMemPoolHandle_t& pool) {
  std::lock_guard lock(TheTable().mutex);
  pool.peak_used_bytes = pool.used_bytes;
}

}  // namespace gridwise::sim
