// SPDX-License-Identifier: MIT
#include <optional>

#include "tools/sim/isa/exec/memory/memory.h"
#include "tools/sim/memory/memory.h"
#include "tools/sim/wave/wave.h"

namespace gridwise::sim {

bool FindAllocation(Wave& w, uint64_t first, uint64_t last) {
  const std::optional<Interval> found = w.memory->Find(first);
  if (!found || !found->Covers(first, last)) return false;
  w.recent[w.recent_next] = {found->begin, found->end};
  w.recent_next = (w.recent_next + 1) % std::size(w.recent);
  return true;
}

}  // namespace gridwise::sim
