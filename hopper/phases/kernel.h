// SPDX-License-Identifier: MIT
#pragma once

#include "core/arch/warp_mma.h"
#include "hopper/gather/kernel.h"
#include "hopper/phases/config.h"

/// See hopper/phases/config.h.

namespace gridwise::hopper {

/// Tiles of a workgroup, all with the same columns.
struct PhaseTiles {
  GRIDWISE_DEVICE explicit PhaseTiles(const GatherArgs& args)
      : workgroups(GridSizeX() / args.splits),
        split(BlockIdX() / workgroups),
        first(BlockIdX() - split * workgroups) {}

  int workgroups;
  int split;  // of K, which is too short to share: all splits but the first are zeros
  int first;
};

/// The pixels of dy of a product, relative to those of the rows.
struct PhaseMove {
  int h, w;
};
template <int kProduct>
GRIDWISE_DEVICE PhaseMove MoveOf(const GatherArgs& args) {
  constexpr PhaseProduct kOf = kPhaseProducts[kProduct];
  const SubGemm& joint = args.gemm[kJointGemm];
  // Where the phases with one tap begin: phase 0 has one along h, phase 2 along w.
  const int h = args.gemm[0].axis[1].first_source - joint.axis[1].first_source;
  const int w = args.gemm[2].axis[2].first_source - joint.axis[2].first_source;
  return {.h = kOf.only_h ? 1 - h : h, .w = kOf.only_w ? 1 - w : w};
}

/// The tap of w through which a phase meets these pixels.
GRIDWISE_DEVICE int TapOf(const GatherArgs& args, int of_phase, PhaseMove move) {
  const SubGemm &gemm = args.gemm[of_phase], &joint = args.gemm[kJointGemm];
  const int h = move.h - (gemm.axis[1].first_source - joint.axis[1].first_source);
  const int w = move.w - (gemm.axis[2].first_source - joint.axis[2].first_source);
  return Tap(gemm.axis[1], args.strides[1], h) * args.filter[2] +
         Tap(gemm.axis[2], args.strides[2], w);
}

template <PhasesConfig kC>
class PhaseRing : public Ring<kC.stages> {
 public:
  GRIDWISE_DEVICE explicit PhaseRing(SharedAddress base)
      : Ring<kC.stages>(base, kC.kBlockBytes, base + kC.barriers_at()), base_(base) {}

  /// A block of w: 64 columns of a phase at a tap, in a k tile.
  GRIDWISE_DEVICE SharedAddress w(int k_tile, int block) const {
    return base_ + kC.resident_at() + (k_tile * kC.kTaps + block) * kC.kBlockBytes;
  }
  /// Counts the bytes of w.
  GRIDWISE_DEVICE Mbarrier resident() const { return {base_ + kC.resident_barrier_at()}; }

