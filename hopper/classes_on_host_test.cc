#include "core/base/types.h"
#include "core/conv/problem.h"
#include "core/launch/part_kernel.h"
#include "gtest/gtest.h"
#include "hopper/check_on_host.h"
#include "hopper/classes_plan.h"
#include "hopper/kernel/classes.h"

namespace gridwise::hopper {
namespace {

template <ClassesConfig kC>
void CheckClasses(const ConvProblem& problem, int splits = 1) {
  ASSERT_EQ(RejectProblem(kC, problem).value_or(""), "");
  Check(
      problem, [](const PartRequest& request) { return PlanClasses(kC, request); },
      RunRoles<kC.warpgroups(), ClassesRoles<kC>, GatherArgs>, splits);
}

TEST(Classes, OfBothAxes) {
  constexpr Direction kData = Direction::kBackwardData;
  constexpr ClassesConfig kC = {.kept = 2, .stages = 4};  // boxes, where sizes are even
  CheckClasses<kC>(Problem(kData, 1, 64, 128, Axis(16, 2), Axis(18, 2)));
  CheckClasses<kC>(Problem(kData, 1, 136, 72, Axis(9, 2), Axis(12, 2)));
  CheckClasses<kC>(Problem(kData, 1, 64, 64, Axis(11, 2, 0), Axis(8, 2, 2)));
  CheckClasses<kC>(Problem(kData, 1, 40, 80, Axis(9, 2, 0), Axis(13, 2)), /*splits=*/2);
  ConvProblem f32 = Problem(kData, 1, 40, 64, Axis(9, 2), Axis(9, 2));
  f32.out_type = DataType::kF32;
  CheckClasses<ClassesConfig{.kept = 1, .stages = 3}>(f32);
}

}  // namespace
}  // namespace gridwise::hopper
