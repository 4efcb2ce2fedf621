// SPDX-License-Identifier: MIT
#pragma once

#include "core/arch/warp_mma.h"
#include "core/arch/wgmma.h"
#include "hopper/kernel/roles.h"
#include "hopper/phases/config.h"
#include "hopper/phases/produce.h"

/// The products of hopper/phases/kernel.h.

namespace gridwise::hopper {

template <PhasesConfig kC>
using PhaseSums = float[kC.kPhases][32];

/// 64 source channels of this thread's rows of A.
using PhaseRows = Matrices4[4];

/// Starts a product of a k tile, whose pixels are loaded from `ring` into `rows`, which frees the
/// stage. (From shared memory, products of 64 columns would wait for both operands.)
template <PhasesConfig kC, int kProduct, bool kFirst = false>
GRIDWISE_DEVICE void StartProduct(PhaseSums<kC>& sums, PhaseRows& rows, PhaseRing<kC>& ring,
                                  int k_tile) {
  constexpr PhaseProduct kOf = kPhaseProducts[kProduct];
  const int lane = ThreadId() % 32, row = ThreadId() % 128 / 32 * 16 + lane % 16;
  const SharedAddress a = ring.at() + row * 128, w = ring.w(k_tile, kOf.first_block);
  ring.WaitFull();
  SyncWarp();
#pragma unroll
  for (int k16 = 0; k16 < 4; ++k16) {
    rows[k16] = LoadMatrices4(a + ((k16 * 2 + lane / 16) ^ (row & 7)) * 16);
  }
  // Nothing has waited for these loads, and without a fence the next TMA loads would overtake them.
  FenceAsyncProxy();
  SyncWarp();
  ring.Release(ring.stage());
  ring.Next();
  WgmmaFence();
#pragma unroll
  for (int k16 = 0; k16 < 4; ++k16) {
#pragma unroll
    for (int i = 0; i < kOf.phases; ++i) {
      WgmmaOfRegisters<64, kC.type, OperandOrder::kLinesPerK>(
          sums[kOf.first_phase + i], rows[k16].part, LinesPerK(w + i * kC.kBlockBytes + k16 * 2048),
          !kFirst || k16 != 0);
    }
  }
  WgmmaCommit();
}
/// Waits until the product before the last is done, so that its rows can be overwritten.
template <PhasesConfig kC, int kProduct>
GRIDWISE_DEVICE void NextProduct(PhaseSums<kC>& sums, PhaseRows (&rows)[2], PhaseRing<kC>& ring,
                                 int k_tile) {
  WgmmaWait<1>();
  StartProduct<kC, kProduct>(sums, rows[kProduct % 2], ring, k_tile);
}

/// The sums of a tile: the first product, over all phases, starts them.
template <PhasesConfig kC>
GRIDWISE_DEVICE void MultiplyPhases(PhaseSums<kC>& sums, PhaseRing<kC>& ring, int k_tiles,
                                    int group) {
  PhaseRows rows[2];
  StartProduct<kC, 0, /*kFirst=*/true>(sums, rows[0], ring, 0);
  StartProduct<kC, 1>(sums, rows[1], ring, 0);
  NextProduct<kC, 2>(sums, rows, ring, 0);
  NextProduct<kC, 3>(sums, rows, ring, 0);
  for (int k_tile = 1; k_tile < k_tiles; ++k_tile) {
    NextProduct<kC, 0>(sums, rows, ring, k_tile);
    NextProduct<kC, 1>(sums, rows, ring, k_tile);
    NextProduct<kC, 2>(sums, rows, ring, k_tile);
    NextProduct<kC, 3>(sums, rows, ring, k_tile);
  }
  ArriveAt(PingpongBarrier(group ^ 1), 256);  // the other warpgroup's products can begin
  WgmmaWait<0>();
#pragma unroll
  for (int i = 0; i < kC.kPhases; ++i) Touch(sums[i]);
}

}  // namespace gridwise::hopper
