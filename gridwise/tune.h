// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/conv/problem.h"
#include "core/runtime/event_clock.h"
#include "gridwise/conv.h"
#include "hip/hip_runtime_api.h"

namespace gridwise {

/// How many plans Tune measures, and how long.
struct TuneOptions {
  int plans = 5;            // measure the first plans of RankPlans; >= 1
  int runs = 5;             // timed runs per plan, after one warm-up run; >= 1
  double time_limit_s = 5;  // host seconds; the first plan is always measured
  PlanOptions plan = {};    // restricts the plans
};

/// How long a plan takes.
struct PlanTime {
  Plan plan;
  absl::Status status;      // why there is no time, e.g. no memory for the workspace
  double milliseconds = 0;  // median of the runs, each of all launches
};

/// The plans that Tune measured.
struct TuneResult {
  std::vector<PlanTime> plans;  // fastest first; plans without a time are last
  EventClock clock;             // what the times measure
  bool is_complete = true;      // false: the time limit was reached before the last plan

  /// Returns the fastest plan.
  const Plan& best() const { return plans.front().plan; }
};

/// Measures the first plans for `problem` on the calling thread's current device, with events on
/// `stream`, and waits for them. For exact times, nothing else should use the device meanwhile.
///
/// `tensors` are those of Executable::Launch. Tune overwrites `out`. It allocates the
/// workspaces, one at a time. It does not interrupt a launch that hangs. With the simulator's
/// clock, each plan runs once and writes only a part of `out`.
///
/// Errors: kInvalidArgument if options.runs < 1; those of RankPlans and of the device; and if no
/// plan has a time, the error of the first plan.
absl::StatusOr<TuneResult> Tune(const ConvProblem& problem, const ConvTensors& tensors,
                                const TuneOptions& options = {}, hipStream_t stream = nullptr);

}  // namespace gridwise
