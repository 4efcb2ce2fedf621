// SPDX-License-Identifier: MIT
#pragma once

#include "core/arch/memory.h"
#include "tile/config.h"
#include "tile/load/block.h"
#include "tile/load/k_walk.h"
#include "tile/load/patches_of_lane.h"
#include "tile/load/weight_column.h"

namespace gridwise::tile {

/// Operand B if the weights of one source channel are contiguous along n, as in backward-data
/// w[k][tap][c], while matrix instructions need runs of k. A lane loads a patch of patch_b.k rows
/// by 2 columns and transposes it in registers, or 1 row by 8 columns that LDS reads transpose.
///
/// The start of each row of a patch is a scalar register, which no step changes. A step moves the
/// lane's offsets, which are fewer.
template <TileConfig kC, Gfx kGfx, bool kPlain>
class LoadWeightsPatches {
  using Patches = PatchesOfLane<kC, kC.tile.n, kC.patch_b>;
  using Pair = Patches::Rows;

 public:
  using KTile = Patches::KTile;

  GRIDWISE_DEVICE LoadWeightsPatches(const GatherArgs& args, const Block& block)
      : w_k_(args.w_k), one_column_(!kPlain && kC.merge == 1 && args.n == 1) {
    tensor_ = Buffer::From<kGfx>(block.w);
    // No load reaches past the end of a row: lanes that would do so load the last columns instead.
    // If the last column is odd, its lane has it second in the pair, and the first element is
    // ignored.
    const int last = args.n - (one_column_ ? 1 : kC.patch_b.n);
    const int column = block.n + Patches::Row();
    const int clamped = kC.fills_groups() || column < last ? column : last;
    flip_ = column - clamped == 1;
    // Columns of groups that are filled up come in pairs that exist together or not.
    const bool is_none =
        Patches::IsIdle() || (kC.fills_groups() && !HasColumn<kC>(args, block.group, column));
    for (int i = 0; i < Patches::kCount; ++i) {
      offset_[i] =
          is_none ? Buffer::kOutOfRange : Patches::K(i) * w_k_ + OffsetOfColumn<kC>(args, clamped);
    }
  }

  GRIDWISE_DEVICE void EnterRun(const KWalk& walk) {
    for (int i = 0; i < Patches::kCount; ++i) {
      run_offset_[i] = (offset_[i] + walk.offset_w()) | NoneOf(RowsLeft(i, walk));
    }
  }

  /// Starts the loads of the run's next step.
  template <class... To>
  GRIDWISE_DEVICE void Load(const KWalk& walk, To&&... k_tiles) {
    (LoadKTile(walk, k_tiles), ...);
  }

  /// Waits for the loads, transposes and writes them to LDS.
  GRIDWISE_DEVICE void Store(const KTile& k_tile, char* lds) const {
    if (Patches::IsIdle()) return;
    for (int i = 0; i < Patches::kCount; ++i) {
      Patches::Store(k_tile[i], kC.lds_b(), Patches::Row(), Patches::K(i), lds, flip_);
    }
  }

 private:
  template <class To>
  GRIDWISE_DEVICE void LoadKTile(const KWalk& walk, To&& k_tile) {
    for (int i = 0; i < Patches::kCount; ++i) {
      if (kPlain || (!one_column_ && walk.is_whole())) {
        LoadPatch(i, k_tile);
      } else if constexpr (kC.has_ragged_k_tiles()) {
        LoadRaggedPatch(i, walk, k_tile[i]);
      }
      run_offset_[i] += kC.tile.k * w_k_;
    }
  }

  /// Rows of the source's channels that remain from patch i's first on; none if not positive.
  GRIDWISE_DEVICE static int RowsLeft(int i, const KWalk& walk) {
    return walk.channels_left() - Patches::K(i);
  }

  template <class To>
  GRIDWISE_DEVICE void LoadPatch(int i, To&& k_tile) const {
    for (int e = 0; e < kC.patch_b.k; ++e) {
      if constexpr (kC.loads_to_lds()) {
        tensor_.LoadToLds(k_tile[i], run_offset_[i], 0);
      } else {
        k_tile[i][e] = tensor_.Load<Pair>(run_offset_[i], e * w_k_);
      }
    }
  }

  /// Loads a patch if the last channels end within it, or if the tile has one column.
  GRIDWISE_DEVICE void LoadRaggedPatch(int i, const KWalk& walk,
                                       Pair (&patch)[kC.patch_b.k]) const {
    const int left = RowsLeft(i, walk);
    const auto load_by = [&](auto load) __attribute__((always_inline)) {
      for (int e = 0; e < kC.patch_b.k; ++e) {
        patch[e] = load(run_offset_[i] | NoneOf(left - e), e * w_k_);
      }
    };
    if (one_column_) {
      load_by([&](unsigned offset, int row) { return LoadOfColumn(offset, row); });
    } else {
      load_by([&](unsigned offset, int row) { return tensor_.Load<Pair>(offset, row); });
    }
  }

  /// The pair of one column and 0.
  GRIDWISE_DEVICE Pair LoadOfColumn(unsigned offset, int row) const {
    if constexpr (sizeof(Pair) == 4) {
      // The load itself puts zeros into the other half, and nothing waits for it.
      return __builtin_bit_cast(Pair, unsigned{tensor_.Load<unsigned short>(offset, row)});
    } else {
      return Pair{tensor_.Load<Element<kC.type>>(offset, row), 0};
    }
  }

  const int w_k_;
  const bool one_column_;  // of a group; a tile with more columns that is not plain has ragged
                           // channels
  Buffer tensor_;
  unsigned offset_[Patches::kCount];      // bytes, at tap 0 and the patch's first row
  unsigned run_offset_[Patches::kCount];  // of the next step; out of range if the run has nothing
                                          // for it
  int flip_;                              // 1: the pair's second column is the lane's first
};

}  // namespace gridwise::tile
