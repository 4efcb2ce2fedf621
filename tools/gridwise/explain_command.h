#pragma once

#include "tools/gridwise/exit_code.h"
#include "tools/gridwise/problem_request.h"

namespace gridwise {

/// Prints what every row says to a problem: its cost, or why it cannot compute it. Needs no device.
ExitCode ExplainCommand(const ProblemRequest& request);

}  // namespace gridwise
