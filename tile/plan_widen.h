#pragma once

#include <cstdint>
#include <string>

#include "core/base/types.h"
#include "tile/widen_args.h"

namespace gridwise::tile {

/// Lines that are copied into longer ones, see WidenArgs. Sizes are elements.
struct Lines {
  std::int64_t count, from_line, to_line, before;

  std::int64_t ToElements() const { return count * to_line; }
};

/// Arguments for lines that become fewer than 2^31 elements; pointers null.
WidenArgs PlanWiden(const Lines& lines);

/// Workgroups of its launch.
unsigned WidenWorkgroups(const Lines& lines);

/// Symbol of the kernel for elements of `type`.
std::string WidenSymbol(DataType type);

}  // namespace gridwise::tile
