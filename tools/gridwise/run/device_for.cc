// SPDX-License-Identifier: MIT
#include "tools/gridwise/run/device_for.h"

#include "core/text/parse_device.h"
#include "tools/sim/hip/sim_extension.h"

namespace gridwise {

void AddSimulatedDevice(const DeviceFacts& facts) {
  if (gridwiseSimAddDevice != nullptr) gridwiseSimAddDevice(NameOf(facts).c_str());
}

absl::StatusOr<DeviceInfo> DeviceFor(const DeviceFacts& facts) {
  AddSimulatedDevice(facts);
  return FindDevice(facts);
}

}  // namespace gridwise
