#pragma once

#include "core/arch/device_facts.h"
#include "core/arch/target.h"

namespace gridwise {

constexpr MachineFacts MachineFactsOf(Gfx gfx) { return TraitsOf(gfx).machine; }

/// Cycles of the device's peak clock that a long run takes for each cycle of all its matrix units,
/// as power affords: 1 where it affords all of them.
constexpr double PowerFactor(Gfx gfx) {
  return TraitsOf(gfx).clock_ghz / MachineFactsOf(gfx).sustained_ghz;
}

}  // namespace gridwise
