// SPDX-License-Identifier: MIT
#pragma once

#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "hip/hip_runtime_api.h"
#include "tools/sim/hip/graph/graph.h"

/// The captures that are under way in the process. Everything here needs CaptureTable::mutex.

namespace gridwise::sim {

/// A stream; hipStreamPerThread is one for each thread.
using StreamKey = std::pair<hipStream_t, std::thread::id>;

/// The nodes that the next one waits for.
using Frontier = std::vector<hipGraphNode_t>;

struct Capture {
  unsigned long long id = 0;
  StreamKey origin;  // the stream that the capture began with and must end with
  hipStreamCaptureMode mode = hipStreamCaptureModeGlobal;
  std::thread::id thread;
  std::unique_ptr<ihipGraph> owned;  // null when the program gave the graph
  hipGraph_t graph = nullptr;
  std::map<StreamKey, Frontier> streams;
  bool invalid = false;
};

struct CapturedEvent {
  unsigned long long capture = 0;  // its id
  Frontier after;
};

struct CaptureTable {
  std::mutex mutex;
  std::list<Capture> active;
  std::map<hipEvent_t, CapturedEvent> events;  // those that were last recorded in a capture
  unsigned long long last_id = 0;
};

CaptureTable& Captures();
StreamKey KeyOf(hipStream_t stream);

/// The capture that `stream` takes part in, or nullptr.
Capture* FindCapture(hipStream_t stream);
/// nullptr if it has ended.
Capture* CaptureWithId(unsigned long long id);

/// What hipThreadExchangeStreamCaptureMode sets.
hipStreamCaptureMode& ThreadCaptureMode();

}  // namespace gridwise::sim
