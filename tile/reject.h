// SPDX-License-Identifier: MIT
#pragma once

#include "core/arch/mma_shape.h"
#include "core/arch/target.h"
#include "core/base/types.h"
#include "tile/config.h"
#include "tile/lds_layout.h"
#include "tile/reject_halo.h"
#include "tile/reject_operands.h"

namespace gridwise::tile {

/// Why the launch cannot add up splits; nullptr if it can, or if the config has no fix-up.
constexpr const char* RejectFixup(const TileConfig& c) {
  if (!c.has_fixup()) return nullptr;
  if (SumType(c.type) != DataType::kF32) return "a fix-up adds f32";
  if (c.has_resident_weights() || c.sums_blocks()) return "tiles with a halo have no fix-up";
  if (c.fixup < 2 || c.fixup > 255) return "a word counts 2 to 255 splits";
  return nullptr;
}

/// Why waves cannot compute a tile with these k tiles on `target`; nullptr if they can.
constexpr const char* RejectKTiles(const TileConfig& c, const TargetTraits& target) {
  const int vectors = c.tile.k / c.vector();
  if (c.tile.k % c.vector() != 0 ||
      (vectors != 2 && vectors != 4 && vectors != 8 && vectors != 16)) {
    return "tile.k is not 2, 4, 8 or 16 vectors of 16 bytes";
  }
  if (const char* reason = RejectMerge(c)) return reason;
  if (c.tile.m < 16 || c.tile.m % (c.waves.m * c.mma_m()) != 0) return "waves do not divide tile.m";
  if (c.tile.n < 16 || c.tile.n % (c.waves.n * c.mma_n()) != 0) return "waves do not divide tile.n";
  if (c.loads_to_lds() && !target.loads_vectors_to_lds) {
    return "the target cannot load 16 bytes per lane straight to LDS";
  }
  if ((c.reads_transposed(c.patch_a) || c.reads_transposed(c.patch_b)) &&
      !target.reads_transposed) {
    return "the target has no LDS reads that transpose";
  }
  if (c.k_of_group() % c.fragment_k() != 0) return "tile.k is not a multiple of a fragment's k";
  if (const char* reason = RejectPipeline(c.pipeline)) return reason;
  if (c.k_tiles_of_step() > 1 && (c.merge > 1 || c.patch_a.n != 1)) {
    return "k tiles are loaded together along the channels of a tap, of one group";
  }
  if (const char* reason = RejectHalo(c)) return reason;
  if (c.packs_pixels()) return nullptr;
  if (const char* reason = RejectPatch(c, c.lds_a(), c.patch_a)) return reason;
  return RejectPatch(c, c.lds_b(), c.patch_b);
}

/// Returns nullptr if kernels of `c` can be compiled for `gfx`, else the reason.
constexpr const char* Reject(const TileConfig& c, Gfx gfx) {
  const TargetTraits target = TraitsOf(gfx);
  if (c.merge < 1) return "there are no groups in a tile";
  if (!target.Has(c.mma.unit)) return "the target has another matrix unit";
  // Merged groups may have too little k for an instruction with twice the k.
  constexpr int kBeforeDoubleK = 3;
  const bool once =
      target.mfma_generation > kBeforeDoubleK && c.merge > 1 && c.k_of_group() < 2 * c.mma.k;
  if (!HasMma(c.mma, c.type, target.mfma_generation) &&
      !(once && HasMma(c.mma, c.type, kBeforeDoubleK))) {
    return "the target has no such mma for the type";
  }
  if (c.waves.m < 1 || c.waves.n < 1 || c.threads() > 1024) {
    return "waves do not make a workgroup of 1 to 1024 threads";
  }
  if (const char* reason = c.sums_blocks() ? RejectBlocks(c) : RejectKTiles(c, target)) {
    return reason;
  }
  if (const char* reason = RejectFixup(c)) return reason;
  if (LdsLayout{c}.bytes() > target.lds_bytes) return "the tiles do not fit in LDS";
  if (c.reps_m() * c.reps_n() * c.mma.acc_per_lane() > target.vgprs / 2) {
    return "the accumulators do not fit in registers";
  }
  return nullptr;
}

}  // namespace gridwise::tile
