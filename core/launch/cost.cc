#include "core/launch/cost.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_format.h"

namespace gridwise {

namespace {

double BurstCycles(const Cost& cost) {
  const double loop = std::max(
      {cost.matrix_cycles, cost.lds_cycles, cost.memory_cycles, cost.alone_cycles / cost.resident});
  const double busy = cost.rounds * (loop + cost.fixed_cycles / cost.resident);
  if (cost.tensor_cycles <= 0) return busy + cost.pass_cycles;
  const double square = busy * busy, tensor_square = cost.tensor_cycles * cost.tensor_cycles;
  return std::sqrt(std::sqrt(square * square + tensor_square * tensor_square)) + cost.pass_cycles;
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
