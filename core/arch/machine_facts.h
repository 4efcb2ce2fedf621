// SPDX-License-Identifier: MIT
#pragma once

#include "core/arch/machine_list.h"
#include "core/arch/target.h"

namespace gridwise {

// machine_list.h defines MachineFactsOf from the facts in machines/. Kernels do not include them,
// so a change of an estimate's constant compiles no kernel.

/// Cycles of the device's peak clock that a long run takes per cycle of its fully used matrix
/// units: 1 if the power suffices for all of them.
constexpr double PowerFactor(Gfx gfx) {
  return TraitsOf(gfx).clock_ghz / MachineFactsOf(gfx).sustained_ghz;
}

}  // namespace gridwise
