// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/math.h"
#include "core/base/types.h"
#include "tile/config.h"

namespace gridwise::tile {

/// How a config that sums blocks (kernel/halo_weight.h) deals channels to waves and keeps pixels in
/// LDS: a ring of pixels of dy, followed by the planes of x. Requires config.sums_blocks().
struct BlockSums {
  TileConfig config;

  // Consecutive pixels of a block that a lane multiplies, and those of a wave.
  constexpr int run_pixels() const {
    return config.mma.k_per_lane() > 8 ? config.mma.k_per_lane() : 8;
  }
  constexpr int step_pixels() const { return run_pixels() * config.mma.lane_groups(); }

  // Channels of a group for which the tile has room; a group may have fewer.
  constexpr int room_of_group() const { return config.tile.m / config.merge; }
  /// Blocks of x by which a block of dy is multiplied, each by one wave; and a group's columns in
  /// each of them.
  constexpr int blocks_of_group() const {
    return CeilDiv<int>(room_of_group(), TileConfig::kBlock);
  }
  constexpr int columns_of_tap() const { return room_of_group() / blocks_of_group(); }

  /// Bytes of a pixel's channels, in all blocks.
  constexpr int pixel_bytes() const { return config.tile.m * SizeOf(config.type); }
  /// Pixels that a wave loads at a time.
  constexpr int pixels_of_load() const {
    return config.mma.lanes() * config.patch_a.n / config.tile.m;
  }
  /// The ring repeats its first pixels after the last, so that a run never reaches the end.
  constexpr int repeated_pixels() const {
    return AlignUp(step_pixels() + TileConfig::kTapsOfWave - 1, pixels_of_load());
  }
  constexpr int ring_bytes() const { return (config.halo + repeated_pixels()) * pixel_bytes(); }
  constexpr int bytes() const {
    return ring_bytes() + config.stride * config.stride * config.tile.k * pixel_bytes();
  }
  /// Pixels of dy, except the first, that taps meet with one pixel of x along an axis.
  constexpr int adjacent_pixels() const { return (TileConfig::kTapsOfWave - 1) / config.stride; }
};

}  // namespace gridwise::tile
