// SPDX-License-Identifier: MIT
#include "tools/sim/hip/stream/stream.h"

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "hip/hip_runtime_api.h"
#include "tools/sim/hip/abi/per_thread.h"
#include "tools/sim/hip/api/stream/attributes.h"
#include "tools/sim/hip/device/handles.h"
#include "tools/sim/hip/device/runtime.h"
#include "tools/sim/hip/graph/event.h"
#include "tools/sim/hip/stream/capture.h"
#include "tools/sim/hip/stream/queue.h"

// Streams.

namespace gridwise::sim {
namespace {

Handles<ihipStream_t>& Streams() { return LiveHandles<ihipStream_t>(); }

// Every device has two streams from the start; the numbers of others are higher.
constexpr uint64_t kFirstId = 1 << 16;

uint64_t NextId() {
  static std::atomic<uint64_t> next = kFirstId;
  return next++;
}

// The device of a stream that the host may wait for.
hipError_t MayWait(hipStream_t stream, Device** device) {
  if (!IsStream(stream)) return hipErrorInvalidHandle;
  if (hipError_t error = MayWaitFor(stream); error != hipSuccess) return error;
  *device = IsBuiltIn(stream) ? CurrentDevice() : stream->device;
  return *device == nullptr ? hipErrorNoDevice : hipSuccess;
}

}  // namespace
}  // namespace gridwise::sim

using namespace gridwise::sim;

extern "C" {

hipError_t hipStreamCreateWithPriority(hipStream_t* stream, unsigned int flags, int priority) {
  if (stream == nullptr || (flags != hipStreamDefault && flags != hipStreamNonBlocking))
    return Report(hipErrorInvalidValue);
  Device* device = NeedDevice();
  if (device == nullptr) return hipErrorNoDevice;
  const int clamped = std::clamp(priority, kHighestPriority, kLowestPriority);
  *stream = Streams().Add(new ihipStream_t{flags, clamped, device, NextId()});
  return Report(hipSuccess);
}
hipError_t hipStreamCreateWithFlags(hipStream_t* stream, unsigned int flags) {
  return hipStreamCreateWithPriority(stream, flags, 0);
}
hipError_t hipStreamCreate(hipStream_t* stream) {
  return hipStreamCreateWithPriority(stream, hipStreamDefault, 0);
}
hipError_t hipExtStreamCreateWithCUMask(hipStream_t* stream, uint32_t words, const uint32_t* mask) {
  if (words == 0 || mask == nullptr) return Report(hipErrorInvalidValue);
  const hipError_t error = hipStreamCreate(stream);
  if (error == hipSuccess) (*stream)->mask.assign(mask, mask + words);
  return error;
}

hipError_t hipDeviceGetStreamPriorityRange(int* least, int* greatest) {
  if (least != nullptr) *least = kLowestPriority;
  if (greatest != nullptr) *greatest = kHighestPriority;
  return Report(hipSuccess);
}

hipError_t hipStreamDestroy(hipStream_t stream) {
  if (!Streams().Has(stream)) return Report(hipErrorInvalidHandle);
  static_cast<void>(RunDeferred(stream, *stream->device));
  if (!Streams().Forget(stream)) return Report(hipErrorInvalidHandle);
  ForgetDeferred(stream);
  ForgetCaptured(stream);
  ForgetAttributes(stream->id);
  delete stream;
  return Report(hipSuccess);
}

// A kernel's fault stays.
hipError_t hipStreamSynchronize(hipStream_t stream) {
  Device* device = nullptr;
  if (hipError_t error = MayWait(stream, &device); error != hipSuccess) return Report(error);
  const hipError_t error = RunDeferred(stream, *device);
  return Report(error != hipSuccess ? error : device->fault.load());
}
hipError_t hipStreamQuery(hipStream_t stream) {
  Device* device = nullptr;
  if (hipError_t error = MayWait(stream, &device); error != hipSuccess) return Report(error);
  return Report(CheckDeferred(stream, *device) ? device->fault.load() : hipErrorNotReady);
}

hipError_t hipStreamGetFlags(hipStream_t stream, unsigned int* flags) {
  if (flags == nullptr) return Report(hipErrorInvalidValue);
  if (!IsStream(stream)) return Report(hipErrorInvalidHandle);
  *flags = IsBuiltIn(stream) ? hipStreamDefault : stream->flags;
  return Report(hipSuccess);
}

hipError_t hipStreamGetPriority(hipStream_t stream, int* priority) {
  if (priority == nullptr) return Report(hipErrorInvalidValue);
  if (!IsStream(stream)) return Report(hipErrorInvalidHandle);
  *priority = IsBuiltIn(stream) ? 0 : stream->priority;
  return Report(hipSuccess);
}

hipError_t hipStreamGetDevice(hipStream_t stream, hipDevice_t* device) {
  if (device == nullptr) return Report(hipErrorInvalidValue);
  const Device* of_stream = DeviceOfStream(stream);
  if (of_stream == nullptr) return Report(hipErrorInvalidHandle);
  *device = IndexOf(*of_stream);
  return Report(hipSuccess);
}

int hipGetStreamDeviceId(hipStream_t stream) {
  const Device* device = DeviceOfStream(stream);
  return device == nullptr ? -1 : IndexOf(*device);
}

hipError_t hipStreamWaitEvent(hipStream_t stream, hipEvent_t event, unsigned int flags) {
  if (!IsStream(stream) || !IsEvent(event)) return Report(hipErrorInvalidHandle);
  return Report(WaitOn(stream, event, flags));
}

GRIDWISE_PER_THREAD(hipStreamSynchronize);
GRIDWISE_PER_THREAD(hipStreamQuery);
GRIDWISE_PER_THREAD(hipStreamGetFlags);
GRIDWISE_PER_THREAD(hipStreamGetPriority);
GRIDWISE_PER_THREAD(hipStreamWaitEvent);

}  // extern "C"
