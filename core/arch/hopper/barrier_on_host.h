// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <map>

#include "core/arch/gpu.h"
#include "core/arch/host_threads.h"

/// barrier.h on the host, see on_host.h.

namespace gridwise {

#define GRIDWISE_GRID_CONSTANT

using SharedAddress = unsigned;

alignas(1024) inline char dynamic_shared_memory[227 << 10];
inline SharedAddress DynamicSharedMemory() { return 0; }

/// A barrier that counts threads.
class HostBarrier {
 public:
  /// Returns whether `condition` was true in any thread.
  bool Wait(int threads, bool condition = false) {
    const unsigned phase = phase_;
    Arrive(threads, condition);
    waiters_.WaitUntil([&] { return phase_ != phase; });
    return any_before_;
  }
  void ArriveOnly(int threads) { Arrive(threads, false); }

 private:
  void Arrive(int threads, bool condition) {
    any_ |= condition;
    if (++arrived_ < threads) return;
    arrived_ = 0;
    any_before_ = any_;
    any_ = false;
    ++phase_;
    waiters_.WakeAll();
  }

  HostWaiters waiters_;
  int arrived_ = 0;
  unsigned phase_ = 0;
  bool any_ = false, any_before_ = false;
};

/// An mbarrier's state.
class HostMbarrier {
 public:
  explicit HostMbarrier(int arrivals) : arrivals_(arrivals), missing_(arrivals) {}

  void Change(int arrivals, int bytes) {
    missing_ -= arrivals;
    bytes_ += bytes;
    if (missing_ != 0 || bytes_ != 0) return;
    missing_ = arrivals_;
    ++phase_;
    waiters_.WakeAll();
  }
  void Wait(unsigned parity) {
    waiters_.WaitUntil([&] { return (phase_ & 1) != parity; });
  }

 private:
  HostWaiters waiters_;
  const int arrivals_;
  int missing_, bytes_ = 0;
  unsigned phase_ = 0;
};

/// The workgroup that is running.
struct HostWorkgroup {
  std::array<HostBarrier, 16> named;
  std::array<HostBarrier, 32> of_warp;
  std::array<std::array<std::array<unsigned, 6>, 32>, 32> exchanged;  // warp, lane
  std::map<SharedAddress, HostMbarrier> mbarriers;
};
inline HostWorkgroup* host_workgroup = nullptr;
inline int host_grid_size = 0;

inline int GridSizeX() { return host_grid_size; }
inline void WaitAt(int id, int threads) { host_workgroup->named[id].Wait(threads); }
inline void ArriveAt(int id, int threads) { host_workgroup->named[id].ArriveOnly(threads); }
inline bool AnyAt(int id, int threads, bool condition) {
  return host_workgroup->named[id].Wait(threads, condition);
}
inline void SyncWarp() { host_workgroup->of_warp[ThreadId() / 32].Wait(32); }

/// Returns the values that all lanes of the warp pass.
[[gnu::noinline]] inline std::array<std::array<unsigned, 6>, 32> ExchangeInWarp(
    std::array<unsigned, 6> mine) {
  auto& of_warp = host_workgroup->exchanged[ThreadId() / 32];
  of_warp[ThreadId() % 32] = mine;
  SyncWarp();
  const auto all = of_warp;
  SyncWarp();
  return all;
}

struct Mbarrier {
  SharedAddress at;

  void Init(int arrivals) const { host_workgroup->mbarriers.try_emplace(at, arrivals); }
  void ArriveAndExpect(int bytes) const { State().Change(1, bytes); }
  void Arrive() const { State().Change(1, 0); }
  void ArriveWhenLoaded() const { Arrive(); }
  void Wait(unsigned parity) const { State().Wait(parity); }
  void WaitOfCluster(unsigned parity) const { Wait(parity); }
  HostMbarrier& State() const { return host_workgroup->mbarriers.at(at); }
};
inline void FenceMbarrierInit() {}

}  // namespace gridwise
