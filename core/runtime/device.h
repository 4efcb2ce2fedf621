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
  int ordinal = 0;     // what hipSetDevice takes
  std::string name;    // e.g. "AMD Instinct MI300X"
  std::string target;  // e.g. "gfx942": gcnArchName up to the first ':'
  int compute_units = 0;
  double clock_ghz = 0;         // peak engine clock; 0: not known
  double memory_clock_ghz = 0;  // 0: not known
  int memory_bus_bytes = 0;     //
  std::int64_t memory_bytes = 0;

  /// What plans for this device need. kUnimplemented, naming the targets there are, when its target
  /// is none of them.
  absl::StatusOr<DeviceFacts> Facts() const;
};

/// Every device of the linked HIP library, in HIP's order.
///
/// kUnavailable, with a sentence, when there is no device or no driver.
absl::StatusOr<std::vector<DeviceInfo>> ListDevices();

/// The first device of `target` ("gfx942"); kNotFound, naming what there is instead, when none is
/// of that target.
absl::StatusOr<DeviceInfo> FindDevice(absl::string_view target);

/// Makes `device` the calling thread's current device.
absl::Status UseDevice(const DeviceInfo& device);

/// The calling thread's current device.
absl::StatusOr<DeviceInfo> CurrentDevice();

/// Frees everything on the current device, modules of LoadKernel (module.h) included, and makes it
/// usable again after a kernel that failed.
absl::Status ResetDevice();

}  // namespace gridwise
