// SPDX-License-Identifier: MIT
#include "core/runtime/stream.h"

#include "core/runtime/status.h"

namespace gridwise {

absl::StatusOr<Stream> Stream::Create() {
  hipStream_t stream = nullptr;
  if (absl::Status status = ToStatus(hipStreamCreate(&stream), "create a stream"); !status.ok())
    return status;
  return Stream(stream);
}

Stream::~Stream() {
  if (stream_ != nullptr) static_cast<void>(hipStreamDestroy(stream_));
}

absl::Status Stream::Synchronize() const {
  return ToStatus(hipStreamSynchronize(stream_), "finish the work of a stream");
}

absl::StatusOr<Event> Event::Create() {
  hipEvent_t event = nullptr;
  if (absl::Status status = ToStatus(hipEventCreate(&event), "create an event"); !status.ok())
    return status;
  return Event(event);
}

Event::~Event() {
  if (event_ != nullptr) static_cast<void>(hipEventDestroy(event_));
}

absl::Status Event::Record(hipStream_t stream) {
  return ToStatus(hipEventRecord(event_, stream), "record an event");
}

absl::Status Event::Synchronize() const {
  return ToStatus(hipEventSynchronize(event_), "wait for an event");
}

absl::StatusOr<float> Event::MillisecondsSince(const Event& start) const {
  float milliseconds = 0;
  absl::Status status = ToStatus(hipEventElapsedTime(&milliseconds, start.event_, event_),
                                 "read the time between two events");
  if (!status.ok()) return status;
  return milliseconds;
}

absl::Status SynchronizeDevice() {
  return ToStatus(hipDeviceSynchronize(), "finish the work of the device");
}

}  // namespace gridwise
