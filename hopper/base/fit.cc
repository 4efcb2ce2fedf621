// SPDX-License-Identifier: MIT
#include "hopper/base/fit.h"

namespace gridwise::hopper {

Fit& MutableFit() {
  static Fit fit;
  return fit;
}
const Fit& TheFit() { return MutableFit(); }

double DramBytesPerCycle(const DeviceFacts& device) {
  return TheFit().dram * device.memory_gb_per_s / device.clock_ghz;
}

}  // namespace gridwise::hopper
