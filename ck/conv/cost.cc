#include "ck/conv/cost.h"

#include "absl/strings/str_format.h"

namespace gridwise {

std::string Cost::ToString(double clock_ghz) const {
  return absl::StrFormat(
      "%.1f us = %.0f rounds x (max(%.0f matrix, %.0f memory) + %.0f overhead cycles)",
      cycles / clock_ghz / 1e3, rounds, matrix_cycles, memory_cycles, overhead_cycles);
}

}  // namespace gridwise
