#pragma once

#include "core/arch/device_facts.h"

namespace gridwise {

/// Estimated cycles of a launch that moves `bytes` through memory and waits for the one before it.
constexpr double PassCycles(const DeviceFacts& device, double bytes) {
  constexpr double kLaunchGap = 8000;  // from the end of one launch to the start of the next
  return kLaunchGap + bytes / (device.memory_gb_per_s / device.clock_ghz);
}

}  // namespace gridwise
