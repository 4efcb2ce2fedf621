// SPDX-License-Identifier: MIT
#pragma once

#include "core/arch/memory.h"
#include "tile/block_sums.h"
#include "tile/bwd_weight_args.h"
#include "tile/config.h"
#include "tile/load/pixel_of_lane.h"
#include "tile/load/position_walk.h"
#include "tile/roles.h"

namespace gridwise::tile {

/// A step's pixels of x or dy on their way from memory to LDS. A position has one pixel in each of
/// kStride x kStride planes, which hold every kStride-th row and column of the tensor. Positions
/// that are no pixels are zeros.
template <TileConfig kC, Gfx kGfx, int kStride>
class StepOfPositions {
  using Piece = PixelOfLane<kC>::Piece;
  static constexpr int kPixelsOfLoad = BlockSums{kC}.pixels_of_load();
  static constexpr int kLoadsOfStep = kC.tile.k / kPixelsOfLoad;
  static constexpr int kWaves = kC.threads() / kC.mma.lanes();
  static constexpr int kCount = CeilDiv(kLoadsOfStep, kWaves);  // per wave and plane
  // Otherwise some waves have one load less, after branches.
  static constexpr bool kAllLoad = kLoadsOfStep % kWaves == 0;

 public:
  /// The first step's pixels start at position `position`; `wave` loads those after the ones of the
  /// previous wave.
  GRIDWISE_DEVICE StepOfPositions(const BwdWeightArgs& args, const PixelTensor& tensor,
                                  const PixelOfLane<kC>& of_lane, int first_group, int position,
                                  int wave)
      : of_lane_(of_lane),
        stride_(args.positions, tensor, kC.tile.k),
        buffer_(BufferOfGroups<kC, kGfx>(tensor, first_group)),
        wave_(wave) {
    for (int to = 0; to < kStride; ++to) {
      pixels_h_[to] = (tensor.size[1] + kStride - 1 - to) / kStride;
      pixels_w_[to] = (tensor.size[2] + kStride - 1 - to) / kStride;
      to_h_[to] = to * tensor.pixel[1];
      to_w_[to] = to * tensor.pixel[2];
    }
    for (int i = 0; i < kCount; ++i) {
      at_[i].Begin(args.positions, stride_, position + FirstPixel(i) + of_lane.pixel);
    }
  }

  /// Starts the loads of the next step.
  GRIDWISE_DEVICE void Load() {
    for (int i = 0; i < kCount; ++i) {
      if (!kAllLoad && FirstPixel(i) >= kC.tile.k) continue;
      for (int plane = 0; plane < kStride * kStride; ++plane) {
        const int h = plane / kStride, w = plane % kStride;
        const unsigned pixel = at_[i].Offset(stride_, pixels_h_[h], pixels_w_[w]);
        pieces_[i][plane] = buffer_.template Load<Piece>(
            (pixel + of_lane_.in_memory) | of_lane_.none, to_h_[h] + to_w_[w]);
      }
      at_[i].Advance(stride_);
    }
  }

  /// Waits for the loads and gives each to `write(piece, plane, first pixel of its load)`.
  template <class Write>
  GRIDWISE_DEVICE void Store(Write write) const {
    for (int i = 0; i < kCount; ++i) {
      if (!kAllLoad && FirstPixel(i) >= kC.tile.k) continue;
      for (int plane = 0; plane < kStride * kStride; ++plane) {
        write(pieces_[i][plane], plane, FirstPixel(i));
      }
    }
  }

 private:
  GRIDWISE_DEVICE int FirstPixel(int i) const { return (i * kWaves + wave_) * kPixelsOfLoad; }

