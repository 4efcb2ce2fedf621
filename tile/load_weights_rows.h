#pragma once

#include "tile/block.h"
#include "tile/cells_of_lane.h"
#include "tile/config.h"
#include "tile/k_walk.h"

namespace gridwise::tile {

/// Operand B where the weights of one output channel are contiguous along k, as in forward
/// w[k][tap][c]: a lane loads cells of a row and writes them to LDS as they are.
template <TileConfig kC, Gfx kGfx>
class LoadWeightsRows {
  using Lane = CellsOfLane<kC, kC.lds_b()>;

 public:
  using Slab = CellVec<kC>[Lane::kCount];

  GRIDWISE_DEVICE LoadWeightsRows(const GatherArgs& args, const Block& block)
      : k_is_ragged_(args.k % kC.cell() != 0) {
    tensor_ = Buffer::From<kGfx>(static_cast<const char*>(args.w) + block.group * args.w_group);
    for (int i = 0; i < Lane::kCount; ++i) {
      const int n = block.n + Lane::Row(i);
      offset_[i] = n < args.n && !Lane::IsIdle() ? n * args.w_n + Channel() * SizeOf(kC.type)
                                                 : Buffer::kOutOfRange;
    }
  }

  /// Starts the loads of a step.
  GRIDWISE_DEVICE void Load(const KWalk& walk, Slab& slab) const {
    if (!k_is_ragged_ || walk.channels_left() >= kC.tile.k) {
      LoadCells<0>(walk, slab);
    } else {
      LoadCells<kC.ragged(kC.patch_b)>(walk, slab);
    }
  }

  /// Waits for the loads and writes them to LDS.
  GRIDWISE_DEVICE void Store(const Slab& slab, char* lds) const {
    if (Lane::IsIdle()) return;
    for (int i = 0; i < Lane::kCount; ++i) {
      *reinterpret_cast<CellVec<kC>*>(lds + kC.lds_b().Offset(Lane::Row(i), Lane::Cell())) =
          slab[i];
    }
  }

 private:
  GRIDWISE_DEVICE static int Channel() { return Lane::Cell() * kC.cell(); }

  template <int kRagged>
  GRIDWISE_DEVICE void LoadCells(const KWalk& walk, Slab& slab) const {
    for (int i = 0; i < Lane::kCount; ++i) {
      slab[i] = LoadCell<kC, kRagged>(tensor_, offset_[i], walk.offset_w(),
                                      walk.channels_left() - Channel());
    }
  }

  const bool k_is_ragged_;
  Buffer tensor_;
  unsigned offset_[Lane::kCount];  // bytes, at step 0
};

}  // namespace gridwise::tile
