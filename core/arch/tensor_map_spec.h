// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>

#include "core/base/types.h"

namespace gridwise {

/// A tensor map (core/arch/tensor_map.h) as a host value, without the tensor's address: axes from
/// the innermost on, whose elements must be adjacent. Source of the fields and their limits:
/// NVIDIA, "CUDA Driver API", tensor map object management.
struct TensorMapSpec {
  DataType type = DataType::kF16;
  int rank = 3;  // 1 to 5; for im2col 4 or 5
  std::array<std::uint64_t, 5> size = {};
  std::array<std::uint64_t, 5> stride_bytes = {};  // of axes 1, ...: multiples of 16
  std::array<unsigned, 5> step = {1, 1, 1, 1,
                                  1};  // element stride: a box takes every step-th element; at most
                                       // 8
  int swizzle_bytes = 0;               // 0, 32, 64 or 128: of the box's innermost axis
  std::array<unsigned, 5> box = {};    // elements, at most 256; not for im2col
  /// im2col, whose axes are channel, w, h, (d,) image: boxes are pixels in memory order that begin
  /// at positions between the tensor's corners, moved by these; w, h, d.
  bool is_im2col = false;
  std::array<int, 3> lower = {}, upper = {};
  unsigned channels = 0, pixels = 0;

  bool operator==(const TensorMapSpec&) const = default;
};

}  // namespace gridwise
