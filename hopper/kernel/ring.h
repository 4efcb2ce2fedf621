// SPDX-License-Identifier: MIT
#pragma once

#include "core/arch/hopper.h"
#include "hopper/base/config.h"

namespace gridwise::hopper {

/// Stages of shared memory that pass from the producer to the consumers and back, in turn. Each
/// stage has a few barriers of 8 bytes at `barriers`: full ones, and an empty one.
///
/// Parities only distinguish adjacent phases of a barrier. If two teams of consumers take turns at
/// an odd number of stages, kTeams is 2 and each team has separate full barriers. Otherwise a team
/// could mistake the other's turn, for which it does not wait, for its own.
template <int kStages, int kTeams = 1>
class Ring {
  static_assert(kTeams == 1 || (kTeams == 2 && kStages % 2 == 1));

 public:
  GRIDWISE_DEVICE Ring(SharedAddress base, int stage_bytes, SharedAddress barriers)
      : base_(base), stage_bytes_(stage_bytes), barriers_(barriers) {}

  /// Called by one thread, before any other uses the ring. `warps` consumer warps read each stage,
  /// which `producers` threads fill.
  GRIDWISE_DEVICE void Init(int warps, int producers = 1) const {
    for (int i = 0; i < kStages; ++i) {
      for (int team = 0; team < kTeams; ++team) FullAt(i, team).Init(producers);
      EmptyAt(i).Init(warps);
    }
    FenceMbarrierInit();
  }

  GRIDWISE_DEVICE SharedAddress at() const { return base_ + stage_ * stage_bytes_; }
  GRIDWISE_DEVICE Mbarrier full() const {
    return FullAt(stage_, kTeams == 1 ? 0 : (cycle_ + stage_) % 2);
  }
  GRIDWISE_DEVICE int stage() const { return stage_; }
  /// The parity of a barrier that has one phase per turn of the ring.
  GRIDWISE_DEVICE unsigned parity() const { return cycle_ & 1; }

  GRIDWISE_DEVICE void WaitFull() const { full().Wait(cycle_ / kTeams & 1); }
  /// Called by the producer, whose first phase is over before it begins.
  GRIDWISE_DEVICE void WaitEmpty() const { EmptyAt(stage_).Wait(~cycle_ & 1); }
  /// Called by all lanes of a warp that has read the stage. Products of values that lanes loaded
  /// from it must have begun, because an arrival does not wait for loads.
  GRIDWISE_DEVICE void Release(int stage) const {
    if (ThreadId() % 32 == 0) EmptyAt(stage).Arrive();
  }

  GRIDWISE_DEVICE void Next() {
    if (++stage_ == kStages) stage_ = 0, ++cycle_;
  }
  GRIDWISE_DEVICE void Skip(int stages) {
    stage_ += stages;
    cycle_ += stage_ / kStages;
    stage_ %= kStages;
  }

 private:
  GRIDWISE_DEVICE Mbarrier FullAt(int stage, int team) const {
    return {barriers_ + (stage * (kTeams + 1) + team) * 8};
  }
  GRIDWISE_DEVICE Mbarrier EmptyAt(int stage) const { return FullAt(stage, kTeams); }

  SharedAddress base_;
  int stage_bytes_;
  SharedAddress barriers_;
  int stage_ = 0;
  unsigned cycle_ = 0;
};

/// K tiles of both operands.
template <Config kC>
class KTileRing : public Ring<kC.stages> {
 public:
  GRIDWISE_DEVICE explicit KTileRing(SharedAddress base)
      : Ring<kC.stages>(base, kC.stage_bytes(), base + kC.barriers_at()), base_(base) {}

  /// The address of A in a k tile.
  GRIDWISE_DEVICE SharedAddress a() const { return this->at(); }
  GRIDWISE_DEVICE SharedAddress b(int k_tile) const {
    return kC.resident > 0 ? base_ + kC.resident_at() + k_tile * kC.b_bytes() : a() + kC.a_bytes();
  }
  /// Counts the bytes of the k tiles of B that stay in shared memory.
  GRIDWISE_DEVICE Mbarrier resident() const { return {base_ + kC.resident_barrier_at()}; }
  /// Where B is transposed: counts the warps that have transposed their columns of the stage.
  GRIDWISE_DEVICE Mbarrier transposed() const { return TransposedAt(this->stage()); }
  GRIDWISE_DEVICE void WaitTransposed() const { transposed().Wait(this->parity()); }
  GRIDWISE_DEVICE Mbarrier TransposedAt(int stage) const {
    return {base_ + kC.transposed_barriers_at() + stage * 8};
  }
  /// Counts the bytes of sums that the others of a cluster send.
  GRIDWISE_DEVICE Mbarrier exchanged() const { return {base_ + kC.exchange_barrier_at()}; }

 private:
  SharedAddress base_;
};

/// Named barriers of the workgroup; 0 is for all threads.
constexpr int StoreBarrier(int group) { return 1 + group; }
constexpr int PingpongBarrier(int group) { return 8 + group; }
constexpr int LeadBarrier(int group) { return 12 + group; }  // for all groups but the first

}  // namespace gridwise::hopper
