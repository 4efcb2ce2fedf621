// SPDX-License-Identifier: MIT
#include "tools/sim/hip/stream/capture.h"

#include <algorithm>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

#include "tools/sim/hip/device/runtime.h"
#include "tools/sim/hip/graph/event.h"
#include "tools/sim/hip/graph/graph.h"
#include "tools/sim/hip/stream/capture_state.h"
#include "tools/sim/hip/stream/queue.h"
#include "tools/sim/hip/stream/stream.h"

namespace gridwise::sim {
namespace {

bool IsLegacy(hipStream_t stream) { return stream == nullptr || stream == hipStreamLegacy; }

hipError_t Invalidate(Capture& capture, hipError_t error) {
  capture.invalid = true;
  return error;
}

// Adds `operation` after what `stream` has captured so far.
hipError_t Record(Capture& capture, hipStream_t stream, Operation operation) {
  if (capture.invalid) return hipErrorStreamCaptureInvalidated;
  if (hipError_t error = Check(operation); error != hipSuccess) return error;
  if (!IsGraph(capture.graph)) return Invalidate(capture, hipErrorStreamCaptureInvalidated);
  Frontier& frontier = capture.streams.at(KeyOf(stream));
  // The program may have destroyed nodes of a graph of its own that is captured to.
  std::erase_if(frontier, [](hipGraphNode_t node) { return !IsNode(node); });
  frontier = {AddNode(*capture.graph, frontier, std::move(operation))};
  return hipSuccess;
}

// Work of the legacy stream would have to wait for blocking streams, which captured ones cannot
// end.
hipError_t MayUseLegacyStream() {
  for (Capture& capture : Captures().active) {
    if (capture.mode == hipStreamCaptureModeRelaxed) continue;
    for (const auto& [key, frontier] : capture.streams) {
      if (IsBlocking(key.first)) return Invalidate(capture, hipErrorStreamCaptureImplicit);
    }
  }
  return hipSuccess;
}

void Join(Frontier& frontier, const Frontier& other) {
  for (const hipGraphNode_t node : other) {
    if (std::find(frontier.begin(), frontier.end(), node) == frontier.end())
      frontier.push_back(node);
  }
}

// The wait of `stream` for an event that `other` captured.
hipError_t WaitInCapture(Capture* capture, hipStream_t stream, Capture* other,
                         const Frontier& event) {
  if (other == nullptr) return hipErrorCapturedEvent;
  if (other->invalid) return hipErrorStreamCaptureInvalidated;
  if (capture != nullptr && capture != other) {
    capture->invalid = true;
    return Invalidate(*other, hipErrorStreamCaptureMerge);
  }
  if (IsLegacy(stream)) return Invalidate(*other, hipErrorStreamCaptureImplicit);
  Join(other->streams[KeyOf(stream)], event);
  return hipSuccess;
}

}  // namespace

hipError_t Enqueue(hipStream_t stream, Operation operation) {
  {
    std::lock_guard lock(Captures().mutex);
    if (Capture* const capture = FindCapture(stream); capture != nullptr)
      return Report(Record(*capture, stream, std::move(operation)));
    const hipError_t error = IsLegacy(stream) ? MayUseLegacyStream() : hipSuccess;
    if (error != hipSuccess) return Report(error);
  }
  Device* const device = DeviceOfStream(stream);
  if (IsDeferred() && device != nullptr)
    return Report(Defer(stream, *device, std::move(operation)));
  return Execute(operation, device);
}

hipError_t Awaited(hipError_t enqueued, hipStream_t stream) {
  Device* const device = DeviceOfStream(stream);
  if (enqueued != hipSuccess || device == nullptr || !IsDeferred()) return enqueued;
  const hipError_t error = RunDeferred(stream, *device);
  return Report(error != hipSuccess ? error : device->fault.load());
}

bool IsCaptured(hipStream_t stream) {
  std::lock_guard lock(Captures().mutex);
  return FindCapture(stream) != nullptr;
}

hipError_t RecordOn(hipStream_t stream, hipEvent_t event, unsigned int flags) {
  std::lock_guard lock(Captures().mutex);
  Capture* const capture = FindCapture(stream);
  if (capture == nullptr) {
    if (hipError_t error = IsLegacy(stream) ? MayUseLegacyStream() : hipSuccess;
        error != hipSuccess)
      return error;
    Captures().events.erase(event);
    Device* const device = DeviceOfStream(stream);
    if (IsDeferred() && device != nullptr) return Defer(stream, *device, RecordOperation{event});
    RecordEvent(event, device);
    return hipSuccess;
  }
  if (capture->invalid) return hipErrorStreamCaptureInvalidated;
  if (flags & hipEventRecordExternal) return Record(*capture, stream, RecordOperation{event});
  Captures().events[event] = {capture->id, capture->streams.at(KeyOf(stream))};
  return hipSuccess;
}

hipError_t WaitOn(hipStream_t stream, hipEvent_t event, unsigned int flags) {
  std::lock_guard lock(Captures().mutex);
  Capture* const capture = FindCapture(stream);
  if (capture != nullptr && capture->invalid) return hipErrorStreamCaptureInvalidated;
  if (capture != nullptr && (flags & hipEventWaitExternal))
    return Record(*capture, stream, WaitOperation{event});
  const auto captured = Captures().events.find(event);
  if (captured != Captures().events.end()) {
    return WaitInCapture(capture, stream, CaptureWithId(captured->second.capture),
                         captured->second.after);
  }
  const std::shared_ptr<Recording> recording = RecordingOf(event);
  if (recording == nullptr) return hipSuccess;
  // A graph cannot wait for work that is not its own.
  if (capture != nullptr) return Invalidate(*capture, hipErrorStreamCaptureIsolation);
  if (Device* const device = DeviceOfStream(stream); device != nullptr)
    DeferUntil(stream, *device, *recording);
  return hipSuccess;
}

hipError_t MayWaitFor(hipStream_t stream) {
  std::lock_guard lock(Captures().mutex);
  if (Capture* const capture = FindCapture(stream); capture != nullptr)
    return Invalidate(*capture, hipErrorStreamCaptureUnsupported);
  return IsLegacy(stream) ? MayUseLegacyStream() : hipSuccess;
}

hipError_t MayEnqueueUncaptured(hipStream_t stream) { return MayWaitFor(stream); }

hipError_t MayWaitFor(hipEvent_t event) {
  std::lock_guard lock(Captures().mutex);
  const auto captured = Captures().events.find(event);
  if (captured == Captures().events.end()) return hipSuccess;
  Capture* const capture = CaptureWithId(captured->second.capture);
  if (capture == nullptr) return hipErrorCapturedEvent;
  return Invalidate(*capture, hipErrorStreamCaptureUnsupported);
}

hipError_t MayWaitForAll() {
  std::lock_guard lock(Captures().mutex);
  if (Captures().active.empty()) return hipSuccess;
  for (Capture& capture : Captures().active) capture.invalid = true;
  return hipErrorStreamCaptureUnsupported;
}

hipError_t MayCallUnsafe() {
  if (ThreadCaptureMode() == hipStreamCaptureModeRelaxed) return hipSuccess;
  std::lock_guard lock(Captures().mutex);
  hipError_t error = hipSuccess;
  for (Capture& capture : Captures().active) {
    const bool own =
        capture.thread == std::this_thread::get_id() && capture.mode != hipStreamCaptureModeRelaxed;
    const bool global = capture.mode == hipStreamCaptureModeGlobal &&
                        ThreadCaptureMode() == hipStreamCaptureModeGlobal;
    if (own || global) error = Invalidate(capture, hipErrorStreamCaptureUnsupported);
  }
  return error;
}

void ForgetCaptured(hipStream_t stream) {
  std::lock_guard lock(Captures().mutex);
  const StreamKey key = KeyOf(stream);
  std::erase_if(Captures().active, [&](Capture& c) { return c.origin == key; });
  for (Capture& capture : Captures().active) {
    if (capture.streams.erase(key) != 0) capture.invalid = true;
  }
}

void ForgetCaptured(hipEvent_t event) {
  std::lock_guard lock(Captures().mutex);
  Captures().events.erase(event);
}

}  // namespace gridwise::sim
