// SPDX-License-Identifier: MIT
#include "tile/plan/strips.h"

#include <algorithm>

#include "core/base/math.h"

namespace gridwise::tile {

Strips DivideIntoStrips(const TileConfig& config, int rows, int columns, int all_taps_h,
                        int all_taps_w, int images, int run) {
  const int taps_h = std::max(config.reach_h(all_taps_h), 1);
  const int taps_w = std::max(config.reach_w(all_taps_w), 1);
  // Pixels of a tile: tile.m + (taps_h - 1) * pitch + taps_w - 1.
  const int spare = config.halo - config.tile.m - (taps_w - 1);
  const int most = taps_h > 1 ? spare / (taps_h - 1) - (taps_w - 1) : columns;
  if (most < 1 || spare < 0) return {};
  Strips strips = {};
  strips.count = CeilDiv(columns, most);
  strips.width = CeilDiv(columns, strips.count);
  strips.pitch = strips.width + taps_w - 1;
  strips.tiles = CeilDiv(rows * strips.pitch, config.tile.m);
  strips.all = images * strips.count * strips.tiles;
  strips.run = run;
  strips.by_pitch = MakeMagicDiv(static_cast<unsigned>(strips.pitch));
  strips.by_count = MakeMagicDiv(static_cast<unsigned>(strips.count));
  strips.by_tiles = MakeMagicDiv(static_cast<unsigned>(strips.tiles));
  return strips;
}

Strips DivideIntoStrips(const TileConfig& config, const SubGemm& gemm, int run) {
  const AxisPhase &h = gemm.axis[1], &w = gemm.axis[2];
  return DivideIntoStrips(config, h.count, w.count, h.taps, w.taps, gemm.m / (h.count * w.count),
                          run);
}

}  // namespace gridwise::tile
