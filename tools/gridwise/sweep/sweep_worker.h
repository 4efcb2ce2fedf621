// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace gridwise {

/// The flags of one run of a sweep: one problem on one instance.
struct WorkerRun {
  std::string problem, direction, family, instance;
  bool quick = false;
};

/// Does the run in its own process, so that a crash or a hang affects only one line of the table.
/// `sweep` is the program with the flags of the sweep. The process gets additional flags that
/// restrict it to the run.
///
/// Returns the line of its table, without the newline. Returns kAborted if the process wrote no
/// line; the message says how it ended.
absl::StatusOr<std::string> RunInWorker(const std::vector<std::string>& sweep, const WorkerRun& run,
                                        double limit_s);

}  // namespace gridwise
