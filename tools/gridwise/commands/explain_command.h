// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "tools/gridwise/cli/exit_code.h"
#include "tools/gridwise/problem/problem_request.h"

namespace gridwise {

/// The flags of `gridwise explain`.
struct ExplainOptions {
  ProblemRequest request;
  std::string family, op, instance;  // restrict the instances; empty: all
  bool json = false;
};

/// Prints the cost of every instance for a problem, cheapest first, or why it cannot compute the
/// problem. Marks the planner's choice. Needs no device.
ExitCode ExplainCommand(const ExplainOptions& options);

/// The same for the problems called `names`, instead of request.problem. Each is explained in the
/// directions that its set names, unless the request has a direction.
ExitCode ExplainNamed(const ExplainOptions& options, const std::vector<std::string>& names);

}  // namespace gridwise
