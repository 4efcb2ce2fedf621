// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>

#include "tools/gridwise/cli/exit_code.h"

namespace gridwise {

/// The flags of `gridwise problems`.
struct ProblemsOptions {
  std::string use;        // "training", "validation", "test"
  std::string direction;  // empty: fwd
  std::uint64_t seed = 1;
  int number = 0;
  double max_flops = 0;  // 0: the generator's own limit
  std::string csv;       // file for the problems; empty or -: stdout
};

/// Writes the problem set of a seeded generator (tools/tune/problem_generator.h).
ExitCode ProblemsCommand(const ProblemsOptions& options);

}  // namespace gridwise
