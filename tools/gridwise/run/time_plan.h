#pragma once

#include <limits>

#include "absl/status/statusor.h"
#include "gridwise/plan.h"
#include "tools/gridwise/problem/problem.h"
#include "tools/gridwise/run/sim_report.h"
#include "tools/gridwise/run/timing.h"

namespace gridwise {

struct TimingOptions {
  int repeats = 20;  // on a real device: timed runs, and as many before them that are not
  SimTiming simulated = SimTiming::kQuiet;
  /// On a simulated device a plan that is sure to take longer is not timed to the end.
  double limit_ms = std::numeric_limits<double>::infinity();
};

/// Times `plan`, which is of `problem`, on the first device of its target. On a real one by events,
/// the mean of several runs on random operands. On a simulated one a sample of each launch is
/// executed, on tensors of zeros; from then on all the process's launches are timed like that.
absl::StatusOr<Timing> TimePlan(const Problem& problem, const InstancePlan& plan,
                                const TimingOptions& options = {});

}  // namespace gridwise
