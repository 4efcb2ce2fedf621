// SPDX-License-Identifier: MIT
#include "core/cost/cost.h"

#include <cmath>

#include "core/arch/device_facts.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace gridwise {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Cost CostOf(double matrix, double power) {
  return WithCycles({.matrix_cycles = matrix,
                     .fixed_cycles = 100,
                     .rounds = 3,
                     .resident = 1,
                     .power_cycles = power});
}

TEST(Cost, IsThatOfTheLaunchOrOfItsPower) {
  const auto soft_limit = [](double burst, double power) {
    return std::pow(std::pow(burst, 8) + std::pow(power, 8), 1.0 / 8);
  };
  EXPECT_DOUBLE_EQ(CostOf(1000, 0).cycles, 3300);
  for (const double power : {1500.0, 3299.0, 5000.0, 10000.0}) {
    EXPECT_DOUBLE_EQ(CostOf(1000, power).cycles, soft_limit(3300, power));
  }
  EXPECT_NEAR(CostOf(1000, 10000).cycles, 10000, 1) << "it is the larger one's";
  EXPECT_LT(CostOf(900, 5000).cycles, CostOf(1000, 5000).cycles) << "more to spare";
  EXPECT_THAT(CostOf(1000, 3299).ToString(2.1), Not(HasSubstr("power")));
  EXPECT_THAT(CostOf(1000, 5000).ToString(2.1), HasSubstr("= 5000 cycles by power, else 3 rounds"));
}

TEST(Cost, OfLaunchesInSequenceAveragesPower) {
  const Cost dense = CostOf(1000, 5000), light = CostOf(1000, 0);
  EXPECT_DOUBLE_EQ(InSequence(light, light).cycles, 6600);
  EXPECT_DOUBLE_EQ(InSequence(dense, light).cycles, InSequence(light, dense).cycles);
  EXPECT_DOUBLE_EQ(InSequence(dense, light).cycles,
                   WithCycles({.resident = 1, .pass_cycles = 6600, .power_cycles = 5000}).cycles);
  EXPECT_DOUBLE_EQ(InSequence(dense, dense).cycles, 2 * dense.cycles);
}

TEST(Cost, OfMatrixUnitsThatPowerDoesNotLimitIsTheirOwn) {
  EXPECT_EQ(PowerFactor(Gfx::kSm90a), 1);
  EXPECT_DOUBLE_EQ(PowerFactor(Gfx::k942), 2.1 / 1.2);
}

}  // namespace
}  // namespace gridwise
