// SPDX-License-Identifier: MIT
#include "tools/sim/check/hazards.h"

#include "tools/sim/check/gfx9_hazards.h"
#include "tools/sim/check/rdna_hazards.h"

namespace gridwise::sim {

std::unique_ptr<HazardTracker> MakeHazardTracker(TargetBit target, bool wave64) {
  if ((target & kGfx9) != 0) return std::make_unique<Gfx9Hazards>(target);
  if (target == kGfx1100) return std::make_unique<Gfx11Hazards>(wave64);
  return std::make_unique<Gfx12Hazards>(wave64);
}

}  // namespace gridwise::sim
