// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "tools/gridwise/cli/exit_code.h"
#include "tools/gridwise/problem/problem_request.h"

namespace gridwise {

/// The flags of `gridwise run`.
struct RunOptions {
  ProblemRequest request;
  std::string family, op, instance;  // restrict the planner's choice; empty: any
  int splits = 0;                    // 0: the planner's choice
  bool atomic = false;
  bool launch_per_sub_gemm = false;                       // for backward-data, for comparison
  std::optional<int64_t> workspace_limit = std::nullopt;  // bytes
  uint64_t seed = 0;
  bool verify = false;
  bool time = false;          // measure instead of computing
  std::string x, w, dy, out;  // .npy files, or empty
  bool json = false;          // instead of text for people
};

/// Computes one problem on a device and reports on stdout. Each error is one sentence on stderr.
ExitCode RunCommand(const RunOptions& options);

}  // namespace gridwise
