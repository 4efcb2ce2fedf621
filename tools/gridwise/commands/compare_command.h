// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "gridwise/plan.h"
#include "tools/gridwise/cli/exit_code.h"
#include "tools/gridwise/problem/problem_request.h"

namespace gridwise {

/// The flags of `gridwise compare`.
struct CompareOptions {
  ProblemRequest request;  // as for sweep; device "": that of the published comparison
  std::string a, b;        // see ParseChoice
  double max_flops = 0;    // leave out problems with more operations; 0: no limit
  bool verify = false;     // compute both, compare with the reference, count instructions
  bool time = false;       // measure both instead of using estimates
  bool quick = false;      // use a smaller sample than `run --time`
  /// Files for the table as CSV, Markdown or HTML; -: stdout; empty: none.
  std::string csv, markdown, page;
  uint64_t seed = 0;
  /// The name of a published comparison. It sets the fields that are empty.
  std::string published;
};

/// Parses a choice such as "family=ck,op=wavelet". The keys are family, op (several are joined by
/// +), instance, splits, and launches=per_sub_gemm. "" allows everything. Returns one PlanOptions
/// per op.
absl::StatusOr<std::vector<PlanOptions>> ParseChoice(std::string_view text);

/// Compares two choices on the problems of a set. For each problem, prints the instance and the
/// time of each choice, their ratio and the winner; finally, prints the geometric mean of the
/// ratios. Times are the planner's estimates or, if requested, those of the device or the
/// simulator's clock.
ExitCode CompareCommand(const CompareOptions& options);

}  // namespace gridwise
