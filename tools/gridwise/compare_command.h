#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "instances/plan.h"
#include "tools/gridwise/exit_code.h"
#include "tools/gridwise/problem_request.h"

namespace gridwise {

/// The flags of `gridwise compare`.
struct CompareOptions {
  ProblemRequest request;  // as of sweep
  std::string a, b;        // see ParseChoice
  double max_flops = 0;    // larger problems are left out; 0: none is
  bool verify = false;     // compute both, compare with the reference, and count instructions
  std::string csv;         // the table as a file; empty: none
  uint64_t seed = 0;
};

/// What one side may choose from: "family=ck,op=wavelet", of family, op, row and splits; "" is
/// everything.
absl::StatusOr<PlanOptions> ParseChoice(std::string_view text);

/// Compares two choices on the problems of a set: the row of each, its estimated time, their ratio
/// and the winner, and the geometric mean of the ratios. Estimates are the planner's, not
/// measurements.
ExitCode CompareCommand(const CompareOptions& options);

}  // namespace gridwise
