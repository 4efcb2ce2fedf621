#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace gridwise {

/// A line of a table of `gridwise sweep --time --all-rows`.
struct TimedRow {
  std::string problem, device, sizes, row;
  double estimate_us = 0, ms = 0;

  /// What rows are compared of.
  std::string Layer() const { return problem + " on " + device + ": " + sizes; }
};

/// The lines of the table at `path` that have a time. Relative to where the user called the
/// program.
absl::StatusOr<std::vector<TimedRow>> ReadTimedRows(const std::string& path);

}  // namespace gridwise
