#pragma once

#include <array>

#include "tile/direct_config.h"

namespace gridwise::tile {

/// Rows of the direct kernels, of each type: any problem, the usual filters, and the same for pairs
/// of depthwise channels.
constexpr auto MakeDirectRows() {
  struct Shape {
    int channels, taps, step;
  };
  constexpr Shape kShapes[] = {{1, 1, 0}, {1, 3, 1}, {2, 1, 0}, {2, 3, 1}, {2, 3, 2}, {2, 5, 1}};
  std::array<DirectConfig, 2 * std::size(kShapes) + 4> rows;
  int next = 0;
  for (const DataType type : {DataType::kF16, DataType::kBF16}) {
    for (const Shape& shape : kShapes) {
      rows[next++] = {.type = type,
                      .channels = shape.channels,
                      .cells = 8,
                      .taps = shape.taps,
                      .step = shape.step};
    }
  }
  for (const Shape& shape : {Shape{1, 1, 0}, {1, 3, 1}, {1, 3, 2}, {1, 5, 1}}) {
    rows[next++] = {.type = DataType::kF32,
                    .channels = shape.channels,
                    .cells = 8,
                    .taps = shape.taps,
                    .step = shape.step};
  }
  return rows;
}

inline constexpr auto kDirectRows = MakeDirectRows();

}  // namespace gridwise::tile
