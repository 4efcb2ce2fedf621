// SPDX-License-Identifier: MIT
#include "core/cost/cost.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_format.h"

namespace gridwise {

namespace {

double FourthPower(double x) { return x * x * (x * x); }

}  // namespace

// Concurrent work is hidden less well the closer it is to the longest.
double BurstCycles(const Cost& cost) {
  const double loop = std::max(
      {cost.matrix_cycles, cost.lds_cycles, cost.memory_cycles, cost.alone_cycles / cost.resident});
  const double round = FourthPower(loop + cost.fixed_cycles / cost.resident) +
                       FourthPower(cost.vector_cycles) + FourthPower(cost.scalar_cycles);
  const double all = FourthPower(cost.rounds) * round + FourthPower(cost.tensor_cycles);
  return std::sqrt(std::sqrt(all)) + cost.launch_cycles + cost.pass_cycles;
}

double EighthPowerOfCycles(const Cost& cost) {
  const double burst = FourthPower(BurstCycles(cost)), power = FourthPower(cost.power_cycles);
  return burst * burst + power * power;
}

Cost WithCycles(Cost cost) {
  // The formula with power 0 is burst itself, without its three roots.
  cost.cycles = cost.power_cycles == 0 ? BurstCycles(cost)
                                       : std::sqrt(std::sqrt(std::sqrt(EighthPowerOfCycles(cost))));
  return cost;
}

Cost InSequence(Cost first, const Cost& next) {
  first.pass_cycles += BurstCycles(next);
  first.power_cycles += next.power_cycles;
  return WithCycles(first);
}

std::string Cost::ToString(double clock_ghz) const {
  const std::string lds = lds_cycles == 0 ? "" : absl::StrFormat("%.0f lds, ", lds_cycles);
  const std::string passes =
      (tensor_cycles == 0 ? "" : absl::StrFormat(" beside %.0f device memory", tensor_cycles)) +
      (pass_cycles == 0 ? "" : absl::StrFormat(" + %.0f passes", pass_cycles));
  const std::string power = BurstCycles(*this) > power_cycles
                                ? ""
                                : absl::StrFormat("%.0f cycles by power, else ", power_cycles);
  return absl::StrFormat(
      "%.1f us = %s%.0f rounds x (max(%.0f matrix, %s%.0f memory, %.0f alone / %.0f) + %.0f fixed "
      "/ %.0f)%s cycles",
      cycles / clock_ghz / 1e3, power, rounds, matrix_cycles, lds, memory_cycles, alone_cycles,
      resident, fixed_cycles, resident, passes);
}

}  // namespace gridwise
