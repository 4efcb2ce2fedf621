// SPDX-License-Identifier: MIT
#include "tools/sim/isa/target_names.h"

#include "absl/strings/str_join.h"
#include "core/arch/target.h"

namespace gridwise::sim {

std::string SimulatedTargets() {
  return absl::StrJoin(kAmdGfx, ", ", [](std::string* out, Gfx gfx) { *out += Name(gfx); });
}

}  // namespace gridwise::sim
