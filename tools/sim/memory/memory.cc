// SPDX-License-Identifier: MIT
#include "tools/sim/memory/memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <mutex>
#include <utility>

#include "absl/strings/str_format.h"
#include "core/base/math.h"

namespace gridwise::sim {
namespace {

// Freed blocks keep their addresses, without pages behind them, until this many newer ones were
// freed.
constexpr size_t kQuarantineBlocks = 4096;
// A pointer this close to an allocation is described by it.
constexpr uint64_t kNeighbourhood = uint64_t{64} << 20;
constexpr uint64_t kHead = 64;  // bytes at the beginning of what is forbidden

std::string Block(uint64_t address, uint64_t bytes, std::string_view label) {
  return absl::StrFormat("the %u-byte %s at %#x", bytes, label, address);
}

// Fresh pages at a multiple of `alignment`; null if the host has none.
void* Map(uint64_t bytes, uint64_t alignment) {
  const uint64_t slack = alignment - Memory::kPage;
  void* pointer = mmap(nullptr, bytes + slack, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (pointer == MAP_FAILED) return nullptr;
  const uint64_t begin = reinterpret_cast<uint64_t>(pointer);
  const uint64_t front = AlignUp(begin, alignment) - begin;
  if (front != 0) munmap(pointer, front);
  void* aligned = reinterpret_cast<void*>(begin + front);
  if (front != slack) munmap(reinterpret_cast<void*>(begin + front + bytes), slack - front);
  return aligned;
}

}  // namespace

Memory::~Memory() {
  for (const auto& [address, allocation] : live_) {
    if (allocation.mapped_bytes != 0)
      munmap(reinterpret_cast<void*>(address), allocation.mapped_bytes);
  }
  for (const Freed& range : forbidden_) {
    munmap(reinterpret_cast<void*>(range.address), range.allocation.mapped_bytes);
  }
  for (const Freed& freed : freed_) {
    munmap(reinterpret_cast<void*>(freed.address), freed.allocation.mapped_bytes);
  }
}

absl::StatusOr<void*> Memory::Allocate(uint64_t bytes, std::string_view label, uint64_t alignment) {
  std::unique_lock lock(mutex_);
  const uint64_t free_bytes = this->free_bytes();
  if (bytes > free_bytes) {
    return absl::ResourceExhaustedError(absl::StrFormat(
        "an allocation of %u bytes does not fit: %u of the device's %u bytes are free", bytes,
        free_bytes, capacity()));
  }
  // At least one byte past the end stays unknown, so that no two allocations touch.
  const uint64_t mapped_bytes = (bytes / kPage + 1) * kPage;
  void* pointer = Map(mapped_bytes, alignment);
  if (pointer == nullptr) {
    return absl::ResourceExhaustedError(
        absl::StrFormat("the host cannot map %u bytes", mapped_bytes));
  }
  if (mapped_bytes >= (uint64_t{4} << 20)) madvise(pointer, mapped_bytes, MADV_HUGEPAGE);
  const uint64_t address = reinterpret_cast<uint64_t>(pointer);
  absl::Status status = InsertLocked(address, {bytes, mapped_bytes, std::string(label)});
  if (!status.ok()) {
    munmap(pointer, mapped_bytes);
    return status;
  }
  allocated_ += bytes;
  return pointer;
}

absl::Status Memory::Free(void* pointer) {
  const uint64_t address = reinterpret_cast<uint64_t>(pointer);
  std::unique_lock lock(mutex_);
  const auto found = live_.find(address);
  if (found == live_.end() || found->second.mapped_bytes == 0) {
    lock.unlock();
    return absl::InvalidArgumentError(
        absl::StrFormat("cannot free %#x: it is not the start of a live allocation; %s", address,
                        Describe(address)));
  }
  allocated_ -= found->second.bytes;
  QuarantineLocked(address, std::move(found->second));
  live_.erase(found);
  return absl::OkStatus();
}

absl::Status Memory::Register(const void* pointer, uint64_t bytes, std::string_view label) {
  std::unique_lock lock(mutex_);
  return InsertLocked(reinterpret_cast<uint64_t>(pointer), {bytes, 0, std::string(label)});
}

absl::Status Memory::Unregister(const void* pointer) {
  const uint64_t address = reinterpret_cast<uint64_t>(pointer);
  std::unique_lock lock(mutex_);
  const auto found = live_.find(address);
  if (found == live_.end() || found->second.mapped_bytes != 0) {
    return absl::InvalidArgumentError(absl::StrFormat("no memory is registered at %#x", address));
  }
  live_.erase(found);
  return absl::OkStatus();
}

absl::StatusOr<uint64_t> Memory::Forbid(uint64_t bytes, std::string_view label) {
  void* pointer =
      mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (pointer == MAP_FAILED)
    return absl::ResourceExhaustedError(absl::StrFormat("the host cannot map %u bytes", bytes));
  const uint64_t address = reinterpret_cast<uint64_t>(pointer);
  std::unique_lock lock(mutex_);
  forbidden_.push_back({address, {bytes, bytes, std::string(label)}});
  return address;
}

std::optional<Interval> Memory::Find(uint64_t address) const {
  std::shared_lock lock(mutex_);
  auto next = live_.upper_bound(address);
  if (next == live_.begin()) return std::nullopt;
  const auto& [begin, allocation] = *--next;
  if (address - begin >= allocation.bytes) return std::nullopt;
  return Interval{begin, begin + allocation.bytes};
}

const Memory::Freed* Memory::FreedLocked(uint64_t address) const {
  const auto found = std::find_if(freed_.rbegin(), freed_.rend(), [&](const Freed& freed) {
    return address - freed.address < freed.allocation.bytes;
  });
  return found == freed_.rend() ? nullptr : &*found;
}

bool Memory::WasFreed(uint64_t address) const {
  std::shared_lock lock(mutex_);
  return FreedLocked(address) != nullptr;
}

std::string Memory::Describe(uint64_t address, uint64_t bytes) const {
  if (address < kPage) return absl::StrFormat("%#x is a null pointer", address);
  std::shared_lock lock(mutex_);
  for (const Freed& range : forbidden_) {
    // Whoever means it begins at its head; elsewhere it is hit by chance.
    if (address - range.address < kHead)
      return absl::StrFormat("%#x is in %s", address, range.allocation.label);
  }
  if (const Freed* freed = FreedLocked(address); freed != nullptr) {
    return absl::StrFormat("%#x is %u bytes into %s, which was freed", address,
                           address - freed->address,
                           Block(freed->address, freed->allocation.bytes, freed->allocation.label));
  }
  const auto next = live_.upper_bound(address);
  const uint64_t to_next = next == live_.end() ? kNeighbourhood : next->first - address;
  if (next != live_.begin()) {
    const auto& [begin, allocation] = *std::prev(next);
    const std::string block = Block(begin, allocation.bytes, allocation.label);
    const uint64_t offset = address - begin;
    if (offset + bytes <= allocation.bytes)
      return absl::StrFormat("%#x is %u bytes into %s", address, offset, block);
    if (offset < allocation.bytes) {
      return absl::StrFormat("%#x is %u bytes into %s, whose end is %u bytes on", address, offset,
                             block, allocation.bytes - offset);
    }
    if (offset == allocation.bytes) return absl::StrFormat("%#x is the end of %s", address, block);
    if (offset - allocation.bytes < kNeighbourhood && offset - allocation.bytes <= to_next) {
      return absl::StrFormat("%#x is %u bytes past the end of %s", address,
                             offset - allocation.bytes, block);
    }
  }
  if (to_next < kNeighbourhood) {
    return absl::StrFormat("%#x is %u bytes before %s", address, to_next,
                           Block(next->first, next->second.bytes, next->second.label));
  }
  return absl::StrFormat("%#x is in no allocation and near none", address);
}

absl::Status Memory::InsertLocked(uint64_t address, Allocation allocation) {
  const uint64_t end = address + allocation.bytes;
  const auto next = live_.lower_bound(address);
  if (next != live_.end() && next->first < end) {
    return absl::AlreadyExistsError(
        absl::StrFormat("[%#x, %#x) overlaps %s", address, end,
                        Block(next->first, next->second.bytes, next->second.label)));
  }
  if (next != live_.begin()) {
    const auto& [begin, other] = *std::prev(next);
    if (begin + other.bytes > address) {
      return absl::AlreadyExistsError(absl::StrFormat("[%#x, %#x) overlaps %s", address, end,
                                                      Block(begin, other.bytes, other.label)));
    }
  }
  if (!live_.try_emplace(address, std::move(allocation)).second) {
    return absl::AlreadyExistsError(
        absl::StrFormat("an allocation begins at %#x already", address));
  }
  return absl::OkStatus();
}

void Memory::QuarantineLocked(uint64_t address, Allocation allocation) {
  // The pages go back at once, if the system lets them; only the addresses stay taken.
  static_cast<void>(mmap(reinterpret_cast<void*>(address), allocation.mapped_bytes,
                         PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0));
  freed_.push_back({address, std::move(allocation)});
  if (freed_.size() <= kQuarantineBlocks) return;
  munmap(reinterpret_cast<void*>(freed_.front().address), freed_.front().allocation.mapped_bytes);
  freed_.pop_front();
}

}  // namespace gridwise::sim
