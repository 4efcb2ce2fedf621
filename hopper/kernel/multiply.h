// SPDX-License-Identifier: MIT
#pragma once

#include "core/arch/wgmma.h"
#include "hopper/kernel/ring.h"

namespace gridwise::hopper {

/// The sums of a thread: rows 64 * rep of its warpgroup, and all columns of the tile.
template <Config kC>
struct Sums {
  Element<SumType(kC.type)> d[kC.reps][kC.columns / 2];
};

/// In forward, both operands run along k. In backward-data w lies along its columns, c, unless it
/// was copied for tf32; in backward-weight both operands lie along rows and columns.
template <Config kC>
inline constexpr OperandOrder kOrderA =
    kC.direction == Direction::kBackwardWeight ? OperandOrder::kLinesPerK
                                               : OperandOrder::kRunsAlongK;
template <Config kC>
inline constexpr OperandOrder kOrderB =
    kC.b_runs_along_k() ? OperandOrder::kRunsAlongK : OperandOrder::kLinesPerK;

/// The operand of the k tile's `step`-th product.
template <Config kC, OperandOrder kOrder>
GRIDWISE_DEVICE MatrixDescriptor DescriptorOf(SharedAddress at, int step) {
  if constexpr (kOrder == OperandOrder::kRunsAlongK) {
    return RunsAlongK<kC.k_tile_bytes()>(at + step * 32);
  } else {
    return LinesPerK(at + step * 2048, kC.k_tile * 128);
  }
}

/// Starts the products of the k tile at `ring`; the first k tile of a tile starts the sums. (A
/// predicate that is known when the kernel is assembled: with another, each instruction waits for
/// the one before.)
template <Config kC, bool kFirst>
GRIDWISE_DEVICE void StartKTile(Sums<kC>& sums, const KTileRing<kC>& ring, int group, int k_tile) {
  const SharedAddress b = ring.b(k_tile);
  constexpr int kRepBytes = 64 * kC.k_tile_bytes(), kColumns = kC.product_columns();
  const SharedAddress a = ring.a() + (kC.pingpong ? 0 : group * kC.reps) * kRepBytes;
  WgmmaFence();
#pragma unroll
  for (int rep = 0; rep < kC.reps; ++rep) {
#pragma unroll
    for (int step = 0; step < kC.k_tile / WgmmaK(kC.type); ++step) {
#pragma unroll
      for (int part = 0; part < kC.columns; part += kColumns) {
        Wgmma<kColumns, kC.type, kOrderA<kC>, kOrderB<kC>>(
            reinterpret_cast<Element<SumType(kC.type)>(&)[kColumns / 2]>(sums.d[rep][part / 2]),
            DescriptorOf<kC, kOrderA<kC>>(a + rep * kRepBytes, step),
            DescriptorOf<kC, kOrderB<kC>>(b + part * kC.k_tile_bytes(), step),
            !kFirst || step != 0);
      }
    }
  }
  WgmmaCommit();
}

/// Waits until the tensor core can read the stage.
template <Config kC>
GRIDWISE_DEVICE void WaitFull(const KTileRing<kC>& ring) {
  ring.WaitFull();
  if constexpr (kC.lanes) FenceAsyncProxy();
}

/// The sums over `k_tiles` k tiles of the ring, at least one. While the first is multiplied, lanes
/// do other work.
///
/// Warpgroups that share a tile begin it one after the other, kC.lead() k tiles apart, so that one
/// stores while the other still multiplies; except in a workgroup's last tile. (With few k tiles,
/// one warpgroup could be a whole tile ahead and meet the barrier twice.)
template <Config kC>
GRIDWISE_DEVICE void MultiplyKTiles(Sums<kC>& sums, KTileRing<kC>& ring, int k_tiles, int group,
                                    bool is_last, auto&& meanwhile) {
  const bool follows = !is_last && k_tiles > kC.stages && kC.lead() > 0;
  if (follows && group > 0) WaitAt(LeadBarrier(group), 256);
  WaitFull(ring);
  StartKTile<kC, true>(sums, ring, group, 0);
  meanwhile();
  int last = ring.stage();
  ring.Next();
  for (int k_tile = 1; k_tile < k_tiles; ++k_tile) {
    WaitFull(ring);
    StartKTile<kC, false>(sums, ring, group, k_tile);
    if (follows && k_tile == kC.lead() && group + 1 < kC.consumers)
      ArriveAt(LeadBarrier(group + 1), 256);
    WgmmaWait<1>();
    ring.Release(last);
    last = ring.stage();
    ring.Next();
  }
  if (kC.pingpong)
    ArriveAt(PingpongBarrier(group ^ 1), 256);  // the other warpgroup's products can
                                                // begin
  WgmmaWait<0>();
#pragma unroll
  for (int rep = 0; rep < kC.reps; ++rep) Touch(sums.d[rep]);
  ring.Release(last);
}

}  // namespace gridwise::hopper
