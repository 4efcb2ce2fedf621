// SPDX-License-Identifier: MIT
#pragma once

#include "absl/status/statusor.h"
#include "core/runtime/device.h"

namespace gridwise {

/// The device with the facts `facts`: the simulator poses as it, unless GRIDWISE_SIM_DEVICES says
/// which devices it has; a real device must be it. Returns kNotFound, naming the devices that there
/// are, if none is.
absl::StatusOr<DeviceInfo> DeviceFor(const DeviceFacts& facts);

}  // namespace gridwise
