// SPDX-License-Identifier: MIT
// Every valid problem has a plan, however little sense it makes.
#include <algorithm>
#include <cstdint>
#include <iterator>
#include <random>
#include <string>

#include "absl/status/statusor.h"
#include "core/arch/target.h"
#include "core/base/types.h"
#include "core/conv/problem.h"
#include "core/conv/problem_io.h"
#include "core/conv/validate.h"
#include "core/launch/launch.h"
#include "gridwise/conv.h"
#include "gtest/gtest.h"

namespace gridwise {
namespace {

/// Any of 1 ... 2^bits, small ones as often as large ones.
std::int64_t Magnitude(std::mt19937& random, unsigned bits) {
  const unsigned shift = static_cast<unsigned>(random()) % (bits + 1);
  return 1 + static_cast<std::int64_t>(random() % (std::uint64_t{1} << shift));
}

/// An axis whose fields are of any magnitude, or one in two of them of a usual one.
Dim AnyDim(std::mt19937& random) {
  constexpr unsigned kBits = 30;
  const auto draw = [&](unsigned usual) {
    return Magnitude(random, random() % 2 != 0 ? usual : kBits);
  };
  Dim dim = {.in = draw(10), .filter = draw(3), .stride = draw(2), .dilation = draw(2)};
  if (random() % 2 != 0) dim.pad_begin = draw(2) - 1;
  if (random() % 2 != 0) dim.pad_end = draw(2) - 1;
  return dim;
}

Epilogue AnyEpilogue(const ConvProblem& problem, std::mt19937& random) {
  Epilogue epilogue = {.alpha = 0.5, .tensors = static_cast<int>(random() % 3)};
  for (EpilogueTensor& tensor : epilogue.d) {
    tensor.type = random() % 2 != 0 ? DataType::kF32 : problem.output_type();
    for (std::int64_t& stride : tensor.stride) {
      stride = random() % 2 != 0 ? 0 : Magnitude(random, 34) - 1;
    }
  }
  return epilogue;
}

/// Those of all directions and targets.
constexpr DataType kTypes[] = {DataType::kF16, DataType::kBF16, DataType::kF32};

/// A problem that obeys the rules.
ConvProblem AnyProblem(Direction direction, std::mt19937& random) {
  while (true) {
    ConvProblem problem = {.direction = direction,
                           .type = kTypes[random() % std::size(kTypes)],
                           .rank = 1 + static_cast<int>(random() % 3)};
    problem.layout = kAllLayouts[random() % 3];
    problem.weight_layout = kAllWeightLayouts[random() % 2];
    problem.groups = random() % 2 != 0 ? 1 : Magnitude(random, 20);
    problem.batch = Magnitude(random, 20);
    problem.c = problem.groups * Magnitude(random, 20);
    problem.k = problem.groups * Magnitude(random, 20);
    for (int axis = 3 - problem.rank; axis < 3; ++axis) problem.dims[axis] = AnyDim(random);
    if (!Validate(problem).ok()) continue;
    if (random() % 4 == 0) problem.epilogue = AnyEpilogue(problem, random);
    if (Validate(problem).ok()) return problem;
  }
}

/// The limit of HIP that a launch exceeds; empty if it keeps them all.
std::string LimitOf(const KernelLaunch& launch) {
  const Extent3 &workgroups = launch.shape.workgroups, &threads = launch.shape.threads;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (workgroups[axis] == 0 || threads[axis] == 0) return "an empty axis";
    if (std::int64_t{workgroups[axis]} * threads[axis] > kMaxWorkItems) return "work-items";
    if (axis > 0 && workgroups[axis] > kMaxWorkgroupsYz) return "workgroups along y or z";
  }
  if (threads[0] * threads[1] * threads[2] > 1024) return "threads of a workgroup";
  return launch.arguments.size() > kMaxArguments ? "bytes of arguments" : "";
}

class EveryValidProblem : public testing::TestWithParam<Direction> {};

TEST_P(EveryValidProblem, HasAPlan) {
  std::mt19937 random(static_cast<unsigned>(GetParam()));
  std::int64_t max_launches = 0;
  for (int i = 0; i < 1500; ++i) {
    const ConvProblem problem = AnyProblem(GetParam(), random);
    const absl::StatusOr<Plan> plan = MakePlan(problem, kAllGfx[i % std::size(kAllGfx)]);
    ASSERT_TRUE(plan.ok()) << ToString(problem) << "\n" << plan.status();
    for (const KernelLaunch& launch : plan->launch_plan().launches) {
      ASSERT_EQ(LimitOf(launch), "") << ToString(problem) << "\n" << plan->ToString();
    }
    max_launches = std::max<std::int64_t>(max_launches, plan->launches());
  }
  EXPECT_GT(max_launches, 100);
}

INSTANTIATE_TEST_SUITE_P(Directions, EveryValidProblem, testing::ValuesIn(kAllDirections),
                         [](const auto& info) { return Name(info.param); });

}  // namespace
}  // namespace gridwise
