// SPDX-License-Identifier: MIT
#include "hopper/phases/plan.h"

#include <cstdint>
#include <vector>

#include "core/arch/target.h"
#include "core/conv/problem.h"
#include "core/conv/sub_gemms.h"
#include "core/launch/part_kernel.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "hopper/base/plan.h"
#include "hopper/gather/args.h"
#include "hopper/testing/plan_test_instances.h"

namespace gridwise::hopper {
namespace {

using ::testing::HasSubstr;

TEST(Phases, SayWhyNot) {
  const auto reason = [](const ConvProblem& problem) {
    return Why(RejectProblem(PhasesConfig{}, problem));
  };
  ConvProblem problem = Problem(Direction::kBackwardData, 20, 2);
  EXPECT_EQ(reason(problem), "");
  problem.k = 136;
  EXPECT_THAT(reason(problem),
              HasSubstr("136 channels of dy; the instance keeps w of at most 128"));
  problem = Problem(Direction::kBackwardData, 20, 2);
  problem.dims[2].stride = 1;
  EXPECT_THAT(reason(problem), HasSubstr("along w, 20 pixels meet 3 taps, with stride 1"));
  EXPECT_THAT(reason(Problem(Direction::kForward, 20, 2)), HasSubstr("the problem is fwd"));
}

// By hand: of 20 pixels and padding 1, even ones have the middle tap and odd ones two, which begin
// at the same pixel of dy; phases are stored by boxes, of 21 pixels by lanes.
TEST(Phases, HaveRowsOfAnyPhase) {
  const auto plan_of = [](std::int64_t size) {
    const ConvProblem problem = Problem(Direction::kBackwardData, size, 2);
    const std::vector<SubGemm> gemms = MakeSubGemms(problem);
    return PlanPhases(
        PhasesConfig{},
        {.device = Gfx::kSm90a, .problem = problem, .sub_gemms = gemms, .split_k = {}});
  };
  const Plan<GatherArgs> even = plan_of(20), odd = plan_of(21);
  EXPECT_EQ(even.args.gemm[kJointGemm].m, 4 * 10 * 10);
  EXPECT_EQ(even.args.gemm[0].axis[2].first_pixel, 1);
  EXPECT_EQ(even.args.gemm[2].axis[2].first_pixel, 0);
  EXPECT_EQ(even.args.stores, Stores::kBoxes);
  EXPECT_EQ(even.maps.size(), 6u);
  EXPECT_EQ(odd.args.gemm[kJointGemm].m, 4 * 11 * 11);
  EXPECT_EQ(odd.args.stores, Stores::kVectors);
  EXPECT_EQ(odd.maps.size(), 2u);
}

}  // namespace
}  // namespace gridwise::hopper
