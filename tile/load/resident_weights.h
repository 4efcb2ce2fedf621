// SPDX-License-Identifier: MIT
#pragma once

#include "core/arch/memory.h"
#include "core/arch/sync.h"
#include "tile/config.h"
#include "tile/halo_layout.h"
#include "tile/load/block.h"
#include "tile/load/k_walk.h"
#include "tile/load/vectors_of_lane.h"
#include "tile/load/weight_column.h"
#include "tile/load/weight_loader.h"

namespace gridwise::tile {

/// The weights of all filter taps, a k tile each, which go to LDS once, a few taps at a time.
template <TileConfig kC, Gfx kGfx>
class ResidentWeights {
  static constexpr int kMaxTaps = HaloLayout{kC}.max_taps();
  static constexpr int kTapsAtOnce = HaloLayout{kC}.taps_at_once();
  using LoadWeights = WeightLoader<kC.patch_b.n == 1, kC, kGfx, /*kPlain=*/true>::Type;

 public:
  /// Starts the loads.
  GRIDWISE_DEVICE ResidentWeights(const GatherArgs& args, const Block& block)
      : weights_(args, block) {
    KWalk walk(args, block.gemm, kC.tile.k, SizeOf(kC.type), /*split=*/0);
    for (auto& k_tile : k_tiles_) {  // past the last tap they read as zero
      walk.NextRun();
      weights_.EnterRun(walk);
      weights_.Load(walk, k_tile);
    }
  }

  /// Waits for the weights of the taps from `first` on and writes them to LDS.
  GRIDWISE_DEVICE void Store(int first, char* lds) const {
    for (int i = 0; i < kTapsAtOnce && first + i < kMaxTaps; ++i) {
      weights_.Store(k_tiles_[first + i], lds + i * kC.lds_b().bytes());
    }
  }

 private:
  LoadWeights weights_;
  LoadWeights::KTile k_tiles_[kMaxTaps];
};

/// The weights of all rows of the filter, for packed pixels: a k tile is the taps of one row,
/// kC.pixel elements each.
template <TileConfig kC, Gfx kGfx>
  requires(kC.packs_pixels())
class ResidentWeights<kC, kGfx> {
  static constexpr int kMaxTaps = HaloLayout{kC}.max_taps();
  static constexpr int kTapsAtOnce = HaloLayout{kC}.taps_at_once();
  using Lane = VectorsOfLane<kC, kC.lds_b()>;

 public:
  GRIDWISE_DEVICE ResidentWeights(const GatherArgs& args, const Block& block) {
    const AxisPhase &h = block.gemm.axis[1], &w = block.gemm.axis[2];
    const Buffer tensor =
        Buffer::From<kGfx>(static_cast<const char*>(args.w) + block.group * args.w_group);
    for (int row = 0; row < kMaxTaps; ++row) {
      for (int i = 0; i < Lane::kCount; ++i) {
        const int n = block.n + Lane::Row(i);
        const int column = OffsetOfColumn<kC>(args, n) + row * args.w_tap[1];
        const bool exists = n < args.n && row < h.taps && !Lane::IsIdle(i);
        Vec<unsigned short, kC.vector()> vector;  // the elements' bits
        for (int e = 0; e < kC.vector(); ++e) {
          const int k = Lane::Vector() * kC.vector() + e, tap = k / kC.pixel,
                    channel = k % kC.pixel;
          const bool inside = exists && tap < w.taps && channel < args.k;
          const int offset = column + tap * args.w_tap[2] + channel * args.w_k;
          vector[e] = tensor.Load<unsigned short>(
              inside ? static_cast<unsigned>(offset) : Buffer::kOutOfRange, 0);
        }
        rows_[row][i] = __builtin_bit_cast(VectorType<kC>, vector);
      }
    }
  }

  GRIDWISE_DEVICE void Store(int first, char* lds) const {
    for (int i = 0; i < kTapsAtOnce && first + i < kMaxTaps; ++i) {
      Lane::Store(rows_[first + i], lds + i * kC.lds_b().bytes());
    }
  }

 private:
  VectorType<kC> rows_[kMaxTaps][Lane::kCount];
};

}  // namespace gridwise::tile
