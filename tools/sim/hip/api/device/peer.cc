// SPDX-License-Identifier: MIT
#include <cstring>

#include "absl/strings/str_format.h"
#include "hip/hip_runtime_api.h"
#include "tools/sim/hip/device/runtime.h"
#include "tools/sim/hip/memory/allocations.h"

// Relations between devices, and their identities.

namespace gridwise::sim {
namespace {

// "0000:03:00.0": every device has a bus of its own.
std::string BusName(int index) { return absl::StrFormat("0000:%02x:00.0", index); }

hipError_t ChangePeerAccess(int peer_index, unsigned int flags, bool on) {
  Device* device = NeedDevice();
  Device* peer = DeviceAt(peer_index);
  if (device == nullptr) return hipErrorNoDevice;
  if (peer == nullptr || peer == device) return Report(hipErrorInvalidDevice);
  if (flags != 0) return Report(hipErrorInvalidValue);
  if (HasPeerAccess(*device, *peer) == on)
    return Report(on ? hipErrorPeerAccessAlreadyEnabled : hipErrorPeerAccessNotEnabled);
  SetPeerAccess(*device, *peer, on);
  return Report(hipSuccess);
}

}  // namespace
}  // namespace gridwise::sim

using namespace gridwise::sim;

extern "C" {

hipError_t hipDeviceCanAccessPeer(int* can, int device, int peer) {
  if (can == nullptr) return Report(hipErrorInvalidValue);
  if (DeviceAt(device) == nullptr || DeviceAt(peer) == nullptr)
    return Report(hipErrorInvalidDevice);
  *can = device != peer;
  return Report(hipSuccess);
}

hipError_t hipDeviceEnablePeerAccess(int peer, unsigned int flags) {
  return ChangePeerAccess(peer, flags, true);
}
hipError_t hipDeviceDisablePeerAccess(int peer) { return ChangePeerAccess(peer, 0, false); }

hipError_t hipDeviceGetP2PAttribute(int* value, hipDeviceP2PAttr attribute, int device, int peer) {
  if (value == nullptr) return Report(hipErrorInvalidValue);
  if (DeviceAt(device) == nullptr || DeviceAt(peer) == nullptr || device == peer)
    return Report(hipErrorInvalidDevice);
  switch (attribute) {
    case hipDevP2PAttrPerformanceRank:
    case hipDevP2PAttrHipArrayAccessSupported:
      *value = 0;
      return Report(hipSuccess);
    case hipDevP2PAttrAccessSupported:
    case hipDevP2PAttrNativeAtomicSupported:
      *value = 1;
      return Report(hipSuccess);
    default:
      return Report(hipErrorInvalidValue);
  }
}

hipError_t hipDeviceGetPCIBusId(char* name, int bytes, int device) {
  if (name == nullptr || bytes <= 0) return Report(hipErrorInvalidValue);
  if (DeviceAt(device) == nullptr) return Report(hipErrorInvalidDevice);
  absl::SNPrintF(name, bytes, "%s", BusName(device));
  return Report(hipSuccess);
}

hipError_t hipDeviceGetByPCIBusId(int* device, const char* name) {
  if (device == nullptr || name == nullptr) return Report(hipErrorInvalidValue);
  for (int index = 0; DeviceAt(index) != nullptr; ++index) {
    if (BusName(index) != name) continue;
    *device = index;
    return Report(hipSuccess);
  }
  return Report(hipErrorInvalidValue);
}

hipError_t hipDeviceGetUuid(hipUUID* uuid, hipDevice_t device) {
  if (uuid == nullptr) return Report(hipErrorInvalidValue);
  if (DeviceAt(device) == nullptr) return Report(hipErrorInvalidDevice);
  std::memset(uuid->bytes, '0', sizeof(uuid->bytes));
  uuid->bytes[sizeof(uuid->bytes) - 1] = static_cast<char>('0' + device);
  return Report(hipSuccess);
}

}  // extern "C"
