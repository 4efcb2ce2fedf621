#include "core/base/types.h"
#include "core/conv/problem.h"
#include "core/launch/part_kernel.h"
#include "gtest/gtest.h"
#include "hopper/check_on_host.h"
#include "hopper/kernel/simple.h"
#include "hopper/simple_plan.h"

namespace gridwise::hopper {
namespace {

template <SimpleConfig kC>
void CheckSimple(ConvProblem problem, int splits = 1) {
  problem.direction = kC.direction;
  problem.type = kC.type;
  Check(
      problem, [](const PartRequest& request) { return PlanSimple(kC, request); }, SimpleTiles<kC>,
      splits);
}

TEST(Simple, AnyProblem) {
  ConvProblem problem = Problem(Direction::kForward, 2, 5, 7, Axis(6, 2), Axis(9));
  problem.layout = Layout::kGNHWC;
  problem.weight_layout = WeightLayout::kKYXGC;
  CheckSimple<SimpleConfig{Direction::kForward, DataType::kF32}>(problem);
  CheckSimple<SimpleConfig{Direction::kBackwardData, DataType::kF16}>(problem);
  CheckSimple<SimpleConfig{Direction::kBackwardWeight, DataType::kBF16}>(problem);
  CheckSimple<SimpleConfig{Direction::kBackwardWeight, DataType::kF32}>(problem, 3);
}

TEST(Simple, Bytes) {
  ConvProblem problem = Problem(Direction::kForward, 2, 5, 7, Axis(6, 2), Axis(9));
  problem.layout = Layout::kGNHWC;
  problem.weight_layout = WeightLayout::kKYXGC;
  CheckSimple<SimpleConfig{.type = DataType::kI8}>(problem);
  CheckSimple<SimpleConfig{.type = DataType::kF8E4M3}>(problem);
  CheckSimple<SimpleConfig{.type = DataType::kF8E5M2}>(problem, /*splits=*/2);
  problem.out_type = DataType::kBF16;
  CheckSimple<SimpleConfig{.type = DataType::kF8E4M3}>(problem);
  problem.out_type = DataType::kF32;
  problem.epilogue.alpha = 0.01;
  problem.epilogue.low = -20;
  CheckSimple<SimpleConfig{.type = DataType::kI8}>(problem);
}

}  // namespace
}  // namespace gridwise::hopper
