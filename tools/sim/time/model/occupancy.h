// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string_view>

#include "tools/sim/time/machine/machine.h"

namespace gridwise::sim::time {

/// The resources of a unit that a workgroup takes.
struct GroupNeeds {
  int waves = 1;
  int wave_size = 64;
  int registers = 1;  // vector registers of a wave, accumulators included
  uint64_t lds_bytes = 0;
  /// RDNA's CU mode: all waves run on one compute unit of a workgroup processor and use its half of
  /// LDS.
  bool half_unit = false;
  // These limit nothing, but are signs that the compiler had too few registers:
  uint32_t scratch_bytes = 0;  // per work-item
  int spills = 0;              // vector registers that went to memory or to accumulators
};

/// Workgroups that a unit holds at a time, and what keeps it from holding more.
struct Occupancy {
  int workgroups = 0;
  std::string_view bound;  // "registers", "LDS", "wave slots", "workgroup slots"
};
Occupancy ComputeOccupancy(const Machine& machine, const GroupNeeds& needs);

}  // namespace gridwise::sim::time
