// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tools/sim/time/engine/memory_path.h"
#include "tools/sim/time/machine/machine.h"
#include "tools/sim/time/trace/op.h"
#include "tools/sim/time/trace/record.h"
#include "tools/sim/time/trace/shape.h"

namespace gridwise::sim::time {

/// What the workgroups of an XCD find in its L2.
struct Traffic {
  std::vector<Hits> hits;  // by instruction
  double requests = 0;     // lines asked of L2
  double misses = 0;       // lines that L2 lacks
  double workgroups = 0;   // workgroups that the figures are for
};

/// The units of an XCD that are looked at.
struct XcdOfUnits {
  int64_t units = 1;
  double part = 1;     // the share of its workgroups, and of its L2
  double l2_kept = 0;  // part of the launch's lines that L2 has from the launch before
};

/// Sends the lines that `workgroups` load through a vector cache per unit and one L2. The nth
/// memory instructions of all waves go before the next ones, but waves at a barrier wait for the
/// others of their workgroup. Workgroup i is on unit i % units.
Traffic CountTraffic(const Machine& machine, std::span<const Op> ops, Shapes& shapes,
                     std::span<const WorkgroupRecord* const> workgroups, const XcdOfUnits& xcd);

}  // namespace gridwise::sim::time
