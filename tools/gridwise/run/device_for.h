// SPDX-License-Identifier: MIT
#pragma once

#include "absl/status/statusor.h"
#include "core/arch/device_facts.h"
#include "core/runtime/device.h"

namespace gridwise {

/// Makes the simulator pose as the device with the facts `facts`, too, if this is before the
/// process's first call of HIP. A program that uses several devices says so of each first.
void AddSimulatedDevice(const DeviceFacts& facts);

/// The device with the facts `facts`: the simulator poses as it, unless GRIDWISE_SIM_DEVICES says
/// which devices it has; a real device must be it. Returns kNotFound, naming the devices that there
/// are, if none is.
absl::StatusOr<DeviceInfo> DeviceFor(const DeviceFacts& facts);

}  // namespace gridwise
