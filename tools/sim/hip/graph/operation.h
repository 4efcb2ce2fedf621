// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <memory>
#include <variant>

#include "hip/hip_runtime_api.h"
#include "tools/sim/hip/device/runtime.h"
#include "tools/sim/hip/launch/launch.h"
#include "tools/sim/hip/memory/allocations.h"
#include "tools/sim/hip/memory/copy.h"

/// What can be put on a stream. An operation is a value: an asynchronous entry point makes one,
/// which Enqueue (stream/capture.h) executes at once or, while the stream is captured, keeps as a
/// graph's node.

namespace gridwise::sim {

struct Recording;

struct HostOperation {
  hipHostFn_t function = nullptr;
  void* data = nullptr;
};

/// A graph within a graph; the node alone owns it.
struct ChildOperation {
  std::shared_ptr<ihipGraph> graph;
};

struct EmptyOperation {};

/// Work before a wait is done, so waiting is nothing.
struct WaitOperation {
  hipEvent_t event = nullptr;
};

struct RecordOperation {
  hipEvent_t event = nullptr;
  std::shared_ptr<Recording> recording = nullptr;  // the recording, if it is pending
};

/// Only in graphs.
struct AllocateOperation {
  std::shared_ptr<Reservation> memory;
};

struct ReleaseOperation {
  void* pointer = nullptr;
};

/// What cannot be captured: a callback, values in memory. Deferred, it waits until `is_ready`, if
/// that is not null. `call` reports.
struct CallOperation {
  std::function<hipError_t(Device*)> call;
  std::function<bool()> is_ready = nullptr;
};

/// In the order of hipGraphNodeType, without its semaphores; after those what is in no graph.
using Operation = std::variant<KernelOperation, CopyOperation, FillOperation, HostOperation,
                               ChildOperation, EmptyOperation, WaitOperation, RecordOperation,
                               AllocateOperation, ReleaseOperation, CallOperation>;

hipGraphNodeType TypeOf(const Operation& operation);

/// What Execute would say of memory, events and functions as they are now. Does not report.
hipError_t Check(const Operation& operation);

/// Returns when it is done. `device`, null if there is none, is that of the stream it was put on: a
/// kernel's fault there makes copies and fills fail. Reports.
hipError_t Execute(const Operation& operation, Device* device);

}  // namespace gridwise::sim
