// SPDX-License-Identifier: MIT
#pragma once

#include "core/arch/target.h"
#include "core/base/types.h"
#include "core/conv/direction.h"

/// Narrow instances: halo instances (hopper/halo/config.h) of backward-weight in which each warp
/// multiplies on its own, 16 x 16 channels at a time. A product of a whole warpgroup would mostly
/// combine channels of different groups. Operands come from the patch by ldmatrix, so any 16 pixels
/// can be combined.

namespace gridwise::hopper {

/// A warp has 16 channels of dy and `channels` of x in a block of 64. If the instance has a fixed
/// filter, a warp has all taps, and every n-th 16 pixels of a tile. For other filters it has some
/// taps and all pixels, and workgroups divide the taps, one window each.
struct NarrowWeightConfig {
  DataType type = DataType::kF16;
  int channels = 16;  // of x; 32: one group's; 16: those of one or more groups
  int filter = 3;     // taps along each axis; 0: any number
  int warps = 12;
  int stages = 3;

  static constexpr void Fields(auto& self, auto&& visit) {
    auto& [type, channels, filter, warps, stages] = self;
    visit("bwd_weight_", type);
    visit("narrow", channels);
    visit("f", filter);
    visit("w", warps);
    visit("s", stages);
  }
  bool operator==(const NarrowWeightConfig&) const = default;

  constexpr int threads() const { return 32 * warps; }
  constexpr bool has_windows() const { return filter == 0; }
  /// Parts of a tile's pixels, each of which four warps multiply: with a fixed filter, a warp has
  /// all taps of one part.
  constexpr int parts() const { return has_windows() ? 1 : warps / 4; }
  constexpr int taps() const { return has_windows() ? 7 : filter * filter; }  // per warp
  constexpr int window() const { return warps / 4 / parts() * taps(); }
  /// Bytes of the f32 sums of one part of the warps.
  constexpr int part_bytes() const { return 64 * channels * taps() * 4; }
};

/// Returns nullptr if a kernel of `c` can be compiled, else the reason.
constexpr const char* Reject(const NarrowWeightConfig& c) {
  if (c.type != DataType::kF16 && c.type != DataType::kBF16) return "operands are f16 or bf16";
  if (c.channels != 16 && c.channels != 32) return "products are of 16 or 32 channels";
  if (c.warps % 4 != 0 || c.warps < 4 || c.warps > 16) return "four warps share a block's channels";
  if (c.taps() * c.channels / 2 > (c.warps > 8 ? 80 : 150)) return "sums do not fit in registers";
  if (c.stages < 2) return "one stage is loaded while another is read";
  return nullptr;
}

}  // namespace gridwise::hopper
