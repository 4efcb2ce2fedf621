// SPDX-License-Identifier: MIT
#include "tools/sim/hip/graph/event.h"

#include <utility>

#include "tools/sim/hip/device/handles.h"
#include "tools/sim/time/session/session.h"

namespace gridwise::sim {
namespace {

/// The time of an event: in time mode that of the launches, else the host's.
std::chrono::steady_clock::time_point Now() {
  using Clock = std::chrono::steady_clock;
  if (!time::On()) return Clock::now();
  return Clock::time_point(std::chrono::duration_cast<Clock::duration>(
      std::chrono::duration<double, std::milli>(time::NowMs())));
}

}  // namespace

void Finish(Recording& recording) {
  recording.time = Now();
  recording.done = true;
}

bool IsEvent(hipEvent_t event) { return LiveHandles<ihipEvent_t>().Has(event); }
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
