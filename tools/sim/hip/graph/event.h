// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>

#include "hip/hip_runtime_api.h"
#include "tools/sim/hip/device/runtime.h"

/// Events. An event is a time stamp of the host's clock: what lies between two events is the time
/// that simulating took, or, in time mode, what the launches in between would take.

namespace gridwise::sim {

struct QueuedOperation;

/// One recording of an event, which gets a time stamp once the operations before it have run. The
/// event holds the newest recording; older ones end with their operations.
struct Recording {
  explicit Recording(Device* device) : device(device) {}

  Device* const device;  // the stream's
  std::atomic<bool> done = false;
  std::chrono::steady_clock::time_point time = {};  // once it is done
  std::weak_ptr<QueuedOperation> behind;            // what sets it; nothing if it is done
};
void Finish(Recording& recording);

/// Whether `event` is live.
bool IsEvent(hipEvent_t event);
/// Its newest recording, null if there is none; and another one.
std::shared_ptr<Recording> RecordingOf(hipEvent_t event);
void SetRecording(hipEvent_t event, std::shared_ptr<Recording> recording);
/// Records it now, on a stream of `device`.
void RecordEvent(hipEvent_t event, Device* device);

}  // namespace gridwise::sim

/// What a handle of hipEventCreate points to.
struct ihipEvent_t {
  explicit ihipEvent_t(unsigned int flags) : flags(flags) {}

  const unsigned int flags;
  std::mutex mutex;
  std::shared_ptr<gridwise::sim::Recording> recording;  // the newest; null: never recorded
};
