// SPDX-License-Identifier: MIT
#include "core/cost/limiter.h"

#include <string_view>
#include <utility>

#include "gtest/gtest.h"

namespace gridwise {
namespace {

/// 2 rounds of 100 cycles in every part; one term of each is made the largest.
TEST(Limiter, IsTheLargestTerm) {
  const Cost even = {.matrix_cycles = 50,
                     .lds_cycles = 50,
                     .memory_cycles = 50,
                     .vector_cycles = 50,
                     .scalar_cycles = 50,
                     .alone_cycles = 100,
                     .fixed_cycles = 100,
                     .rounds = 2,
                     .resident = 2,
                     .tensor_cycles = 100,
                     .launch_cycles = 50,
                     .pass_cycles = 50,
                     .power_cycles = 200};
  constexpr std::pair<double Cost::*, std::string_view> kTerms[] = {
      {&Cost::matrix_cycles, "matrix unit"},  {&Cost::lds_cycles, "LDS"},
      {&Cost::memory_cycles, "L2"},           {&Cost::vector_cycles, "instructions"},
      {&Cost::scalar_cycles, "instructions"}, {&Cost::alone_cycles, "latency"},
      {&Cost::fixed_cycles, "start and end"}, {&Cost::tensor_cycles, "device memory"},
      {&Cost::launch_cycles, "launches"},     {&Cost::pass_cycles, "launches"},
      {&Cost::power_cycles, "power"}};
  for (const auto& [term, name] : kTerms) {
    Cost cost = even;
    cost.*term *= 3;
    EXPECT_EQ(Limiter(cost), name);
  }
}

}  // namespace
}  // namespace gridwise
