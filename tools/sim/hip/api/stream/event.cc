// SPDX-License-Identifier: MIT
#include "tools/sim/hip/graph/event.h"

#include <chrono>
#include <memory>

#include "hip/hip_runtime_api.h"
#include "tools/sim/hip/abi/per_thread.h"
#include "tools/sim/hip/device/handles.h"
#include "tools/sim/hip/device/runtime.h"
#include "tools/sim/hip/stream/capture.h"
#include "tools/sim/hip/stream/queue.h"
#include "tools/sim/hip/stream/stream.h"

// Events.

namespace gridwise::sim {
namespace {

Handles<ihipEvent_t>& Events() { return LiveHandles<ihipEvent_t>(); }

// The recording of an event that the host may wait for, null if there is none, and its device.
hipError_t MayWait(hipEvent_t event, std::shared_ptr<Recording>* recording, Device** device) {
  if (!Events().Has(event)) return hipErrorInvalidHandle;
  if (hipError_t error = MayWaitFor(event); error != hipSuccess) return error;
  *recording = RecordingOf(event);
  *device = *recording != nullptr ? (*recording)->device : CurrentDevice();
  return *device == nullptr ? hipErrorNoDevice : hipSuccess;
}

}  // namespace
}  // namespace gridwise::sim

using namespace gridwise::sim;

extern "C" {

hipError_t hipEventCreateWithFlags(hipEvent_t* event, unsigned flags) {
  if (event == nullptr) return Report(hipErrorInvalidValue);
  *event = Events().Add(new ihipEvent_t(flags));
  return Report(hipSuccess);
}
hipError_t hipEventCreate(hipEvent_t* event) {
  return hipEventCreateWithFlags(event, hipEventDefault);
}

hipError_t hipEventDestroy(hipEvent_t event) {
  if (!Events().Forget(event)) return Report(hipErrorInvalidHandle);
  ForgetCaptured(event);
  delete event;
  return Report(hipSuccess);
}

hipError_t hipEventRecordWithFlags(hipEvent_t event, hipStream_t stream, unsigned int flags) {
  if (!Events().Has(event) || !IsStream(stream)) return Report(hipErrorInvalidHandle);
  return Report(RecordOn(stream, event, flags));
}

hipError_t hipEventRecord(hipEvent_t event, hipStream_t stream) {
  return hipEventRecordWithFlags(event, stream, hipEventRecordDefault);
}

hipError_t hipEventSynchronize(hipEvent_t event) {
  std::shared_ptr<Recording> recording;
  Device* device = nullptr;
  if (hipError_t error = MayWait(event, &recording, &device); error != hipSuccess)
    return Report(error);
  const hipError_t error = recording == nullptr ? hipSuccess : RunDeferred(*recording);
  return Report(error != hipSuccess ? error : device->fault.load());
}
hipError_t hipEventQuery(hipEvent_t event) {
  std::shared_ptr<Recording> recording;
  Device* device = nullptr;
  if (hipError_t error = MayWait(event, &recording, &device); error != hipSuccess)
    return Report(error);
  if (recording != nullptr && !CheckDeferred(*recording)) return Report(hipErrorNotReady);
  return Report(device->fault);
}

hipError_t hipEventElapsedTime(float* milliseconds, hipEvent_t start, hipEvent_t stop) {
  if (milliseconds == nullptr) return Report(hipErrorInvalidValue);
  if (!Events().Has(start) || !Events().Has(stop)) return Report(hipErrorInvalidHandle);
  const std::shared_ptr<Recording> begin = RecordingOf(start), end = RecordingOf(stop);
  if (((start->flags | stop->flags) & hipEventDisableTiming) || begin == nullptr || end == nullptr)
    return Report(hipErrorInvalidHandle);
  if (!begin->done || !end->done) return Report(hipErrorNotReady);
  *milliseconds = std::chrono::duration<float, std::milli>(end->time - begin->time).count();
  return Report(hipSuccess);
}

GRIDWISE_PER_THREAD(hipEventRecord);

}  // extern "C"
