// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace gridwise {

/// A kernel's time for a problem.
struct InstanceTime {
  std::string instance = {};
  int splits = 0;  // workgroups that shared the K of a tile; 0: not known
  double estimate_us = 0, ms = 0, tflop_per_s = 0;
  bool at_least = false;     // ms is a lower bound, above the problem's least time
  std::string limiter = {};  // empty where the sweep did not ask
};

/// A problem of a sweep, on a device.
struct TimedProblem {
  std::string name = {}, device = {};
  std::string sizes = {};                 // ToString(ConvProblem)
  std::string direction = {}, type = {};  // the first words of it
  double bound_ms = 0;                    // what any kernel takes at least; 0: not known
  std::vector<InstanceTime> times = {};   // in the table's order
};

/// Reads one or more tables of `gridwise sweep --time`. Problems are in the order in which they
/// first occur, with the kernels that have a time or a bound of it. If a kernel occurs twice, the
/// last time counts. kInvalidArgument, naming the line, if the text is no such table.
absl::StatusOr<std::vector<TimedProblem>> ReadTimes(std::string_view csv);

}  // namespace gridwise
