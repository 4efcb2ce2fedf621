// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/math.h"

namespace gridwise::hopper {

/// The order of the tiles of a grid in which workgroups that run next to each other read the same
/// rows or columns at about the same time, so that L2 fetches them once. Short lines of tiles are
/// computed one after the other. Long lines are computed `height` at a time, in blocks of `band`
/// tiles of each line; lines that are left over follow one by one. (The bands of a BlockMap,
/// core/launch/block_map.h, run along the whole grid instead: they order what the workgroups of an
/// XCD read, not adjacent workgroups.)
struct TileOrder {
  int line = 1;            // in tiles
  bool is_of_rows = true;  // lines run along rows of the grid, from column to column
  int band = 1, height = 1;
  int blocked = 0;  // number of tiles in blocks
  MagicDiv by_line, by_group, by_block, by_band, by_last_band;
};

/// A tile's row and column in the grid.
struct TileCoord {
  int row, column;
};

/// The order of `rows` x `columns` tiles, of which `at_once` run at the same time; 0: all lines are
/// short.
constexpr TileOrder MakeTileOrder(int rows, int columns, bool is_of_rows, int at_once) {
  constexpr int kLong = 8, kBand = 4;
  const int line = is_of_rows ? columns : rows, lines = is_of_rows ? rows : columns;
  const int bands = line > kLong && at_once > 0 ? CeilDiv(line, kBand) : 1;
  const int band = CeilDiv(line, bands);
  const int most = at_once / line > 1 ? at_once / line : 1;
  const int height = most < lines ? most : lines;
  const auto by = [](int divisor) { return MakeMagicDiv(static_cast<unsigned>(divisor)); };
  return {.line = line,
          .is_of_rows = is_of_rows,
          .band = band,
          .height = height,
          .blocked = bands > 1 ? lines / height * height * line : 0,
          .by_line = by(line),
          .by_group = by(height * line),
          .by_block = by(height * band),
          .by_band = by(band),
          .by_last_band = by(line - (CeilDiv(line, band) - 1) * band)};
}

GRIDWISE_HD constexpr TileCoord TileCoordOf(const TileOrder& order, int tile) {
  const auto divide = [](int n, MagicDiv by) {
    return static_cast<int>(Divide(static_cast<unsigned>(n), by));
  };
  int line = 0, in_line = 0;
  if (tile < order.blocked) {
    const int group = divide(tile, order.by_group);
    tile -= group * order.height * order.line;
    const int first = divide(tile, order.by_block) * order.band;
    tile -= first * order.height;
    const bool is_last = first + order.band >= order.line;
    const int width = is_last ? order.line - first : order.band;
    line = divide(tile, is_last ? order.by_last_band : order.by_band);
    in_line = first + tile - line * width;
    line += group * order.height;
  } else {
    line = divide(tile, order.by_line);
    in_line = tile - line * order.line;
  }
  return order.is_of_rows ? TileCoord{.row = line, .column = in_line}
                          : TileCoord{.row = in_line, .column = line};
}

}  // namespace gridwise::hopper
