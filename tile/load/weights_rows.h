#pragma once

#include "tile/config.h"
#include "tile/load/block.h"
#include "tile/load/chunks_of_lane.h"
#include "tile/load/k_walk.h"
#include "tile/load/weight_column.h"

namespace gridwise::tile {

/// Operand B where the weights of one output channel are contiguous along k, as in forward
/// w[k][tap][c]: a lane loads chunks of a row and writes them to LDS as they are.
template <TileConfig kC, Gfx kGfx>
class LoadWeightsRows {
  using Lane = ChunksOfLane<kC, kC.lds_b()>;

 public:
  using Slab = ChunkVec<kC>[Lane::kCount];

  GRIDWISE_DEVICE LoadWeightsRows(const GatherArgs& args, const Block& block)
      : k_is_ragged_(kC.has_ragged_slabs() && args.k % kC.chunk() != 0) {
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
    if constexpr (kC.k_of_group() < kC.chunk()) {
      for (int i = 0; i < Lane::kCount; ++i) slab[i] = LoadPartOfChunk(i, walk);
    } else if (!kC.loads_to_lds() && walk.channels_left() >= kC.tile.k) {
      LoadInside(walk, slab);
    } else if (!k_is_ragged_) {
      LoadChunks<0>(walk, slab);
    } else {
      LoadChunks<kRagged>(walk, slab);
    }
  }

  /// Waits for the loads and writes them to LDS.
  GRIDWISE_DEVICE void Store(const Slab& slab, char* lds) const {
    if (!Lane::IsIdle()) Lane::Store(slab, lds);
  }

 private:
  static constexpr int kRagged = kC.ragged(kC.patch_b);
  GRIDWISE_DEVICE static int Channel() { return Lane::Chunk() * kC.chunk(); }

  /// A chunk of which a merged group fills the first part.
  GRIDWISE_DEVICE ChunkVec<kC> LoadPartOfChunk(int i, const KWalk& walk) const {
    using Run = Vec<Element<kC.type>, kC.k_of_group()>;
    struct {
      Run run[kC.chunk() / kC.k_of_group()] = {};
    } chunk;
    chunk.run[0] = tensor_.Load<Run>(offset_[i], walk.offset_w());
    return __builtin_bit_cast(ChunkVec<kC>, chunk);
  }

  /// A whole slab, of which no channel is past the last.
  template <class To>
  GRIDWISE_DEVICE void LoadInside(const KWalk& walk, To&& slab) const {
    if constexpr (!kC.loads_to_lds()) {
      for (int i = 0; i < Lane::kCount; ++i) {
        slab[i] = tensor_.Load<ChunkVec<kC>>(offset_[i], walk.offset_w());
      }
    }
  }

  template <int kPart, class To>
  GRIDWISE_DEVICE void LoadChunks(const KWalk& walk, To&& slab) const {
    for (int i = 0; i < Lane::kCount; ++i) {
      const int left = walk.channels_left() - Channel();
      if constexpr (kC.loads_to_lds()) {
        tensor_.LoadToLds(slab[i], offset_[i] | NoneOf(left), walk.offset_w());
      } else {
        slab[i] = LoadChunk<kC, kPart>(tensor_, offset_[i], walk.offset_w(), left);
      }
    }
  }

  const bool k_is_ragged_;
  Buffer tensor_;
  unsigned offset_[Lane::kCount];  // bytes, at step 0
};

}  // namespace gridwise::tile
