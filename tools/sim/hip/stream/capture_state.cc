// SPDX-License-Identifier: MIT
#include "tools/sim/hip/stream/capture_state.h"

namespace gridwise::sim {

CaptureTable& Captures() {
  static auto* const table = new CaptureTable;
  return *table;
}

StreamKey KeyOf(hipStream_t stream) {
  return {stream, stream == hipStreamPerThread ? std::this_thread::get_id() : std::thread::id()};
}

Capture* FindCapture(hipStream_t stream) {
  for (Capture& capture : Captures().active) {
    if (capture.streams.count(KeyOf(stream)) != 0) return &capture;
  }
  return nullptr;
}

Capture* CaptureWithId(unsigned long long id) {
  for (Capture& capture : Captures().active) {
    if (capture.id == id) return &capture;
  }
  return nullptr;
}

hipStreamCaptureMode& ThreadCaptureMode() {
  static thread_local hipStreamCaptureMode mode = hipStreamCaptureModeGlobal;
  return mode;
}

}  // namespace gridwise::sim
