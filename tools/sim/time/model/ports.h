#pragma once

#include <array>
#include <span>

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

/// Adds what `times` executions of `op` by a wave keep arithmetic and issue busy for.
void AddWork(const Machine& machine, const Op& op, double times, PortWork& work);

/// The mean of the workgroups' work without that of L2, whose lines several of a unit may share: a
/// unit that executes `n` like them takes at least n times as long.
PortWork SureWorkOf(const Machine& machine, std::span<const Op> ops, Shapes& shapes,
                    std::span<const WorkgroupRecord* const> workgroups);

/// The resource that is busy longest, and for how long: no order of execution is faster.
struct Bound {
  Resource resource = Resource::kIssue;
  double clk = 0;
};
Bound BoundOf(const PortWork& work);

}  // namespace gridwise::sim::time
