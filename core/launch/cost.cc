#include "core/launch/cost.h"

#include <algorithm>

#include "absl/strings/str_format.h"

namespace gridwise {

Cost WithCycles(Cost cost) {
  const double loop = std::max(
      {cost.matrix_cycles, cost.lds_cycles, cost.memory_cycles, cost.alone_cycles / cost.resident});
  cost.cycles = cost.rounds * (loop + cost.fixed_cycles / cost.resident) + cost.pass_cycles;
  return cost;
}

std::string Cost::ToString(double clock_ghz) const {
  const std::string lds = lds_cycles == 0 ? "" : absl::StrFormat("%.0f lds, ", lds_cycles);
  const std::string passes = pass_cycles == 0 ? "" : absl::StrFormat(" + %.0f passes", pass_cycles);
  return absl::StrFormat(
      "%.1f us = %.0f rounds x (max(%.0f matrix, %s%.0f memory, %.0f alone / %.0f) + %.0f fixed / "
      "%.0f)%s cycles",
      cycles / clock_ghz / 1e3, rounds, matrix_cycles, lds, memory_cycles, alone_cycles, resident,
      fixed_cycles, resident, passes);
}

}  // namespace gridwise
