// SPDX-License-Identifier: MIT
#include <vector>

#include "hip/hip_runtime_api.h"
#include "tools/sim/hip/device/runtime.h"

// Contexts: every device has one, its primary context, and it is the device itself.

namespace gridwise::sim {
namespace {

hipCtx_t ContextOf(Device& device) { return reinterpret_cast<hipCtx_t>(&device); }

// The index of the device that the context is; -1 if it is none.
int IndexOfContext(hipCtx_t context) {
  for (const auto& device : Devices()) {
    if (ContextOf(*device) == context) return IndexOf(*device);
  }
  return -1;
}

// The devices that hipCtxPushCurrent replaced.
std::vector<int>& Pushed() {
  static thread_local std::vector<int> devices;
  return devices;
}

hipError_t GiveContext(hipCtx_t* context, int index) {
  if (context == nullptr) return Report(hipErrorInvalidValue);
  Device* device = DeviceAt(index);
  if (device == nullptr) return Report(hipErrorInvalidDevice);
  *context = ContextOf(*device);
  return Report(hipSuccess);
}

hipError_t CheckContext(hipCtx_t context) {
  return Report(IndexOfContext(context) >= 0 ? hipSuccess : hipErrorInvalidContext);
}

hipError_t CheckIndex(int index) {
  return Report(DeviceAt(index) != nullptr ? hipSuccess : hipErrorInvalidDevice);
}

}  // namespace
}  // namespace gridwise::sim

using namespace gridwise::sim;

extern "C" {

hipError_t hipCtxCreate(hipCtx_t* context, unsigned int, hipDevice_t device) {
  if (hipError_t error = GiveContext(context, device); error != hipSuccess) return error;
  Pushed().push_back(CurrentDeviceIndex());
  return Report(SetCurrentDevice(device));
}
hipError_t hipCtxDestroy(hipCtx_t context) { return CheckContext(context); }

hipError_t hipCtxPushCurrent(hipCtx_t context) {
  if (hipError_t error = CheckContext(context); error != hipSuccess) return error;
  Pushed().push_back(CurrentDeviceIndex());
  return Report(SetCurrentDevice(IndexOfContext(context)));
}
hipError_t hipCtxPopCurrent(hipCtx_t* context) {
  if (Pushed().empty()) return Report(hipErrorInvalidContext);
  if (context != nullptr) {
    if (hipError_t error = GiveContext(context, CurrentDeviceIndex()); error != hipSuccess)
      return error;
  }
  const int before = Pushed().back();
  Pushed().pop_back();
  return Report(SetCurrentDevice(before));
}
hipError_t hipCtxSetCurrent(hipCtx_t context) {
  if (context == nullptr) return Report(hipSuccess);
  if (hipError_t error = CheckContext(context); error != hipSuccess) return error;
  return Report(SetCurrentDevice(IndexOfContext(context)));
}
hipError_t hipCtxGetCurrent(hipCtx_t* context) {
  return GiveContext(context, CurrentDeviceIndex());
}
hipError_t hipCtxGetDevice(hipDevice_t* device) { return hipGetDevice(device); }
hipError_t hipCtxGetApiVersion(hipCtx_t context, int* version) {
  if (version == nullptr) return Report(hipErrorInvalidValue);
  *version = 4;
  return CheckContext(context);
}
hipError_t hipCtxGetFlags(unsigned int* flags) {
  if (flags == nullptr) return Report(hipErrorInvalidValue);
  *flags = 0;
  return Report(hipSuccess);
}
hipError_t hipCtxSynchronize(void) { return hipDeviceSynchronize(); }
hipError_t hipCtxEnablePeerAccess(hipCtx_t peer, unsigned int flags) {
  return hipDeviceEnablePeerAccess(IndexOfContext(peer), flags);
}
hipError_t hipCtxDisablePeerAccess(hipCtx_t peer) {
  return hipDeviceDisablePeerAccess(IndexOfContext(peer));
}

hipError_t hipDevicePrimaryCtxRetain(hipCtx_t* context, hipDevice_t device) {
  return GiveContext(context, device);
}
hipError_t hipDevicePrimaryCtxRelease(hipDevice_t device) { return CheckIndex(device); }
hipError_t hipDevicePrimaryCtxReset(hipDevice_t device) { return CheckIndex(device); }
hipError_t hipDevicePrimaryCtxSetFlags(hipDevice_t device, unsigned int) {
  return CheckIndex(device);
}
hipError_t hipDevicePrimaryCtxGetState(hipDevice_t device, unsigned int* flags, int* active) {
  if (flags != nullptr) *flags = 0;
  if (active != nullptr) *active = device == CurrentDeviceIndex();
  return CheckIndex(device);
}

// Cache and bank configurations are hints that these devices ignore.
hipError_t hipCtxSetCacheConfig(hipFuncCache_t) { return Report(hipSuccess); }
hipError_t hipCtxSetSharedMemConfig(hipSharedMemConfig) { return Report(hipSuccess); }
hipError_t hipDeviceSetCacheConfig(hipFuncCache_t) { return Report(hipSuccess); }
hipError_t hipDeviceSetSharedMemConfig(hipSharedMemConfig) { return Report(hipSuccess); }

hipError_t hipDeviceGetCacheConfig(hipFuncCache_t* config) {
  if (config == nullptr) return Report(hipErrorInvalidValue);
  *config = hipFuncCachePreferNone;
  return Report(hipSuccess);
}
hipError_t hipCtxGetCacheConfig(hipFuncCache_t* config) { return hipDeviceGetCacheConfig(config); }
hipError_t hipDeviceGetSharedMemConfig(hipSharedMemConfig* config) {
  if (config == nullptr) return Report(hipErrorInvalidValue);
  *config = hipSharedMemBankSizeFourByte;
  return Report(hipSuccess);
}
hipError_t hipCtxGetSharedMemConfig(hipSharedMemConfig* config) {
  return hipDeviceGetSharedMemConfig(config);
}

}  // extern "C"
