#pragma once

#include <cstdint>

#include "core/base/math.h"
#include "tile/config.h"

namespace gridwise::tile {

/// The workspace in which a row joins the splits of `tiles` tiles: words that say which sums are
/// there, and the sums. Nothing where there is one split, or the row joins none.
struct JoinSpace {
  std::int64_t sums_at = 0, bytes = 0;
};
inline JoinSpace JoinSpaceOf(const TileConfig& config, std::int64_t tiles, int splits) {
  constexpr std::int64_t kAlignment = 256;
  if (!config.joins_splits() || splits == 1) return {};
  const std::int64_t sums_at = AlignUp(tiles * config.arrival_bytes(), kAlignment);
  return {.sums_at = sums_at, .bytes = sums_at + tiles * splits * config.sum_bytes()};
}

}  // namespace gridwise::tile
