#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "tools/gridwise/problem.h"
#include "tools/gridwise/problem_request.h"

namespace gridwise {

/// A problem of a set.
struct SelectedProblem {
  std::string name;
  Problem problem;
};

/// What the flags of a command select of its sets.
struct Selection {
  std::vector<SelectedProblem> problems;  // at least one
  int too_large = 0;                      // left out, because of their number of operations
};

/// The problems of `request`, with its variant, in the order of the sets, a direction after the
/// other; those of matrices where it says gemm or nothing. `max_flops` is the most operations; 0:
/// any number.
absl::StatusOr<Selection> SelectProblems(const ProblemRequest& request,
                                         const RequestedTarget& target, double max_flops);

}  // namespace gridwise
