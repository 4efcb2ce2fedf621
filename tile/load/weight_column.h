// SPDX-License-Identifier: MIT
#pragma once

#include "core/arch/gpu.h"
#include "tile/config.h"
#include "tile/gather_args.h"

namespace gridwise::tile {

/// Bytes from the weights of the tile's first group and source channel to those of its column `n`.
/// If groups are merged, the columns of one group follow those of the other.
template <TileConfig kC>
GRIDWISE_DEVICE int OffsetOfColumn(const GatherArgs& args, int n) {
  if constexpr (kC.merge == 1) return n * args.w_n;
  const int group = n / kC.n_of_group();
  return group * static_cast<int>(args.w_group) + (n - group * kC.n_of_group()) * args.w_n;
}

/// Whether column `n` exists in a tile whose first group is `first_group`.
template <TileConfig kC>
GRIDWISE_DEVICE bool HasColumn(const GatherArgs& args, int first_group, int n) {
  if constexpr (!kC.fills_groups()) return n < args.n;
  const int group = n / kC.n_of_group();
  return n - group * kC.n_of_group() < args.n && first_group + group < args.groups;
}

}  // namespace gridwise::tile
