#pragma once

#include "core/base/math.h"

namespace gridwise {

/// Lanes of a workgroup of the widening kernel.
inline constexpr int kWidenThreads = 256;
/// Neighbouring elements that a lane makes.
inline constexpr int kWidenElements = 4;

/// Kernel arguments of a copy of packed lines of items into longer ones of larger items, with zeros
/// around them: element e of item i of a line of `from` becomes element e of item before + i of the
/// line of `to`. What does not fit is left out.
struct WidenArgs {
  const void* from;
  void* to;
  int elements;            // of `to`
  int from_line, to_line;  // items
  int before;              // items
  int from_item, to_item;  // elements
  MagicDiv by_to_line, by_to_item;
};

}  // namespace gridwise
