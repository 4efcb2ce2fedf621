// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/conv/problem.h"
#include "hopper/base/config.h"

/// Instances and problems for tests of plans.

namespace gridwise::hopper {

inline constexpr Config kForwardRow = {
    .direction = Direction::kForward, .columns = 128, .stages = 5};
inline Config RowFor(Direction direction) {
  Config config = kForwardRow;
  config.direction = direction;
  return config;
}

/// 3 x 3, one group.
inline ConvProblem Problem(Direction direction, std::int64_t size, std::int64_t stride) {
  ConvProblem problem = {.direction = direction, .batch = 4, .c = 64, .k = 96};
  for (const std::size_t axis : {1u, 2u}) {
    problem.dims[axis] = {.in = size, .filter = 3, .stride = stride, .pad_begin = 1, .pad_end = 1};
  }
  return problem;
}

}  // namespace gridwise::hopper
