// SPDX-License-Identifier: MIT
/// Orders of a tensor's axes in memory.
#pragma once

#include <array>
#include <cstdint>

namespace gridwise {

/// Order of the axes of x, y and their gradients, outermost first, written for two spatial axes.
enum class Layout : unsigned char {
  kNHWGC,  ///< [n][d][h][w][g][c/g]
  kGNHWC,  ///< [g][n][d][h][w][c/g]
  kNGCHW,  ///< [n][g][c/g][d][h][w]
};

/// Order of the axes of w and its gradient.
enum class WeightLayout : unsigned char {
  kGKYXC,  ///< [g][k/g][z][y][x][c/g]
  kKYXGC,  ///< [k/g][z][y][x][g][c/g]
};

inline constexpr Layout kAllLayouts[] = {Layout::kNHWGC, Layout::kGNHWC, Layout::kNGCHW};
inline constexpr WeightLayout kAllWeightLayouts[] = {WeightLayout::kGKYXC, WeightLayout::kKYXGC};

/// "nhwgc", "gnhwc" or "ngchw".
constexpr const char* Name(Layout layout) {
  switch (layout) {
    case Layout::kNHWGC:
      return "nhwgc";
    case Layout::kGNHWC:
      return "gnhwc";
    case Layout::kNGCHW:
      return "ngchw";
  }
  return "?";
}

/// "gkyxc" or "kyxgc".
constexpr const char* Name(WeightLayout layout) {
  return layout == WeightLayout::kGKYXC ? "gkyxc" : "kyxgc";
}

/// One number for each axis of a tensor. For x and y: n, d, h, w, g, c (or k) per group; for w: g,
/// k per group, z, y, x, c per group. That is the order of the axes in the first layouts above.
using PerAxis = std::array<std::int64_t, 6>;

/// Sizes, and elements from one index to the next.
struct TensorAxes {
  PerAxis size, stride;

  constexpr std::int64_t Elements() const {
    std::int64_t elements = 1;
    for (const std::int64_t axis : size) elements *= axis;
    return elements;
  }
};

/// A packed tensor whose axes lie in memory in `order`, outermost first.
constexpr TensorAxes PackedAxes(const PerAxis& size, const std::array<int, 6>& order) {
  TensorAxes axes = {.size = size, .stride = {}};
  std::int64_t stride = 1;
  for (int i = 5; i >= 0; --i) {
    axes.stride[order[i]] = stride;
    stride *= size[order[i]];
  }
  return axes;
}
constexpr TensorAxes PackedAxes(const PerAxis& size, Layout layout) {
  switch (layout) {
    case Layout::kNHWGC:
      break;
    case Layout::kGNHWC:
      return PackedAxes(size, {4, 0, 1, 2, 3, 5});
    case Layout::kNGCHW:
      return PackedAxes(size, {0, 4, 5, 1, 2, 3});
  }
  return PackedAxes(size, {0, 1, 2, 3, 4, 5});
}
constexpr TensorAxes PackedAxes(const PerAxis& size, WeightLayout layout) {
  return layout == WeightLayout::kGKYXC ? PackedAxes(size, {0, 1, 2, 3, 4, 5})
                                        : PackedAxes(size, {1, 2, 3, 4, 0, 5});
}

}  // namespace gridwise
