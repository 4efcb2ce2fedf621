// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "tools/sim/time/machine/machine.h"

namespace gridwise::sim::time {

/// The workgroups of a launch, by linear index, that are executed to tell the time of all of them.
/// The first XCD's share is looked at: dispatchers deal workgroups out to the XCDs in turn, and to
/// an XCD's units in turn (ROCm documentation of MI300X; IREE's and HipKittens' orders rely on it).
struct SamplePlan {
  /// A unit that is timed in detail: the workgroups that it executes first, in order, and how many
  /// it executes in all. Three times `resident` of the first are needed; the others may be left
  /// out.
  struct Unit {
    std::vector<int64_t> first;
    int64_t all = 0;
  };
  std::vector<Unit> units;
  /// Workgroups across the grid, which show how much work those outside the units have.
  std::vector<int64_t> strata;
  /// The last workgroup, and the last one of the last XCD, which reaches furthest if XCDs compute
  /// contiguous runs: the memory that a launch touches is known from workgroups that are executed.
  std::vector<int64_t> ends;
  /// The workgroups that run on the first XCD at the same time as the first ones of `units`: by
  /// round, then by unit.
  std::vector<int64_t> xcd;
  int resident = 1;       // per unit
  int64_t rounds = 1;     // workgroups that a unit executes, at most
  double units_busy = 1;  // busy units of the device, in the first round
};

SamplePlan PlanSample(const Machine& machine, int64_t workgroups, int resident);

}  // namespace gridwise::sim::time
