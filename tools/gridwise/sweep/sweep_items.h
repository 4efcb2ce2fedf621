// SPDX-License-Identifier: MIT
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

/// An instance to run a problem on. Without a name, it stands for no instance.
struct InstanceChoice {
  std::string family, instance;
  double estimate_us = 0;
  double ranked_cycles = 0;
  int splits = 0;  // workgroups that share the K of a tile
};

/// A problem of the set, and the instances to run it on.
struct SweepItem {
  std::string name;
  int index = 0;  // its index in the sets
  Problem problem;
  std::vector<InstanceChoice> instances;
  std::string reason;  // why `instances` contains one without a name
};

/// Returns whether `options` request only some of the instances.
bool IsSampled(const SweepOptions& options);

/// The instances of a file; null: all.
using WantedInstances = const std::vector<BuiltInstance>*;

/// Returns the problems that the flags select, with those of the wanted instances to run each on.
/// Prints to `people` how many problems are too large.
absl::StatusOr<std::vector<SweepItem>> SelectItems(const SweepOptions& options,
                                                   const RequestedTarget& target,
                                                   WantedInstances wanted_instances,
                                                   std::FILE* people);

}  // namespace gridwise
