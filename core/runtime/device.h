// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "core/arch/device_facts.h"

namespace gridwise {

/// A device that the linked HIP library offers.
struct DeviceInfo {
  int ordinal = 0;     // for hipSetDevice
  std::string name;    // e.g. "AMD Instinct MI300X"
  std::string target;  // its processor, e.g. "gfx942": gcnArchName up to the first ':'
  int compute_units = 0;
  double clock_ghz = 0;         // peak engine clock; 0: unknown
  double memory_clock_ghz = 0;  // 0: unknown
  int memory_bus_bytes = 0;     // width of the memory bus in bytes; 0: unknown
  std::int64_t memory_bytes = 0;

  /// The facts that plans for this device need: those of the product that it is or is most like, of
  /// which HIP's own replace those that it reports. Returns kUnimplemented, naming the known
  /// processors, if its processor is not one of them.
  absl::StatusOr<DeviceFacts> Facts() const;
};

/// Every device of the linked HIP library, in HIP's order.
///
/// Returns kUnavailable, with a sentence, if there is no device or no driver.
absl::StatusOr<std::vector<DeviceInfo>> ListDevices();

/// The first device of `target` ("gfx942"), else the first that runs its kernels. Returns
/// kNotFound, naming the existing devices, if there is none.
absl::StatusOr<DeviceInfo> FindDevice(absl::string_view target);

/// The first device that is the same product as `facts`, with as many compute units; else, of facts
/// that a target stands for, as with its name. Returns kNotFound as above.
absl::StatusOr<DeviceInfo> FindDevice(const DeviceFacts& facts);

/// Makes `device` the calling thread's current device.
absl::Status UseDevice(const DeviceInfo& device);

/// The calling thread's current device.
absl::StatusOr<DeviceInfo> CurrentDevice();

/// Frees everything on the current device, including modules of LoadKernel (module.h), and makes it
/// usable again after a kernel has failed.
absl::Status ResetDevice();

}  // namespace gridwise
