// SPDX-License-Identifier: MIT
#pragma once

#include "core/arch/target.h"
#include "core/base/types.h"
#include "core/conv/direction.h"

/// Line instances: one group and few source channels, as in a network's first layer forward, or in
/// backward-data with few output channels. The channels of the pixels that a line of the filter
/// meets are adjacent in memory, so K runs along lines of source elements. A tile's patch, several
/// lines, is loaded once. Lanes load operand A from it into registers, where one output pixel is
/// some elements further than the one before. Arguments are those of halo instances
/// (hopper/halo/config.h).

namespace gridwise::hopper {

/// Warpgroups take turns at 64 pixels of a tile.
struct LineConfig {
  Direction direction = Direction::kForward;  // or backward-data with stride 1
  DataType type = DataType::kF16;
  int lines = 7;   // taps along h
  int pieces = 3;  // pieces of 8 elements: taps along w times source channels
  int columns = 64;
  int teams = 3;
  int stages = 6;
  int elements = 256;  // maximum, per line of a patch

  static constexpr void Fields(auto& self, auto&& visit) {
    auto& [direction, type, lines, pieces, columns, teams, stages, elements] = self;
    visit("", direction);
    visit("", type);
    visit("line", lines);
    visit("p", pieces);
    visit("n", columns);
    visit("t", teams);
    visit("s", stages);
    visit("e", elements);
  }
  bool operator==(const LineConfig&) const = default;

  constexpr int warpgroups() const { return teams; }
  constexpr int threads() const { return 128 * (teams + 1); }
  constexpr int steps() const { return (lines * pieces + 1) / 2; }  // k iterations of 16 elements
  constexpr int line_bytes() const { return elements * 2; }
  /// TMA boxes have at most 256 elements per line, and lines that are multiples of 16 bytes apart.
  /// Longer lines, at any distance, are loaded by lanes of the producer warp.
  constexpr bool loads_by_lanes() const { return elements > 256; }
  /// In backward-data w lies along its columns.
  constexpr bool has_lines_per_k() const { return direction == Direction::kBackwardData; }
  /// Bytes of 64 columns over all of K.
  constexpr int block_bytes() const { return steps() * 16 * 128; }
  /// K tiles of 64 elements of K with all columns; or blocks of 64 columns.
  constexpr int filter_bytes() const {
    return has_lines_per_k() ? columns / 64 * block_bytes() : (steps() + 3) / 4 * columns * 128;
  }
};

/// Returns nullptr if a kernel of `c` can be compiled, else the reason.
constexpr const char* Reject(const LineConfig& c) {
  if (c.type != DataType::kF16 && c.type != DataType::kBF16) return "operands are f16 or bf16";
  if (c.direction == Direction::kBackwardWeight)
    return "the instance is for forward or backward-data";
  if (c.columns % (c.has_lines_per_k() ? 64 : 32) != 0) {
    return "columns are multiples of 32, in backward-data of 64";
  }
  if (c.pieces < 1 || c.teams < 1 || c.teams > 3) return "there are 1 to 3 warpgroups, and taps";
  // Some of the 160 or 240 registers are for addresses.
  if (c.columns / 2 + c.steps() * 4 > (c.teams == 3 ? 120 : 184)) {
    return "sums and an operand do not fit in registers";
  }
  if (c.elements % 128 != 0) return "a warp loads 128 elements of a line at a time";
  return nullptr;
}

}  // namespace gridwise::hopper
