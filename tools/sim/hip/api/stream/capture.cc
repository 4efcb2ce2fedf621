// SPDX-License-Identifier: MIT
#include <algorithm>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <thread>
#include <utility>

#include "hip/hip_runtime_api.h"
#include "tools/sim/hip/abi/per_thread.h"
#include "tools/sim/hip/device/runtime.h"
#include "tools/sim/hip/graph/graph.h"
#include "tools/sim/hip/stream/capture_state.h"
#include "tools/sim/hip/stream/stream.h"

// Beginning and ending a capture, and what can be asked of it.

namespace gridwise::sim {

namespace {

bool IsMode(hipStreamCaptureMode mode) {
  return mode == hipStreamCaptureModeGlobal || mode == hipStreamCaptureModeThreadLocal ||
         mode == hipStreamCaptureModeRelaxed;
}

// Captures to `graph`, or (nullptr) to a new one.
hipError_t Begin(hipStream_t stream, hipStreamCaptureMode mode, hipGraph_t graph,
                 std::span<const hipGraphNode_t> dependencies) {
  if (!IsMode(mode)) return hipErrorInvalidValue;
  if (DeviceOfStream(stream) == nullptr) return hipErrorInvalidHandle;
  if (stream == nullptr || stream == hipStreamLegacy) return hipErrorStreamCaptureUnsupported;
  std::lock_guard lock(Captures().mutex);
  if (FindCapture(stream) != nullptr) return hipErrorIllegalState;
  Capture& capture = Captures().active.emplace_back();
  capture.id = ++Captures().last_id;
  capture.origin = KeyOf(stream);
  capture.mode = mode;
  capture.thread = std::this_thread::get_id();
  if (graph == nullptr) {
    capture.owned = std::make_unique<ihipGraph>();
    capture.owned->is_program_s = false;
    graph = capture.owned.get();
  }
  capture.graph = graph;
  capture.streams[capture.origin].assign(dependencies.begin(), dependencies.end());
  return hipSuccess;
}

// Whether the origin waits for everything that other streams captured.
bool IsJoined(const Capture& capture) {
  std::set<hipGraphNode_t> awaited;
  Frontier open = capture.streams.at(capture.origin);
  while (!open.empty()) {
    const hipGraphNode_t node = open.back();
    open.pop_back();
    if (!IsNode(node) || !awaited.insert(node).second) continue;
    open.insert(open.end(), node->dependencies.begin(), node->dependencies.end());
  }
  for (const auto& [key, frontier] : capture.streams) {
    for (const hipGraphNode_t node : frontier) {
      if (IsNode(node) && awaited.count(node) == 0) return false;
    }
  }
  return true;
}

hipError_t End(hipStream_t stream, hipGraph_t* graph) {
  std::lock_guard lock(Captures().mutex);
  *graph = nullptr;
  Capture* const capture = FindCapture(stream);
  if (capture == nullptr) return hipErrorIllegalState;
  if (capture->origin != KeyOf(stream)) return hipErrorStreamCaptureUnmatched;
  if (capture->mode != hipStreamCaptureModeRelaxed &&
      capture->thread != std::this_thread::get_id()) {
    return hipErrorStreamCaptureWrongThread;
  }
  hipError_t error = hipSuccess;
  if (capture->invalid || !IsGraph(capture->graph)) {
    error = hipErrorStreamCaptureInvalidated;
  } else if (!IsJoined(*capture)) {
    error = hipErrorStreamCaptureUnjoined;
  } else {
    *graph = capture->graph;
    if (capture->owned != nullptr) capture->owned.release()->is_program_s = true;
  }
  Captures().active.remove_if([&](const Capture& c) { return &c == capture; });
  return error;
}

hipStreamCaptureStatus StatusOf(const Capture* capture) {
  if (capture == nullptr) return hipStreamCaptureStatusNone;
  return capture->invalid ? hipStreamCaptureStatusInvalidated : hipStreamCaptureStatusActive;
}

bool HasNodes(hipGraph_t graph, const hipGraphNode_t* nodes, size_t count) {
  return count == 0 || (nodes != nullptr && std::all_of(nodes, nodes + count, [&](auto node) {
                          return IsNode(node) && node->graph == graph;
                        }));
}

}  // namespace
}  // namespace gridwise::sim

