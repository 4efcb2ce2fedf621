// SPDX-License-Identifier: MIT
#include <cstdio>

#include "tools/third_party/hip/cuda/driver.h"

namespace gridwise::cuda {
namespace {

/// CUdevice_attribute.
enum Attribute {
  kWarpSize = 10,
  kClockKhz = 13,
  kMultiprocessors = 16,
  kMemoryClockKhz = 36,
  kMemoryBusBits = 37,
  kL2Bytes = 38,
  kMajor = 75,
  kMinor = 76,
  kSharedBytesOptIn = 97,
};

}  // namespace
}  // namespace gridwise::cuda

using gridwise::cuda::Call;
using gridwise::cuda::Driver;
using gridwise::cuda::GetDriver;
using gridwise::cuda::NoDriver;
using gridwise::cuda::Translate;

extern "C" {

hipError_t hipGetDeviceCount(int* count) {
  *count = 0;
  const Driver* const driver = GetDriver();
  return driver == nullptr ? NoDriver() : Translate(driver->DeviceGetCount(count));
}

hipError_t hipSetDevice(int device) { return gridwise::cuda::UsePrimaryContext(device); }

hipError_t hipGetDevice(int* device) { return Call<&Driver::CtxGetDevice>(device); }

/// gcnArchName is the compiler's name of the target, with `a` where it has instructions that later
/// ones lack; sharedMemPerBlock what a launch can have.
hipError_t hipGetDeviceProperties(hipDeviceProp_t* properties, int device) {
  const Driver* const driver = GetDriver();
  if (driver == nullptr) return NoDriver();
  *properties = {};
  if (const auto result = driver->DeviceGetName(properties->name, sizeof(properties->name), device);
      result != 0) {
    return Translate(result);
  }
  const auto attribute = [&](gridwise::cuda::Attribute id) {
    int value = 0;
    static_cast<void>(driver->DeviceGetAttribute(&value, id, device));
    return value;
  };
  static_cast<void>(driver->DeviceTotalMem(&properties->totalGlobalMem, device));
  properties->major = attribute(gridwise::cuda::kMajor);
  properties->minor = attribute(gridwise::cuda::kMinor);
  properties->multiProcessorCount = attribute(gridwise::cuda::kMultiprocessors);
  properties->warpSize = attribute(gridwise::cuda::kWarpSize);
  properties->clockRate = attribute(gridwise::cuda::kClockKhz);
  properties->memoryClockRate = attribute(gridwise::cuda::kMemoryClockKhz);
  properties->memoryBusWidth = attribute(gridwise::cuda::kMemoryBusBits);
  properties->l2CacheSize = attribute(gridwise::cuda::kL2Bytes);
  properties->sharedMemPerBlock =
      static_cast<std::size_t>(attribute(gridwise::cuda::kSharedBytesOptIn));
  std::snprintf(properties->gcnArchName, sizeof(properties->gcnArchName), "sm_%d%d%s",
                properties->major, properties->minor, properties->major >= 9 ? "a" : "");
  return hipSuccess;
}

hipError_t hipDeviceSynchronize() { return Call<&Driver::CtxSynchronize>(); }

/// Resets the primary context: also what other libraries of the process have on the device.
hipError_t hipDeviceReset() {
  int device = 0;
  if (const hipError_t error = hipGetDevice(&device); error != hipSuccess) return error;
  return gridwise::cuda::ResetPrimaryContext(device);
}

}  // extern "C"
