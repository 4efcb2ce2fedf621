#pragma once

#include "tile/config.h"
#include "tile/load/block.h"
#include "tile/load/chunks_of_lane.h"
#include "tile/load/k_walk.h"

namespace gridwise::tile {

/// Operand A: gathers rows of the source tensor, one per row of the tile and filter tap, and writes
/// them to LDS.
///
/// Row m of the sub-GEMM is a cell of the output; tap t pairs it with the source cell that lies
/// t * tap_source_stride further along each axis. So a lane keeps one offset per row it loads, and
/// a step adds the same offset to all. Cells outside of the source read as zero: `invalid_` has a
/// bit per tap, which a step moves to Buffer::kOutOfRange.
template <TileConfig kC, Gfx kGfx>
class LoadSource {
  using Lane = ChunksOfLane<kC, kC.lds_a()>;

 public:
  using Slab = ChunkVec<kC>[Lane::kCount];
  static constexpr int kLdsBytes = kC.lds_a().bytes();

  GRIDWISE_DEVICE LoadSource(const GatherArgs& args, const Block& block)
      : args_(args), block_(block) {
    const AxisClass(&axis)[3] = block.gemm.axis;
    // Cells before the source's first have negative offsets; the buffer begins so much earlier.
    int bias = 0;
    for (int a = 0; a < 3; ++a) {
      bias += (axis[a].first_source < 0 ? -axis[a].first_source : 0) * args.source_cell[a];
    }
    const long start =
        block.first_image * args.source_image + block.group * args.source_group - bias;
    tensor_ = Buffer::From<kGfx>(static_cast<const char*>(args.source) + start);
    for (int i = 0; i < Lane::kCount; ++i) {
      const ClassCell cell = CellOfRow(block.gemm, block.m + Lane::Row(i));
      int offset = (cell.n - block.first_image) * static_cast<int>(args.source_image) + bias +
                   Channel() * SizeOf(kC.type);
      for (int a = 0; a < 3; ++a) {
        offset += SourceCell(axis[a], args.strides[a], cell.j[a], 0) * args.source_cell[a];
      }
      offset_[i] = block.m + Lane::Row(i) < block.gemm.m ? offset : 0;
    }
  }

  /// Starts the loads of a step. Steps come in the order of KWalk.
  template <class To>
  GRIDWISE_DEVICE void Load(const KWalk& walk, To&& slab) {
    if (walk.entered_mask()) FindInvalidTaps(walk);
    const bool whole = walk.channels_left() >= kC.tile.k;
    // Where all lanes of the wave are inside, loads take no vector instructions. Straight to LDS
    // they take few, and stay in one run of instructions with what they overlap.
    if (!kC.loads_to_lds() && whole && (some_invalid_ >> walk.tap() % kTapsOfMask & 1) == 0) {
      LoadInside(walk, slab);
    } else if (!kC.has_ragged_slabs() || args_.k % kC.chunk() == 0 || whole) {
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
  static constexpr int kRagged = kC.ragged(kC.patch_a);
  static constexpr int kTapsOfMask = KWalk::kTapsOfMask;

  GRIDWISE_DEVICE static int Channel() { return Lane::Chunk() * kC.chunk(); }

  template <class To>
  GRIDWISE_DEVICE void LoadInside(const KWalk& walk, To&& slab) const {
    if constexpr (!kC.loads_to_lds()) {
      for (int i = 0; i < Lane::kCount; ++i) {
        slab[i] = tensor_.Load<ChunkVec<kC>>(offset_[i], walk.offset_source());
      }
    }
  }

  template <int kPart, class To>
  GRIDWISE_DEVICE void LoadChunks(const KWalk& walk, To&& slab) const {
    const int tap = walk.tap() % kTapsOfMask;
    for (int i = 0; i < Lane::kCount; ++i) {
      const unsigned offset = offset_[i] | Buffer::OutOfRangeIf(invalid_[i], tap);
      const int left = walk.channels_left() - Channel();
      if constexpr (kC.loads_to_lds()) {
        tensor_.LoadToLds(slab[i], offset | NoneOf(left), walk.offset_source());
      } else {
        slab[i] = LoadChunk<kC, kPart>(tensor_, offset, walk.offset_source(), left);
      }
    }
  }

  /// Bit i of invalid_, and of some_invalid_ in some lane, becomes 1 when the i-th tap of the
  /// walk's mask lies outside of the source, or there is no such tap or row.
  GRIDWISE_DEVICE void FindInvalidTaps(const KWalk& walk) {
    ClassCell cell[Lane::kCount];
    for (int i = 0; i < Lane::kCount; ++i) {
      cell[i] = CellOfRow(block_.gemm, block_.m + Lane::Row(i));
      invalid_[i] = ~0u;
    }
    const int taps = Taps(block_.gemm) - (walk.tap() - walk.tap() % kTapsOfMask);
    const int bits = taps < kTapsOfMask ? taps : kTapsOfMask;
    TapIndex t = walk.mask_t();
    some_invalid_ = 0;
#pragma clang loop unroll(disable)
    for (int bit = 0; bit < bits; ++bit, t.Advance(block_.gemm)) {
      bool all_inside = true;
      for (int i = 0; i < Lane::kCount; ++i) {
        bool inside = block_.m + Lane::Row(i) < block_.gemm.m;
        for (int a = 0; a < 3; ++a) {
          const int at = SourceCell(block_.gemm.axis[a], args_.strides[a], cell[i].j[a], t.axis[a]);
          inside &= static_cast<unsigned>(at) < static_cast<unsigned>(args_.source_size[a]);
        }
        invalid_[i] ^= static_cast<unsigned>(inside) << bit;
        all_inside &= inside;
      }
      if constexpr (!kC.loads_to_lds()) {
        some_invalid_ |= static_cast<unsigned>(AnyLane(!all_inside)) << bit;
      }
    }
  }

  const GatherArgs& args_;
  const Block& block_;
  Buffer tensor_;
  unsigned offset_[Lane::kCount];   // bytes, at tap 0 and channel 0
  unsigned invalid_[Lane::kCount];  // bits
  unsigned some_invalid_;           // the same of any lane of the wave
};

}  // namespace gridwise::tile
