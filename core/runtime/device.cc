// SPDX-License-Identifier: MIT
#include "core/runtime/device.h"

#include <algorithm>
#include <cstdint>
#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "core/arch/find_product.h"
#include "core/runtime/module.h"
#include "core/runtime/status.h"
#include "hip/hip_runtime_api.h"

namespace gridwise {
namespace {

absl::StatusOr<DeviceInfo> Describe(int ordinal) {
  hipDeviceProp_t properties{};
  absl::Status status = ToStatus(hipGetDeviceProperties(&properties, ordinal),
                                 absl::StrCat("read the properties of device ", ordinal));
  if (!status.ok()) return status;
  const std::string arch = properties.gcnArchName;
  return DeviceInfo{.ordinal = ordinal,
                    .name = properties.name,
                    .target = arch.substr(0, arch.find(':')),
                    .compute_units = properties.multiProcessorCount,
                    .clock_ghz = properties.clockRate * 1e-6,
                    .memory_clock_ghz = properties.memoryClockRate * 1e-6,
                    .memory_bus_bytes = properties.memoryBusWidth / 8,
                    .memory_bytes = static_cast<std::int64_t>(properties.totalGlobalMem)};
}

absl::Status NoDevice(absl::string_view name, const std::vector<DeviceInfo>& devices) {
  return absl::NotFoundError(
      absl::StrCat("no device is a ", name, "; the HIP runtime offers ",
                   absl::StrJoin(devices, ", ", [](std::string* out, const DeviceInfo& device) {
                     absl::StrAppend(out, device.target, " (", device.name, ")");
                   })));
}

}  // namespace

absl::StatusOr<std::vector<DeviceInfo>> ListDevices() {
  int count = 0;
  absl::Status status = ToStatus(hipGetDeviceCount(&count), "list the devices");
  if (!status.ok()) return status;
  if (count == 0) return ToStatus(hipErrorNoDevice, "list the devices");
  std::vector<DeviceInfo> devices;
  for (int i = 0; i < count; ++i) {
    absl::StatusOr<DeviceInfo> device = Describe(i);
    if (!device.ok()) return device.status();
    devices.push_back(*std::move(device));
  }
  return devices;
}

absl::StatusOr<DeviceInfo> FindDevice(absl::string_view target) {
  absl::StatusOr<std::vector<DeviceInfo>> devices = ListDevices();
  if (!devices.ok()) return devices.status();
  for (DeviceInfo& device : *devices) {
    if (device.target == target) return std::move(device);
  }
  for (DeviceInfo& device : *devices) {
    const Processor* const processor = FindProcessor(device.target);
    if (processor != nullptr && Name(processor->gfx) == target) return std::move(device);
  }
  return NoDevice(target, *devices);
}

absl::StatusOr<DeviceInfo> FindDevice(const DeviceFacts& facts) {
  absl::StatusOr<std::vector<DeviceInfo>> devices = ListDevices();
  if (!devices.ok()) return devices.status();
  for (DeviceInfo& device : *devices) {
    const absl::StatusOr<DeviceFacts> of_device = device.Facts();
    if (of_device.ok() && of_device->product == facts.product &&
        of_device->compute_units == facts.compute_units)
      return std::move(device);
  }
  const DeviceFacts of_target(facts.gfx);
  if (facts.product == of_target.product && facts.compute_units == of_target.compute_units)
    return FindDevice(Name(facts.gfx));
  return NoDevice(
      absl::StrCat(facts.product->name, " with ", facts.compute_units, " compute units"), *devices);
}

absl::Status UseDevice(const DeviceInfo& device) {
  return ToStatus(hipSetDevice(device.ordinal),
                  absl::StrCat("select device ", device.ordinal, " (", device.target, ")"));
}

absl::StatusOr<DeviceInfo> CurrentDevice() {
  int ordinal = 0;
  absl::Status status = ToStatus(hipGetDevice(&ordinal), "read the current device");
  if (!status.ok()) return status;
  return Describe(ordinal);
}

absl::StatusOr<DeviceFacts> DeviceInfo::Facts() const {
  const Processor* const processor = FindProcessor(target);
  if (processor == nullptr) {
    return absl::UnimplementedError(absl::StrCat(
        "device ", ordinal, " (", name, ") is a ", target, "; Gridwise has kernels for ",
        absl::StrJoin(kProcessors, ", ",
                      [](std::string* out, const Processor& of) { out->append(of.name); })));
  }
  const Product& product = ProductLike(*processor, name, compute_units);
  DeviceFacts facts(processor->gfx, product, compute_units);
  if (clock_ghz > 0) facts.clock_ghz = clock_ghz;
  if (memory_clock_ghz > 0 && memory_bus_bytes > 0) {
    const double peak = memory_clock_ghz * memory_bus_bytes * product.memory_transfers;
    const bool is_partition = compute_units < product.compute_units && product.xcds > 1;
    // HIP may report the whole card's bus for a partition.
    facts.memory_gb_per_s = is_partition ? std::min(peak, facts.memory_gb_per_s) : peak;
  }
  if (memory_bytes > 0) facts.memory_bytes = memory_bytes;
  return facts;
}

absl::Status ResetDevice() {
  ForgetModules();
  return ToStatus(hipDeviceReset(), "reset the device");
}

}  // namespace gridwise
