// SPDX-License-Identifier: MIT
#include "tools/sim/hip/memory/copy.h"

#include <cstddef>

#include "hip/hip_runtime_api.h"
#include "tools/sim/hip/abi/per_thread.h"
#include "tools/sim/hip/device/runtime.h"
#include "tools/sim/hip/stream/capture.h"

// Copies of bytes in a row.

namespace gridwise::sim {
namespace {

hipError_t Copy(hipStream_t stream, void* to, const void* from, size_t bytes, hipMemcpyKind kind) {
  return Enqueue(stream, LinearCopy(to, from, bytes, kind));
}

}  // namespace
}  // namespace gridwise::sim

using namespace gridwise::sim;

extern "C" {

hipError_t hipMemcpy(void* to, const void* from, size_t bytes, hipMemcpyKind kind) {
  return Awaited(Copy(nullptr, to, from, bytes, kind));
}
hipError_t hipMemcpyAsync(void* to, const void* from, size_t bytes, hipMemcpyKind kind,
                          hipStream_t stream) {
  return Copy(stream, to, from, bytes, kind);
}
hipError_t hipMemcpyWithStream(void* to, const void* from, size_t bytes, hipMemcpyKind kind,
                               hipStream_t stream) {
  if (hipError_t error = MayWaitFor(stream); error != hipSuccess) return Report(error);
  return Awaited(Copy(stream, to, from, bytes, kind), stream);
}
hipError_t hipMemcpyHtoD(hipDeviceptr_t to, void* from, size_t bytes) {
  return Awaited(Copy(nullptr, to, from, bytes, hipMemcpyHostToDevice));
}
hipError_t hipMemcpyDtoH(void* to, hipDeviceptr_t from, size_t bytes) {
  return Awaited(Copy(nullptr, to, from, bytes, hipMemcpyDeviceToHost));
}
hipError_t hipMemcpyDtoD(hipDeviceptr_t to, hipDeviceptr_t from, size_t bytes) {
  return Awaited(Copy(nullptr, to, from, bytes, hipMemcpyDeviceToDevice));
}
hipError_t hipMemcpyHtoDAsync(hipDeviceptr_t to, void* from, size_t bytes, hipStream_t stream) {
  return Copy(stream, to, from, bytes, hipMemcpyHostToDevice);
}
hipError_t hipMemcpyDtoHAsync(void* to, hipDeviceptr_t from, size_t bytes, hipStream_t stream) {
  return Copy(stream, to, from, bytes, hipMemcpyDeviceToHost);
}
hipError_t hipMemcpyDtoDAsync(hipDeviceptr_t to, hipDeviceptr_t from, size_t bytes,
                              hipStream_t stream) {
  return Copy(stream, to, from, bytes, hipMemcpyDeviceToDevice);
}

hipError_t hipMemcpyPeer(void* to, int to_device, const void* from, int from_device, size_t bytes) {
  if (DeviceAt(to_device) == nullptr || DeviceAt(from_device) == nullptr)
    return Report(hipErrorInvalidDevice);
  return Awaited(Copy(nullptr, to, from, bytes, hipMemcpyDeviceToDevice));
}
hipError_t hipMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device,
                              size_t bytes, hipStream_t stream) {
  if (DeviceAt(to_device) == nullptr || DeviceAt(from_device) == nullptr)
    return Report(hipErrorInvalidDevice);
  return Copy(stream, to, from, bytes, hipMemcpyDeviceToDevice);
}

GRIDWISE_PER_THREAD(hipMemcpy);
GRIDWISE_PER_THREAD(hipMemcpyAsync);

}  // extern "C"
