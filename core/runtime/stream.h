// SPDX-License-Identifier: MIT
#pragma once

#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "hip/hip_runtime_api.h"

namespace gridwise {

/// A queue of work on the current device. Move-only; destruction does not wait for the work.
class Stream {
 public:
  static absl::StatusOr<Stream> Create();

  Stream(Stream&& other) noexcept : stream_(std::exchange(other.stream_, nullptr)) {}
  Stream& operator=(Stream&& other) noexcept {
    std::swap(stream_, other.stream_);
    return *this;
  }
  ~Stream();

  hipStream_t get() const { return stream_; }
  /// Waits for the work; reports the first kernel that failed.
  absl::Status Synchronize() const;

 private:
  explicit Stream(hipStream_t stream) : stream_(stream) {}
  hipStream_t stream_ = nullptr;
};

/// A point in a stream, with a time stamp. Move-only.
class Event {
 public:
  static absl::StatusOr<Event> Create();

  Event(Event&& other) noexcept : event_(std::exchange(other.event_, nullptr)) {}
  Event& operator=(Event&& other) noexcept {
    std::swap(event_, other.event_);
    return *this;
  }
  ~Event();

  absl::Status Record(const Stream& stream) { return Record(stream.get()); }
  absl::Status Record(hipStream_t stream);  // null: the default stream
  absl::Status Synchronize() const;
  /// Milliseconds from `start` to this event; both must have been recorded and have passed.
  absl::StatusOr<float> MillisecondsSince(const Event& start) const;

 private:
  explicit Event(hipEvent_t event) : event_(event) {}
  hipEvent_t event_ = nullptr;
};

/// Waits for all work of the current device.
absl::Status SynchronizeDevice();

}  // namespace gridwise
