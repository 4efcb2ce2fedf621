// SPDX-License-Identifier: MIT
#pragma once

#include "core/arch/target.h"
#include "core/base/types.h"
#include "core/text/instance_fields.h"

/// Narrow instances: halo instances (hopper/halo/config.h) of backward-weight in which each warp
/// multiplies on its own, 16 x 16 channels at a time. A product of a whole warpgroup would mostly
/// combine channels of different groups. Operands come from the patch by ldmatrix, so any 16 pixels
/// can be combined.

namespace gridwise::hopper {

/// A warp has 16 channels of dy and 16 of x, of a block of 64. If the instance has a fixed filter,
/// a warp has all taps, and some pixels of a tile: every n-th 16, or, if it walks rows, columns of
/// 8, down which it goes two rows at a time: what it has loaded of x serves all taps along h. For
/// other filters a warp has some taps and all pixels, and workgroups divide the taps, one window
/// each.
struct NarrowWeightConfig {
  DataType type = DataType::kF16;
  int channels = 16;  // from one group to the next: 32, or at most 16
  int filter = 3;     // taps along each axis; 0: any number
  int warps = 12;
  int stages = 3;
  Omittable<false> walks_rows = {};  // stride 1

  static constexpr void Fields(auto& self, auto&& visit) {
    auto& [type, channels, filter, warps, stages, walks_rows] = self;
    visit("bwd_weight_", type);
    visit("narrow", channels);
    visit("f", filter);
    visit("w", warps);
    visit("s", stages);
    visit("r", walks_rows);
  }
  bool operator==(const NarrowWeightConfig&) const = default;

  /// Pixels of a line of an item: what a warp that walks rows multiplies without a break.
  static constexpr int kItemColumns = 8;

  constexpr int threads() const { return 32 * warps; }
  constexpr bool has_windows() const { return filter == 0; }
  /// Warps that share a block's channels.
  constexpr int runs() const { return 4 * channels / 16; }
  /// Parts of a tile's pixels, each of which so many warps multiply: with a fixed filter, a warp
  /// has all taps of one part.
  constexpr int parts() const { return has_windows() ? 1 : warps / runs(); }
  constexpr int taps() const { return has_windows() ? 7 : filter * filter; }  // per warp
  constexpr int window() const { return warps / runs() / parts() * taps(); }
  /// Bytes of the f32 sums of all warps.
  constexpr int sum_bytes() const { return warps * 16 * 16 * taps() * 4; }
};

/// Rows of an item of a tile: all, or, if the tile is narrower than there are parts, a share.
constexpr int ItemRows(int tile_h, int tile_w, int parts) {
  const int strips = tile_w / NarrowWeightConfig::kItemColumns;
  const int shares = (parts + strips - 1) / strips;
  return (tile_h + 2 * shares - 1) / (2 * shares) * 2;
}

/// Returns nullptr if a kernel of `c` can be compiled, else the reason.
constexpr const char* Reject(const NarrowWeightConfig& c) {
  if (c.type != DataType::kF16 && c.type != DataType::kBF16) return "operands are f16 or bf16";
  if (c.channels != 16 && c.channels != 32) return "products are of 16 or 32 channels";
  if (c.warps % c.runs() != 0 || c.warps < c.runs() || c.warps > 16) {
    return "4 or 8 warps share a block's channels, of at most 16 warps";
  }
  if (c.taps() > 9) return "sums do not fit in registers";
  if (c.walks_rows && c.filter != 3) return "filters of 3 x 3 are multiplied row by row";
  if (c.stages < 2) return "one stage is loaded while another is read";
  return nullptr;
}

}  // namespace gridwise::hopper
