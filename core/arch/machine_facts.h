#pragma once

#include "core/arch/device_facts.h"
#include "core/arch/target.h"

namespace gridwise {

constexpr MachineFacts MachineFactsOf(Gfx gfx) { return TraitsOf(gfx).machine; }

/// The clock in GHz that estimates count cycles of: the one of long runs, as much below the
/// device's peak as the product's.
constexpr double EstimateGhz(const DeviceFacts& device) {
  return MachineFactsOf(device.gfx).sustained_ghz * device.clock_ghz /
         TraitsOf(device.gfx).clock_ghz;
}

}  // namespace gridwise
