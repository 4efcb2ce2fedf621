// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "tools/gridwise/cli/exit_code.h"
#include "tools/gridwise/problem/problem_request.h"

namespace gridwise {

/// The flags of `gridwise network`.
struct NetworkOptions {
  ProblemRequest request;  // the set, and what overrides its problems
  std::string family, op;  // restrict the kernels; empty: any
  bool time = false;       // measure, in place of the planner's estimates
  bool json = false;
  std::string html;     // a file for the page, -: stdout; empty: none
  std::string compare;  // a second device; empty: none
};

/// Prints what the convolutions of a network take on a device, layer by layer and together, or on
/// two devices beside each other.
ExitCode NetworkCommand(const NetworkOptions& options);

}  // namespace gridwise
