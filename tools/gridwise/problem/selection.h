#pragma once

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
  int index = 0;  // its place in the sets, 0 the first
};

/// What the flags of a command select of its sets.
struct Selection {
  std::vector<SelectedProblem> problems;  // at least one
  int too_large = 0;                      // left out, because of their number of operations
};

/// The name of the problem that the sizes of a request are of, where it names no set.
inline constexpr char kGivenProblem[] = "given";

/// The problems of `request`, with its sizes and its variant, in the order of the sets, a direction
/// after the other; those of matrices where it says gemm or nothing. Where it gives sizes and names
/// neither set nor problem, the one of these sizes, in its directions. `max_flops` is the most
/// operations; 0: any number.
absl::StatusOr<Selection> SelectProblems(const ProblemRequest& request,
                                         const RequestedTarget& target, double max_flops);

}  // namespace gridwise
