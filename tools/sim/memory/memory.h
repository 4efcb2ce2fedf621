// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace gridwise::sim {

/// A range of device addresses, which are host addresses: [begin, end).
struct Interval {
  uint64_t begin = 0;
  uint64_t end = 0;

  constexpr uint64_t size() const { return end - begin; }
  /// Whether the bytes [first, last) lie inside.
  constexpr bool Covers(uint64_t first, uint64_t last) const {
    return begin <= first && last <= end && first <= last;
  }
};

/// The allocation map of a simulated device: which host addresses its kernels may touch, to the
/// byte.
///
/// Thread-safe: kernels look addresses up from many threads while the host allocates and frees.
/// Freed addresses are not reused for a while, so that a use after free is found and named as such.
class Memory {
 public:
  /// Memory of `capacity` bytes in all; Allocate fails past them.
  explicit Memory(uint64_t capacity = uint64_t{192} << 30) : capacity_(capacity) {}
  ~Memory();
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  static constexpr uint64_t kPage = 4096;

  /// Allocates zeroed memory at a multiple of `alignment`, which is a power of two and kPage or
  /// more; pages that are never touched cost nothing. `label` says what it is in messages
  /// ("allocation", "pinned host allocation"). Fails when the capacity or the host's memory is
  /// exhausted.
  absl::StatusOr<void*> Allocate(uint64_t bytes, std::string_view label = "allocation",
                                 uint64_t alignment = kPage);

  /// Frees what Allocate returned. An address that is not the start of such an allocation is an
  /// error.
  absl::Status Free(void* pointer);

  /// Lets kernels use memory that somebody else owns. It must not overlap known memory.
  absl::Status Register(const void* pointer, uint64_t bytes, std::string_view label);
  absl::Status Unregister(const void* pointer);

  /// Reserves addresses that no kernel may touch, for something that the simulator lacks. Describe
  /// says that they are `label`.
  absl::StatusOr<uint64_t> Forbid(uint64_t bytes, std::string_view label);

  /// The allocation that holds `address`.
  std::optional<Interval> Find(uint64_t address) const;

  /// Whether `address` was in an allocation that was freed recently.
  bool WasFreed(uint64_t address) const;

  /// Where the `bytes` bytes at `address` are, for messages, as in "0x7f..1000 is 12 bytes past the
  /// end of the 4096-byte allocation at 0x7f..0000".
  std::string Describe(uint64_t address, uint64_t bytes = 1) const;

  uint64_t capacity() const { return capacity_.load(std::memory_order_relaxed); }
  /// Applies to later allocations; those that exist stay, even if they exceed it.
  void set_capacity(uint64_t bytes) { capacity_.store(bytes, std::memory_order_relaxed); }
  uint64_t free_bytes() const {
    const uint64_t all = capacity(), taken = allocated_bytes();
    return all > taken ? all - taken : 0;
  }
  uint64_t allocated_bytes() const { return allocated_.load(std::memory_order_relaxed); }

 private:
  struct Allocation {
    uint64_t bytes;         // what the caller asked for
    uint64_t mapped_bytes;  // 0: owned by somebody else
    std::string label;
  };
  struct Freed {
    uint64_t address;
    Allocation allocation;
  };

  /// The newest freed allocation that had `address`, or null.
  const Freed* FreedLocked(uint64_t address) const;
  absl::Status InsertLocked(uint64_t address, Allocation allocation);
  void QuarantineLocked(uint64_t address, Allocation allocation);

  std::atomic<uint64_t> capacity_;
  std::atomic<uint64_t> allocated_ = 0;
  mutable std::shared_mutex mutex_;
  std::map<uint64_t, Allocation> live_;  // by first address
  std::vector<Freed> forbidden_;         // for Describe; never given out
  std::deque<Freed> freed_;              // oldest first; their addresses are not given out again
};

}  // namespace gridwise::sim
