// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstddef>
#include <optional>

#include "absl/strings/str_format.h"
#include "hip/hip_runtime_api.h"
#include "tools/sim/hip/abi/hip7.h"
#include "tools/sim/hip/device/runtime.h"
#include "tools/sim/hip/memory/allocations.h"

// Hints about memory. There is one memory for host and devices, so they change nothing; they are
// kept for the whole of an allocation, where a program reads them back.

namespace gridwise::sim {
namespace {

bool IsDevice(int device) { return device == hipCpuDeviceId || DeviceAt(device) != nullptr; }

// The device of a location of HIP 7's, hipCpuDeviceId for its three kinds of hosts.
std::optional<int> DeviceOf(const hipMemLocation& location) {
  const auto type = static_cast<int>(location.type);
  if (type == hipMemLocationTypeDevice) return location.id;
  if (type >= 2 && type <= 4) return hipCpuDeviceId;
  return std::nullopt;
}

hipError_t RefuseLocation(const hipMemLocation& location) {
  return Report(hipErrorInvalidValue,
                absl::StrFormat("a memory location of type %d is neither a device nor the host",
                                static_cast<int>(location.type)));
}

// False if `advice` is none of HIP's.
bool Apply(hipMemoryAdvise advice, int device, Advice& to) {
  switch (advice) {
    case hipMemAdviseSetReadMostly:
    case hipMemAdviseUnsetReadMostly:
      to.read_mostly = advice == hipMemAdviseSetReadMostly;
      return true;
    case hipMemAdviseSetPreferredLocation:
      to.preferred = device;
      return true;
    case hipMemAdviseUnsetPreferredLocation:
      to.preferred = hipInvalidDeviceId;
      return true;
    case hipMemAdviseSetAccessedBy:
      to.accessed_by.insert(device);
      return true;
    case hipMemAdviseUnsetAccessedBy:
      to.accessed_by.erase(device);
      return true;
    case hipMemAdviseSetCoarseGrain:
    case hipMemAdviseUnsetCoarseGrain:
      to.coarse_grained = advice == hipMemAdviseSetCoarseGrain;
      return true;
    default:
      return false;
  }
}

// The attribute as integers in `data`.
hipError_t Get(const Advice& advice, hipMemRangeAttribute attribute, int* data, size_t bytes) {
  const size_t count = bytes / sizeof(int);
  const bool one = attribute != hipMemRangeAttributeAccessedBy;
  if (data == nullptr || count == 0 || bytes % sizeof(int) != 0 || (one && count != 1)) {
    return Report(hipErrorInvalidValue,
                  absl::StrFormat("attribute %d of a memory range is asked for in %u bytes",
                                  static_cast<int>(attribute), bytes));
  }
  switch (attribute) {
    case hipMemRangeAttributeReadMostly:
      *data = advice.read_mostly ? 1 : 0;
      return Report(hipSuccess);
    case hipMemRangeAttributePreferredLocation:
      *data = advice.preferred;
      return Report(hipSuccess);
    case hipMemRangeAttributeAccessedBy:
      std::fill(data, data + count, hipInvalidDeviceId);
      std::copy_n(advice.accessed_by.begin(), std::min(count, advice.accessed_by.size()), data);
      return Report(hipSuccess);
    case hipMemRangeAttributeLastPrefetchLocation:
      *data = advice.prefetched;
      return Report(hipSuccess);
    case hipMemRangeAttributeCoherencyMode:
      *data = advice.coarse_grained ? hipMemRangeCoherencyModeCoarseGrain
                                    : hipMemRangeCoherencyModeFineGrain;
      return Report(hipSuccess);
    default:
      return Report(hipErrorInvalidValue);
  }
}

}  // namespace
}  // namespace gridwise::sim

using namespace gridwise::sim;

extern "C" {

hipError_t hipMemAdvise(const void* pointer, size_t bytes, hipMemoryAdvise advice, int device) {
  if (bytes == 0) return Report(hipErrorInvalidValue);
  if (!IsDevice(device)) return Report(hipErrorInvalidDevice);
  bool known = false;
  const bool found = Advise(pointer, bytes, [&](Advice& to) { known = Apply(advice, device, to); });
  return Report(found && known ? hipSuccess : hipErrorInvalidValue);
}

hipError_t hipMemAdvise_v2(const void* pointer, size_t bytes, hipMemoryAdvise advice,
                           hipMemLocation location) {
  const std::optional<int> device = DeviceOf(location);
  return device ? hipMemAdvise(pointer, bytes, advice, *device) : RefuseLocation(location);
}

hipError_t hipMemPrefetchAsync(const void* pointer, size_t bytes, int device, hipStream_t) {
  if (bytes == 0) return Report(hipErrorInvalidValue);
  if (!IsDevice(device)) return Report(hipErrorInvalidDevice);
  const bool found = Advise(pointer, bytes, [&](Advice& to) { to.prefetched = device; });
  return Report(found ? hipSuccess : hipErrorInvalidValue);
}

hipError_t hipMemPrefetchAsync_v2(const void* pointer, size_t bytes, hipMemLocation location,
                                  unsigned int flags, hipStream_t stream) {
  if (flags != 0) return Report(hipErrorInvalidValue);
  const std::optional<int> device = DeviceOf(location);
  return device ? hipMemPrefetchAsync(pointer, bytes, *device, stream) : RefuseLocation(location);
}

hipError_t hipMemRangeGetAttribute(void* data, size_t data_bytes, hipMemRangeAttribute attribute,
                                   const void* pointer, size_t bytes) {
  return hipMemRangeGetAttributes(&data, &data_bytes, &attribute, 1, pointer, bytes);
}

hipError_t hipMemRangeGetAttributes(void** data, size_t* data_bytes,
                                    hipMemRangeAttribute* attributes, size_t count,
                                    const void* pointer, size_t bytes) {
  if (data == nullptr || data_bytes == nullptr || attributes == nullptr || count == 0 || bytes == 0)
    return Report(hipErrorInvalidValue);
  Advice advice;
  if (!Advise(pointer, bytes, [&](Advice& known) { advice = known; }))
    return Report(hipErrorInvalidValue);
  for (size_t i = 0; i < count; ++i) {
    const hipError_t error = Get(advice, attributes[i], static_cast<int*>(data[i]), data_bytes[i]);
    if (error != hipSuccess) return error;
  }
  return Report(hipSuccess);
}

}  // extern "C"
