// SPDX-License-Identifier: MIT
#pragma once

#include "core/arch/mma.h"
#include "core/arch/sync.h"
#include "tile/block_sums.h"
#include "tile/bwd_weight_args.h"
#include "tile/config.h"
#include "tile/load/position_walk.h"
#include "tile/pipeline/wave_acc.h"
#include "tile/roles.h"

namespace gridwise::tile {

/// acc += dy^T * x for a block of channels of each, through the taps of a row of the filter. Lanes
/// hold two channels of a run of pixels, which they transpose. For dy they also hold the adjacent
/// pixels, so that all taps have theirs in registers. A matrix instruction has every other channel.
///
/// Through tap t of an axis, with stride S and padding 1, a pixel of dy meets the pixel of x's
/// plane (t - 1) mod S that is floor((t - 1) / S) positions after it.
template <TileConfig kC>
class MultiplyBlocks {
  static constexpr int kRun = BlockSums{kC}.run_pixels(), kTaps = TileConfig::kTapsOfWave,
                       kStride = kC.stride;
  static constexpr int kRunOfDy = kRun + BlockSums{kC}.adjacent_pixels();
  static constexpr int kStepPixels = BlockSums{kC}.step_pixels();
  static constexpr int kPixelBytes = BlockSums{kC}.pixel_bytes();
  static constexpr int kRingBytes = BlockSums{kC}.ring_bytes();
  static constexpr int kBlocks = BlockSums{kC}.blocks_of_group();
  static constexpr int kPair = TileConfig::kBlock / kC.mma.m;
  static_assert(kPair == 2, "a lane has a pair of channels");
  using Pair = Vec<Element<kC.type>, kPair>;
  using Run = Vec<Element<kC.type>, kRun>;
  static constexpr int kParts = kRun / kC.mma.k_per_lane();  // matrix instructions per run
  // Planes of x whose pixels registers hold at a time: all, unless two lanes hold each pixel.
  static constexpr bool kOnePlane = kC.mma.lane_groups() == 1;
  using PlaneOfX = Pair[kRun];

 public:
  /// `lds`: see LoadPositions.
  GRIDWISE_DEVICE MultiplyBlocks(const PixelPositions& positions, const char* lds)
      : to_dy_(FromFront(TapOfWave()) * positions.pitch + FromFront(kTaps - 1)),
        dy_(lds + OfLane(WaveM<kC>())),
        x_(lds + kRingBytes + OfLane(ChannelOfX()) +
           PlaneOf(TapOfWave()) * kStride * kC.tile.k * kPixelBytes) {}

  /// Where a wave's pixels of dy begin for a step whose pixels of x are from `position` on.
  GRIDWISE_DEVICE PositionWalk BeginWalk(const PixelPositions& positions, int position) const {
    return PositionWalk(positions, position + positions.pitch + 1 + to_dy_);
  }

  /// The step that has loaded the pixels of dy from the ring's pixel `at` on. At positions that are
  /// no pixels, dy is zero, and x is masked because it could be infinite. `dy_walk` gives the masks
  /// and moves on; it is not needed without masks.
  template <bool kMasked>
  GRIDWISE_DEVICE void Step(PositionWalk& dy_walk, int at, WaveAcc<kC>& acc) const {
    for (int pixel = 0; pixel < kC.tile.k; pixel += kStepPixels) {
      Pair dy[kRunOfDy];
      PlaneOfX x[kOnePlane ? 1 : kStride];
      int from = at + pixel + to_dy_;
      from += from < 0 ? kC.halo : 0;
      from -= from >= kC.halo ? kC.halo : 0;
      Read(dy_, from, dy);
      for (int plane = 0; !kOnePlane && plane < kStride; ++plane) ReadX(plane, pixel, x[plane]);
      unsigned long pixels = ~0ul;
      if constexpr (kMasked) {
        pixels = dy_walk.Pixels();
        dy_walk.Advance(kStepPixels);
      }
      for (int i = 0; i < kTaps; ++i) {
        if constexpr (!kOnePlane) {
          Multiply<kMasked>(i, pixels, dy, x[PlaneOf(i)], acc);
        } else {
          const int tap = i * kStride % kTaps;  // those of a plane follow each other
          if (i == 0 || PlaneOf(tap) != PlaneOf((i - 1) * kStride % kTaps)) {
            SchedulingFence();  // the previous plane has been multiplied
            ReadX(PlaneOf(tap), pixel, x[0]);
          }
          Multiply<kMasked>(tap, pixels, dy, x[0], acc);
        }
      }
    }
  }

