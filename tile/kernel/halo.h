// SPDX-License-Identifier: MIT
#pragma once

#include "core/arch/sync.h"
#include "core/arch/this_target.h"
#include "tile/epilogue/store_tile.h"
#include "tile/halo_layout.h"
#include "tile/lds_layout.h"
#include "tile/load/resident_weights.h"
#include "tile/load/strip.h"
#include "tile/pipeline/multiply_k_tile.h"
#include "tile/pipeline/read_pixels.h"

namespace gridwise::tile {

/// Where the tile's rows, positions of a strip, and columns are.
template <TileConfig kC>
class PositionOutputMap {
 public:
  GRIDWISE_DEVICE PositionOutputMap(const GatherArgs& args, const StripBlock& strip)
      : args_(args), strip_(strip) {}

  /// Columns of one group, if groups are filled up.
  GRIDWISE_DEVICE int columns() const { return args_.n - strip_.block.n; }
  /// Columns of the tile's part-th group, if it exists.
  GRIDWISE_DEVICE int ColumnsOf(int part) const {
    return strip_.block.group + part < args_.groups ? columns() : 0;
  }
  GRIDWISE_DEVICE int Tile() const {
    return strip_.block.Number(args_, kC.tile.m, kC.tile.n, kC.merge);
  }
  GRIDWISE_DEVICE const char* Base(const void* data, const OutputStrides& strides) const {
    const Block& block = strip_.block;
    return static_cast<const char*>(data) + block.first_image * strides.image +
           block.group * strides.group + static_cast<long>(block.n) * strides.column;
  }
  GRIDWISE_DEVICE unsigned Row(const OutputStrides& strides, int row) const {
    const AxisPhase(&axis)[3] = strip_.block.gemm.axis;
    const StripBlock::Pixel pixel = strip_.PixelAt(row);
    const unsigned offset = OutputPixel(axis[1], args_.strides[1], pixel.h) * strides.axis[1] +
                            OutputPixel(axis[2], args_.strides[2], pixel.w) * strides.axis[2];
    return pixel.exists ? offset : Buffer::kOutOfRange;
  }
  GRIDWISE_DEVICE int Column(const OutputStrides& strides, int column) const {
    if constexpr (!kC.fills_groups()) return column * strides.column;
    const int group = column / kC.n_of_group();
    return group * static_cast<int>(strides.group) +
           (column - group * kC.n_of_group()) * strides.column;
  }

 private:
  const GatherArgs& args_;
  const StripBlock& strip_;
};

/// acc += A * B through the taps of a sub-GEMM, or through the rows of taps that k tiles of pixels
/// have. A wave keeps the weights in registers.
template <TileConfig kC>
class MultiplyTaps {
  static constexpr int kMax = HaloLayout{kC}.max_taps();
  static constexpr int kTapsAtOnce = HaloLayout{kC}.taps_at_once();
  using KTile = MultiplyKTile<kC>;
  /// Fragments that are read at once: a tap's, unless two lanes hold each element.
  static constexpr int kAtOnce = kC.mma.unit == MmaUnit::kWmma11 ? 1 : KTile::kFragments;

 public:
  /// The pixels of tiles will be in `lds`.
  GRIDWISE_DEVICE MultiplyTaps(const char* lds, const SubGemm& gemm, int pitch)
      : pixels_(lds, gemm.axis[2].taps), taps_(kC.packs_pixels() ? gemm.axis[1].taps : Taps(gemm)) {
    constexpr int kStride = kC.stride, kPixels = kC.halo,
                  kRow = HaloLayout{kC}.planes_along_w() * kPixels;
    const int taps_w = kC.packs_pixels() ? 1 : gemm.axis[2].taps;
    int h = 0, w = 0, at = 0;  // of the tap; its distance
    for (int tap = 0; tap < kMax; ++tap) {
      distance_[tap] = at;
      // Goes to the next plane along w, or back and on by a pixel; after the last one, the same
      // along h. Computing distances from h and w each time would take 4 more registers.
      at += w % kStride == kStride - 1 ? 1 - (kStride - 1) * kPixels : kPixels;
      if (++w == taps_w) {
        at -= w / kStride + w % kStride * kPixels;
        at += h % kStride == kStride - 1 ? pitch - (kStride - 1) * kRow : kRow;
        ++h;
        w = 0;
      }
    }
  }