 private:
  SharedAddress base_;
};

template <PhasesConfig kC, int kProduct>
GRIDWISE_DEVICE void LoadPhaseBlocks(const GatherArgs& args, const PhaseRing<kC>& ring, int column,
                                     int k_tile) {
  constexpr PhaseProduct kOf = kPhaseProducts[kProduct];
  const PhaseMove move = MoveOf<kProduct>(args);
#pragma unroll
  for (int i = 0; i < kOf.phases; ++i) {
    LoadBox(ring.w(k_tile, kOf.first_block + i), args.w[0], ring.resident(), column,
            TapOf(args, kOf.first_phase + i, move), k_tile * 64, 0);
  }
}

template <PhasesConfig kC, int kProduct>
GRIDWISE_DEVICE void LoadPhasePixels(const GatherArgs& args, PhaseRing<kC>& ring, PixelAt at,
                                     int k_tile) {
  const PhaseMove move = MoveOf<kProduct>(args);
  ring.WaitEmpty();
  if (IsElected()) {
    ring.full().ArriveAndExpect(kC.kBlockBytes);
    LoadPixels4(ring.at(), args.source[0], ring.full(), k_tile * 64, at, move.w, move.h);
  }
  ring.Next();
}

template <PhasesConfig kC>
GRIDWISE_DEVICE void ProducePhases(const GatherArgs& args, SharedAddress base) {
  const PhaseTiles tiles(args);
  if (tiles.split > 0) return;
  PhaseRing<kC> ring(base);
  const int column = TileCoordOf(args.order, tiles.first).column * 64;
  if (IsElected()) {
    ring.resident().ArriveAndExpect(args.k_tiles * kC.kTaps * kC.kBlockBytes);
    for (int k_tile = 0; k_tile < args.k_tiles; ++k_tile) {
      LoadPhaseBlocks<kC, 0>(args, ring, column, k_tile);
      LoadPhaseBlocks<kC, 1>(args, ring, column, k_tile);
      LoadPhaseBlocks<kC, 2>(args, ring, column, k_tile);
      LoadPhaseBlocks<kC, 3>(args, ring, column, k_tile);
    }
  }
  const SubGemm joint = args.gemm[kJointGemm];
  for (int i = tiles.first; i < args.tiles; i += tiles.workgroups) {
    const int row = TileCoordOf(args.order, i).row * kC.kRows;
    const PixelAt at = SourceOf(joint, args.strides, PixelOfRow(joint, row));
    for (int k_tile = 0; k_tile < args.k_tiles; ++k_tile) {
      LoadPhasePixels<kC, 0>(args, ring, at, k_tile);
      LoadPhasePixels<kC, 1>(args, ring, at, k_tile);
      LoadPhasePixels<kC, 2>(args, ring, at, k_tile);
      LoadPhasePixels<kC, 3>(args, ring, at, k_tile);
    }
  }
}

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

/// TMA stores the phases of a tile, each warp its own 16 rows.
template <PhasesConfig kC>
GRIDWISE_DEVICE void StorePhasesByBoxes(const GatherArgs& args, SharedAddress staging, TileCoord at,
                                        PhaseSums<kC>& sums) {
  const SubGemm& joint = args.gemm[kJointGemm];
  const int lane = ThreadId() % 32, of_warp = ThreadId() % 128 / 32 * 16;
  const int row = at.row * kC.kRows + of_warp;
  const PhasePixel pixel = PixelOfRow(joint, row);
#pragma unroll
  for (int i = 0; i < kC.kPhases; ++i) {
    FinishSums(args.epilogue, sums[i]);
    const SharedAddress buffer = staging + i % 2 * kC.kBlockBytes + of_warp * 128;
    if (lane == 0) WaitStoresRead<1>();
    SyncWarp();
    StageRows<64, kC.type>(buffer, sums[i]);
    FenceAsyncProxy();
    SyncWarp();
    if (lane == 0) {
      if (row < joint.m) {
        StorePixels4(args.source[kPhaseMaps + i], buffer, at.column * 64,
                     {.w = pixel.j[2], .h = pixel.j[1], .d = 0, .image = pixel.n});
      }
      CommitStores();
    }
  }
}

/// Rows belong to any phase: a phase may have fewer pixels along an axis.
struct PhaseOutputMap : GatherOutputMap {
  GRIDWISE_DEVICE Row FindRow(int row) const {
    const SubGemm& joint = args.gemm[kJointGemm];
    if (tile.row + row >= joint.m) return {.is_there = false, .pixel = {}};
    const PhasePixel pixel = PixelOfRow(joint, tile.row + row);
    return {.is_there = pixel.j[1] < gemm().axis[1].count && pixel.j[2] < gemm().axis[2].count,
            .pixel = pixel};
  }
};

template <PhasesConfig kC>
GRIDWISE_DEVICE void ConsumePhases(const GatherArgs& args, SharedAddress base) {
  const PhaseTiles tiles(args);
  const int group = WarpgroupId();
  const int staging = kC.staging_at() + group * 2 * kC.kBlockBytes;
  // Calls store(finisher, phase) for each phase.
  const auto of_classes = [&](TileCoord at, auto&& store) __attribute__((always_inline)) {
#pragma unroll
    for (int i = 0; i < kC.kPhases; ++i) {
      GatherTileAt of_phase = {};
      of_phase.index = i;
      of_phase.row = at.row * kC.kRows;
      of_phase.column = at.column * 64;
      const PhaseOutputMap output = {{args, of_phase}};
      store(Finisher<PhaseOutputMap, Element<kC.type>>(args.epilogue, output, tiles.split), i);
    }
  };
  PhaseRing<kC> ring(base);
  int turn = 0;
  for (int i = tiles.first; i < args.tiles; i += tiles.workgroups, ++turn) {
    if (turn % 2 != group) {
      ring.Skip(args.k_tiles * kProductsOfKTile);
      continue;
    }
    const TileCoord at = TileCoordOf(args.order, i);
    if (tiles.split > 0) {
      of_classes(at, [&](const auto& finish, int) __attribute__((always_inline)) {
        StoreZeros<64, kC.type, 1>(finish, args.stores, dynamic_shared_memory + staging, group, 0);
      });
      continue;
    }
    if (turn < 2) ring.resident().Wait(0);
    if (turn > 0) WaitAt(PingpongBarrier(group), 256);
    PhaseSums<kC> sums;
    MultiplyPhases<kC>(sums, ring, args.k_tiles, group);
    if (args.stores == Stores::kBoxes) {
      StorePhasesByBoxes<kC>(args, base + staging, at, sums);
      continue;
    }
    of_classes(at, [&](const auto& finish, int of_phase) __attribute__((always_inline)) {
      StoreByLanes<64, kC.type>(finish, args.stores, dynamic_shared_memory + staging, group, 0,
                                sums[of_phase]);
    });
  }
  if (ThreadId() % 32 == 0) WaitStoresRead<0>();
}

template <PhasesConfig kC>
struct PhasesRoles {
  GRIDWISE_DEVICE static void Init(const GatherArgs& args, SharedAddress base) {
    Prefetch(args.source[0]);
    Prefetch(args.w[0]);
    const PhaseRing<kC> ring(base);
    ring.resident().Init(1);
    ring.Init(4);  // one lane per warp
  }
  GRIDWISE_DEVICE static void Produce(const GatherArgs& args, SharedAddress base) {
    ProducePhases<kC>(args, base);
  }
  GRIDWISE_DEVICE static void Consume(const GatherArgs& args, SharedAddress base) {
    ConsumePhases<kC>(args, base);
  }
};

}  // namespace gridwise::hopper
