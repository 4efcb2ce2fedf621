// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "tools/sim/check/byte_shadow.h"

namespace gridwise::sim {

/// Which bits of the process's device memory are undefined: memory from hipMalloc that no copy,
/// fill or kernel has written, and bytes to which kernels stored undefined bits. Memory that the
/// host may write directly is not tracked. A page with no known writes that does not hold zeros
/// counts as written.
///
/// Only launches that are checked for undefined values report their stores, so any other launch
/// makes all memory count as defined (Forget).
class DeviceBytes {
 public:
  static DeviceBytes& Process();

  /// Whether anything is tracked.
  bool tracks() const { return tracks_; }

  /// --- What the host does ---
  void Allocated(uint64_t address, uint64_t bytes);
  void Freed(uint64_t address);
  void Written(uint64_t address, uint64_t bytes);
  void Copied(uint64_t to, uint64_t from, uint64_t bytes);
  /// Reports values in this range that a kernel stored and that are entirely undefined.
  void ReadByHost(uint64_t address, uint64_t bytes);
  void Forget();

  /// --- What kernels do, under Lock ---
  std::unique_lock<std::mutex> Lock() { return std::unique_lock(mutex_); }
  /// False: nothing of [first, last) is undefined.
  bool MayBeUndefined(uint64_t first, uint64_t last);
  void Load(uint64_t address, uint32_t bytes, ShadowBytes& out);
  /// `bits` null: all defined.
  void Store(uint64_t address, uint32_t bytes, const uint8_t* bits, uint32_t origin);

 private:
  static constexpr uint64_t kPage = 4096;
  struct Detail {
    uint8_t bits[kPage];
    uint32_t origins[kPage / 4];
    uint32_t undefined = 0;  // bytes
  };
  struct Page {
    bool never_written = true;
    std::unique_ptr<Detail> detail;  // if it is undefined in part
  };
  struct Block {
    uint64_t begin, end;
    std::vector<Page> pages;
    uint64_t undefined_pages;
  };

  Block* Find(uint64_t address);
  /// The page's bytes, null if all of them are defined.
  Detail* Open(Block& block, uint64_t page);
  void Close(Block& block, uint64_t page);
  void DefineLocked(uint64_t address, uint64_t bytes);
  void StoreByte(Block& block, uint64_t address, uint8_t bits, uint32_t origin);

  std::mutex mutex_;
  std::map<uint64_t, Block> blocks_;  // by first address
  std::atomic<bool> tracks_ = false;  // there are blocks
};

}  // namespace gridwise::sim
