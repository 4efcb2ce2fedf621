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
    window_ = Buffer::Make<kGfx>(static_cast<const char*>(args.w) + start, args.w_bytes - start);
    // No load reaches past the end of a row: lanes that would load the last columns once more
    // instead.
    const int last_pair = args.c - (one_column_ ? 1 : 2);
    const int column = block.n + PatchColumn();
    const int clamped = column < last_pair ? column : last_pair;
    column_ = PatchColumn() - (column - clamped);
    offset_ = PatchK() * walk.w_row_bytes() + clamped * 2;
  }

  /// Starts the loads of a step.
  GRIDWISE_DEVICE void Load(const KWalk& walk) {
    const int last =
        walk.channels_left() - 1 - PatchK();  // last row from the patch's first on; negative: none
    if (!one_column_ && (!k_is_ragged_ || walk.channels_left() >= kC.tile.k)) {
      const unsigned offset = offset_ | (last & Buffer::kOutOfRange);
      for (int e = 0; e < kC.patch_b.k; ++e) {
        value_[e] = window_.Load<Vec<Half, 2>>(offset, walk.offset_w() + e * walk.w_row_bytes());
      }
    } else {  // the last channels end within a patch, or the tile has one column
      const unsigned past = BitsFrom(last + 1);
      for (int e = 0; e < kC.patch_b.k; ++e) {
        const unsigned offset = offset_ | Buffer::OutOfRangeIf(past, e);
        const int uniform = walk.offset_w() + e * walk.w_row_bytes();
        if (one_column_) {
          value_[e] = Vec<Half, 2>{window_.Load<Half>(offset, uniform), 0};
        } else {
          value_[e] = window_.Load<Vec<Half, 2>>(offset, uniform);
        }
      }
    }
  }

  /// Waits for the loads, transposes and writes them to LDS.
  GRIDWISE_DEVICE void Store(char* lds) const {
    if (kC.patches_b() < kC.threads() && ThreadId() >= kC.patches_b()) return;
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
  /// First k of the patch; lanes that have none are past the slab.
  GRIDWISE_DEVICE static int PatchK() { return ThreadId() / kPatchesPerRow * kC.patch_b.k; }

  const bool k_is_ragged_, one_column_;
  Buffer window_;
  unsigned offset_;  // bytes, at step 0 and the patch's first row
  int column_;       // of the tile
  Vec<Half, 2> value_[kC.patch_b.k];
};

}  // namespace gridwise::tile
