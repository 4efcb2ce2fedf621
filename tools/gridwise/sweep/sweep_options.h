#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "tools/gridwise/problem/problem_request.h"

namespace gridwise {

/// The flags of `gridwise sweep`.
struct SweepOptions {
  ProblemRequest request;  // direction and problem: "" is all, or without a set that of the sizes
  std::string family, op;  // of kernels to choose from; empty: any
  std::string instance;    // empty: the planner's choice
  bool all_instances = false;  // every instance that accepts a problem
  int first_instances = 0;   // of them so many that the planner ranks first; with the next, 0: all
  int random_instances = 0;  // and so many of the others, by chance, which the seed decides
  /// With `time`, each problem's instances in the order of the planner's ranking, and each only
  /// until it is sure to be slower than the best of them.
  bool best = false;
  bool quick = false;    // with `time`, a smaller sample, as with all instances
  bool precise = false;  // with `time` and all instances, the larger sample of `best`
  std::string chunk;     // "2/8": the second of every eight problems; empty: all
  double max_flops = 0;  // larger problems are left out; 0: none is
  bool verify = false;
  bool time = false;  // tells times in place of computing
  std::string csv;    // the table's file; "-": stdout, what is for people then goes to stderr
  uint64_t seed = 0;
  bool json = false;  // the records as one document on stdout
  std::string
      instances;  // file of instances (tools/tune/builder.h) to choose from; empty: those built in
  /// Processes that runs are done in, at a time, each its own run; 0: in this one.
  int workers = 0;
  double run_limit_s = 0;                   // of such a process
  std::vector<std::string> arguments = {};  // the program and its flags, for workers
};

/// Whether the flags go together.
absl::Status Check(const SweepOptions& options);

}  // namespace gridwise
