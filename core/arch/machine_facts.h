#pragma once

#include "core/arch/machine_list.h"
#include "core/arch/target.h"

namespace gridwise {

// MachineFactsOf is machine_list.h's, made of the facts in machines/. No kernel sees them, so that
// none is compiled anew for a constant of the estimates.

/// Cycles of the device's peak clock that a long run takes for each cycle of all its matrix units,
/// as power affords: 1 where it affords all of them.
constexpr double PowerFactor(Gfx gfx) {
  return TraitsOf(gfx).clock_ghz / MachineFactsOf(gfx).sustained_ghz;
}

}  // namespace gridwise
