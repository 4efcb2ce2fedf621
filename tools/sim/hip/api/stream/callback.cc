// SPDX-License-Identifier: MIT
#include <cstdint>

#include "absl/strings/str_format.h"
#include "hip/hip_runtime_api.h"
#include "tools/sim/hip/abi/per_thread.h"
#include "tools/sim/hip/device/runtime.h"
#include "tools/sim/hip/stream/capture.h"
#include "tools/sim/hip/stream/stream.h"

// Other operations of streams: host functions, values in memory.

namespace gridwise::sim {
namespace {

template <typename T>
bool Satisfies(T found, T value, unsigned int flags) {
  return flags == hipStreamWaitValueGte   ? found >= value
         : flags == hipStreamWaitValueEq  ? found == value
         : flags == hipStreamWaitValueAnd ? (found & value) != 0
                                          : (~(found | value)) != 0;
}

// If the value is not there when everything that could have written it has run, it never comes.
template <typename T>
hipError_t WaitForValue(hipStream_t stream, const void* pointer, T value, unsigned int flags,
                        T mask) {
  if (DeviceOfStream(stream) == nullptr) return Report(hipErrorInvalidHandle);
  if (pointer == nullptr) return Report(hipErrorInvalidValue);
  if (hipError_t error = MayEnqueueUncaptured(stream); error != hipSuccess) return Report(error);
  const auto found = [=] { return *static_cast<const volatile T*>(pointer) & mask; };
  const auto is_there = [=] { return Satisfies<T>(found(), value, flags); };
  const auto call = [=](Device*) {
    if (is_there()) return Report(hipSuccess);
    return Report(hipErrorNotSupported,
                  absl::StrFormat("a stream waits for the value %#x in memory that holds %#x, and "
                                  "nothing that is on streams would write it",
                                  value, found()));
  };
  return Enqueue(stream, CallOperation{call, is_there});
}

template <typename T>
hipError_t WriteValue(hipStream_t stream, void* pointer, T value) {
  if (DeviceOfStream(stream) == nullptr) return Report(hipErrorInvalidHandle);
  if (pointer == nullptr) return Report(hipErrorInvalidValue);
  if (hipError_t error = MayEnqueueUncaptured(stream); error != hipSuccess) return Report(error);
  return Enqueue(stream, CallOperation{[=](Device*) {
                   *static_cast<volatile T*>(pointer) = value;
                   return Report(hipSuccess);
                 }});
}

}  // namespace
}  // namespace gridwise::sim

using namespace gridwise::sim;

extern "C" {

hipError_t hipStreamAddCallback(hipStream_t stream, hipStreamCallback_t callback, void* data,
                                unsigned int flags) {
  if (callback == nullptr || flags != 0) return Report(hipErrorInvalidValue);
  if (DeviceOfStream(stream) == nullptr) return Report(hipErrorInvalidHandle);
  if (hipError_t error = MayEnqueueUncaptured(stream); error != hipSuccess) return Report(error);
  return Enqueue(stream, CallOperation{[=](Device* device) {
                   callback(stream, device->fault, data);
                   return Report(hipSuccess);
                 }});
}

hipError_t hipLaunchHostFunc(hipStream_t stream, hipHostFn_t function, void* data) {
  if (function == nullptr) return Report(hipErrorInvalidValue);
  if (DeviceOfStream(stream) == nullptr) return Report(hipErrorInvalidHandle);
  return Enqueue(stream, HostOperation{function, data});
}

hipError_t hipStreamWaitValue32(hipStream_t stream, void* pointer, uint32_t value,
                                unsigned int flags, uint32_t mask) {
  return WaitForValue(stream, pointer, value, flags, mask);
}
hipError_t hipStreamWaitValue64(hipStream_t stream, void* pointer, uint64_t value,
                                unsigned int flags, uint64_t mask) {
  return WaitForValue(stream, pointer, value, flags, mask);
}
hipError_t hipStreamWriteValue32(hipStream_t stream, void* pointer, uint32_t value, unsigned int) {
  return WriteValue(stream, pointer, value);
}
hipError_t hipStreamWriteValue64(hipStream_t stream, void* pointer, uint64_t value, unsigned int) {
  return WriteValue(stream, pointer, value);
}

GRIDWISE_PER_THREAD(hipStreamAddCallback);
GRIDWISE_PER_THREAD(hipLaunchHostFunc);

}  // extern "C"
