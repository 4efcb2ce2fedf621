// SPDX-License-Identifier: MIT
#pragma once

#include "hopper/gather/tile.h"
#include "hopper/kernel/ring.h"
#include "hopper/kernel/roles.h"
#include "hopper/phases/config.h"

/// The producer of hopper/phases/kernel.h, and the ring that it shares with the consumers.

namespace gridwise::hopper {

/// Tiles of a workgroup, all with the same columns.
struct PhaseTiles {
  GRIDWISE_DEVICE explicit PhaseTiles(const GatherArgs& args)
      : workgroups(GridSizeX() / args.splits),
        split(BlockIdX() / workgroups),
        first(BlockIdX() - split * workgroups) {}

  int workgroups;
  int split;  // K is too short to split: all splits but the first are zeros
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

}  // namespace gridwise::hopper
