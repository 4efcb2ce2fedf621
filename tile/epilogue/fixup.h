// SPDX-License-Identifier: MIT
#pragma once

#include "core/arch/device_order.h"
#include "core/arch/memory.h"
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
  GRIDWISE_DEVICE bool operator()(WaveAcc<kC>&) const { return true; }
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
      : splits_(WhileLoading<kC>(args.splits)),
        launch_(WhileLoading<kC>(args.launch)),
        split_(split),
        word_(WhileLoading<kC>((DeviceWord*)args.workspace + output.Tile() * kWaves + Wave())),
        sums_(Buffer::From<kGfx>(
            WhileLoading<kC>(args.workspace + args.sums_at +
                             static_cast<long>(output.Tile()) * splits_ * kC.sum_bytes()))) {}

  /// Hands over the wave's sums. Returns whether the wave has more to do: then `acc` has the sums
  /// of all splits.
  GRIDWISE_DEVICE bool operator()(WaveAcc<kC>& acc) const {
    if (splits_ == 1) [[unlikely]]
      return true;
    const unsigned long word = Freeze(Look(word_));  // defined once the sums have been stored
    HandOver(acc);
    ReleaseToDevice();
    if (!IsLast(word)) return false;
    AcquireFromDevice();
    AddUp(acc);
    return true;
  }

 private:
  using Four = Vec<float, 4>;
  static constexpr int kLanes = kC.mma.lanes(), kWaves = kC.waves.m * kC.waves.n;
  static constexpr int kFours = sizeof(WaveAcc<kC>) / sizeof(Four);  // per lane
  static_assert(kWaves * kLanes * kFours * int{sizeof(Four)} == kC.sum_bytes());
  // Splits whose sums are in flight at a time, in at most 64 registers.
  static constexpr int kAtATime = kFours >= 16 ? 1 : kFours > 1 ? 16 / kFours : 8;
  // If registers suffice, the wave's own sums are not loaded again.
  static constexpr bool kHasOwn = kFours <= 4;

  struct Fours {
    Four of[kFours];
  };

  GRIDWISE_DEVICE static int Wave() { return Uniform(ThreadId() / kLanes); }
  /// The offset of a lane's `i`-th sums of a split.
  GRIDWISE_DEVICE static unsigned Offset(int i) {
    return (Wave() * kFours + i) * kLanes * sizeof(Four) + Lane<kC>() * sizeof(Four);
  }

  GRIDWISE_DEVICE void HandOver(const WaveAcc<kC>& acc) const {
    const Fours fours = __builtin_bit_cast(Fours, acc);
    for (int i = 0; i < kFours; ++i) {
      sums_.Store(fours.of[i], split_ * kC.sum_bytes() + Offset(i));
    }
  }

  /// `seen` is a value of the word during the launch, and not yet a count of all splits.
  GRIDWISE_DEVICE bool IsLast(unsigned long seen) const {
    bool is_last = false;
    if (Lane<kC>() == 0) {
      if (seen - launch_ >= static_cast<unsigned long>(splits_)) Replace(word_, seen, launch_);
      is_last = Freeze(CountUp(word_)) - launch_ == static_cast<unsigned long>(splits_ - 1);
    }
    return AnyLane(is_last);
  }

  GRIDWISE_DEVICE void AddUp(WaveAcc<kC>& acc) const {
    const Fours own = __builtin_bit_cast(Fours, acc);
    Fours sum = {};
#pragma clang loop unroll(disable)
    for (int first = 0; first < splits_; first += kAtATime) {
      Fours some[kAtATime];
      for (int s = 0; s < kAtATime; ++s) {
        // Splits that do not exist read as zeros.
        const bool loads = first + s < splits_ && !(kHasOwn && first + s == split_);
        const unsigned past = loads ? 0 : Buffer::kOutOfRange;
        for (int i = 0; i < kFours; ++i) {
          some[s].of[i] = sums_.template Load<Four>(Offset(i) | past, (first + s) * kC.sum_bytes());
        }
      }
      for (int s = 0; s < kAtATime; ++s) {
        for (int i = 0; i < kFours; ++i) sum.of[i] += some[s].of[i];
        if (!kHasOwn || first + s != split_) continue;
        for (int i = 0; i < kFours; ++i) sum.of[i] += own.of[i];
      }
    }
    acc = __builtin_bit_cast(WaveAcc<kC>, sum);
  }

  const int splits_;
  const unsigned long launch_;
  const int split_;
  DeviceWord* const word_;  // of the wave
  const Buffer sums_;
};

}  // namespace gridwise::tile
