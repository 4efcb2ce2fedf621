#pragma once

#include "tools/gridwise/cli/exit_code.h"
#include "tools/gridwise/sweep/sweep_options.h"

namespace gridwise {

/// Computes the problems of a set one after the other, tells about each on stdout, and keeps the
/// results in a table, see SweepTable: what it already holds is not computed again. With workers, a
/// run that crashes or hangs is a record that says so. Instances that are not built in are
/// compiled.
ExitCode SweepCommand(const SweepOptions& options);

}  // namespace gridwise
