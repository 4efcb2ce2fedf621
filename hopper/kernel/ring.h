#pragma once

#include "core/arch/hopper.h"
#include "hopper/config.h"

namespace gridwise::hopper {

/// Stages of shared memory that pass from the producer to the consumers and back, in turn. A few
/// barriers of 8 bytes a stage are at `barriers`: full ones, and an empty one.
///
/// Parities tell only neighbouring phases of a barrier apart. So where two teams of consumers take
/// turns at an odd number of stages, kTeams is 2 and each has full barriers of its own: else one
/// could take the turn of the other, which it does not wait for, for its own.
template <int kStages, int kTeams = 1>
class Ring {
  static_assert(kTeams == 1 || (kTeams == 2 && kStages % 2 == 1));

 public:
  GRIDWISE_DEVICE Ring(SharedAddress base, int stage_bytes, SharedAddress barriers)
      : base_(base), stage_bytes_(stage_bytes), barriers_(barriers) {}

  /// By one thread, before any other uses the ring. `warps` of consumers read each stage, which
  /// `producers` threads fill.
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

  GRIDWISE_DEVICE void WaitFull() const { full().Wait(cycle_ / kTeams & 1); }
  /// Of the producer, whose first phase is over before it begins.
  GRIDWISE_DEVICE void WaitEmpty() const { EmptyAt(stage_).Wait(~cycle_ & 1); }
  /// By all lanes of a warp, which has read the stage: products of what lanes loaded from it have
  /// begun, as an arrival does not wait for loads.
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

  /// Of a k tile of a tile.
  GRIDWISE_DEVICE SharedAddress a() const { return this->at(); }
  GRIDWISE_DEVICE SharedAddress b(int k_tile) const {
    return kC.resident > 0 ? base_ + kC.resident_at() + k_tile * kC.b_bytes() : a() + kC.a_bytes();
  }
  /// Counts the bytes of the k tiles of B that stay.
  GRIDWISE_DEVICE Mbarrier resident() const { return {base_ + kC.resident_barrier_at()}; }
  /// And those of the sums that the others of a cluster send.
  GRIDWISE_DEVICE Mbarrier exchanged() const { return {base_ + kC.exchange_barrier_at()}; }

 private:
  SharedAddress base_;
};

/// Named barriers of the workgroup: 0 is of all threads.
constexpr int StoreBarrier(int group) { return 1 + group; }
constexpr int TurnBarrier(int group) { return 8 + group; }
constexpr int LeadBarrier(int group) { return 12 + group; }  // of groups behind the first

}  // namespace gridwise::hopper
