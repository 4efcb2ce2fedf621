#pragma once

#include "core/arch/device_facts.h"
#include "core/arch/machine_facts.h"

namespace gridwise {

/// Estimated cycles of a launch that moves `bytes` through memory and waits for the one before it.
/// Its own beginning and end take as long as the simulator's clock says of such kernels.
constexpr double PassCycles(const DeviceFacts& device, double bytes) {
  constexpr double kBeginAndEndUs = 2.5;
  const MachineFacts machine = MachineFactsOf(device.gfx);
  const double gb_per_s =
      bytes <= machine.mall_bytes ? machine.mall_gb_per_s : machine.dram_read_gb_per_s;
  return (machine.gap_us + kBeginAndEndUs + bytes / gb_per_s * 1e-3) * 1e3 * device.clock_ghz;
}

}  // namespace gridwise
