// SPDX-License-Identifier: MIT
// Before other headers of device code:
#include "hopper/testing/check_on_host.h"
// and what it checks.
#include "core/base/types.h"
#include "core/conv/problem.h"
#include "core/launch/part_kernel.h"
#include "gtest/gtest.h"
#include "hopper/simt/kernel.h"
#include "hopper/simt/plan.h"

namespace gridwise::hopper {
namespace {

template <SimtConfig kC>
void CheckSimt(ConvProblem problem, int splits = 1, Values values = Values::kFinite) {
  problem.direction = kC.direction;
  problem.type = kC.type;
  Check(
      problem, [](const PartRequest& request) { return PlanSimt(kC, request); }, SimtTiles<kC>,
      splits, values);
}

TEST(Simt, AnyProblem) {
  ConvProblem problem = Problem(Direction::kForward, 2, 5, 7, Axis(6, 2), Axis(9));
  problem.layout = Layout::kGNHWC;
  problem.weight_layout = WeightLayout::kKYXGC;
  CheckSimt<SimtConfig{Direction::kForward, DataType::kF32}>(problem);
  CheckSimt<SimtConfig{Direction::kBackwardData, DataType::kF16}>(problem);
  CheckSimt<SimtConfig{Direction::kBackwardWeight, DataType::kBF16}>(problem);
  CheckSimt<SimtConfig{Direction::kBackwardWeight, DataType::kF32}>(problem, 3);
}

TEST(Simt, PartsOfLargeProblems) {
  const ConvProblem problem = Problem(Direction::kForward, 1, 5, 8, Axis(6, 2), Axis(9));
  CheckSimt<SimtConfig{Direction::kForward, DataType::kF32}>(WithFarAxes(problem));
  ConvProblem back = problem;
  back.direction = Direction::kBackwardData;
  CheckSimt<SimtConfig{Direction::kBackwardData, DataType::kF16}>(WithFarAxes(back));
}

TEST(Simt, AnInfiniteWeightIsNoTermBetweenStrides) {
  constexpr SimtConfig kData = {Direction::kBackwardData, DataType::kF16};
  const ConvProblem problem = Problem(kData.direction, 2, 5, 7, Axis(9, 2), Axis(9, 3));
  CheckSimt<kData>(problem, 1, Values::kInfinityInB);
  CheckSimt<kData>(problem, /*splits=*/3, Values::kInfinityInB);
  CheckSimt<kData>(WithDepth(problem, Axis(5, 2)), 1, Values::kInfinityInB);
}

TEST(Simt, Bytes) {
  ConvProblem problem = Problem(Direction::kForward, 2, 5, 7, Axis(6, 2), Axis(9));
  problem.layout = Layout::kGNHWC;
  problem.weight_layout = WeightLayout::kKYXGC;
  CheckSimt<SimtConfig{.type = DataType::kI8}>(problem);
  CheckSimt<SimtConfig{.type = DataType::kF8E4M3}>(problem);
  CheckSimt<SimtConfig{.type = DataType::kF8E5M2}>(problem, /*splits=*/2);
  problem.out_type = DataType::kBF16;
  CheckSimt<SimtConfig{.type = DataType::kF8E4M3}>(problem);
  problem.out_type = DataType::kF32;
  problem.epilogue.alpha = 0.01;
  problem.epilogue.low = -20;
  CheckSimt<SimtConfig{.type = DataType::kI8}>(problem);
}

}  // namespace
}  // namespace gridwise::hopper
