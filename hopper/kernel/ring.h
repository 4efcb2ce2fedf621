#pragma once

#include "core/arch/hopper.h"
#include "hopper/config.h"

namespace gridwise::hopper {

/// The slabs of shared memory that pass from the producer to the consumers and back, in turn.
template <Config kC>
class Ring {
 public:
  GRIDWISE_DEVICE explicit Ring(SharedAddress base) : base_(base) {}

  /// By one thread, before any other uses the ring.
  GRIDWISE_DEVICE static void Init(SharedAddress base) {
    for (int i = 0; i < kC.stages; ++i) {
      Ring(base).FullAt(i).Init(1);
      Ring(base).EmptyAt(i).Init(4 * kC.sharers());  // a lane of every warp
    }
    FenceMbarrierInit();
  }

  GRIDWISE_DEVICE SharedAddress a() const { return base_ + stage_ * kC.stage_bytes(); }
  GRIDWISE_DEVICE SharedAddress b() const { return a() + kC.a_bytes(); }
  GRIDWISE_DEVICE Mbarrier full() const { return FullAt(stage_); }
  GRIDWISE_DEVICE int stage() const { return stage_; }

  GRIDWISE_DEVICE void WaitFull() const { full().Wait(phase_); }
  /// Of the producer, whose first phase is over before it begins.
  GRIDWISE_DEVICE void WaitEmpty() const { EmptyAt(stage_).Wait(phase_ ^ 1); }
  /// By all lanes of a warp, which has read the slab.
  GRIDWISE_DEVICE void Release(int stage) const {
    if (ThreadId() % 32 == 0) EmptyAt(stage).Arrive();
  }

  GRIDWISE_DEVICE void Next() {
    if (++stage_ == kC.stages) stage_ = 0, phase_ ^= 1;
  }
  GRIDWISE_DEVICE void Skip(int slabs) {
    stage_ += slabs;
    phase_ ^= stage_ / kC.stages & 1;
    stage_ %= kC.stages;
  }

 private:
  GRIDWISE_DEVICE Mbarrier FullAt(int stage) const {
    return {base_ + kC.barriers_at() + stage * 16};
  }
  GRIDWISE_DEVICE Mbarrier EmptyAt(int stage) const {
    return {base_ + kC.barriers_at() + stage * 16 + 8};
  }

  SharedAddress base_;
  int stage_ = 0;
  unsigned phase_ = 0;
};

/// Named barriers of the workgroup: 0 is of all threads.
constexpr int StoreBarrier(int group) { return 1 + group; }
constexpr int TurnBarrier(int group) { return 8 + group; }

}  // namespace gridwise::hopper
