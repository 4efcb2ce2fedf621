// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "tools/gridwise/problem/problem_request.h"

namespace gridwise {

/// The flags of `gridwise sweep`.
struct SweepOptions {
  ProblemRequest request;      // direction and problem: "" is all; without a set, the sizes
  std::string family, op;      // restrict the kernels; empty: any
  std::string instance;        // empty: the planner's choice
  int splits = 0;              // workgroups that share the K of a tile; 0: the planner's choice
  bool all_instances = false;  // every instance that accepts a problem
  int first_instances = 0;     // this many that the planner ranks first; both 0: all
  int random_instances = 0;    // and this many of the others, at random by the seed
  /// With `time`, time each problem's instances in the order of the planner's ranking, and each
  /// only until it is certainly slower than the best of them.
  bool best = false;
  bool quick = false;    // with `time`, use the small sample of all_instances
  bool precise = false;  // with `time` and all_instances, use the larger sample of `best`
  std::string shard;     // "2/8": the second of every eight problems; empty: all
  double max_flops = 0;  // leave out problems with more operations; 0: no limit
  bool verify = false;
  bool time = false;  // measure instead of computing
  std::string csv;    // file of the table; "-": stdout, and text for people then goes to stderr
  uint64_t seed = 0;
  bool json = false;  // print the records as one document to stdout
  std::string
      instances;  // file of instances to choose from (tools/tune/builder.h); empty: built-in ones
  /// The number of processes that do the runs, at the same time; 0: this process.
  int workers = 0;
  double run_limit_s = 0;                   // time limit of a run in such a process
  bool runs_from_stdin = false;             // be such a process
  std::vector<std::string> arguments = {};  // the program and its flags, for workers
};

/// Checks that the flags are compatible.
absl::Status Check(const SweepOptions& options);

}  // namespace gridwise
