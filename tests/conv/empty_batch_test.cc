// SPDX-License-Identifier: MIT
// A batch of no images: outputs without elements, and dw as the epilogue makes it of sums of 0.

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/arch/target.h"
#include "core/base/types.h"
#include "core/conv/problem.h"
#include "core/conv/problem_io.h"
#include "gridwise/conv.h"
#include "gtest/gtest.h"
#include "tests/conv/conv_case.h"

namespace gridwise {
namespace {

ConvProblem Empty(Direction direction) {
  const Dim dim = {.in = 9, .filter = 3, .stride = 2, .pad_begin = 1, .pad_end = 1};
  return {
      .direction = direction, .groups = 2, .batch = 0, .c = 6, .k = 10, .dims = {Dim{}, dim, dim}};
}

class EmptyBatch : public testing::TestWithParam<Direction> {};

TEST_P(EmptyBatch, MatchesReference) {
  const absl::StatusOr<Gfx> gfx = UseTestTarget();
  ASSERT_TRUE(gfx.ok()) << gfx.status();
  for (const DataType type : {DataType::kF16, DataType::kBF16, DataType::kF32}) {
    for (const Layout layout : kAllLayouts) {
      ConvProblem problem = Empty(GetParam());
      problem.type = type;
      problem.layout = layout;
      SCOPED_TRACE(ToString(problem));
      const absl::StatusOr<ConvCase> empty = ConvCase::Make(problem, /*seed=*/1);
      ASSERT_TRUE(empty.ok()) << empty.status();
      const absl::StatusOr<Plan> plan = MakePlan(problem, *gfx);
      ASSERT_TRUE(plan.ok()) << plan.status();
      EXPECT_EQ(plan->launches(), problem.out_elements() > 0 ? 1 : 0);
      EXPECT_EQ(plan->workspace_bytes(), 0);
      EXPECT_EQ(empty->CheckPlan(*plan), absl::OkStatus());
    }
  }
}

TEST_P(EmptyBatch, HasAnEpilogue) {
  const absl::StatusOr<Gfx> gfx = UseTestTarget();
  ASSERT_TRUE(gfx.ok()) << gfx.status();
  ConvProblem problem = Empty(GetParam());
  problem.epilogue.alpha = 3;
  problem.epilogue.low = -0.25;
  problem.epilogue.tensors = 1;
  problem.epilogue.d[0] = {.stride = problem.AxesOf(problem.out()).stride};
  const absl::StatusOr<ConvCase> empty = ConvCase::Make(problem, /*seed=*/1);
  ASSERT_TRUE(empty.ok()) << empty.status();
  const absl::StatusOr<Plan> plan = MakePlan(problem, *gfx);
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ(empty->CheckPlan(*plan), absl::OkStatus());
}

TEST_P(EmptyBatch, HasNoInstanceAndSaysSo) {
  const absl::StatusOr<Gfx> gfx = UseTestTarget();
  ASSERT_TRUE(gfx.ok()) << gfx.status();
  const ConvProblem problem = Empty(GetParam());
  const absl::StatusOr<Plan> plan = MakePlan(problem, *gfx);
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ(plan->instance(), "");
  EXPECT_NE(plan->ToString().find("the batch is 0"), std::string::npos) << plan->ToString();
  for (const InstanceExplanation& explanation : ExplainInstances(problem, *gfx)) {
    EXPECT_EQ(explanation.reason, "the batch is 0: there is nothing to multiply")
        << explanation.instance;
  }
  EXPECT_FALSE(MakePlan(problem, *gfx, {.instance = "no such instance"}).ok());
}

INSTANTIATE_TEST_SUITE_P(Conv, EmptyBatch, testing::ValuesIn(kAllDirections),
                         [](const auto& info) { return std::string(Name(info.param)); });

}  // namespace
}  // namespace gridwise
