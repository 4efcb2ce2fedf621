#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "tools/sim/hip/abi/per_thread.h"
#include "tools/sim/hip/device/handles.h"
#include "tools/sim/hip/stream/capture.h"
#include "tools/sim/hip/stream/queue.h"
#include "tools/sim/hip/stream/stream.h"

// Streams and events. A stream is only a handle: its work is done when the call that starts it
// returns, captured (capture.h) or deferred (queue.h). An event is a time stamp of the host's
// clock: what lies between two events is the time that simulating took, or, in time mode, what the
// launches in between would take.

struct ihipStream_t {
  unsigned int flags;
  int priority;
  gridwise::sim::Device* device;
  uint64_t id;
  std::vector<uint32_t> mask = {};  // of compute units
};

struct ihipEvent_t {
  explicit ihipEvent_t(unsigned int flags) : flags(flags) {}

  const unsigned int flags;
  std::mutex mutex;
  std::shared_ptr<gridwise::sim::Recording> recording;  // the newest; null: never recorded
};

namespace gridwise::sim {
namespace {

Handles<ihipStream_t>& Streams() { return LiveHandles<ihipStream_t>(); }
Handles<ihipEvent_t>& Events() { return LiveHandles<ihipEvent_t>(); }

constexpr int kLowestPriority = 1;
constexpr int kHighestPriority = -1;

bool IsBuiltIn(hipStream_t stream) {
  return stream == nullptr || stream == hipStreamLegacy || stream == hipStreamPerThread;
}

// Every device has two streams from the start; the numbers of others are higher.
constexpr uint64_t kFirstId = 1 << 16;

uint64_t NextId() {
  static std::atomic<uint64_t> next = kFirstId;
  return next++;
}

bool IsStream(hipStream_t stream) { return IsBuiltIn(stream) || Streams().Has(stream); }

// The device of a stream that the host may wait for.
hipError_t MayWait(hipStream_t stream, Device** device) {
  if (!IsStream(stream)) return hipErrorInvalidHandle;
  if (hipError_t error = MayWaitFor(stream); error != hipSuccess) return error;
  *device = IsBuiltIn(stream) ? CurrentDevice() : stream->device;
  return *device == nullptr ? hipErrorNoDevice : hipSuccess;
}

// The recording of an event that the host may wait for, null if there is none, and its device.
hipError_t MayWait(hipEvent_t event, std::shared_ptr<Recording>* recording, Device** device) {
  if (!Events().Has(event)) return hipErrorInvalidHandle;
  if (hipError_t error = MayWaitFor(event); error != hipSuccess) return error;
  *recording = RecordingOf(event);
  *device = *recording != nullptr ? (*recording)->device : CurrentDevice();
  return *device == nullptr ? hipErrorNoDevice : hipSuccess;
}

}  // namespace

Device* DeviceOfStream(hipStream_t stream) {
  if (IsBuiltIn(stream)) return CurrentDevice();
  return Streams().Has(stream) ? stream->device : nullptr;
}

uint64_t IdOfStream(hipStream_t stream) {
  if (!IsBuiltIn(stream)) return Streams().Has(stream) ? stream->id : 0;
  return CurrentDevice() == nullptr
             ? 0
             : uint64_t{2} * CurrentDeviceIndex() + (stream == hipStreamPerThread ? 2 : 1);
}

void SetPriority(hipStream_t stream, int priority) {
  if (!IsBuiltIn(stream))
    stream->priority = std::clamp(priority, kHighestPriority, kLowestPriority);
}

std::vector<uint32_t> MaskOfStream(hipStream_t stream) {
  return IsBuiltIn(stream) ? std::vector<uint32_t>{} : stream->mask;
}

bool IsBlocking(hipStream_t stream) {
  return IsBuiltIn(stream) || (stream->flags & hipStreamNonBlocking) == 0;
}

bool IsEvent(hipEvent_t event) { return Events().Has(event); }
std::shared_ptr<Recording> RecordingOf(hipEvent_t event) {
  std::lock_guard lock(event->mutex);
  return event->recording;
}
void SetRecording(hipEvent_t event, std::shared_ptr<Recording> recording) {
  std::lock_guard lock(event->mutex);
  event->recording = std::move(recording);
}

void RecordEvent(hipEvent_t event, Device* device) {
  auto recording = std::make_shared<Recording>(device);
  Finish(*recording);
  SetRecording(event, std::move(recording));
}

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
  if (!IsStream(stream) || !Events().Has(event)) return Report(hipErrorInvalidHandle);
  return Report(WaitOn(stream, event, flags));
}

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

GRIDWISE_PER_THREAD(hipStreamSynchronize);
GRIDWISE_PER_THREAD(hipStreamQuery);
GRIDWISE_PER_THREAD(hipStreamGetFlags);
GRIDWISE_PER_THREAD(hipStreamGetPriority);
GRIDWISE_PER_THREAD(hipStreamWaitEvent);
GRIDWISE_PER_THREAD(hipEventRecord);

}  // extern "C"
