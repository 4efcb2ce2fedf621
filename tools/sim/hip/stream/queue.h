// SPDX-License-Identifier: MIT
#pragma once

#include "hip/hip_runtime_api.h"
#include "tools/sim/hip/device/runtime.h"
#include "tools/sim/hip/graph/event.h"
#include "tools/sim/hip/graph/operation.h"

/// Deferred mode (GRIDWISE_SIM=deferred): what is put on a stream stays there until the host waits
/// for it, and then nothing runs but what that wait is for. It is one capture that never ends: an
/// operation waits for those that streams, events and the legacy default stream put before it.
/// By a seed, a wait runs other operations too, and ready ones in any order.

namespace gridwise::sim {

/// Whether operations are deferred.
bool IsDeferred();

/// Checks `operation` as it is now and puts it on `stream`, which is one of `device`. Does not
/// report.
hipError_t Defer(hipStream_t stream, Device& device, Operation operation);
/// What comes on `stream` waits for `recording` too.
void DeferUntil(hipStream_t stream, Device& device, const Recording& recording);

/// Run what was deferred and must come before the host goes on: all of a stream (with the legacy
/// default one, of those that wait for it), a recording, all of a device, everything. The first
/// error of an operation. Without effect on what runs now below the caller, a host function.
hipError_t RunDeferred(hipStream_t stream, Device& device);
hipError_t RunDeferred(const Recording& recording);
hipError_t RunDeferred(const Device& device);
hipError_t RunDeferred();

/// Whether there is nothing of these to run. If there is, one operation runs after the question, so
/// that a host that asks again and again gets on.
bool CheckDeferred(hipStream_t stream, Device& device);
bool CheckDeferred(const Recording& recording);

/// What is random begins again, by the seed of the settings.
void RestartSeed();

/// Forgets a stream that has nothing to run.
void ForgetDeferred(hipStream_t stream);

}  // namespace gridwise::sim
