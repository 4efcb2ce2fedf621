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
  ProblemRequest request;  // as of sweep; device "": that of the published comparison
  std::string a, b;        // see ParseChoice
  double max_flops = 0;    // larger problems are left out; 0: none is
  bool verify = false;     // compute both, compare with the reference, and count instructions
  bool time = false;       // tell how long both take, in place of estimates
  bool quick = false;      // from a smaller sample than `run --time` takes
  /// The table as a file, also in Markdown or as a page of HTML; -: stdout; empty: none.
  std::string csv, markdown, page;
  uint64_t seed = 0;
  /// The name of a published comparison, which says what the other fields leave open.
  std::string published;
};

/// What one side may choose from: "family=ck,op=wavelet", of family, op (or several, joined by +),
/// instance, splits, and launches=per_sub_gemm; "" is everything. One for each op.
absl::StatusOr<std::vector<PlanOptions>> ParseChoice(std::string_view text);

/// Compares two choices on the problems of a set: the instance of each, its time by the planner's
/// estimate or, if asked for, by the device or the simulator's clock, their ratio and the winner,
/// and the geometric mean of the ratios.
ExitCode CompareCommand(const CompareOptions& options);

}  // namespace gridwise
