// SPDX-License-Identifier: MIT
#pragma once

#include "tools/gridwise/cli/exit_code.h"
#include "tools/gridwise/sweep/sweep_options.h"

namespace gridwise {

/// Computes the problems of a set one after the other and reports each on stdout. Keeps the results
/// in a SweepTable, and does not repeat results that it already contains. With workers, a run that
/// crashes or hangs becomes a record that reports it. Compiles instances that are not built in.
ExitCode SweepCommand(const SweepOptions& options);

}  // namespace gridwise
