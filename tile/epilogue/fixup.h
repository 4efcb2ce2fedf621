// SPDX-License-Identifier: MIT
#pragma once

#include "core/arch/device_order.h"
#include "core/arch/memory.h"
#include "core/arch/sync.h"
#include "tile/config.h"
#include "tile/fixup_args.h"
#include "tile/pipeline/wave_acc.h"
#include "tile/roles.h"

namespace gridwise::tile {

/// For instances that join no splits: a tile's sums are those of its one workgroup.
template <TileConfig kC, Gfx kGfx>
class Fixup {
 public:
  template <class OutputMap>
  GRIDWISE_DEVICE Fixup(const FixupArgs&, const OutputMap&, int) {}
  template <class Meanwhile>
  GRIDWISE_DEVICE bool operator()(WaveAcc<kC>&, Meanwhile meanwhile) const {
    meanwhile();
    return true;
  }
};

/// Workgroups that share the K of a tile write their sums to the workspace. The last one to arrive
/// adds them up in the order of splits, so the result does not depend on which one it is. Each wave
/// does so for its own part of the tile, and waits for no other wave.
///
/// A word counts the splits whose sums are there. It holds the launch's number and that count, or
/// whatever the workspace had in it before, if that was ever written. A wave that sees the latter
/// replaces it by the launch's number. It also does so if it sees the count of all splits, which an
/// earlier launch of a graph left with the same number.
template <TileConfig kC, Gfx kGfx>
  requires(kC.has_fixup())
class Fixup<kC, kGfx> {
 public:
  template <class OutputMap>
  GRIDWISE_DEVICE Fixup(const FixupArgs& args, const OutputMap& output, int split)
      : splits_(WhileWaiting<kC>(args.splits)),
        launch_(WhileWaiting<kC>(args.launch)),
        split_(split),
        word_(WhileWaiting<kC>((DeviceWord*)args.workspace + output.Tile() * kWaves + Wave())),
        sums_(Buffer::From<kGfx>(
            WhileWaiting<kC>(args.workspace + args.sums_at +
                             static_cast<long>(output.Tile()) * splits_ * kC.sum_bytes()))),
        offset_(Opaque(Offset())) {}

  /// Hands over the wave's sums, and does `meanwhile` while they are on their way. Returns whether
  /// the wave has more to do: then `acc` has the sums of all splits.
  template <class Meanwhile>
  GRIDWISE_DEVICE bool operator()(WaveAcc<kC>& acc, Meanwhile meanwhile) const {
    const bool joins = splits_ != 1;
    unsigned long word = 0;
    if (joins) [[likely]] {
      word = Look(word_);
      HandOver(acc);
    }
    meanwhile();
    if (!joins) [[unlikely]]
      return true;
    ReleaseToDevice();
    if (!IsLast(Freeze(word))) return false;
    AcquireFromDevice();
    AddUp(acc);
    return true;
  }

 private:
  using Four = Vec<float, 4>;
  static constexpr int kLanes = kC.mma.lanes(), kWaves = kC.waves.m * kC.waves.n;
  static constexpr int kFours = sizeof(WaveAcc<kC>) / sizeof(Four);  // per lane
  static constexpr int kApart = kLanes * sizeof(Four);               // bytes
  static_assert(kWaves * kLanes * kFours * int{sizeof(Four)} == kC.sum_bytes());
  // Splits whose sums are in flight at a time. More would not arrive earlier, and code that runs
  // once waits for the instruction cache.
  static constexpr int kAtATime = kFours >= 16 ? 1 : kFours >= 4 ? 2 : 4;
  // Of many sums, a half is in flight at a time: all would not fit the registers.
  static constexpr int kPart = kFours > 8 ? kFours / 2 : kFours, kParts = kFours / kPart;
  static_assert(kParts * kPart == kFours);

  struct Fours {
    Four of[kFours];
  };

  GRIDWISE_DEVICE static int Wave() { return Uniform(ThreadId() / kLanes); }
  /// The offset of a lane's first sums of a split; the i-th are i * kApart further.
  GRIDWISE_DEVICE static unsigned Offset() {
    return Wave() * kFours * kApart + Lane<kC>() * sizeof(Four);
  }

  GRIDWISE_DEVICE void HandOver(const WaveAcc<kC>& acc) const {
    const Fours fours = __builtin_bit_cast(Fours, acc);
    for (int i = 0; i < kFours; ++i) {
      sums_.Store(fours.of[i], offset_ + i * kApart, split_ * kC.sum_bytes());
    }
  }

  /// `seen` is a value of the word during the launch, and not yet a count of all splits.
  GRIDWISE_DEVICE bool IsLast(unsigned long seen) const {
    bool is_last = false;
    if (Lane<kC>() == 0) {
      // The compiler would otherwise prepare for several lanes that count up the same word.
      DeviceWord* const word = word_ + Opaque(0);
      if (seen - launch_ >= static_cast<unsigned long>(splits_)) Replace(word, seen, launch_);
      is_last = Freeze(CountUp(word)) - launch_ == static_cast<unsigned long>(splits_ - 1);
    }
    return AnyLane(is_last);
  }

  /// Starts the loads of a part of a split's sums; splits that do not exist read as zeros.
  GRIDWISE_DEVICE void Load(int split, int part, Four (&fours)[kPart]) const {
    const unsigned past = split < splits_ ? 0 : Buffer::kOutOfRange;
    for (int i = 0; i < kPart; ++i) {
      fours[i] = sums_.template Load<Four>((offset_ | past) + (part * kPart + i) * kApart,
                                           split * kC.sum_bytes());
    }
    SchedulingFence();  // loads keep their order
  }

  /// Adds up the sums of all splits: ((0 + 1) + 2) + ... The wave's own are one of the first two,
  /// in either order, or loaded again, which takes less than code that skips them.
  GRIDWISE_DEVICE void AddUp(WaveAcc<kC>& acc) const {
    struct Parts {
      Four of[kParts][kPart];
    };
    Parts sum = __builtin_bit_cast(Parts, acc);
    Four some[kAtATime][kPart];
    if (split_ > 1) {
      for (int p = 0; p < kParts; ++p) Load(0, p, sum.of[p]);
    }
    const int second = split_ == 1 ? 0 : 1;
    Load(second, 0, some[0]);
    for (int s = 1; s < kAtATime; ++s) Load(s + 1, 0, some[s]);
#pragma clang loop unroll(disable)
    for (int first = 1; first < splits_; first += kAtATime) {
      for (int s = 0; s < kAtATime; ++s) {
        for (int p = 0; p < kParts; ++p) {
          for (int i = 0; i < kPart; ++i) sum.of[p][i] += some[s][i];
          const bool is_last = p == kParts - 1;
          const int split = is_last ? first + s + kAtATime : first + s == 1 ? second : first + s;
          Load(split, is_last ? 0 : p + 1, some[s]);
        }
      }
    }
    acc = __builtin_bit_cast(WaveAcc<kC>, sum);
  }

  const int splits_;
  const unsigned long launch_;
  const int split_;
  DeviceWord* const word_;  // of the wave
  const Buffer sums_;
  const unsigned offset_;
};

}  // namespace gridwise::tile
