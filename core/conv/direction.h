// SPDX-License-Identifier: MIT
/// The three convolutions of a layer. Device-usable.
#pragma once

#include "core/base/types.h"

namespace gridwise {

enum class Direction { kForward, kBackwardData, kBackwardWeight };

inline constexpr Direction kAllDirections[] = {Direction::kForward, Direction::kBackwardData,
                                               Direction::kBackwardWeight};

/// "fwd", "bwd_data" or "bwd_weight".
constexpr const char* Name(Direction direction) {
  switch (direction) {
    case Direction::kForward:
      return "fwd";
    case Direction::kBackwardData:
      return "bwd_data";
    case Direction::kBackwardWeight:
      return "bwd_weight";
  }
  return "?";
}

/// Whether a direction has kernels for operands of `type`.
constexpr bool TakesType(Direction direction, DataType type) {
  return type != DataType::kI32 && (SizeOf(type) > 1 || direction == Direction::kForward);
}

}  // namespace gridwise
