#pragma once

#include <cstdio>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "tools/gridwise/problem/problem.h"
#include "tools/gridwise/problem/problem_request.h"
#include "tools/gridwise/sweep/sweep_options.h"
#include "tools/tune/builder.h"

namespace gridwise {

/// An instance to run a problem on; one without a name is no instance's.
struct InstanceChoice {
  std::string family, instance;
  double estimate_us = 0;
  double ranked_cycles = 0;
  int splits = 0;  // workgroups that share the K of a tile
};

/// A problem of the set, and what to run it on.
struct SweepItem {
  std::string name;
  int index = 0;  // its place in the sets
  Problem problem;
  std::vector<InstanceChoice> instances;
  std::string reason;  // why instances holds one without a name
};

/// Whether `options` ask for some of the instances alone.
bool IsSampled(const SweepOptions& options);

/// The instances of a file; null: all.
using WantedInstances = const std::vector<BuiltInstance>*;

/// The problems that the flags select, and the instances for each, of those that are wanted. How
/// many problems are too large is told `people`.
absl::StatusOr<std::vector<SweepItem>> SelectItems(const SweepOptions& options,
                                                   const RequestedTarget& target,
                                                   WantedInstances wanted_instances,
                                                   std::FILE* people);

}  // namespace gridwise
