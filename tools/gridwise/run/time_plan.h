// SPDX-License-Identifier: MIT
#pragma once

#include <limits>

#include "absl/status/statusor.h"
#include "gridwise/plan.h"
#include "tools/gridwise/problem/problem.h"
#include "tools/gridwise/run/sim_report.h"
#include "tools/gridwise/run/timing.h"

namespace gridwise {

/// How to time a plan.
struct TimingOptions {
  int repeats = 20;  // on a real device: timed runs, after the same number of warm-up runs
  SimTiming simulated = SimTiming::kQuiet;
  /// On a simulated device, a plan that certainly takes longer is not timed to the end.
  double limit_ms = std::numeric_limits<double>::infinity();
};

/// Times `plan`, a plan of `problem`, on the first device of its target. On a real device, returns
/// the mean of several runs on random operands, measured by events. On a simulated device, executes
/// a sample of each launch on tensors of zeros. From then on, all launches of the process are timed
/// in this way.
absl::StatusOr<Timing> TimePlan(const Problem& problem, const InstancePlan& plan,
                                const TimingOptions& options = {});

}  // namespace gridwise
