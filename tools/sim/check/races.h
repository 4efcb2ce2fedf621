// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace gridwise::sim {

/// Data races by happens-before (Lamport's clocks, as FastTrack and ThreadSanitizer keep them): two
/// accesses of different waves to one byte, one of them a write, not both atomic, and no
/// synchronisation in between. The clock of a wave is the number of its memory instructions.
///
/// Some accesses look like races but are not reported:
/// - a load whose value a compare-and-swap checks before it is used
/// - a store of the value that is already there
/// - a load of a loop that polls LDS, which no instruction marks; it synchronises with the store
///   that it sees
/// - accesses of a wave to a counter after its own read-modify-write of it: they come after those
///   that it saw
/// gfx11's stores do not say that they are atomic: one that meets an atomic access is taken to be.
///
/// Waves synchronise at barriers and by atomics. An atomic that writes publishes what its wave had
/// completed and knew; one that reads takes over what was published at the address. An LDS access,
/// or a store to memory that another workgroup is to see, is complete once the wave has waited for
/// it. gfx9's LDS executes instructions in the order of their issue: only a load from memory to LDS
/// can overtake a read before a barrier.

/// What is known of the waves of one workgroup: the highest clocks whose accesses lie in the past.
/// There are separate clocks for accesses to memory as other workgroups see them, and as waves of
/// the same workgroup do; for accesses to LDS; for reads as later LDS instructions see them; and
/// for loads that write LDS, for which waves wait separately.
struct GroupClocks {
  std::vector<uint32_t> memory, local, lds, lds_reads, to_lds;
  void Join(const GroupClocks& other);
};
/// Clocks by workgroup.
using Clocks = std::map<uint32_t, GroupClocks>;

/// One wave's view.
struct WaveClocks {
  uint32_t group = 0;
  int wave = 0;
  GroupClocks own;                       // of the waves of the own workgroup
  std::shared_ptr<const Clocks> others;  // clocks of other workgroups; null: none
};

/// The access that an access races with.
struct Conflict {
  uint32_t group = 0;
  int wave = 0;
  uint32_t instruction = 0;
  bool writes = false;
  bool found = false;
  int polled = -1;  // the wave whose store a polling load sees, and the store's clock
  uint32_t polled_clock = 0;
};

/// The last accesses to memory: a few for each dword, by byte.
class AccessHistory {
 public:
  struct Access {
    uint32_t group = 0;
    uint16_t wave = 0;
    uint8_t bytes = 0;  // mask; 0: no access
    // Bits, since there are four accesses of each dword.
    bool writes : 1 = false;
    bool atomic : 1 = false;
    bool may_be_atomic : 1 = false;  // a store of a target where atomic ones look like others
    bool compares : 1 = false;       // compare-and-swap
    bool to_lds : 1 = false;         // a load from memory that writes LDS
    bool polls : 1 = false;          // a load in a loop that waits for it to change
    uint32_t clock = 0;
    uint32_t instruction = 0;
    uint32_t order = 0;  // among the accesses of the history
  };

  /// Notes that the wave of `view` makes `access` to `bytes` bytes at `address`. Returns the access
  /// that it races with. `lds`: the address is in the workgroup's LDS.
  Conflict Note(const WaveClocks& view, uint64_t address, uint32_t bytes, Access access, bool lds);
  void Clear() {
    pages_.clear();
    last_page_ = nullptr;
  }

 private:
  static constexpr int kSlots = 4;
  static constexpr uint8_t kAllBytes = 0xf;
  static constexpr uint64_t kLineBytes = 16, kPageBytes = 1024;
  /// The last accesses to a dword.
  struct Cell {
    Access slots[kSlots];
  };
  /// While all accesses to a line cover the whole line, its first cell stands for the others.
  struct Page {
    Cell cells[kPageBytes / 4];
    bool split[kPageBytes / kLineBytes] = {};
  };

  Page& PageOf(uint64_t address);
  /// Notes an access to some bytes of a dword, or of each dword of a line.
  void NoteIn(Cell& cell, const WaveClocks& view, Access access, bool lds, Conflict& conflict);

  std::unordered_map<uint64_t, std::unique_ptr<Page>> pages_;
  Page* last_page_ = nullptr;
  uint64_t last_number_ = 0;
  uint32_t next_victim_ = 0;
  uint32_t next_order_ = 0;
};

/// The memory that malloc on the device cuts blocks out of. On RDNA its library hands a freed block
/// to another wave by relaxed atomics alone (ockl, dm.cl, NEED_RELEASE), which order nothing that
/// could be seen, so races in it are not reported. One object per process; any thread may use it.
class RecycledMemory {
 public:
  static RecycledMemory& Process();
  void Add(uint64_t address, uint64_t bytes);
  void Remove(uint64_t address);
  bool Holds(uint64_t address) const;

 private:
  mutable std::mutex mutex_;
  std::map<uint64_t, uint64_t> ends_;  // by first address
};

/// The clocks that atomics published, by address.
class SyncAddresses {
 public:
  void Publish(uint64_t address, const Clocks& clocks);
  /// Null: nothing was published there.
  const Clocks* Find(uint64_t address) const;
  void Clear() { published_.clear(); }

 private:
  std::unordered_map<uint64_t, Clocks> published_;
};

}  // namespace gridwise::sim
