// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "hip/hip_runtime_api.h"
#include "tools/sim/hip/device/runtime.h"

/// What a handle of hipStreamCreate points to. A stream is only a handle: its work is done when the
/// call that starts it returns, captured (capture.h) or deferred (queue.h).
struct ihipStream_t {
  unsigned int flags;
  int priority;
  gridwise::sim::Device* device;
  uint64_t id;
  std::vector<uint32_t> mask = {};  // which compute units it may use
};

namespace gridwise::sim {

inline constexpr int kLowestPriority = 1;
inline constexpr int kHighestPriority = -1;

/// Whether `stream` is one of the default streams, which every device has from the start; whether
/// it is one of those or live.
bool IsBuiltIn(hipStream_t stream);
bool IsStream(hipStream_t stream);

/// The device that `stream` is of, the current one for the default streams; nullptr if there is no
/// such stream, or no device.
Device* DeviceOfStream(hipStream_t stream);

/// A number that no other stream of the process has or had; 0 if there is no such stream.
uint64_t IdOfStream(hipStream_t stream);
/// Sets what hipStreamGetPriority gives, of a stream that is live; a default stream keeps its own.
void SetPriority(hipStream_t stream, int priority);
/// The compute units that it was created for, or nothing for all of them.
std::vector<uint32_t> MaskOfStream(hipStream_t stream);
/// Whether the legacy default stream and `stream`, which must be live, wait for each other.
bool IsBlocking(hipStream_t stream);

}  // namespace gridwise::sim
