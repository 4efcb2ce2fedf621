// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

#include "core/arch/kernel_args.h"
#include "tile/config.h"
#include "tile/load/block.h"

namespace gridwise::tile {

/// a * b for numbers below 2^24, for which there is an instruction four times as fast.
GRIDWISE_DEVICE int MultiplySmall(int a, int b) {
  constexpr unsigned kBits = 0xffffff;
  return static_cast<int>((a & kBits) * (b & kBits));
}

/// The part of a strip that a workgroup computes, see Strips.
struct StripBlock {
  Block block;
  Strips strips;
  int tiles;     // remaining
  int position;  // of the tile's first row, in a strip of block.first_image
  int first_w;   // the strip's first pixel along w, in the phase

  /// Goes on to the next tile of `tile_m` positions: in the strip, in the next one, or in the next
  /// image.
  GRIDWISE_DEVICE void Advance(int tile_m) {
    --tiles;
    position += tile_m;
    const bool next_strip = position == strips.tiles * tile_m;
    position = next_strip ? 0 : position;
    first_w += next_strip ? strips.width : 0;
    const bool next_image = first_w == strips.count * strips.width;
    first_w = next_image ? 0 : first_w;
    block.first_image += next_image;
  }

  /// The pixel of a position, counted from the tile's first; and whether it exists.
  struct Pixel {
    int h, w;  // in the phase
    bool exists;
  };
  GRIDWISE_DEVICE Pixel PixelAt(int position_of_tile) const {
    const AxisPhase(&axis)[3] = block.gemm.axis;
    const int at = position + position_of_tile, h = Divide(at, strips.by_pitch);
    const int of_row = at - MultiplySmall(h, strips.pitch), w = first_w + of_row;
    bool exists = h < axis[1].count;
    exists &= w < axis[2].count;
    exists &= of_row < strips.width;
    return {.h = h, .w = w, .exists = exists};
  }
  /// Positions from a tile's rows to those that they read in a plane through the last tap, plus
  /// one.
  template <TileConfig kC>
  GRIDWISE_DEVICE int Reach() const {
    const AxisPhase(&axis)[3] = block.gemm.axis;
    return (kC.reach_h(axis[1].taps) - 1) * strips.pitch + kC.reach_w(axis[2].taps);
  }
};

GRIDWISE_DEVICE StripBlock FindStripBlock(const GatherArgs& args, int tile_m, int tile_n,
                                          int groups, bool at_once) {
  StripBlock strip;
  strip.block = FindBlock(args, tile_m, tile_n, groups, at_once);
  constexpr int kTableWord = offsetof(GatherArgs, inline_table) / 4;
  const auto word = static_cast<unsigned>(strip.block.gemm_words - KernelArgWords());
  const int gemm = (word - kTableWord) / kSubGemmWords;
  strip.strips = LoadConstant<Strips>(KernelArgWords() +
                                      (offsetof(GatherArgs, strips) + gemm * sizeof(Strips)) / 4);
  const int first = strip.block.m / tile_m * strip.strips.run;
  const int left = strip.strips.all - first;
  strip.tiles = left < strip.strips.run ? left : strip.strips.run;
  const int of_strip = Divide(first, strip.strips.by_tiles);
  strip.position = (first - of_strip * strip.strips.tiles) * tile_m;
  strip.block.first_image = Divide(of_strip, strip.strips.by_count);
  strip.first_w = (of_strip - strip.block.first_image * strip.strips.count) * strip.strips.width;
  return strip;
}

}  // namespace gridwise::tile