using namespace gridwise::sim;

extern "C" {

hipError_t hipStreamBeginCapture(hipStream_t stream, hipStreamCaptureMode mode) {
  return Report(Begin(stream, mode, nullptr, {}));
}

hipError_t hipStreamBeginCaptureToGraph(hipStream_t stream, hipGraph_t graph,
                                        const hipGraphNode_t* dependencies,
                                        const hipGraphEdgeData* data, size_t count,
                                        hipStreamCaptureMode mode) {
  // There are only edges that wait for the whole node.
  if (!IsGraph(graph) || data != nullptr || !HasNodes(graph, dependencies, count))
    return Report(hipErrorInvalidValue);
  return Report(Begin(stream, mode, graph, std::span(dependencies, count)));
}

hipError_t hipStreamEndCapture(hipStream_t stream, hipGraph_t* graph) {
  if (graph == nullptr) return Report(hipErrorInvalidValue);
  if (DeviceOfStream(stream) == nullptr) return Report(hipErrorInvalidHandle);
  return Report(End(stream, graph));
}

hipError_t hipStreamGetCaptureInfo_v2(hipStream_t stream, hipStreamCaptureStatus* status,
                                      unsigned long long* id, hipGraph_t* graph,
                                      const hipGraphNode_t** dependencies, size_t* count) {
  if (status == nullptr) return Report(hipErrorInvalidValue);
  if (DeviceOfStream(stream) == nullptr) return Report(hipErrorInvalidHandle);
  std::lock_guard lock(Captures().mutex);
  const Capture* const capture = FindCapture(stream);
  *status = StatusOf(capture);
  if (*status != hipStreamCaptureStatusActive) return Report(hipSuccess);
  const Frontier& frontier = capture->streams.at(KeyOf(stream));
  if (id != nullptr) *id = capture->id;
  if (graph != nullptr) *graph = capture->graph;
  if (dependencies != nullptr) *dependencies = frontier.data();
  if (count != nullptr) *count = frontier.size();
  return Report(hipSuccess);
}
hipError_t hipStreamGetCaptureInfo(hipStream_t stream, hipStreamCaptureStatus* status,
                                   unsigned long long* id) {
  return hipStreamGetCaptureInfo_v2(stream, status, id, nullptr, nullptr, nullptr);
}
hipError_t hipStreamIsCapturing(hipStream_t stream, hipStreamCaptureStatus* status) {
  return hipStreamGetCaptureInfo_v2(stream, status, nullptr, nullptr, nullptr, nullptr);
}

hipError_t hipStreamUpdateCaptureDependencies(hipStream_t stream, hipGraphNode_t* dependencies,
                                              size_t count, unsigned int flags) {
  if (flags != hipStreamAddCaptureDependencies && flags != hipStreamSetCaptureDependencies)
    return Report(hipErrorInvalidValue);
  std::lock_guard lock(Captures().mutex);
  Capture* const capture = FindCapture(stream);
  if (capture == nullptr) return Report(hipErrorIllegalState);
  if (!HasNodes(capture->graph, dependencies, count)) return Report(hipErrorInvalidValue);
  Frontier& frontier = capture->streams.at(KeyOf(stream));
  if (flags == hipStreamSetCaptureDependencies) frontier.clear();
  for (size_t i = 0; i < count; ++i) {
    if (std::find(frontier.begin(), frontier.end(), dependencies[i]) == frontier.end())
      frontier.push_back(dependencies[i]);
  }
  return Report(hipSuccess);
}

hipError_t hipThreadExchangeStreamCaptureMode(hipStreamCaptureMode* mode) {
  if (mode == nullptr || !IsMode(*mode)) return Report(hipErrorInvalidValue);
  std::swap(*mode, ThreadCaptureMode());
  return Report(hipSuccess);
}

GRIDWISE_PER_THREAD(hipStreamBeginCapture);
GRIDWISE_PER_THREAD(hipStreamEndCapture);
GRIDWISE_PER_THREAD(hipStreamIsCapturing);
GRIDWISE_PER_THREAD(hipStreamGetCaptureInfo);
GRIDWISE_PER_THREAD(hipStreamGetCaptureInfo_v2);

}  // extern "C"
