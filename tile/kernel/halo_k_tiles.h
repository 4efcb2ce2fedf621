// SPDX-License-Identifier: MIT
#pragma once

#include "core/arch/sync.h"
#include "core/arch/this_target.h"
#include "tile/epilogue/store_tile.h"
#include "tile/halo_layout.h"
#include "tile/kernel/halo.h"
#include "tile/lds_layout.h"
#include "tile/load/k_walk.h"
#include "tile/load/strip.h"
#include "tile/load/weight_loader.h"
#include "tile/pipeline/multiply_k_tile.h"
#include "tile/pipeline/read_pixels.h"

namespace gridwise::tile {

/// LDS has pixels, then weights.
template <TileConfig kC>
inline constexpr int kWeightsAt = HaloLayout{kC}.pixels_bytes();

/// acc += A * B through a row of taps of a k tile, whose pixels and weights are in LDS.
template <TileConfig kC>
class MultiplyRow {
  using KTile = MultiplyKTile<kC>;
  static constexpr int kTaps = kC.taps_in_lds;
  static constexpr int kSteps = kTaps * KTile::kFragments;

 public:
  GRIDWISE_DEVICE explicit MultiplyRow(const char* lds)
      : pixels_(lds), weights_(lds, lds + kWeightsAt<kC>) {}

  /// The row's first tap meets the `first`-th pixel. Fragments are read ahead of those that are
  /// multiplied.
  GRIDWISE_DEVICE void operator()(int first, WaveAcc<kC>& acc) const {
    typename KTile::OfA a[2];
    typename KTile::OfB b[2];
    for (int i = 0; i <= kSteps; ++i) {
      if (i < kSteps) {
        const int tap = i / KTile::kFragments, f = i % KTile::kFragments;
        pixels_(first + tap, f, a[i % 2]);
        weights_.ReadB(f, tap * kC.lds_b().bytes(), b[i % 2]);
        SchedulingFence();  // reads are not delayed into the matrix instructions
      }
      if (i > 0) Multiply<kC>(a[(i - 1) % 2].rep, b[(i - 1) % 2].rep, /*first_n=*/0, acc);
    }
  }

 private:
  const ReadPixels<kC> pixels_;
  const KTile weights_;
};

/// Forward and backward-data with a halo (kernel/halo.h) for a group with several k tiles of
/// channels. LDS gets, once, the pixels of a k tile that a tile meets through any filter tap. Next
/// to them it gets the weights of one row of taps after the other, while those of the next row are
/// in flight to registers.
///
///   load pixels, row 0 | for each k tile: store pixels, row 0 | load row 1, the next k tile's
///   pixels, multiply row 0 | store row 1 | load row 2, multiply row 1 | store row 2 | ...
///
/// Workgroups that share a tile's K each take their own k tiles.
template <TileConfig kC, Gfx kGfx>
GRIDWISE_DEVICE void HaloKTiles() {
  GRIDWISE_LDS __attribute__((aligned(16))) char lds[LdsLayout{kC}.bytes()];
  constexpr int kTaps = kC.taps_in_lds;
  using LoadWeights = WeightLoader<kC.patch_b.n == 1, kC, kGfx, /*kPlain=*/true>::Type;

  const GatherArgs& args = KernelArgs<GatherArgs>();
  StripBlock strip = FindStripBlock(args, kC.tile.m, kC.tile.n, kC.merge, /*at_once=*/true);
  const StripBlock at = strip;
  const int rows = at.block.gemm.axis[1].taps, pitch = at.strips.pitch;
  KWalk walk = KWalk::OverKTiles(args, at.block.gemm, kC.tile.k, SizeOf(kC.type), at.block.split);
  int k_tiles = CeilDiv(walk.channels_left(), kC.tile.k);
  strip.tiles = k_tiles;  // remaining k tiles of pixels; a split may have none
  LoadStrip<kC, kGfx> pixels;
  int channel = walk.channel();  // of the k tile whose pixels are loaded; weights are a row ahead
  pixels.Load(args, strip, channel);
  LoadWeights weights(args, at.block);
  typename LoadWeights::KTile of_tap[kTaps];
  const auto load_row = [&]() __attribute__((always_inline)) {  // past the last row they read as
                                                                // zero
    for (auto& k_tile : of_tap) {
      weights.EnterRun(walk);
      weights.Load(walk, k_tile);
      walk.NextTapOfKTile();
    }
  };
  const auto store_row = [&]() __attribute__((always_inline)) {
    for (int tap = 0; tap < kTaps; ++tap) {
      weights.Store(of_tap[tap], lds + kWeightsAt<kC> + tap * kC.lds_b().bytes());
    }
  };
  load_row();
  SchedulingFence();  // loads are not delayed until others are waited for
  const MultiplyRow<kC> multiply(lds);
  WaveAcc<kC> acc;  // [wave_m][wave_n]
  acc.Clear();
  for (; k_tiles > 0; --k_tiles) {
    BarrierLds();  // the previous k tile has been read
    pixels.Store(lds);
    store_row();
    BarrierLds();
    load_row();
    strip.tiles = k_tiles - 1;
    channel += kC.tile.k;
    pixels.Load(args, strip, channel);
    SchedulingFence();  // loads are not delayed into the matrix instructions
    multiply(0, acc);
    for (int row = 1; row < rows; ++row) {
      BarrierLds();  // the previous row has been read
      store_row();
      BarrierLds();
      load_row();
      SchedulingFence();
      multiply(row * pitch, acc);
    }
  }
  BarrierLoads<0>();  // loads past the last, whose registers are used again
  BarrierLds();       // the operands have been read
  const PositionOutputMap<kC> output(args, at);
  StoreTile<kC, kGfx, PositionOutputMap<kC>>(args.epilogue, args.fixup, output, at.block.split, lds)
      .Store(acc);
}

}  // namespace gridwise::tile
