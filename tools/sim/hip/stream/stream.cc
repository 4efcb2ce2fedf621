// SPDX-License-Identifier: MIT
#include "tools/sim/hip/stream/stream.h"

#include <algorithm>

#include "tools/sim/hip/device/handles.h"

namespace gridwise::sim {

bool IsBuiltIn(hipStream_t stream) {
  return stream == nullptr || stream == hipStreamLegacy || stream == hipStreamPerThread;
}

bool IsStream(hipStream_t stream) {
  return IsBuiltIn(stream) || LiveHandles<ihipStream_t>().Has(stream);
}

Device* DeviceOfStream(hipStream_t stream) {
  if (IsBuiltIn(stream)) return CurrentDevice();
  return LiveHandles<ihipStream_t>().Has(stream) ? stream->device : nullptr;
}

uint64_t IdOfStream(hipStream_t stream) {
  if (!IsBuiltIn(stream)) return LiveHandles<ihipStream_t>().Has(stream) ? stream->id : 0;
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

}  // namespace gridwise::sim
