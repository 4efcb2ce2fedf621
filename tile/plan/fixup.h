// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "core/base/math.h"
#include "tile/config.h"
#include "tile/fixup_args.h"

namespace gridwise::tile {

/// How an instance adds up the splits of a launch's tiles: the kernel's arguments without the
/// workspace's address and the launch's number, and the size of that workspace. The workspace holds
/// words that say which sums are there, and the sums. Empty if there is one split, or if the
/// instance has no fix-up.
struct FixupPlan {
  FixupArgs args = {};
  std::int64_t workspace_bytes = 0;
};
inline FixupPlan PlanFixup(const TileConfig& config, std::int64_t tiles, int splits) {
  constexpr std::int64_t kAlignment = 256;
  if (!config.has_fixup() || splits == 1) return {};
  // For each wave of a tile, a word that counts the splits whose sums are there.
  const std::int64_t arrival_bytes = std::int64_t{config.waves.m} * config.waves.n * 8;
  const std::int64_t sums_at = AlignUp(tiles * arrival_bytes, kAlignment);
  return {.args = {.sums_at = static_cast<std::uint64_t>(sums_at), .splits = splits},
          .workspace_bytes = sums_at + tiles * splits * config.sum_bytes()};
}

}  // namespace gridwise::tile
