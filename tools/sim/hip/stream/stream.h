#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "hip/hip_runtime_api.h"
#include "tools/sim/hip/device/runtime.h"

namespace gridwise::sim {

struct Recording;

/// The device that `stream` is of, the current one for the default streams; nullptr if there is no
/// such stream, or no device.
Device* DeviceOfStream(hipStream_t stream);

/// A number that no other stream of the process has or had; 0 if there is no such stream.
uint64_t IdOfStream(hipStream_t stream);
/// Sets what hipStreamGetPriority gives, of a stream that is live; a default stream keeps its own.
void SetPriority(hipStream_t stream, int priority);
/// The compute units that it was created for, or nothing for all of them.
std::vector<uint32_t> MaskOfStream(hipStream_t stream);
/// Ends the attributes of the stream with that number.
void ForgetAttributes(uint64_t stream);

/// Whether the legacy default stream and `stream`, which must be live, wait for each other.
bool IsBlocking(hipStream_t stream);

/// Whether `event` is live.
bool IsEvent(hipEvent_t event);
/// Its newest recording (queue.h), null if there is none; and another one.
std::shared_ptr<Recording> RecordingOf(hipEvent_t event);
void SetRecording(hipEvent_t event, std::shared_ptr<Recording> recording);
/// Records it now, on a stream of `device`.
void RecordEvent(hipEvent_t event, Device* device);

}  // namespace gridwise::sim
