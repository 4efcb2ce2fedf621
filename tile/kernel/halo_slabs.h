#pragma once

#include "core/arch/sync.h"
#include "core/arch/this_target.h"
#include "tile/epilogue/store_tile.h"
#include "tile/kernel/halo.h"
#include "tile/load/k_walk.h"
#include "tile/load/strip.h"
#include "tile/load/weight_loader.h"
#include "tile/pipeline/multiply_slab.h"
#include "tile/pipeline/read_cells.h"

namespace gridwise::tile {

/// acc += A * B through a row of taps of a slab, whose cells and weights are in LDS.
template <TileConfig kC>
class MultiplyRow {
  using Slab = MultiplySlab<kC>;
  static constexpr int kTaps = kC.taps_in_lds;
  static constexpr int kSteps = kTaps * Slab::kFragments;

 public:
  GRIDWISE_DEVICE explicit MultiplyRow(const char* lds)
      : cells_(lds), weights_(lds, lds + kC.bytes_of_a()) {}

  /// The row's first tap meets the `first`-th cell. Fragments are read ahead of those that are
  /// multiplied.
  GRIDWISE_DEVICE void operator()(int first, WaveAcc<kC>& acc) const {
    typename Slab::OfA a[2];
    typename Slab::OfB b[2];
    for (int i = 0; i <= kSteps; ++i) {
      if (i < kSteps) {
        const int tap = i / Slab::kFragments, f = i % Slab::kFragments;
        cells_(first + tap, f, a[i % 2]);
        weights_.ReadB(f, tap * kC.lds_b().bytes(), b[i % 2]);
        SchedulingFence();  // reads are not put off among the matrix instructions
      }
      if (i > 0) Multiply<kC>(a[(i - 1) % 2].rep, b[(i - 1) % 2].rep, /*first_n=*/0, acc);
    }
  }

 private:
  const ReadCells<kC> cells_;
  const Slab weights_;
};

/// Forward and backward-data with a halo (kernel/halo.h) of a group whose channels are several
/// slabs: LDS gets the cells of a slab that a tile meets through any filter tap once, and beside
/// them the weights of one row of taps after the other, while those of the next are on their way to
/// registers.
///
///   load cells, row 0 | for each slab: store cells, row 0 | load row 1, the next slab's cells,
///   multiply row 0 | store row 1 | load row 2, multiply row 1 | store row 2 | ...
///
/// Workgroups that share a tile's K take slabs of their own.
template <TileConfig kC, Gfx kGfx>
GRIDWISE_DEVICE void HaloSlabs() {
  GRIDWISE_LDS __attribute__((aligned(16))) char lds[kC.lds_bytes()];
  constexpr int kTaps = kC.taps_in_lds;
  using LoadWeights = WeightLoader<kC.patch_b.n == 1, kC, kGfx, /*kPlain=*/true>::Type;

  const GatherArgs& args = KernelArgs<GatherArgs>();
  StripBlock strip = FindStripBlock(args, kC.tile.m, kC.tile.n, kC.merge);
  const StripBlock at = strip;
  const int rows = at.block.gemm.axis[1].taps, pitch = at.strips.pitch;
  KWalk walk = KWalk::OverSlabs(args, at.block.gemm, kC.tile.k, SizeOf(kC.type), at.block.split);
  int slabs = CeilDiv(walk.channels_left(), kC.tile.k);
  strip.tiles = slabs;  // of cells, that are left; a split may have none
  LoadStrip<kC, kGfx> cells;
  int channel = walk.channel();  // of the slab whose cells are loaded; weights are a row ahead
  cells.Load(args, strip, channel);
  LoadWeights weights(args, at.block);
  typename LoadWeights::Slab of_tap[kTaps];
  const auto load_row = [&]() __attribute__((always_inline)) {  // past the last they read as zero
    for (auto& slab : of_tap) {
      weights.EnterRun(walk);
      weights.Load(walk, slab);
      walk.NextTapOfSlab();
    }
  };
  const auto store_row = [&]() __attribute__((always_inline)) {
    for (int tap = 0; tap < kTaps; ++tap) {
      weights.Store(of_tap[tap], lds + kC.bytes_of_a() + tap * kC.lds_b().bytes());
    }
  };
  load_row();
  SchedulingFence();  // loads are not put off until others are waited for
  const MultiplyRow<kC> multiply(lds);
  WaveAcc<kC> acc;  // [wave_m][wave_n]
  acc.Clear();
  for (; slabs > 0; --slabs) {
    BarrierLds();  // the slab before has been read
    cells.Store(lds);
    store_row();
    BarrierLds();
    load_row();
    strip.tiles = slabs - 1;
    channel += kC.tile.k;
    cells.Load(args, strip, channel);
    SchedulingFence();  // loads are not put off among the matrix instructions
    multiply(0, acc);
    for (int row = 1; row < rows; ++row) {
      BarrierLds();  // the row before has been read
      store_row();
      BarrierLds();
      load_row();
      SchedulingFence();
      multiply(row * pitch, acc);
    }
  }
  BarrierLoads<0>();  // those past the last, whose registers are used again
  BarrierLds();       // the operands have been read
  const PlaceOfPositions<kC> place(args, at);
  StoreTile<kC, kGfx, PlaceOfPositions<kC>>(args.epilogue, args.join, place, at.block.split, lds)
      .Store(acc);
}

}  // namespace gridwise::tile
