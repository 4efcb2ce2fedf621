// SPDX-License-Identifier: MIT
#include <cstddef>
#include <cstdint>

#include "hip/hip_runtime_api.h"
#include "tools/sim/hip/device/runtime.h"

// Settings and queries that mean little here.

namespace gridwise::sim {
namespace {

/// The most scratch that a work-item may be given (hip_runtime_api.h, hipLimitStackSize).
constexpr size_t kMaxStackBytes = (128 << 10) - 16;

thread_local unsigned int device_flags = hipDeviceScheduleAuto;

}  // namespace
}  // namespace gridwise::sim

using namespace gridwise::sim;

extern "C" {

// The heap is as large as it needs to be: of its limit a program reads back what it has set. HIP
// has none for printf.
hipError_t hipDeviceGetLimit(size_t* value, hipLimit_t limit) {
  if (value == nullptr) return Report(hipErrorInvalidValue);
  const Device* device = NeedDevice();
  if (device == nullptr) return hipErrorNoDevice;
  if (limit == hipLimitStackSize) {
    *value = device->stack_limit;
  } else if (limit == hipLimitMallocHeapSize) {
    *value = device->heap_limit;
  } else {
    return Report(hipErrorUnsupportedLimit);
  }
  return Report(hipSuccess);
}
hipError_t hipDeviceSetLimit(hipLimit_t limit, size_t value) {
  if (limit < 0 || limit >= hipLimitRange) return Report(hipErrorInvalidValue);
  Device* device = NeedDevice();
  if (device == nullptr) return hipErrorNoDevice;
  if (limit == hipLimitStackSize) {
    if (value > kMaxStackBytes) return Report(hipErrorInvalidValue);
    device->stack_limit = static_cast<uint32_t>(value);
  } else if (limit == hipLimitMallocHeapSize) {
    if (value >= device->properties.totalGlobalMem) return Report(hipErrorInvalidValue);
    device->heap_limit = value;
  } else {
    return Report(hipErrorUnsupportedLimit);
  }
  return Report(hipSuccess);
}

hipError_t hipSetDeviceFlags(unsigned int flags) {
  device_flags = flags;
  return Report(hipSuccess);
}
hipError_t hipGetDeviceFlags(unsigned int* flags) {
  if (flags == nullptr) return Report(hipErrorInvalidValue);
  *flags = device_flags;
  return Report(hipSuccess);
}
hipError_t hipSetValidDevices(int* devices, int count) {
  if (count < 0 || (count > 0 && devices == nullptr)) return Report(hipErrorInvalidValue);
  for (int i = 0; i < count; ++i) {
    if (DeviceAt(devices[i]) == nullptr) return Report(hipErrorInvalidDevice);
  }
  return Report(hipSuccess);
}

hipError_t hipProfilerStart(void) { return Report(hipSuccess); }
hipError_t hipProfilerStop(void) { return Report(hipSuccess); }

const char* hipApiName(uint32_t) { return "unknown"; }

hipChannelFormatDesc hipCreateChannelDesc(int x, int y, int z, int w, hipChannelFormatKind kind) {
  return {x, y, z, w, kind};
}

// Conversions that old host compilers call.
float __gnu_h2f_ieee(unsigned short half) {
  _Float16 value;
  __builtin_memcpy(&value, &half, sizeof(value));
  return static_cast<float>(value);
}
unsigned short __gnu_f2h_ieee(float value) {
  const auto half = static_cast<_Float16>(value);
  unsigned short bits;
  __builtin_memcpy(&bits, &half, sizeof(bits));
  return bits;
}

// The precompiled header for run-time compilation; there is none here.
void __hipGetPCH(const char** header, unsigned int* bytes) {
  *header = nullptr;
  *bytes = 0;
}

}  // extern "C"
