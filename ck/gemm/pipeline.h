// SPDX-License-Identifier: MIT
#pragma once

#include "ck/gemm/config.h"
#include "ck/gemm/multiply.h"
#include "core/arch/issue_order.h"
#include "core/arch/sync.h"

namespace gridwise::ck {

/// Both operands' copies as one.
template <GemmConfig kC, class CopyA, class CopyB>
struct Copies {
  CopyA a;
  CopyB b;

  struct KTile {
    typename CopyA::KTile a;
    typename CopyB::KTile b;
  };
  /// Number of a lane's loads of a k tile whose coordinates come from no table, or from one.
  static constexpr int LoadsOf(Side side, bool by_table) {
    return kC.operand(side).has_table() == by_table
               ? kC.units_of_lane(side) * kC.loads_of_unit(side)
               : 0;
  }
  static constexpr int LoadsOf(bool by_table) {
    return LoadsOf(Side::kA, by_table) + LoadsOf(Side::kB, by_table);
  }
  GRIDWISE_DEVICE int WholeKTiles(int steps) const { return a.WholeKTiles(b.WholeKTiles(steps)); }
  template <bool kWhole = false>
  GRIDWISE_DEVICE void Load(int step, KTile& k_tile) {
    a.template Load<kWhole>(step, k_tile.a);
    b.template Load<kWhole>(step, k_tile.b);
  }
  GRIDWISE_DEVICE void Store(const KTile& k_tile, int buffer, char* lds) const {
    char* const to = lds + buffer * kC.buffer_bytes();
    a.Store(k_tile.a, to);
    b.Store(k_tile.b, to + kC.lds(Side::kA).bytes());
  }
};

/// Calls body.operator()<step % kUnroll, ...>(step) for each step, so that the resources that steps
/// alternate between are compile-time constants. A step loads the k tile `kAhead` steps ahead, if
/// there is one. In the first steps that k tile is certainly among the `whole` first ones, and the
/// body is told so; the steps that must check come last. If both kinds were mixed, the compiler
/// could not tell how many loads are in flight, and would wait for nearly all of them.
template <int kUnroll, bool kWhole, int kIndex = 0, class Body>
GRIDWISE_DEVICE void UnrolledSteps(int step, int steps, Body& body) {
  if (!kWhole && step >= steps) return;
  body.template operator()<kIndex, kWhole>(step);
  if constexpr (kIndex + 1 < kUnroll)
    UnrolledSteps<kUnroll, kWhole, kIndex + 1>(step + 1, steps, body);
}
template <int kUnroll, int kAhead = 0, class Body>
GRIDWISE_DEVICE void UnrolledLoop(int steps, int whole, Body body) {
  int step = 0;
  if constexpr (kAhead > 1) {  // otherwise a step waits for the only k tile
    constexpr int kLast = kAhead + kUnroll - 1;
    for (; step + kLast < whole; step += kUnroll) UnrolledSteps<kUnroll, true>(step, steps, body);
  }
  for (; step < steps; step += kUnroll) UnrolledSteps<kUnroll, false>(step, steps, body);
}

/// Every wave loads and multiplies. While a k tile is multiplied, `count` k tiles are in flight to
/// registers. With two LDS buffers, the next one is written while others still read the last.
///
///   one buffer:   barrier | load s+1, multiply s | barrier | store s+1 |
///   two buffers:  barrier | load s+1, multiply s, store s+1 |
template <GemmConfig kC, class Copies>
GRIDWISE_DEVICE void SharedLoop(Copies copies, int steps, char* lds, WaveSums<kC>& sums) {
  constexpr int kKTiles = kC.pipeline.count, kBuffers = kC.lds_buffers();
  constexpr int kUnroll = kKTiles % kBuffers == 0 ? kKTiles : kKTiles * kBuffers;
  const Multiply<kC> multiply(lds);
  typename Copies::KTile k_tile[kKTiles];
  const int whole = copies.WholeKTiles(steps);
  BarrierLds();  // the tables are complete
  for (int i = 0; i < kKTiles; ++i) {
    if (i < steps) copies.Load(i, k_tile[i]);
  }
  copies.Store(k_tile[0], 0, lds);
  UnrolledLoop<kUnroll, kKTiles>(steps, whole, [&]<int kIndex, bool kWhole>(int step) {
    BarrierLds();
    if (kWhole || step + kKTiles < steps) {
      copies.template Load<kWhole>(step + kKTiles, k_tile[kIndex % kKTiles]);
    }
    multiply(kIndex % kBuffers, sums);
    if (!kWhole && step + 1 == steps) return;
    SchedulingFence();  // nothing that waits for the loads moves up into the matrix instructions
    if (kBuffers == 1) BarrierLds();
    copies.Store(k_tile[(kIndex + 1) % kKTiles], (kIndex + 1) % kBuffers, lds);
  });
}

/// Wavelet: load waves do all address arithmetic, and math waves only multiply. Both meet at one
/// barrier per step:
///
///   load waves   load s+2, store s+1   | load s+3, store s+2   |
///   math waves   multiply s            | multiply s+1          |
template <GemmConfig kC, class Copies>
GRIDWISE_DEVICE void WaveletLoadLoop(Copies copies, int steps, char* lds) {
  typename Copies::KTile k_tile[2];
  const int whole = copies.WholeKTiles(steps);
  BarrierLds();  // the tables are complete
  copies.Load(0, k_tile[0]);
  if (steps > 1) copies.Load(1, k_tile[1]);
  copies.Store(k_tile[0], 0, lds);
  UnrolledLoop<2, 2>(steps, whole, [&]<int kIndex, bool kWhole>(int step) {
    BarrierLds();
    if (!kWhole && step + 1 == steps) return;
    if (kWhole || step + 2 < steps) copies.template Load<kWhole>(step + 2, k_tile[kIndex]);
    // While tables are read, the loads that need none are issued, and then each of the others as
    // soon as its address is there.
    IssueNext<Issue::kLdsReads, Copies::LoadsOf(/*by_table=*/true)>();
    IssueNext<Issue::kLoads, Copies::LoadsOf(/*by_table=*/false)>();
    SchedulingFence();  // loads are not delayed until others are waited for
    copies.Store(k_tile[1 - kIndex], 1 - kIndex, lds);
  });
}

template <GemmConfig kC>
GRIDWISE_DEVICE void WaveletMathLoop(int steps, char* lds, WaveSums<kC>& sums) {
  const Multiply<kC> multiply(lds);
  BarrierLds();
  UnrolledLoop<2>(steps, steps, [&]<int kIndex, bool>(int) {
    BarrierLds();
    multiply(kIndex, sums);
  });
}

/// sums += A * B over `steps` k tiles, by the config's schedule. `make_copies()` computes the
/// addresses of Copies; the waves that load call it.
template <GemmConfig kC, class MakeCopies>
GRIDWISE_DEVICE void MainLoop(MakeCopies make_copies, int steps, char* lds, WaveSums<kC>& sums) {
  if (steps == 0) return;
  if constexpr (!kC.is_wavelet()) {
    SharedLoop<kC>(make_copies(), steps, lds, sums);
  } else if (IsMathWave<kC>()) {
    WaveletMathLoop<kC>(steps, lds, sums);
  } else {
    WaveletLoadLoop<kC>(make_copies(), steps, lds);
  }
}

}  // namespace gridwise::ck
