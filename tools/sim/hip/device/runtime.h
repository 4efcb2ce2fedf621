// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "core/arch/device_facts.h"
#include "hip/hip_runtime_api.h"
#include "tools/sim/hip/host/hostcall.h"
#include "tools/sim/machine/wave_sync.h"
#include "tools/sim/memory/memory.h"

/// What the entry points of the HIP library share: the simulated devices and the errors of the
/// calling thread.

namespace gridwise::sim {

/// A simulated GPU. Everything runs synchronously: when an entry point returns, its work is done.
struct Device {
  explicit Device(const DeviceFacts& facts);

  const DeviceFacts facts;
  const hipDeviceProp_t properties;
  Memory memory;
  WaveSync wave_sync;
  const uint64_t printf_buffer;        // where kernels find a printf buffer, which there is not
  std::mutex launch;                   // one kernel at a time, as on one hardware queue
  std::unique_ptr<Hostcall> hostcall;  // made, under `launch`, for the first kernel that needs it
  std::atomic<uint32_t> stack_limit = 1024;    // hipLimitStackSize
  std::atomic<uint64_t> heap_limit = 8 << 20;  // hipLimitMallocHeapSize
  std::atomic<hipError_t> fault =
      hipSuccess;  // a kernel's error: every later launch and wait reports it
};

/// The devices of this process: those that the environment variable GRIDWISE_SIM_DEVICES lists
/// ("gfx942,RX 7600" gives an MI300X and an RX 7600; names: core/text/parse_device.h); if it is not
/// set, one of the target that alone the program has code for, else one of each that hipcc compiles
/// for unless told. Unknown names are reported and left out.
const std::vector<std::unique_ptr<Device>>& Devices();
/// Adds a device as gridwiseSimAddDevice does; false if it cannot.
bool AddDevice(std::string_view name);
/// Gives devices the memory that they have in the mode that kernels are now executed in.
void SetCapacities();

/// The calling thread's device (hipSetDevice), or nullptr when there is none.
Device* CurrentDevice();
int CurrentDeviceIndex();
hipError_t SetCurrentDevice(int index);

/// The device whose memory holds `pointer`, or nullptr.
Device* DeviceOf(const void* pointer);

/// Remembers `error` for hipGetLastError and returns it; every entry point ends in one of these.
/// Programs of HIP 5 and 6 get the error of the last call from hipGetLastError, be it hipSuccess;
/// those of HIP 7, and those that link the simulator, the last call's that failed.
hipError_t Report(hipError_t error);
/// The same, with a sentence for gridwiseSimLastFault and, but of hipErrorNotFound, for stderr.
hipError_t Report(hipError_t error, std::string_view sentence);
hipError_t Report(hipError_t error, const absl::Status& status);

/// The sentence reported last in this process, and the error of the calling thread.
const char* LastSentence();
hipError_t LastError();
void ClearLastError();

/// The error of the calling thread's last call that was reported (hipExtGetLastError).
hipError_t LastCallError();

/// The current device, or, with hipErrorNoDevice reported, nullptr.
Device* NeedDevice();
/// The device of that index, or nullptr.
Device* DeviceAt(int index);
int IndexOf(const Device& device);

/// Properties of a device as the ROCm driver gives them for the product.
hipDeviceProp_t PropertiesOf(const DeviceFacts& facts);

}  // namespace gridwise::sim
