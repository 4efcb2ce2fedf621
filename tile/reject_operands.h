// SPDX-License-Identifier: MIT
#pragma once

#include "core/layout/lds_tile.h"
#include "core/text/instance_fields.h"
#include "tile/config.h"

namespace gridwise::tile {

/// Why lanes cannot load an operand's tile straight to LDS; nullptr if they can.
constexpr const char* RejectLoadsToLds(const TileConfig& c, LdsTile tile, TileConfig::Patch patch) {
  const bool transposed = c.reads_transposed(patch);
  if (transposed && (SizeOf(c.type) != 2 || c.mma.m != 32 || c.fragment_reads() != 1)) {
    return "LDS reads transpose 16-bit operands of 32x32 matrix instructions with a vector per "
           "lane";
  }
  if (patch.k != (transposed ? 1 : c.vector()) ||
      patch.n != (transposed ? LdsLines::kPieceRows : 1)) {
    return "loads straight to LDS are vectors along k, or 8 rows of one k";
  }
  const int lines = transposed ? c.tile.k : tile.rows;
  const int pieces = tile.rows * tile.vectors_per_row / lines;
  // Every load of a lane has the same place in its line, in lines with the same permutation of
  // pieces.
  const int period = transposed ? 4 : 16;
  if (c.threads() % pieces != 0 || c.threads() / pieces % period != 0 ||
      lines % (c.threads() / pieces) != 0 || (transposed && tile.rows % 64 != 0)) {
    return "lanes do not share an operand's tile in whole loads";
  }
  return nullptr;
}

/// Why lanes cannot share an operand's tile in such patches; nullptr if they can.
constexpr const char* RejectPatch(const TileConfig& c, LdsTile tile, TileConfig::Patch patch) {
  if (c.loads_to_lds()) return RejectLoadsToLds(c, tile, patch);
  if (patch.n != 1 && patch.n != 2) return "a patch is neither 1 nor 2 rows wide";
  if (patch.k != c.vector() && patch.k != 4) return "a patch is neither a vector long nor 4";
  const int per_k = patch.n == 1 ? 1 : tile.rows / patch.n;
  const int vectors = tile.rows / patch.n * tile.vectors_per_row;
  const int patches = patch.n == 1 ? vectors : vectors * c.vector() / patch.k;
  const bool has_several = patches > c.load_threads();  // per lane
  if (has_several && patch.n != 1 && patches % c.load_threads() != 0) {
    return "lanes do not share an operand's tile in whole patches";
  }
  const int rows_apart = c.load_threads() / tile.vectors_per_row;
  if (has_several && patch.n == 1 && rows_apart % LdsTile::kPeriodRows != 0) {
    return "a lane's vectors of an operand's tile do not lie alike";
  }
  if (c.load_threads() % per_k != 0) return "lanes do not share an operand's rows";
  return nullptr;
}

/// Why there is no such schedule; nullptr if there is one.
constexpr const char* RejectPipeline(Pipeline pipeline) {
  const int count = pipeline.count;
  if (pipeline.schedule == Schedule::kSingle && count != 1 && count != 2) {
    return "with one LDS buffer, 1 or 2 k tiles are in flight";
  }
  if (pipeline.schedule == Schedule::kDouble && count != 1 && count != 2 && count != 4) {
    return "with two LDS buffers, 1, 2 or 4 k tiles are in flight";
  }
  if (pipeline.schedule == Schedule::kWavelet && count < 1) return "there are no load waves";
  if (pipeline.schedule == Schedule::kDirect && count != 2 && count != 3) {
    return "loads go straight to 2 or 3 LDS buffers";
  }
  return nullptr;
}

/// Why groups cannot be merged in this way; nullptr if they can.
constexpr const char* RejectMerge(const TileConfig& c) {
  if (c.mma.blocks() > 1 && (c.merge == 1 || c.mma.blocks() % c.groups_at_once() != 0 ||
                             c.merge % c.groups_at_once() != 0)) {
    return "the blocks of the mma are not shared by merged groups";
  }
  if (c.merge == 1) return nullptr;
  if (c.merge % (c.waves.n * c.groups_at_once()) != 0) return "waves do not share merged groups";
  if (c.loads_to_lds()) return "merged groups are not loaded straight to LDS";
  // If two groups share a vector, lanes read half of it each.
  const int min_k = c.groups_at_once() > 1 ? c.mma.k : c.vector();
  if (c.tile.k % (c.merge * min_k) != 0) return "merged groups share a run of k";
  if (c.tile.n % (c.merge * c.mma.m) != 0) return "merged groups share an mma";
  if (c.patch_b.n != 1 && c.patch_b.k > c.k_of_group()) return "a patch has k of two groups";
  return nullptr;
}

}  // namespace gridwise::tile
