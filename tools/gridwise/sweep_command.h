#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "tools/gridwise/exit_code.h"
#include "tools/gridwise/problem_request.h"

namespace gridwise {

/// The flags of `gridwise sweep`.
struct SweepOptions {
  ProblemRequest request;  // direction and problem: "" is all; of the sizes only n
  std::string family, op;  // of kernels to choose from; empty: any
  std::string row;         // empty: the planner's choice
  bool all_rows = false;   // every row that accepts a problem
  double max_flops = 0;    // larger problems are left out; 0: none is
  bool verify = false;
  bool time = false;  // tells times in place of computing
  std::string csv;    // the table's file; "-": stdout, what is for people then goes to stderr
  uint64_t seed = 0;
  bool json = false;  // the records as one document on stdout
};

/// Computes the problems of a set one after the other, tells about each on stdout, and keeps the
/// results in a table, see SweepTable: what it already holds is not computed again.
ExitCode SweepCommand(const SweepOptions& options);

}  // namespace gridwise
