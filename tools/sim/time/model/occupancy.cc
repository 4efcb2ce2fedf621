// SPDX-License-Identifier: MIT
#include "tools/sim/time/model/occupancy.h"

#include <algorithm>
#include <cmath>

namespace gridwise::sim::time {

Occupancy ComputeOccupancy(const Machine& machine, const GroupNeeds& needs) {
  Occupancy occupancy = {static_cast<int>(machine.workgroups), "workgroup slots"};
  // A workgroup that keeps to half of a unit finds half of everything there, twice.
  const double parts = needs.half_unit ? 2 : 1;
  const auto at_most = [&](double workgroups, std::string_view bound) {
    const double all = parts * std::floor(workgroups / parts);
    if (all < occupancy.workgroups) occupancy = {static_cast<int>(all), bound};
  };
  // A wave that is wider than the machine's vectors takes as many of every register.
  const double halves = std::max(1.0, needs.wave_size / machine.lanes);
  const double granules = std::ceil(std::max(needs.registers, 1) / machine.register_granule);
  const double waves =
      std::floor(machine.registers / (granules * machine.register_granule * halves));
  at_most(machine.simds * machine.waves / needs.waves, "wave slots");
  at_most(machine.simds * std::min<double>(waves, machine.waves) / needs.waves, "registers");
  if (needs.lds_bytes > 0) {
    const double blocks = std::ceil(static_cast<double>(needs.lds_bytes) / machine.lds_granule);
    at_most(machine.lds_bytes / (blocks * machine.lds_granule), "LDS");
  }
  return occupancy;
}

}  // namespace gridwise::sim::time
