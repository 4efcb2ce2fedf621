#pragma once

#include "tile/block.h"
#include "tile/cells_of_lane.h"
#include "tile/config.h"
#include "tile/k_walk.h"
#include "tile/weight_column.h"

namespace gridwise::tile {

/// Operand B where the weights of one output channel are contiguous along k, as in forward
/// w[k][tap][c]: a lane loads cells of a row and writes them to LDS as they are.
template <TileConfig kC, Gfx kGfx>
class LoadWeightsRows {
  using Lane = CellsOfLane<kC, kC.lds_b()>;

 public:
  using Slab = CellVec<kC>[Lane::kCount];

  GRIDWISE_DEVICE LoadWeightsRows(const GatherArgs& args, const Block& block)
      : k_is_ragged_(kC.has_ragged_slabs() && args.k % kC.cell() != 0) {
    tensor_ = Buffer::From<kGfx>(static_cast<const char*>(args.w) + block.group * args.w_group);
    for (int i = 0; i < Lane::kCount; ++i) {
      const int n = block.n + Lane::Row(i);
      offset_[i] = n < args.n && !Lane::IsIdle()
                       ? OffsetOfColumn<kC>(args, n) + Channel() * SizeOf(kC.type)
                       : Buffer::kOutOfRange;
    }
  }

  /// Starts the loads of a step.
  template <class To>
  GRIDWISE_DEVICE void Load(const KWalk& walk, To&& slab) const {
    if constexpr (kC.k_of_group() < kC.cell()) {
      for (int i = 0; i < Lane::kCount; ++i) slab[i] = LoadPartOfCell(i, walk);
    } else if (!k_is_ragged_ || walk.channels_left() >= kC.tile.k) {
      LoadCells<0>(walk, slab);
    } else {
      LoadCells<kRagged>(walk, slab);
    }
  }

  /// Waits for the loads and writes them to LDS.
  GRIDWISE_DEVICE void Store(const Slab& slab, char* lds) const {
    if (!Lane::IsIdle()) Lane::Store(slab, lds);
  }

 private:
  static constexpr int kRagged = kC.ragged(kC.patch_b);
  GRIDWISE_DEVICE static int Channel() { return Lane::Cell() * kC.cell(); }

  /// A cell of which a merged group fills the first part.
  GRIDWISE_DEVICE CellVec<kC> LoadPartOfCell(int i, const KWalk& walk) const {
    using Run = Vec<Element<kC.type>, kC.k_of_group()>;
    struct {
      Run run[kC.cell() / kC.k_of_group()] = {};
    } cell;
    cell.run[0] = tensor_.Load<Run>(offset_[i], walk.offset_w());
    return __builtin_bit_cast(CellVec<kC>, cell);
  }

  template <int kPart, class To>
  GRIDWISE_DEVICE void LoadCells(const KWalk& walk, To&& slab) const {
    for (int i = 0; i < Lane::kCount; ++i) {
      const int left = walk.channels_left() - Channel();
      if constexpr (kC.loads_to_lds()) {
        tensor_.LoadToLds(slab[i], offset_[i] | NoneOf(left), walk.offset_w());
      } else {
        slab[i] = LoadCell<kC, kPart>(tensor_, offset_[i], walk.offset_w(), left);
      }
    }
  }

  const bool k_is_ragged_;
  Buffer tensor_;
  unsigned offset_[Lane::kCount];  // bytes, at step 0
};

}  // namespace gridwise::tile
