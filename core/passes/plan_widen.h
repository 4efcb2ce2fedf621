#pragma once

#include <cstdint>

#include "core/passes/widen_args.h"

namespace gridwise {

/// Lines that are copied into longer ones, see WidenArgs. Their sizes are items.
struct Lines {
  std::int64_t count, from_line, to_line, before;
  std::int64_t from_item = 1, to_item = 1;  // elements

  std::int64_t ToElements() const { return count * to_line * to_item; }
};

/// Arguments for lines that become fewer than 2^31 elements; pointers null.
WidenArgs PlanWiden(const Lines& lines);

/// Workgroups of its launch.
unsigned WidenWorkgroups(const Lines& lines);

}  // namespace gridwise
