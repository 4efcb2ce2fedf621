// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <span>

#include "absl/functional/function_ref.h"
#include "tools/sim/time/engine/resource.h"
#include "tools/sim/time/machine/machine.h"
#include "tools/sim/time/trace/op.h"
#include "tools/sim/time/trace/record.h"
#include "tools/sim/time/trace/shape.h"

namespace gridwise::sim::time {

/// Clocks for which a workgroup keeps each of a unit's resources busy, if its waves are spread
/// evenly. Of the levels below, only L2's reads count: every line once, at a rate that may be
/// infinite.
using PortWork = std::array<double, kResources>;
PortWork CountWork(const Machine& machine, std::span<const Op> ops, Shapes& shapes,
                   const WorkgroupRecord& workgroup, double l2_bytes_per_clk);

/// Adds the clocks for which the instructions of a workgroup keep arithmetic and issue busy.
void AddArithmetic(const Machine& machine, std::span<const Op> ops,
                   const WorkgroupRecord& workgroup, PortWork& work);

/// The mean of `work` of the workgroups.
PortWork MeanOf(std::span<const WorkgroupRecord* const> workgroups,
                absl::FunctionRef<PortWork(const WorkgroupRecord&)> work);

/// Adds the clocks for which `times` executions of `op` by a wave keep arithmetic and issue busy.
void AddWork(const Machine& machine, const Op& op, double times, PortWork& work);

/// The mean of the workgroups' work without L2, whose lines several workgroups of a unit may share.
/// A unit that executes `n` such workgroups takes at least n times as long.
PortWork CountSureWork(const Machine& machine, std::span<const Op> ops, Shapes& shapes,
                       std::span<const WorkgroupRecord* const> workgroups);

/// Milliseconds of launches, in a short run and in a long one, in which the power that matrix work
/// takes lowers the clock:
///
///   clock = min(burst_mhz, sustained_mhz / u)
///
/// where u is the part of the time for which the device's matrix units are busy, on average. So a
/// long run takes as long as a short one or as its matrix work at sustained_mhz, whichever is
/// longer.
struct RunMs {
  double burst = 0;   // at burst_mhz
  double matrix = 0;  // an average matrix unit's, at sustained_mhz

  double sustained() const { return std::max(burst, matrix); }
  RunMs& operator+=(const RunMs& other);
};

/// A lower bound for any order of execution: the time for which a unit's busiest resource works,
/// and that for which matrix units work, averaged over the device.
struct Bound {
  Resource resource = Resource::kIssue;
  double clk = 0;
  double matrix_clk = 0;

  RunMs Ms(const Machine& machine) const;
  /// The resource that sets the bound in long runs.
  Resource Sustained(const Machine& machine) const;
};
/// What limits a launch of `workgroups` whose mean work is `mean` and of which a unit executes
/// `rounds`.
Bound FindBound(const Machine& machine, const PortWork& mean, double workgroups, double rounds);

}  // namespace gridwise::sim::time
