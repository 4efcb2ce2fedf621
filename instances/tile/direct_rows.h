#pragma once

#include <array>

#include "tile/direct_config.h"

namespace gridwise::tile {

/// Rows of the direct kernels, of each type: any problem, the usual filters, and the same for as
/// many depthwise channels a lane as have 4 bytes.
constexpr auto MakeDirectRows() {
  struct Shape {
    bool is_wide;  // 4 bytes of channels, else one channel
    int taps, step;
  };
  constexpr Shape kShapes[] = {{false, 1, 0}, {false, 3, 1}, {true, 1, 0},
                               {true, 3, 1},  {true, 3, 2},  {true, 5, 1}};
  constexpr DataType kTypes[] = {DataType::kF16, DataType::kBF16,   DataType::kF32,
                                 DataType::kI8,  DataType::kF8E4M3, DataType::kF8E4M3Fnuz};
  std::array<DirectConfig, 5 * std::size(kShapes) + 4> rows;
  int next = 0;
  for (const DataType type : kTypes) {
    for (const Shape& shape : kShapes) {
      if (!shape.is_wide && SizeOf(type) == 4) continue;  // one channel has 4 bytes
      rows[next++] = {.type = type,
                      .channels = shape.is_wide ? 4 / SizeOf(type) : 1,
                      .cells = 8,
                      .taps = shape.taps,
                      .step = shape.step};
    }
  }
  return rows;
}

inline constexpr auto kDirectRows = MakeDirectRows();

}  // namespace gridwise::tile
