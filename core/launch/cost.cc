#include "core/launch/cost.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>

#include "absl/strings/str_format.h"

namespace gridwise {

namespace {

/// Of work that goes on at the same time, and hides the less well the nearer it is to the longest.
double Beside(std::initializer_list<double> cycles) {
  double sum = 0;
  for (const double c : cycles) sum += c * c * (c * c);
  return std::sqrt(std::sqrt(sum));
}

double BurstCycles(const Cost& cost) {
  const double loop = std::max(
      {cost.matrix_cycles, cost.lds_cycles, cost.memory_cycles, cost.alone_cycles / cost.resident});
  const double round = Beside(
      {loop + cost.fixed_cycles / cost.resident, cost.vector_cycles, cost.scalar_cycles});
  return Beside({cost.rounds * round, cost.tensor_cycles}) + cost.launch_cycles + cost.pass_cycles;
}

}  // namespace

Cost WithCycles(Cost cost) {
  cost.cycles = std::max(BurstCycles(cost), cost.power_cycles);
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
  const std::string power =
      cycles > power_cycles ? "" : absl::StrFormat("%.0f cycles by power, else ", power_cycles);
  return absl::StrFormat(
      "%.1f us = %s%.0f rounds x (max(%.0f matrix, %s%.0f memory, %.0f alone / %.0f) + %.0f fixed "
      "/ %.0f)%s cycles",
      cycles / clock_ghz / 1e3, power, rounds, matrix_cycles, lds, memory_cycles, alone_cycles,
      resident, fixed_cycles, resident, passes);
}

}  // namespace gridwise
