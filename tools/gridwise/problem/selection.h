// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "tools/gridwise/problem/problem.h"
#include "tools/gridwise/problem/problem_request.h"

namespace gridwise {

/// A problem of a set.
struct SelectedProblem {
  std::string name;
  Problem problem;
  int index = 0;      // its index in the sets, from 0
  int64_t count = 1;  // its occurrences
};

/// The problems of a command's sets that its flags select.
struct Selection {
  std::vector<SelectedProblem> problems;  // at least one
  int too_large = 0;                      // number of problems left out because of their operations
};

/// The name of the problem that the sizes of a request describe, if it names no set.
inline constexpr char kGivenProblem[] = "given";

/// Returns the problems of `request`, with its sizes and variant, in the order of the sets, one
/// direction after the other. If the direction is gemm or empty, they include matrix
/// multiplications. Prints to stderr what was read of imported sets. If the request gives sizes but
/// names neither a set nor a problem, returns the problem of these sizes in its directions.
/// `max_flops` limits the operations of a problem; 0: no limit.
absl::StatusOr<Selection> SelectProblems(const ProblemRequest& request,
                                         const RequestedTarget& target, double max_flops);

}  // namespace gridwise
