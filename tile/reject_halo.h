// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/types.h"
#include "tile/block_sums.h"
#include "tile/config.h"

namespace gridwise::tile {

/// Why backward-weight cannot sum blocks in this way; nullptr if it can.
constexpr const char* RejectBlocks(const TileConfig& c) {
  const BlockSums sums{c};
  if (c.patch_a != c.patch_b || (c.patch_a.n != 4 && c.patch_a.n != 8) || SizeOf(c.type) != 2) {
    return "blocks of 16-bit channels are loaded 4 or 8 channels of a pixel at a time";
  }
  if (c.mma.m != 16) return "blocks are multiplied by 16x16";
  if (c.pipeline != Pipeline{}) return "a halo is loaded by all waves";
  if (c.packs_pixels()) return "packed pixels are not summed by blocks of channels";
  if (c.has_taps_in_lds()) return "blocks of channels meet no taps in LDS";
  if (c.tile.m % c.merge != 0) return "groups do not divide tile.m";
  const int room = sums.room_of_group();
  if (room != 8 && room != 16 && room != 32 && room != 64) return "groups share no block";
  if (c.wave_m() != TileConfig::kBlock ||
      c.waves.n != TileConfig::kTapsOfWave * sums.blocks_of_group()) {
    return "a wave sums no block of a row of the filter";
  }
  if (c.tile.n != TileConfig::kTapsOfWave * TileConfig::kTapsOfWave * room) {
    return "columns are not those of 3x3";
  }
  if (c.stride != 1 && c.stride != 2) return "planes are for stride 1 or 2";
  if (c.tile.k % sums.step_pixels() != 0) return "tile.k is not a multiple of a block's pixels";
  if (c.halo < c.tile.k || c.halo % sums.pixels_of_load() != 0) {
    return "a halo has no room for a step's pixels, or for part of a load";
  }
  return nullptr;
}

/// Why K cannot run over packed pixels; nullptr if it can.
constexpr const char* RejectPackedPixels(const TileConfig& c) {
  constexpr TileConfig::Patch kElement = {1, 1};
  if (SizeOf(c.type) != 2 || c.pixel != 4) return "packed pixels are 4 elements of 16 bits";
  if (c.merge > 1 || c.has_taps_in_lds())
    return "packed pixels are of one group, whose weights are resident";
  if (c.patch_a.n != 1 || (c.patch_a.k != 3 && c.patch_a.k != 4) || c.patch_b != kElement) {
    return "packed pixels are up to 3 channels, loaded one by one, or 4, and weights are elements";
  }
  if (c.read_elements() % c.pixel != 0) return "lanes read parts of packed pixels";
  return nullptr;
}

/// Why LDS cannot hold the pixels of a halo; nullptr if it can, or if there is none.
constexpr const char* RejectHalo(const TileConfig& c) {
  if (!c.has_halo()) {
    return c.has_taps_in_lds() ? "taps are in LDS without a halo"
           : c.stride != 1     ? "there are planes without a halo"
           : c.packs_pixels()  ? "pixels are packed without a halo"
                               : nullptr;
  }
  if (c.stride != 1 && (c.stride != 2 || c.has_taps_in_lds() || c.patch_b.n != 1)) {
    return "planes are for stride 2, forward, with resident weights";
  }
  if (c.has_taps_in_lds() && (c.merge > 1 || c.taps_in_lds > 3)) {
    return "taps in LDS are at most 3, of one group";
  }
  if (c.pipeline != Pipeline{}) return "a halo is loaded once, by all waves";
  if (c.halo <= c.tile.m) return "a halo has no pixels besides the tile's";
  if (c.packs_pixels()) return RejectPackedPixels(c);
  const int vectors = c.tile.k / c.vector();
  if (vectors != 4 && vectors != 8 && !(vectors == 2 && c.has_taps_in_lds() && c.mma.m == 32)) {
    return "pixels of a halo do not have 4 or 8 vectors of 16 bytes";
  }
  if ((c.patch_a.k != c.vector() && c.patch_a.k != 4) || c.patch_a.n != 1) {
    return "pixels of a halo are loaded by vectors, or by 4 channels";
  }
  if (c.loads_partial_vectors() && c.patch_b.k != 4)
    return "pixels are loaded by 4 channels, weights are not";
  return nullptr;
}

}  // namespace gridwise::tile
