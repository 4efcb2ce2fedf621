// SPDX-License-Identifier: MIT
#pragma once

#include "core/arch/sync.h"
#include "tile/config.h"
#include "tile/load/block.h"
#include "tile/load/k_walk.h"
#include "tile/load/vectors_of_lane.h"
#include "tile/load/weight_column.h"

namespace gridwise::tile {

/// Operand B if the weights of one output channel are contiguous along k, as in forward
/// w[k][tap][c]: a lane loads vectors of a row and writes them to LDS unchanged.
template <TileConfig kC, Gfx kGfx, bool kPlain>
class LoadWeightsRows {
  using Lane = VectorsOfLane<kC, kC.lds_b()>;

 public:
  using KTile = VectorType<kC>[Lane::kCount];

  GRIDWISE_DEVICE LoadWeightsRows(const GatherArgs& args, const Block& block)
      : k_is_ragged_(IsRagged<kC>(args)) {
    tensor_ = Buffer::From<kGfx>(block.w);
    for (int i = 0; i < Lane::kCount; ++i) {
      const int n = block.n + Lane::Row(i);
      const int offset = OffsetOfColumn<kC>(args, n) + Channel() * SizeOf(kC.type);
      const bool exists = HasColumn<kC>(args, block.group, n) && !Lane::IsIdle(i);
      offset_[i] = exists ? offset : Buffer::kOutOfRange;
    }
  }

  GRIDWISE_DEVICE void EnterRun(const KWalk& walk) {
    uniform_offset_ = walk.offset_w();
    const unsigned none = NoneOf(walk.channels_left() - Channel());
    for (int i = 0; i < Lane::kCount; ++i) run_offset_[i] = offset_[i] | none;
  }

  /// Starts the loads of the run's next step.
  template <class... To>
  GRIDWISE_DEVICE void Load(const KWalk& walk, To&&... k_tiles) {
    if constexpr (kC.loads_partial_vectors()) {
      (LoadRagged(walk, k_tiles), ...);
    } else if (kPlain || !k_is_ragged_ || walk.is_whole()) {
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
  GRIDWISE_DEVICE static int Channel() { return Lane::Vector() * kC.vector(); }

  /// Loads a vector whose first part belongs to a merged group.
  GRIDWISE_DEVICE VectorType<kC> LoadPartOfVector(int i) const {
    using Run = Vec<Element<kC.type>, kC.k_of_group()>;
    struct {
      Run run[kC.vector() / kC.k_of_group()] = {};
    } vector;
    vector.run[0] = tensor_.Load<Run>(run_offset_[i], uniform_offset_);
    return __builtin_bit_cast(VectorType<kC>, vector);
  }

  /// Loads vector i of the step's k tile `number`.
  template <class To>
  GRIDWISE_DEVICE void LoadVector(int i, int number, To&& k_tile) const {
    const unsigned offset = run_offset_[i] + number * kC.tile.k * SizeOf(kC.type);
    if constexpr (kC.k_of_group() < kC.vector()) {
      k_tile[i] = LoadPartOfVector(i);
    } else if constexpr (kC.loads_to_lds()) {
      tensor_.LoadToLds(k_tile[i], offset, uniform_offset_);
    } else {
      k_tile[i] = tensor_.Load<VectorType<kC>>(offset, uniform_offset_);
    }
  }

  GRIDWISE_DEVICE void LoadRagged(const KWalk& walk, KTile& k_tile) const {
    for (int i = 0; i < Lane::kCount; ++i) {
      // Not the plain uniform offset: the offsets of all elements would become loop invariants.
      k_tile[i] = LoadRaggedVector<kC, kC.ragged(kC.patch_b)>(
          tensor_, run_offset_[i] + uniform_offset_, walk.channels_left() - Channel());
    }
  }

  const bool k_is_ragged_;
  Buffer tensor_;
  int uniform_offset_ = 0;             // bytes, of the next step
  unsigned offset_[Lane::kCount];      // bytes, at tap 0 and channel 0
  unsigned run_offset_[Lane::kCount];  // the same, or out of range if the run has nothing for it
};

}  // namespace gridwise::tile
