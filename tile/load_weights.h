#pragma once

#include "ck/arch/memory.h"
#include "tile/block.h"
#include "tile/config.h"
#include "tile/k_walk.h"

namespace gridwise::tile {

/// Operand B: weights w[k][tap][c], whose c is contiguous, while LDS wants runs of k. A lane loads
/// a patch of patch_b.k rows by 2 columns and transposes it in registers.
template <TileConfig kC, Gfx kGfx>
class LoadWeights {
 public:
  GRIDWISE_DEVICE LoadWeights(const BwdDataArgs& args, const Block& block, const KWalk& walk)
      : k_is_ragged_(args.k % LdsTile::kCell != 0), one_column_(args.c - block.n == 1) {
    const long start = long{block.group} * args.k * walk.w_row_bytes();
    tensor_ = Buffer::From<kGfx>(static_cast<const char*>(args.w) + start);
    // No load reaches past the end of a row: lanes that would load the last columns once more
    // instead.
    const int last_pair = args.c - (one_column_ ? 1 : 2);
    const int column = block.n + PatchColumn();
    const int clamped = column < last_pair ? column : last_pair;
    column_ = PatchColumn() - (column - clamped);
    offset_ = IsIdle() ? Buffer::kOutOfRange : PatchK() * walk.w_row_bytes() + clamped * 2;
  }

  /// Starts the loads of a step.
  GRIDWISE_DEVICE void Load(const KWalk& walk) {
    const int last =
        walk.channels_left() - 1 - PatchK();  // last row from the patch's first on; negative: none
    if (!one_column_ && (!k_is_ragged_ || walk.channels_left() >= kC.tile.k)) {
      const unsigned offset = offset_ | (last & Buffer::kOutOfRange);
      for (int e = 0; e < kC.patch_b.k; ++e) {
        value_[e] = tensor_.Load<Vec<Half, 2>>(offset, walk.offset_w() + e * walk.w_row_bytes());
      }
    } else {  // the last channels end within a patch, or the tile has one column
      const unsigned past = BitsFrom(last + 1);
      for (int e = 0; e < kC.patch_b.k; ++e) {
        const unsigned offset = offset_ | Buffer::OutOfRangeIf(past, e);
        const int uniform = walk.offset_w() + e * walk.w_row_bytes();
        if (one_column_) {
          value_[e] = Vec<Half, 2>{tensor_.Load<Half>(offset, uniform), 0};
        } else {
          value_[e] = tensor_.Load<Vec<Half, 2>>(offset, uniform);
        }
      }
    }
  }

  /// Waits for the loads, transposes and writes them to LDS.
  GRIDWISE_DEVICE void Store(char* lds) const {
    if (IsIdle()) return;
    for (int n = 0; n < kC.patch_b.n; ++n) {
      Vec<Half, kC.patch_b.k> run;
      for (int e = 0; e < kC.patch_b.k; ++e) run[e] = value_[e][n];
      const int offset =
          kC.lds_b().Offset(column_ + n, PatchK() / LdsTile::kCell) + PatchK() % LdsTile::kCell * 2;
      *reinterpret_cast<Vec<Half, kC.patch_b.k>*>(lds + offset) = run;
    }
  }

 private:
  static constexpr int kPatchesPerRow = kC.tile.n / kC.patch_b.n;

  GRIDWISE_DEVICE static int PatchColumn() { return ThreadId() % kPatchesPerRow * kC.patch_b.n; }
  /// There are more lanes than patches, and this one has none.
  GRIDWISE_DEVICE static bool IsIdle() {
    return kC.patches_b() < kC.threads() && ThreadId() >= kC.patches_b();
  }
  /// First k of the patch.
  GRIDWISE_DEVICE static int PatchK() { return ThreadId() / kPatchesPerRow * kC.patch_b.k; }

  const bool k_is_ragged_, one_column_;
  Buffer tensor_;
  unsigned offset_;  // bytes, at step 0 and the patch's first row
  int column_;       // of the tile
  Vec<Half, 2> value_[kC.patch_b.k];
};

}  // namespace gridwise::tile
