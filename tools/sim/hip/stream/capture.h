// SPDX-License-Identifier: MIT
#pragma once

#include "hip/hip_runtime_api.h"
#include "tools/sim/hip/graph/operation.h"

/// Stream capture: what is put on a stream becomes nodes of a graph.

namespace gridwise::sim {

/// Puts `operation` on `stream`: adds it to the graph that the stream is captured to, defers it
/// (queue.h) or executes it. hipErrorStreamCaptureImplicit if it is for the legacy default stream,
/// which blocking streams wait for, while one of those is captured. Reports.
hipError_t Enqueue(hipStream_t stream, Operation operation);

/// The end of a call that is not asynchronous: if `enqueued` is no error, waits for `stream`.
/// Reports.
hipError_t Awaited(hipError_t enqueued, hipStream_t stream = nullptr);

/// Whether what is put on `stream` is captured.
bool IsCaptured(hipStream_t stream);

/// Records `event` on `stream`: the point that the capture is at, or the time. None of the
/// functions from here on report.
hipError_t RecordOn(hipStream_t stream, hipEvent_t event, unsigned int flags);
/// Makes `stream` wait for `event`; if that was captured, what follows on `stream` is captured too.
hipError_t WaitOn(hipStream_t stream, hipEvent_t event, unsigned int flags);

/// Whether the host may wait for what is captured, or ask for its state. It may not: hipSuccess if
/// it is not captured, else an error, and then its capture has become invalid.
hipError_t MayWaitFor(hipStream_t stream);
hipError_t MayWaitFor(hipEvent_t event);
/// The same for all streams of the process, hipDeviceSynchronize.
hipError_t MayWaitForAll();
/// The same for what cannot be captured and is put on a stream, such as a callback.
hipError_t MayEnqueueUncaptured(hipStream_t stream);
/// The same for calls that may have to wait inside, such as hipMalloc: the mode of the calling
/// thread (hipThreadExchangeStreamCaptureMode) and those of captures under way decide.
hipError_t MayCallUnsafe();

/// Ends the part of destroyed handles in captures.
void ForgetCaptured(hipStream_t stream);
void ForgetCaptured(hipEvent_t event);

}  // namespace gridwise::sim
