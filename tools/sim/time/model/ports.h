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

/// Clocks that a workgroup keeps each of a unit's resources busy for, if its waves are spread
/// evenly. Of L2, MALL and memory only what L2 gives: every line once, at a rate that may be
/// infinite.
using PortWork = std::array<double, kResources>;
PortWork WorkOf(const Machine& machine, std::span<const Op> ops, Shapes& shapes,
                const WorkgroupRecord& workgroup, double l2_bytes_per_clk);

/// Adds what all instructions of a workgroup keep arithmetic and issue busy for.
void AddArithmetic(const Machine& machine, std::span<const Op> ops,
                   const WorkgroupRecord& workgroup, PortWork& work);

/// The mean of `work` of the workgroups.
PortWork MeanOf(std::span<const WorkgroupRecord* const> workgroups,
                absl::FunctionRef<PortWork(const WorkgroupRecord&)> work);

/// Adds what `times` executions of `op` by a wave keep arithmetic and issue busy for.
void AddWork(const Machine& machine, const Op& op, double times, PortWork& work);

/// The mean of the workgroups' work without that of L2, whose lines several of a unit may share: a
/// unit that executes `n` like them takes at least n times as long.
PortWork SureWorkOf(const Machine& machine, std::span<const Op> ops, Shapes& shapes,
                    std::span<const WorkgroupRecord* const> workgroups);

/// Milliseconds of launches: of a short run, and of a long one, whose clock falls as far as the
/// power for matrix work asks for:
///
///   clock = min(burst_mhz, sustained_mhz / u)
///
/// with u the part of the time for which the device's matrix units are busy, on average. So a long
/// run takes as long as a short one, or else as its matrix work does at sustained_mhz.
struct RunMs {
  double burst = 0;   // at burst_mhz
  double matrix = 0;  // an average matrix unit's, at sustained_mhz

  double sustained() const { return std::max(burst, matrix); }
  RunMs& operator+=(const RunMs& other);
};

/// What no order of execution is faster than: the resource of a unit that is busy longest, and what
/// matrix units are, on average of the device's units.
struct Bound {
  Resource resource = Resource::kIssue;
  double clk = 0;
  double matrix_clk = 0;

  RunMs Ms(const Machine& machine) const;
  /// What it is in long runs.
  Resource Sustained(const Machine& machine) const;
};
/// What limits a launch of `workgroups` whose mean work is `mean` and of which a unit executes
/// `rounds`.
Bound BoundOf(const Machine& machine, const PortWork& mean, double workgroups, double rounds);

}  // namespace gridwise::sim::time
