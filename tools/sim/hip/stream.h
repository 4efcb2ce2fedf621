#pragma once

#include "hip/hip_runtime_api.h"
#include "tools/sim/hip/runtime.h"

namespace gridwise::sim {

/// The device that `stream` is of, the current one for the default streams; nullptr if there is no
/// such stream, or no device.
Device* DeviceOfStream(hipStream_t stream);

/// Whether the legacy default stream and `stream`, which must be live, wait for each other.
bool IsBlocking(hipStream_t stream);

/// Whether `event` is live, whether it has been recorded, and its recording: an event is a time
/// stamp.
bool IsEvent(hipEvent_t event);
bool IsRecorded(hipEvent_t event);
void RecordEvent(hipEvent_t event);

}  // namespace gridwise::sim