  const PixelOfLane<kC> of_lane_;
  const PositionStride stride_;
  const Buffer buffer_;
  const int wave_;
  int pixels_h_[kStride], pixels_w_[kStride];  // of a plane
  int to_h_[kStride], to_w_[kStride];          // bytes to it
  LanePosition at_[kCount];
  Piece pieces_[kCount][kStride * kStride];
};

/// Loads steps' pixels of x and dy and writes them to LDS. Those of dy go to a ring whose first
/// pixels are repeated after its last. The planes of x follow, one after the other.
template <TileConfig kC, Gfx kGfx>
class LoadPositions {
  using Piece = PixelOfLane<kC>::Piece;
  static constexpr int kPixelsOfLoad = BlockSums{kC}.pixels_of_load();
  static constexpr int kRepeatedPixels = BlockSums{kC}.repeated_pixels();
  static constexpr int kPixelBytes = BlockSums{kC}.pixel_bytes();
  static constexpr int kRingBytes = BlockSums{kC}.ring_bytes();

 public:
  /// The first step's pixels of x start at position `x`, those of dy at `dy`.
  GRIDWISE_DEVICE LoadPositions(const BwdWeightArgs& args, int first_group, int x, int dy)
      : of_x_(args.x, first_group, args.positions.groups),
        of_dy_(args.dy, first_group, args.positions.groups),
        x_(args, args.x, of_x_, first_group, x, WaveOfWorkgroup<kC>()),
        // Waves that have one more load of x have one less of dy.
        dy_(args, args.dy, of_dy_, first_group, dy, kWaves - 1 - WaveOfWorkgroup<kC>()) {}

  /// Loads `pixels` pixels of dy, in whole steps, from position `dy` on, and writes them to the
  /// start of the ring.
  GRIDWISE_DEVICE void FillRing(const BwdWeightArgs& args, int first_group, int dy, int count,
                                char* lds) const {
    constexpr int kMax = CeilDiv<int>(kC.halo, kWaves * kPixelsOfLoad);
    const auto first_pixel = [](int i) {
      return (i * kWaves + WaveOfWorkgroup<kC>()) * kPixelsOfLoad;
    };
    const PositionStride stride(args.positions, args.dy, kWaves * kPixelsOfLoad);
    const Buffer buffer = BufferOfGroups<kC, kGfx>(args.dy, first_group);
    LanePosition at;
    at.Begin(args.positions, stride, dy + first_pixel(0) + of_dy_.pixel);
    Piece pieces[kMax];
#pragma clang loop unroll(full)
    for (int i = 0; i < kMax; ++i) {
      const unsigned pixel = at.Offset(stride, args.dy.size[1], args.dy.size[2]);
      const unsigned offset = (pixel + of_dy_.in_memory) | of_dy_.none;
      pieces[i] =
          buffer.template Load<Piece>(first_pixel(i) < count ? offset : Buffer::kOutOfRange, 0);
      at.Advance(stride);
    }
#pragma clang loop unroll(full)
    for (int i = 0; i < kMax; ++i) {
      if (first_pixel(i) < count) WriteToRing(pieces[i], first_pixel(i), lds);
    }
  }

  /// Starts the loads of the next step.
  GRIDWISE_DEVICE void Load() {
    x_.Load();
    dy_.Load();
  }

  /// Waits for the loads and writes them to LDS; dy goes to the ring from its pixel `at` on.
  GRIDWISE_DEVICE void Store(char* lds, int at) const {
    x_.Store([&](const Piece& piece, int plane, int first_pixel) {
      const int pixel = plane * kC.tile.k + first_pixel;
      of_x_.Write(piece, lds + kRingBytes + pixel * kPixelBytes);
    });
    dy_.Store([&](const Piece& piece, int, int first_pixel) {
      int pixel = at + first_pixel;
      pixel -= pixel >= kC.halo ? kC.halo : 0;
      WriteToRing(piece, pixel, lds);
    });
  }

 private:
  static constexpr int kWaves = kC.threads() / kC.mma.lanes();

  GRIDWISE_DEVICE void WriteToRing(const Piece& piece, int first_pixel, char* lds) const {
    of_dy_.Write(piece, lds + first_pixel * kPixelBytes);
    if (first_pixel < kRepeatedPixels) {
      of_dy_.Write(piece, lds + (first_pixel + kC.halo) * kPixelBytes);
    }
  }

  const PixelOfLane<kC> of_x_, of_dy_;
  StepOfPositions<kC, kGfx, kC.stride> x_;
  StepOfPositions<kC, kGfx, 1> dy_;
};

}  // namespace gridwise::tile
