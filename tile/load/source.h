// SPDX-License-Identifier: MIT
#pragma once

#include "core/arch/sync.h"
#include "tile/config.h"
#include "tile/load/block.h"
#include "tile/load/k_walk.h"
#include "tile/load/vectors_of_lane.h"

namespace gridwise::tile {

/// Operand A: gathers rows of the source tensor, one per row of the tile and filter tap, and writes
/// them to LDS.
///
/// Row m of the sub-GEMM is a pixel of the output; tap t pairs it with the source pixel that is t *
/// tap_source_stride further along each axis. A lane therefore keeps one offset per row that it
/// loads, and a step adds the same offset to all. Pixels outside of the source read as zero: a run
/// puts them out of the buffer's range.
template <TileConfig kC, Gfx kGfx, bool kPlain>
class LoadSource {
  using Lane = VectorsOfLane<kC, kC.lds_a()>;

 public:
  using KTile = VectorType<kC>[Lane::kCount];
  static constexpr int kLdsBytes = kC.lds_a().bytes();

  GRIDWISE_DEVICE LoadSource(const GatherArgs& args, const Block& block)
      : k_is_ragged_(IsRagged<kC>(args)) {
    const AxisPhase(&axis)[3] = block.gemm.axis;
    // Pixels before the source's first have negative offsets; the buffer begins that much earlier.
    const int bias = args.source_bias;
    tensor_ = Buffer::From<kGfx>(block.source);
    for (int a = 0; a < 3; ++a) size_[a] = args.source_size[a];
    PhasePixel pixels[Lane::kCount];  // one branch for all of them
    for (int i = 0; i < Lane::kCount; ++i) pixels[i] = PixelOfLine(block.m + Lane::Row(i));
    if (!IsLine(block.gemm)) {
      for (int i = 0; i < Lane::kCount; ++i) {
        pixels[i] = PixelOfRow(block.gemm, block.m + Lane::Row(i));
      }
    }
    for (int i = 0; i < Lane::kCount; ++i) {
      const PhasePixel& pixel = pixels[i];
      offset_[i] = (pixel.n - block.first_image) * static_cast<int>(args.source_image) + bias +
                   Channel() * SizeOf(kC.type);
      for (int a = 0; a < 3; ++a) {
        pixel_[i][a] = SourcePixel(axis[a], args.strides[a], pixel.j[a], 0);
        offset_[i] += pixel_[i][a] * args.source_pixel[a];
      }
      if (block.m + Lane::Row(i) >= block.gemm.m) pixel_[i][2] = kNoPixel;
    }
  }

  GRIDWISE_DEVICE void EnterRun(const KWalk& walk) {
    uniform_offset_ = walk.offset_source();
    const bool exists = walk.channels_left() > Channel();
    for (int i = 0; i < Lane::kCount; ++i) {
      bool inside = exists;
      for (int a = 0; a < 3; ++a) {
        const int at = pixel_[i][a] + walk.source_pixels(a);
        inside &= static_cast<unsigned>(at) < static_cast<unsigned>(size_[a]);
      }
      run_offset_[i] = inside ? offset_[i] : Buffer::kOutOfRange;
    }
  }

  /// Starts the loads of the run's next step.
  template <class... To>
  GRIDWISE_DEVICE void Load(const KWalk& walk, To&&... k_tiles) {
    static_assert(sizeof...(k_tiles) == kC.k_tiles_of_step());
    if (kPlain || !k_is_ragged_ || walk.is_whole()) {
      for (int i = 0; i < Lane::kCount; ++i) {
        int k_tile = 0;
        (LoadVector(i, k_tile++, k_tiles), ...);
        // Loads both halves of a line while the vector cache has it.
        if (kC.k_tiles_of_step() > 1) SchedulingFence();
      }
    } else if constexpr (kC.has_ragged_k_tiles()) {
      (LoadRagged(walk, k_tiles), ...);
    }
    uniform_offset_ += kC.step_k() * SizeOf(kC.type);
  }

  /// Waits for the loads and writes them to LDS.
  GRIDWISE_DEVICE void Store(const KTile& k_tile, char* lds) const { Lane::Store(k_tile, lds); }

 private:
  static constexpr int kNoPixel = static_cast<int>(0x80000000u);  // whatever the tap

  GRIDWISE_DEVICE static int Channel() { return Lane::Vector() * kC.vector(); }

  /// Loads vector i of the step's k tile `number`.
  template <class To>
  GRIDWISE_DEVICE void LoadVector(int i, int number, To&& k_tile) const {
    const unsigned offset = run_offset_[i] + number * kC.tile.k * SizeOf(kC.type);
    if constexpr (kC.loads_to_lds()) {
      tensor_.LoadToLds(k_tile[i], offset, uniform_offset_);
    } else {
      k_tile[i] = tensor_.Load<VectorType<kC>>(offset, uniform_offset_);
    }
  }

  GRIDWISE_DEVICE void LoadRagged(const KWalk& walk, KTile& k_tile) const {
    for (int i = 0; i < Lane::kCount; ++i) {
      // Not the plain uniform offset: the offsets of all elements would become loop invariants.
      k_tile[i] = LoadRaggedVector<kC, kC.ragged(kC.patch_a)>(
          tensor_, run_offset_[i] + uniform_offset_, walk.channels_left() - Channel());
    }
  }

  const bool k_is_ragged_;
  Buffer tensor_;
  int size_[3];                        // source pixels
  int pixel_[Lane::kCount][3];         // at t = 0
  unsigned offset_[Lane::kCount];      // bytes, at t = 0 and channel 0
  unsigned run_offset_[Lane::kCount];  // the same, or out of range where the run has nothing for it
  int uniform_offset_ = 0;             // bytes, of the next step
};

}  // namespace gridwise::tile