  /// Loads all weights through `lds`, when no wave uses it.
  GRIDWISE_DEVICE void Keep(const auto& weights, char* lds) {
    const KTile k_tiles(/*lds_a=*/lds, /*lds_b=*/lds);
#pragma clang loop unroll(full)
    for (int first = 0; first < kMax; first += kTapsAtOnce) {
      if (first > 0) BarrierLds();  // the previous ones have been read
      weights.Store(first, lds);
      BarrierLds();
      for (int i = 0; i < kTapsAtOnce && first + i < kMax; ++i) {
        for (int f = 0; f < KTile::kFragments; ++f) {
          k_tiles.ReadB(f, i * kC.lds_b().bytes(), b_[first + i][f]);
        }
      }
    }
  }

  GRIDWISE_DEVICE void operator()(WaveAcc<kC>& acc) const {
    if (taps_ == kMax) [[likely]] {
      MultiplyAll<true>(acc);
    } else {
      MultiplyAll<false>(acc);
    }
  }

 private:
  /// Reads some fragments while the previous ones are multiplied.
  template <bool kMaxTaps>
  GRIDWISE_DEVICE void MultiplyAll(WaveAcc<kC>& acc) const {
    constexpr int kTurns = KTile::kFragments / kAtOnce;  // of a tap
    typename KTile::OfA a[2][kAtOnce] = {};  // otherwise registers would keep the last tile's
#pragma clang loop unroll(full)
    for (int turn = 0; turn <= kMax * kTurns; ++turn) {
      const int tap = turn / kTurns, first = turn % kTurns * kAtOnce;
      if (!kMaxTaps && turn > taps_ * kTurns) continue;  // registers cannot be indexed
      if (turn < kMax * kTurns && (kMaxTaps || tap < taps_)) {
        for (int f = 0; f < kAtOnce; ++f) pixels_(distance_[tap], first + f, a[turn % 2][f]);
        SchedulingFence();  // reads are not delayed into the matrix instructions
      }
      for (int f = 0; turn > 0 && f < kAtOnce; ++f) {
        const int before = (turn - 1) / kTurns, of_tap = (turn - 1) % kTurns * kAtOnce + f;
        Multiply<kC>(a[(turn - 1) % 2][f].rep, b_[before][of_tap].rep, KTile::FirstN(of_tap), acc);
      }
      // Here registers do not suffice for the reads of later turns.
      if constexpr (kC.mma.unit == MmaUnit::kWmma11) SchedulingFence();
    }
  }

  const ReadPixels<kC> pixels_;
  const int taps_;
  int distance_[kMax];  // in pixels
  KTile::OfB b_[kMax][KTile::kFragments];
};

/// Forward and backward-data (kernel/gather.h) if the channels of a tile's groups fill one k tile,
/// and adjacent rows and taps meet adjacent pixels of the source. LDS gets the pixels that a tile
/// meets through any filter tap, and the weights of all taps, once. A tile's rows are positions of
/// a strip (Strips), so all of them meet a tap's pixels at the same distance. The few positions
/// that are no pixels are wasted.
template <TileConfig kC, Gfx kGfx>
GRIDWISE_DEVICE void HaloTile() {
  GRIDWISE_LDS __attribute__((aligned(16))) char lds[LdsLayout{kC}.bytes()];

  const GatherArgs& args = KernelArgs<GatherArgs>();
  StripBlock strip = FindStripBlock(args, kC.tile.m, kC.tile.n, kC.merge, /*at_once=*/false);
  const SubGemm& gemm = strip.block.gemm;
  LoadStrip<kC, kGfx> pixels;
  pixels.Load(args, strip);
  const ResidentWeights<kC, kGfx> weights(args, strip.block);
  SchedulingFence();  // loads are not delayed until others are waited for
  MultiplyTaps<kC> multiply(lds, gemm, strip.strips.pitch);
  multiply.Keep(weights, lds);
  while (strip.tiles > 0) {
    WaveAcc<kC> acc = {};  // [wave_m][wave_n]
    const StripBlock at = strip;
    strip.Advance(kC.tile.m);
    BarrierLds();  // weights have been read, and the previous tile is on its way to memory
    pixels.Store(lds);
    BarrierLds();
    pixels.Load(args, strip);
    SchedulingFence();  // loads are not delayed
    multiply(acc);
    // The operands have been read. On gfx9, which counts loads and stores together, the next pixels
    // have arrived too: later they could only be waited for together with this tile's stores.
    BarrierLoads<0>();
    const PositionOutputMap<kC> output(args, at);
    StoreTile<kC, kGfx, PositionOutputMap<kC>>(args.epilogue, args.fixup, output, /*split=*/0, lds)
        .Store(acc);
  }
}

}  // namespace gridwise::tile
