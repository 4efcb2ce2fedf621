#pragma once

#include "core/arch/device_order.h"
#include "core/arch/memory.h"
#include "tile/config.h"
#include "tile/join_args.h"
#include "tile/pipeline/wave_acc.h"
#include "tile/roles.h"

namespace gridwise::tile {

/// Of rows that join no splits: a tile's sums are those of its one workgroup.
template <TileConfig kC, Gfx kGfx>
class JoinSplits {
 public:
  template <class Place>
  GRIDWISE_DEVICE JoinSplits(const JoinArgs&, const Place&, int) {}
  GRIDWISE_DEVICE bool operator()(WaveAcc<kC>&) const { return true; }
};

/// Workgroups that share the K of a tile write their sums to the workspace; whichever is the last
/// adds them up in the order of splits, so that the result does not depend on which one it is. Each
/// wave does so for its own part of the tile, and waits for no other.
///
/// A word for each split says that its sums are there: it is the launch's number, and whatever else
/// the workspace had in it before. A wave writes its own word and then looks at all: the last one
/// that writes sees the others', and those who see all of them agree on one, who takes the first
/// word's number away. It leaves zeros behind, so that a graph may launch the same number again.
template <TileConfig kC, Gfx kGfx>
  requires(kC.joins_splits())
class JoinSplits<kC, kGfx> {
 public:
  template <class Place>
  GRIDWISE_DEVICE JoinSplits(const JoinArgs& args, const Place& place, int split)
      : splits_(WhileLoading<kC>(args.splits)),
        launch_(WhileLoading<kC>(args.launch)),
        split_(split),
        words_(WhileLoading<kC>((DeviceWord*)args.workspace +
                                (place.Tile() * kWaves + Wave()) * kC.join.most)),
        sums_(Buffer::From<kGfx>(
            WhileLoading<kC>(args.workspace + args.sums_at +
                             static_cast<long>(place.Tile()) * splits_ * kC.sum_bytes()))) {}

  /// Hands over the wave's sums. Whether there is more to do for the wave: then `acc` has become
  /// those of all splits.
  GRIDWISE_DEVICE bool operator()(WaveAcc<kC>& acc) const {
    if (splits_ == 1) [[unlikely]]
      return true;
    HandOver(acc);
    ReleaseToDevice();
    if (!IsLast()) return false;
    AcquireFromDevice();
    AddUp(acc);
    return true;
  }

 private:
  using Four = Vec<float, 4>;
  static constexpr int kLanes = kC.mma.lanes(), kWaves = kC.waves.m * kC.waves.n;
  static constexpr int kFours = sizeof(WaveAcc<kC>) / sizeof(Four);  // of a lane
  static_assert(kWaves * kLanes * kFours * int{sizeof(Four)} == kC.sum_bytes());
  // Splits whose sums are on their way at a time, in at most 64 registers.
  static constexpr int kAtATime = kFours >= 16 ? 1 : kFours > 1 ? 16 / kFours : 8;

  struct Fours {
    Four of[kFours];
  };

  GRIDWISE_DEVICE static int Wave() { return Uniform(ThreadId() / kLanes); }
  /// Where a lane's `i`-th sums of a split are.
  GRIDWISE_DEVICE static unsigned Offset(int i) {
    return (Wave() * kFours + i) * kLanes * sizeof(Four) + Lane<kC>() * sizeof(Four);
  }

  GRIDWISE_DEVICE void HandOver(const WaveAcc<kC>& acc) const {
    const Fours fours = __builtin_bit_cast(Fours, acc);
    for (int i = 0; i < kFours; ++i) {
      sums_.Store(fours.of[i], split_ * kC.sum_bytes() + Offset(i));
    }
  }

  GRIDWISE_DEVICE bool IsLast() const {
    const int lane = Lane<kC>();
    if (lane == 0) Exchange(words_ + split_, launch_);
    unsigned long word = launch_;
    if (lane < splits_) word = Look(words_ + lane);
    if (AnyLane(word != launch_)) return false;
    bool is_mine = true;
    if (lane == 0) is_mine = Claim(words_, launch_);
    if (AnyLane(!is_mine)) return false;
    if (lane > 0 && lane < splits_) Clear(words_ + lane);
    return true;
  }

  GRIDWISE_DEVICE void AddUp(WaveAcc<kC>& acc) const {
    Fours sum = {};
#pragma clang loop unroll(disable)
    for (int first = 0; first < splits_; first += kAtATime) {
      Fours some[kAtATime];
      for (int s = 0; s < kAtATime; ++s) {
        // Those that there are not read as zeros.
        const unsigned past = first + s < splits_ ? 0 : Buffer::kOutOfRange;
        for (int i = 0; i < kFours; ++i) {
          some[s].of[i] = sums_.template Load<Four>(Offset(i) | past, (first + s) * kC.sum_bytes());
        }
      }
      for (const Fours& each : some) {
        for (int i = 0; i < kFours; ++i) sum.of[i] += each.of[i];
      }
    }
    acc = __builtin_bit_cast(WaveAcc<kC>, sum);
  }

  const int splits_;
  const unsigned long launch_;
  const int split_;
  DeviceWord* const words_;
  const Buffer sums_;
};

}  // namespace gridwise::tile
