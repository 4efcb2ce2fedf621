// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "tools/sim/time/machine/machine.h"

namespace gridwise::sim::time {

/// Which workgroups of a launch are executed to tell the time of all of them, by linear index. The
/// first XCD's share is what is looked at: dispatchers deal workgroups out to the XCDs in turn, and
/// to an XCD's units in turn (ROCm documentation of MI300X; IREE's and HipKittens' orders rely on
/// it).
struct SamplePlan {
  /// A unit that is timed in detail: what it executes first, in order, and how many workgroups in
  /// all. Three times `resident` of the first are wanted, what is after those may be left out.
  struct Unit {
    std::vector<int64_t> first;
    int64_t all = 0;
  };
  std::vector<Unit> units;
  /// Workgroups across the grid, to know how much work there is in others than the units'.
  std::vector<int64_t> strata;
  /// The last one, and the last one of the last XCD, which reaches furthest where XCDs have runs of
  /// what the launch computes: what a launch touches is known of those that are executed.
  std::vector<int64_t> ends;
  /// The workgroups that are on the first XCD together with the first ones of `units`: by turn,
  /// then by unit.
  std::vector<int64_t> xcd;
  int resident = 1;       // per unit
  int64_t rounds = 1;     // workgroups that a unit executes, at most
  double units_busy = 1;  // busy units of the device, in the first round
};

SamplePlan PlanSample(const Machine& machine, int64_t workgroups, int resident);

}  // namespace gridwise::sim::time
