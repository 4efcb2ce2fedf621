#pragma once

#include <string>
#include <vector>

#include "tools/gridwise/exit_code.h"
#include "tools/gridwise/problem_request.h"

namespace gridwise {

/// Prints what every row says to a problem: its cost, or why it cannot compute it. The one that the
/// planner chooses is marked. Needs no device.
ExitCode ExplainCommand(const ProblemRequest& request);

/// The same for the problems called `names`, in place of request.problem: each in the directions
/// that its set names, unless the request has one.
ExitCode ExplainNamed(const ProblemRequest& request, const std::vector<std::string>& names);

}  // namespace gridwise
