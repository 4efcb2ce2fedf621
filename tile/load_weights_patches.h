#pragma once

#include "ck/arch/memory.h"
#include "tile/block.h"
#include "tile/config.h"
#include "tile/k_walk.h"

namespace gridwise::tile {

/// Operand B where the weights of one source channel are contiguous along n, as in backward-data
/// w[k][tap][c], while LDS wants runs of k: a lane loads a patch of patch_b.k rows by 2 columns and
/// transposes it in registers.
template <TileConfig kC, Gfx kGfx>
class LoadWeightsPatches {
 public:
  GRIDWISE_DEVICE LoadWeightsPatches(const GatherArgs& args, const Block& block)
      : w_k_(args.w_k), k_is_ragged_(args.k % kC.cell() != 0), one_column_(args.n - block.n == 1) {
    tensor_ = Buffer::From<kGfx>(static_cast<const char*>(args.w) + block.group * args.w_group);
    // No load reaches past the end of a row: lanes that would load the last columns once more
    // instead.
    const int last_pair = args.n - (one_column_ ? 1 : 2);
    const int column = block.n + PatchColumn();
    const int clamped = column < last_pair ? column : last_pair;
    column_ = PatchColumn() - (column - clamped);
    offset_ = IsIdle() ? Buffer::kOutOfRange : PatchK() * w_k_ + clamped * SizeOf(kC.type);
  }

  /// Starts the loads of a step.
  GRIDWISE_DEVICE void Load(const KWalk& walk) {
    const int last =
        walk.channels_left() - 1 - PatchK();  // last row from the patch's first on; negative: none
    if (!one_column_ && (!k_is_ragged_ || walk.channels_left() >= kC.tile.k)) {
      const unsigned offset = offset_ | (last & Buffer::kOutOfRange);
      for (int e = 0; e < kC.patch_b.k; ++e) {
        value_[e] = tensor_.Load<Pair>(offset, walk.offset_w() + e * w_k_);
      }
    } else {  // the last channels end within a patch, or the tile has one column
      const unsigned past = BitsFrom(last + 1);
      for (int e = 0; e < kC.patch_b.k; ++e) {
        const unsigned offset = offset_ | Buffer::OutOfRangeIf(past, e);
        const int uniform = walk.offset_w() + e * w_k_;
        if (one_column_) {
          value_[e] = Pair{tensor_.Load<Element<kC.type>>(offset, uniform), 0};
        } else {
          value_[e] = tensor_.Load<Pair>(offset, uniform);
        }
      }
    }
  }

  /// Waits for the loads, transposes and writes them to LDS.
  GRIDWISE_DEVICE void Store(char* lds) const {
    if (IsIdle()) return;
    using Run = Vec<Element<kC.type>, kC.patch_b.k>;
    for (int n = 0; n < kC.patch_b.n; ++n) {
      Run run;
      for (int e = 0; e < kC.patch_b.k; ++e) run[e] = value_[e][n];
      const int offset = kC.lds_b().Offset(column_ + n, PatchK() / kC.cell()) +
                         PatchK() % kC.cell() * SizeOf(kC.type);
      *reinterpret_cast<Run*>(lds + offset) = run;
    }
  }

 private:
  using Pair = Vec<Element<kC.type>, 2>;
  static constexpr int kPatchesPerRow = kC.tile.n / kC.patch_b.n;

  GRIDWISE_DEVICE static int PatchColumn() { return ThreadId() % kPatchesPerRow * kC.patch_b.n; }
  /// There are more lanes than patches, and this one has none.
  GRIDWISE_DEVICE static bool IsIdle() {
    return kC.patches_b() < kC.threads() && ThreadId() >= kC.patches_b();
  }
  /// First k of the patch.
  GRIDWISE_DEVICE static int PatchK() { return ThreadId() / kPatchesPerRow * kC.patch_b.k; }

  const int w_k_;
  const bool k_is_ragged_, one_column_;
  Buffer tensor_;
  unsigned offset_;  // bytes, at step 0 and the patch's first row
  int column_;       // of the tile
  Pair value_[kC.patch_b.k];
};

}  // namespace gridwise::tile
