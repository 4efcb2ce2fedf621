// SPDX-License-Identifier: MIT
// NGCHW whose copies the workspace has no room for: images in micro-batches.

#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/arch/target.h"
#include "core/base/types.h"
#include "core/conv/direction.h"
#include "core/conv/problem.h"
#include "gridwise/conv.h"
#include "gtest/gtest.h"
#include "tests/conv/conv_case.h"

namespace gridwise {
namespace {

/// Seven images, 2 groups, an epilogue of a residual and a bias.
ConvProblem Problem(Direction direction, DataType type) {
  ConvProblem problem = {
      .direction = direction, .type = type, .groups = 2, .batch = 7, .c = 32, .k = 48};
  problem.layout = Layout::kNGCHW;
  // In backward-weight each micro-batch has a dw.
  const bool is_weight = direction == Direction::kBackwardWeight;
  const std::int64_t more = is_weight ? 24 : 0;
  problem.dims[1] = {.in = 9 + more, .filter = 3, .stride = 2, .pad_begin = 1, .pad_end = 1};
  problem.dims[2] = {.in = 7 + more, .filter = 3, .stride = 1, .pad_begin = 1, .pad_end = 1};
  problem.epilogue.tensors = 2;
  problem.epilogue.d[0] = {
      .scale = 0.5, .type = problem.output_type(), .stride = problem.AxesOf(problem.out()).stride};
  problem.epilogue.d[1] = {.type = DataType::kF32};
  problem.epilogue.d[1].stride[is_weight ? 0 : 4] =
      direction == Direction::kForward ? problem.k_per_group() : problem.c_per_group();
  problem.epilogue.d[1].stride[5] = 1;
  return problem;
}

TEST(MicroBatches, ComputeWhatAllImagesTogetherDo) {
  const absl::StatusOr<Gfx> gfx = UseTestTarget();
  ASSERT_TRUE(gfx.ok()) << gfx.status();
  for (const Direction direction : kAllDirections) {
    for (const DataType type : {DataType::kF16, DataType::kF32}) {
      const ConvProblem problem = Problem(direction, type);
      const absl::StatusOr<Plan> whole = MakePlan(problem, *gfx, {.splits = 1});
      ASSERT_TRUE(whole.ok()) << whole.status();
      const std::int64_t min_micro_batches = direction == Direction::kBackwardWeight ? 2 : 3;
      for (const char* family : {"tile", "ck"}) {
        const absl::StatusOr<Plan> plan =
            MakePlan(problem, *gfx,
                     {.family = family,
                      .splits = 1,
                      .workspace_limit = whole->workspace_bytes() / min_micro_batches});
        ASSERT_TRUE(plan.ok()) << plan.status();
        EXPECT_GE(plan->launches(), 3 * min_micro_batches) << plan->ToString();
        const absl::StatusOr<ConvCase> test = ConvCase::Make(problem, /*seed=*/1);
        ASSERT_TRUE(test.ok()) << test.status();
        const absl::Status status = test->CheckPlan(*plan);
        EXPECT_TRUE(status.ok()) << status << "\n" << plan->ToString();
      }
    }
  }
}

}  // namespace
}  // namespace gridwise
