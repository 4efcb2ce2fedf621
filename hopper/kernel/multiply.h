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
    kC.a_runs_along_k() ? OperandOrder::kRunsAlongK : OperandOrder::kLinesPerK;
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

/// The k tiles of a tile's sums, at least one: `whole` ones, and then `partial` ones, of which only
/// some products are computed.
struct KTiles {
  int whole, partial = 0;
  Products of_partial = {};

  GRIDWISE_DEVICE int count() const { return whole + partial; }
};

/// Products of a k tile of 64 rows.
template <Config kC>
inline constexpr int kProducts = kC.k_tile / WgmmaK(kC.type);

/// Starts the `step`-th product of the k tile at `ring`. (`keep` must be known when the kernel is
/// assembled: otherwise each instruction waits for the one before.)
template <Config kC>
GRIDWISE_DEVICE void StartProduct(Sums<kC>& sums, SharedAddress a, SharedAddress b, int rep,
                                  int step, bool keep) {
  constexpr int kColumns = kC.product_columns();
#pragma unroll
  for (int part = 0; part < kC.columns; part += kColumns) {
    Wgmma<kColumns, kC.type, kOrderA<kC>, kOrderB<kC>>(
        reinterpret_cast<Element<SumType(kC.type)>(&)[kColumns / 2]>(sums.d[rep][part / 2]),
        DescriptorOf<kC, kOrderA<kC>>(a + rep * 64 * kC.k_tile_bytes(), step),
        DescriptorOf<kC, kOrderB<kC>>(b + part * kC.k_tile_bytes(), step), keep);
  }
}

/// The address of a warpgroup's rows in the k tile at `ring`.
template <Config kC>
GRIDWISE_DEVICE SharedAddress RowsOf(const KTileRing<kC>& ring, int group) {
  return ring.a() + (kC.pingpong ? 0 : group * kC.reps) * 64 * kC.k_tile_bytes();
}

/// Starts the products of a whole k tile; the first k tile of a tile starts the sums.
template <Config kC, bool kFirst>
GRIDWISE_DEVICE void StartKTile(Sums<kC>& sums, const KTileRing<kC>& ring, int group, int k_tile) {
  const SharedAddress a = RowsOf(ring, group), b = ring.b(k_tile);
  WgmmaFence();
#pragma unroll
  for (int rep = 0; rep < kC.reps; ++rep) {
#pragma unroll
    for (int step = 0; step < kProducts<kC>; ++step) {
      StartProduct(sums, a, b, rep, step, !kFirst || step != 0);
    }
  }
  WgmmaCommit();
}

/// The same for a partial k tile.
template <Config kC, bool kFirst>
GRIDWISE_DEVICE void StartPartialKTile(Sums<kC>& sums, const KTileRing<kC>& ring, int group,
                                       int k_tile, Products products) {
  const SharedAddress a = RowsOf(ring, group), b = ring.b(k_tile);
  WgmmaFence();
#pragma unroll
  for (int rep = 0; rep < kC.reps; ++rep) StartProduct(sums, a, b, rep, products.first, !kFirst);
#pragma unroll 1
  for (int step = products.first + 1; step < products.end; ++step) {
#pragma unroll
    for (int rep = 0; rep < kC.reps; ++rep) StartProduct(sums, a, b, rep, step, true);
  }
  WgmmaCommit();
}

/// Waits until the tensor core can read the stage.
template <Config kC>
GRIDWISE_DEVICE void WaitFull(const KTileRing<kC>& ring) {
  ring.WaitFull();
  if constexpr (kC.lanes) FenceAsyncProxy();
}

/// The sums over k tiles of the ring. While the first is multiplied, lanes do other work.
///
/// Warpgroups that share a tile begin it one after the other, kC.lead() k tiles apart, so that one
/// stores while the other still multiplies; except in a workgroup's last tile. (With few k tiles,
/// one warpgroup could be a whole tile ahead and meet the barrier twice.)
template <Config kC>
GRIDWISE_DEVICE void MultiplyKTiles(Sums<kC>& sums, KTileRing<kC>& ring, const KTiles& k_tiles,
                                    int group, bool is_last, auto&& meanwhile) {
  const bool follows = !is_last && k_tiles.count() > kC.stages && kC.lead() > 0;
  if (follows && group > 0) WaitAt(LeadBarrier(group), 256);
  WaitFull(ring);
  if (k_tiles.whole > 0) {
    StartKTile<kC, true>(sums, ring, group, 0);
  } else {
    StartPartialKTile<kC, true>(sums, ring, group, 0, k_tiles.of_partial);
  }
  meanwhile();
  int last = ring.stage();
  ring.Next();
  const auto go_on = [&](int k_tile, int end, auto&& start) __attribute__((always_inline)) {
    for (; k_tile < end; ++k_tile) {
      WaitFull(ring);
      start(k_tile);
      if (follows && k_tile == kC.lead() && group + 1 < kC.consumers)
        ArriveAt(LeadBarrier(group + 1), 256);
      WgmmaWait<1>();
      ring.Release(last);
      last = ring.stage();
      ring.Next();
    }
  };
  go_on(1, k_tiles.whole, [&](int k_tile) __attribute__((always_inline)) {
    StartKTile<kC, false>(sums, ring, group, k_tile);
  });
  const int first_partial = k_tiles.whole > 1 ? k_tiles.whole : 1;
  go_on(first_partial, k_tiles.count(), [&](int k_tile) __attribute__((always_inline)) {
    StartPartialKTile<kC, false>(sums, ring, group, k_tile, k_tiles.of_partial);
  });
  if (kC.pingpong)
    ArriveAt(PingpongBarrier(group ^ 1), 256);  // the other warpgroup's products can
                                                // begin
  WgmmaWait<0>();
#pragma unroll
  for (int rep = 0; rep < kC.reps; ++rep) Touch(sums.d[rep]);
  ring.Release(last);
}

}  // namespace gridwise::hopper
