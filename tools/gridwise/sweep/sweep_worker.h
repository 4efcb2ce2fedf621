#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace gridwise {

/// A run of a sweep, as its flags: one problem on one instance.
struct WorkerRun {
  std::string problem, direction, family, instance;
  bool quick = false;
};

/// Does the run in a process of its own, so that what crashes or hangs is one line of the table:
/// `sweep`, the program with the flags of the sweep, is started with flags behind them that narrow
/// it to the run. The line of its table, without its end; or kAborted with the sentence how the
/// process ended without one.
absl::StatusOr<std::string> RunInWorker(const std::vector<std::string>& sweep, const WorkerRun& run,
                                        double limit_s);

}  // namespace gridwise
