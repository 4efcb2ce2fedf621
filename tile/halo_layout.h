// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/math.h"
#include "core/base/types.h"
#include "tile/config.h"
#include "tile/lds_pixels.h"

namespace gridwise::tile {

/// What LDS holds of a halo, except where a config sums blocks: the pixels of a tile and of its
/// halo, as planes of every stride-th row and column; and weights. Requires config.has_halo().
struct HaloLayout {
  TileConfig config;

  /// Planes along w, and in total. Packed pixels of a row are all in one plane.
  constexpr int planes_along_w() const { return config.packs_pixels() ? 1 : +config.stride; }
  constexpr int planes() const { return config.stride * planes_along_w(); }
  /// Filter taps along w that fit into K, with packed pixels.
  constexpr int pixels_of_k_tile() const { return config.tile.k / config.pixel; }

  /// The pixels, in the LDS of a target with `banks` banks.
  constexpr LdsPixels pixels(int banks) const {
    if (config.packs_pixels()) {
      return {.pixels = config.halo * planes(),
              .data_bytes = config.stride * config.pixel * SizeOf(config.type)};
    }
    const MmaShape& mma = config.mma;
    const bool reads_two = mma.blocks() > 1 || (config.has_taps_in_lds() && mma.m == 16);
    const bool reads_halves = mma.m == 16 && 2 * config.read_elements() == config.vector();
    return {.pixels = config.halo * planes(),
            .data_bytes = config.tile.k * SizeOf(config.type),
            .room_bytes = reads_two                     ? 32
                          : reads_halves && banks == 32 ? 8
                                                        : 16};
  }
  /// The most that the pixels take on any target.
  constexpr int pixels_bytes() const { return pixels(/*banks=*/64).bytes(); }

  /// Maximum number of taps of a filter whose weights are resident, or of its rows if K runs over
  /// taps.
  constexpr int max_taps() const { return config.packs_pixels() ? 7 : 9; }
  /// Taps whose weights are in LDS at a time on their way to registers: as many as fit in the room
  /// of the pixels, or in kRoom bytes.
  constexpr int taps_at_once() const {
    const int room = pixels_bytes() > kRoom ? pixels_bytes() : kRoom;
    const int taps = room / config.lds_b().bytes();
    return taps < 1 ? 1 : taps < max_taps() ? taps : max_taps();
  }
  static constexpr int kRoom = 20480;  // registers, not LDS, then bound the number of workgroups

  constexpr int bytes() const {
    if (config.has_taps_in_lds()) {
      return pixels_bytes() + config.taps_in_lds * config.lds_b().bytes();
    }
    const int weights = taps_at_once() * config.lds_b().bytes();
    return pixels_bytes() > weights ? pixels_bytes() : weights;  // weights move on to registers
  }
};

}  // namespace gridwise::tile
