// SPDX-License-Identifier: MIT
#pragma once

#include "core/arch/device_facts.h"
#include "core/arch/infinity_cache.h"

namespace gridwise {

/// Estimated cycles of a launch that moves `bytes` through memory and waits for the previous one.
/// Its start and end take as long as the simulator's clock predicts for such kernels.
inline double PassCycles(const DeviceFacts& device, double bytes) {
  constexpr double kBeginAndEndUs = 2.5;
  const MachineFacts& machine = device.machine;
  const double us = machine.gap_us + kBeginAndEndUs + MemoryNs(machine, bytes, 0) * 1e-3;
  return us * 1e3 * device.clock_ghz;
}

}  // namespace gridwise