 private:
  using Bits = Vec<unsigned, kRun / kPair>;

  GRIDWISE_DEVICE static int FirstPixel() {
    return kC.mma.lane_groups() == 1 ? 0 : Lane<kC>() / kC.mma.m * kRun;
  }
  /// Bytes from the first pixel to the lane's own, and its channels.
  GRIDWISE_DEVICE static int OfLane(int channel) {
    return Opaque(FirstPixel() * kPixelBytes +
                  (channel + Lane<kC>() % kC.mma.m * kPair) * SizeOf(kC.type));
  }
  /// Waves along n: for each row of taps, the blocks of x by which the wave's block of dy is
  /// multiplied.
  GRIDWISE_DEVICE static int TapOfWave() { return WaveN<kC>() / kC.wave_n() / kBlocks; }
  GRIDWISE_DEVICE static int ChannelOfX() {
    const int group = WaveM<kC>() / (kBlocks * TileConfig::kBlock),
              block = WaveN<kC>() / kC.wave_n();
    return (group * kBlocks + block % kBlocks) * TileConfig::kBlock;
  }

  /// For a tap along an axis: the plane of x, and the distance of dy's pixels from those that a
  /// step loads, which are the first tap's.
  GRIDWISE_DEVICE static constexpr int PlaneOf(int tap) { return (tap - 1 + kStride) % kStride; }
  GRIDWISE_DEVICE static constexpr int FromFront(int tap) {
    return -((tap - 1 + kStride) / kStride);
  }

  template <int kCount>
  GRIDWISE_DEVICE static void Read(const char* lds, int first, Pair (&pixels)[kCount]) {
    for (int i = 0; i < kCount; ++i) {
      pixels[i] = *reinterpret_cast<const Pair*>(lds + first * kPixelBytes + i * kPixelBytes);
    }
  }

  GRIDWISE_DEVICE void ReadX(int plane, int first, PlaneOfX& x) const {
    Read(x_ + plane * kC.tile.k * kPixelBytes, first, x);
  }

  /// A bit for each of the lane's pixels in such a step.
  GRIDWISE_DEVICE static Bits BitsOf(unsigned long pixels) {
    const int of_lane = static_cast<int>(pixels >> FirstPixel());
    Bits bits;
    for (int i = 0; i < kRun / kPair; ++i) {
      const unsigned first = of_lane << (31 - kPair * i) >> 31;
      const unsigned second = of_lane << (30 - kPair * i) >> 31;
      bits[i] = (first & 0xffff) | (second & 0xffff0000);
    }
    return bits;
  }

  template <bool kMasked>
  GRIDWISE_DEVICE void Multiply(int tap, unsigned long pixels, const Pair (&dy)[kRunOfDy],
                                const PlaneOfX& x, WaveAcc<kC>& acc) const {
    struct Parts {
      MmaOperandA<kC.mma, kC.type> part[kParts];
    };
    const auto run_of = [&](const auto& pixels, int from, int channel)
                            __attribute__((always_inline)) {
                              Run run;
                              for (int e = 0; e < kRun; ++e) run[e] = pixels[from + e][channel];
                              return run;
                            };
    const int from = FromFront(tap) - FromFront(kTaps - 1);
    Parts rows[kPair];
    for (int m = 0; m < kPair; ++m) rows[m] = __builtin_bit_cast(Parts, run_of(dy, from, m));
    Bits bits = {};
    if constexpr (kMasked) bits = BitsOf(pixels >> from);
    for (int c = 0; c < kPair; ++c) {
      Run run = run_of(x, 0, c);
      if constexpr (kMasked) {
        run = __builtin_bit_cast(Run, __builtin_bit_cast(Bits, run) & bits);
      }
      const Parts column = __builtin_bit_cast(Parts, run);
      for (int part = 0; part < kParts; ++part) {
        for (int m = 0; m < kPair; ++m) {
          Acc<kC.mma, kC.type>& d = acc.d[m][tap * kPair + c];
          d = Mma<kC.mma, kC.type>(column.part[part], rows[m].part[part], d);
        }
      }
    }
  }

  const int to_dy_;  // from the pixels that a step loads to those of the last tap of the wave's row
  const char *const dy_,
      *const x_;  // the lane's part of the first pixels of x in the wave's planes
};

}  // namespace gridwise::tile
