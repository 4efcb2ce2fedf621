#include "core/launch/cost.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_format.h"

namespace gridwise {

Cost WithCycles(Cost cost) {
  const double loop = std::max(
      {cost.matrix_cycles, cost.lds_cycles, cost.memory_cycles, cost.alone_cycles / cost.resident});
  const double busy = cost.rounds * (loop + cost.fixed_cycles / cost.resident);
  if (cost.tensor_cycles > 0) {
    const double square = busy * busy, tensor_square = cost.tensor_cycles * cost.tensor_cycles;
    cost.cycles = std::sqrt(std::sqrt(square * square + tensor_square * tensor_square));
  } else {
    cost.cycles = busy;
  }
  cost.cycles += cost.pass_cycles;
  return cost;
}

std::string Cost::ToString(double clock_ghz) const {
  const std::string lds = lds_cycles == 0 ? "" : absl::StrFormat("%.0f lds, ", lds_cycles);
  const std::string passes =
      (tensor_cycles == 0 ? "" : absl::StrFormat(" beside %.0f device memory", tensor_cycles)) +
      (pass_cycles == 0 ? "" : absl::StrFormat(" + %.0f passes", pass_cycles));
  return absl::StrFormat(
      "%.1f us = %.0f rounds x (max(%.0f matrix, %s%.0f memory, %.0f alone / %.0f) + %.0f fixed / "
      "%.0f)%s cycles",
      cycles / clock_ghz / 1e3, rounds, matrix_cycles, lds, memory_cycles, alone_cycles, resident,
      fixed_cycles, resident, passes);
}

}  // namespace gridwise
