#pragma once

#include <string>
#include <vector>

#include "tools/gridwise/cli/exit_code.h"
#include "tools/gridwise/problem/problem_request.h"

namespace gridwise {

/// The flags of `gridwise explain`.
struct ExplainOptions {
  ProblemRequest request;
  std::string family, op, instance;  // narrow what is asked; empty: all
  bool json = false;
};

/// Prints what every instance says to a problem: its cost, the cheapest first, or why it cannot
/// compute it. The one that the planner chooses is marked. Needs no device.
ExitCode ExplainCommand(const ExplainOptions& options);

/// The same for the problems called `names`, in place of request.problem: each in the directions
/// that its set names, unless the request has one.
ExitCode ExplainNamed(const ExplainOptions& options, const std::vector<std::string>& names);

}  // namespace gridwise
