// SPDX-License-Identifier: MIT
// Before other headers of device code:
#include "hopper/testing/check_on_host.h"
// and what it checks.
#include "core/base/types.h"
#include "core/conv/problem.h"
#include "core/launch/part_kernel.h"
#include "gtest/gtest.h"
#include "hopper/phases/kernel.h"
#include "hopper/phases/plan.h"

namespace gridwise::hopper {
namespace {

template <PhasesConfig kC>
void CheckPhases(const ConvProblem& problem, int splits = 1) {
  ASSERT_EQ(Why(RejectProblem(kC, problem)), "");
  Check(
      problem, [](const PartRequest& request) { return PlanPhases(kC, request); },
      RunRoles<kC.warpgroups(), PhasesRoles<kC>, GatherArgs>, splits);
}

TEST(Phases, OfBothAxes) {
  constexpr Direction kData = Direction::kBackwardData;
  constexpr PhasesConfig kC = {.resident = 2, .stages = 4};  // boxes, where sizes are even
  CheckPhases<kC>(Problem(kData, 1, 64, 128, Axis(16, 2), Axis(18, 2)));
  CheckPhases<kC>(Problem(kData, 1, 136, 72, Axis(9, 2), Axis(12, 2)));
  CheckPhases<kC>(Problem(kData, 1, 64, 64, Axis(11, 2, 0), Axis(8, 2, 2)));
  CheckPhases<kC>(Problem(kData, 1, 40, 80, Axis(9, 2, 0), Axis(13, 2)), /*splits=*/2);
  ConvProblem f32 = Problem(kData, 1, 40, 64, Axis(9, 2), Axis(9, 2));
  f32.out_type = DataType::kF32;
  CheckPhases<PhasesConfig{.resident = 1, .stages = 3}>(f32);
}

}  // namespace
}  // namespace gridwise::hopper
