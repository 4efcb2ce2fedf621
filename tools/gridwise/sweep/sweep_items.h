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

/// A row to run a problem on; one without a name is no row's.
struct RowChoice {
  std::string family, row;
  double estimate_us = 0;
  double ranked_cycles = 0;
  int splits = 0;  // workgroups that share the K of a tile
};

/// A problem of the set, and what to run it on.
struct SweepItem {
  std::string name;
  int index = 0;  // its place in the sets
  Problem problem;
  std::vector<RowChoice> rows;
  std::string reason;  // why rows holds one without a name
};

/// Whether `options` ask for some of the rows alone.
bool IsSampled(const SweepOptions& options);

/// The rows of a file; null: all.
using WantedRows = const std::vector<BuiltRow>*;

/// The problems that the flags select, and the rows for each, of those that are wanted. How many
/// problems are too large is told `people`.
absl::StatusOr<std::vector<SweepItem>> SelectItems(const SweepOptions& options,
                                                   const RequestedTarget& target,
                                                   WantedRows wanted_rows, std::FILE* people);

}  // namespace gridwise
