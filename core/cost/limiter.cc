// SPDX-License-Identifier: MIT
#include "core/cost/limiter.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace gridwise {

const char* Limiter(const Cost& cost) {
  if (cost.power_cycles > BurstCycles(cost)) return "power";
  const double resident = std::max(cost.resident, 1.0);
  const std::pair<double, const char*> terms[] = {
      {cost.tensor_cycles, "device memory"},
      {cost.pass_cycles + cost.launch_cycles, "launches"},
      {cost.rounds * cost.matrix_cycles, "matrix unit"},
      {cost.rounds * cost.lds_cycles, "LDS"},
      {cost.rounds * cost.memory_cycles, "L2"},
      {cost.rounds * cost.alone_cycles / resident, "latency"},
      {cost.rounds * cost.fixed_cycles / resident, "start and end"},
      {cost.rounds * std::max(cost.vector_cycles, cost.scalar_cycles), "instructions"}};
  return std::max_element(std::begin(terms), std::end(terms),
                          [](const auto& a, const auto& b) { return a.first < b.first; })
      ->second;
}

}  // namespace gridwise
