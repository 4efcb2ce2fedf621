#pragma once

#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/conv/problem.h"
#include "core/runtime/event_clock.h"
#include "gridwise/conv.h"
#include "hip/hip_runtime_api.h"

namespace gridwise {

struct TuneOptions {
  int plans = 5;  // the first of RankPlans
  int runs = 5;   // of each plan that are timed, behind one that is not: their median counts
  double time_limit_s = 5;  // of the host; the first plan is measured in any case
  PlanOptions plan = {};    // what the plans may be
};

/// How long a plan takes.
struct PlanTime {
  Plan plan;
  absl::Status status;      // why there is no time, e.g. no memory for the workspace
  double milliseconds = 0;  // of all its launches
};

struct TuneResult {
  std::vector<PlanTime> plans;  // the fastest first; those without a time last
  EventClock clock;             // what the times are times of
  bool is_complete = true;      // false: the time limit came before the last plan

  const Plan& best() const { return plans.front().plan; }
};

/// Measures the first plans for `problem` on the calling thread's current device, by events on
/// `stream`, and waits for them: between launches of a plan nothing else should use the device.
/// `tensors` are what Executable::Launch takes; `out` is overwritten. Allocates the workspaces, one
/// at a time. A launch that hangs is not interrupted.
///
/// With the simulator's clock each plan runs once, and writes a part of `out` only. Errors:
/// RankPlans', those of the device, and if no plan has a time, the first one's.
absl::StatusOr<TuneResult> Tune(const ConvProblem& problem, const ConvTensors& tensors,
                                const TuneOptions& options = {}, hipStream_t stream = nullptr);

}  // namespace gridwise
