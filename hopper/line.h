#pragma once

#include "core/arch/target.h"
#include "core/base/types.h"
#include "core/conv/problem.h"

/// Line rows: forward of one group and few source channels, as of a network's first layer. The
/// channels of the cells that a line of the filter meets are neighbours in memory, and so K runs
/// along lines of source elements. A tile's patch, lines of 256 elements, is loaded once; lanes
/// take operand A from it into registers, where an output cell is some elements further than the
/// one before. Arguments are those of halo rows (hopper/halo.h).

namespace gridwise::hopper {

/// Warpgroups take turns at tiles.
struct LineConfig {
  DataType type = DataType::kF16;
  int lines = 7;   // taps along h
  int pieces = 3;  // of 8 elements: taps along w times source channels
  int columns = 64;
  int teams = 3;
  int stages = 6;

  static constexpr void Fields(auto& self, auto&& visit) {
    auto& [type, lines, pieces, columns, teams, stages] = self;
    visit("fwd_", type);
    visit("line", lines);
    visit("p", pieces);
    visit("n", columns);
    visit("t", teams);
    visit("s", stages);
  }
  bool operator==(const LineConfig&) const = default;

  static constexpr int kElements = 256;  // of a line of a patch
  static constexpr int kLineBytes = kElements * 2;
  constexpr int warpgroups() const { return teams; }
  constexpr int threads() const { return 128 * (teams + 1); }
  constexpr int steps() const { return (lines * pieces + 1) / 2; }  // of 16 elements of K
  /// Slabs of 64 elements of K, all columns.
  constexpr int filter_bytes() const { return (steps() + 3) / 4 * columns * 128; }
};

/// nullptr when a kernel of `c` can be compiled, else the reason.
constexpr const char* Reject(const LineConfig& c) {
  if (c.type != DataType::kF16 && c.type != DataType::kBF16) return "operands are f16 or bf16";
  if (c.columns != 32 && c.columns != 64) return "columns are 32 or 64";
  if (c.steps() > 12 || c.pieces < 1) return "an operand does not fit in registers";
  if (c.teams < 1 || c.teams > 3) return "there are 1 to 3 warpgroups";
  if (c.stages % c.teams != 0) return "warpgroups have stages of their own";
  return nullptr;
}

}  // namespace gridwise::hopper
