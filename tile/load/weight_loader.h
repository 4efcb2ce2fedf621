// SPDX-License-Identifier: MIT
#pragma once

#include "tile/load/weights_patches.h"
#include "tile/load/weights_rows.h"

namespace gridwise::tile {

/// The loader of weights that lie along k in memory, or along n.
template <bool kAlongK, TileConfig kC, Gfx kGfx, bool kPlain>
struct WeightLoader {
  using Type = LoadWeightsRows<kC, kGfx, kPlain>;
};
template <TileConfig kC, Gfx kGfx, bool kPlain>
struct WeightLoader<false, kC, kGfx, kPlain> {
  using Type = LoadWeightsPatches<kC, kGfx, kPlain>;
};

}  // namespace gridwise::tile
