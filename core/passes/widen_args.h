#pragma once

#include "core/base/math.h"

namespace gridwise {

/// Lanes of a workgroup of the widening kernel.
inline constexpr int kWidenThreads = 256;

/// Kernel arguments of a copy of packed lines into longer ones, with zeros around them: element e
/// of a line of `from` becomes element before + e of the line of `to`. What does not fit is left
/// out.
struct WidenArgs {
  const void* from;
  void* to;
  int elements;  // of `to`
  int from_line, to_line, before;
  MagicDiv by_to_line;
};

}  // namespace gridwise
