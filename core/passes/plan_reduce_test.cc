// SPDX-License-Identifier: MIT
#include "core/passes/plan_reduce.h"

#include <cstdint>

#include "core/base/math.h"
#include "core/conv/problem.h"
#include "core/cost/pass_cycles.h"
#include "core/launch/launch.h"
#include "core/launch/part_kernel.h"
#include "gtest/gtest.h"

namespace gridwise {
namespace {

/// Bytes of the epilogue's tensor before the output's element `at`, from the definition of strides.
std::int64_t TensorBytes(const ConvProblem& problem, std::size_t tensor, std::int64_t at) {
  const TensorAxes axes = problem.AxesOf(problem.out());
  std::int64_t bytes = 0;
  for (std::size_t axis = 0; axis < 6; ++axis) {
    const std::int64_t index = at / axes.stride[axis] % axes.size[axis];
    bytes +=
        index * problem.epilogue.d[tensor].stride[axis] * SizeOf(problem.epilogue.d[tensor].type);
  }
  return bytes;
}

/// As the kernel finds it: what lies before the launch, and the index within it.
std::int64_t TensorBytes(const ReducePlan& plan, int tensor, std::int64_t at_in_launch) {
  std::int64_t bytes = plan.tensor_first[tensor];
  auto at = static_cast<unsigned>(at_in_launch);
  for (int axis = 5; axis >= 0; --axis) {
    const unsigned outer = Divide(at, plan.args.by_size[axis]);
    bytes += static_cast<std::int64_t>(at - outer * static_cast<unsigned>(plan.args.size[axis])) *
             plan.args.tensor_stride[tensor][axis];
    at = outer;
  }
  return bytes;
}

ConvProblem ProblemOf(std::int64_t batch, std::int64_t pixels, std::int64_t k) {
  ConvProblem problem = {.groups = 2, .batch = batch, .c = 2, .k = 2 * k};
  problem.dims[1].in = 3;
  problem.dims[2].in = pixels;
  problem.epilogue.tensors = 2;
  problem.epilogue.d[0].stride = {7, 0, 11, 13, 1, 5};
  problem.epilogue.d[1] = {.type = DataType::kF32, .stride = {0, 1, 1, 2, 100, 3}};
  return problem;
}

TEST(PlanReduce, LaunchesTileTheOutput) {
  for (const ConvProblem& problem : {ProblemOf(2, 100, 32), ProblemOf(5, 20'000'000, 8),
                                     ProblemOf(1, 20'000'000, 50), ProblemOf(3, 5, 80'000'000)}) {
    std::int64_t elements = 0;
    for (const ReducePlan& plan : PlanReduce(problem, 3)) {
      EXPECT_EQ(plan.first, elements);
      EXPECT_EQ(plan.args.split_elements, problem.out_elements());
      ASSERT_GT(plan.args.elements, 0);
      elements += plan.args.elements;
      for (const std::int64_t at : {0, plan.args.elements / 3, plan.args.elements - 1}) {
        for (int tensor = 0; tensor < 2; ++tensor) {
          EXPECT_EQ(TensorBytes(plan, tensor, at),
                    TensorBytes(problem, static_cast<std::size_t>(tensor), plan.first + at));
        }
      }
    }
    EXPECT_EQ(elements, problem.out_elements());
  }
}

TEST(PlanReduce, IsOneLaunchForFewerThan2To31Elements) {
  EXPECT_EQ(PlanReduce(ProblemOf(2, 100, 32), 3).size(), 1u);
  EXPECT_GT(PlanReduce(ProblemOf(5, 20'000'000, 8), 3).size(), 1u);
}

/// Workgroups of the launch that adds up `splits` splits of `problem`.
unsigned WorkgroupsOf(const ConvProblem& problem, int splits,
                      const DeviceFacts& device = Gfx::k942) {
  LaunchPlan plan;
  AddReduceLaunches(problem, device, splits, 0, {}, plan);
  EXPECT_EQ(plan.launches.size(), 1u);
  return plan.launches[0].shape.workgroups.x;
}

// Two rounds of eight loads are a lane's own work, more are shared by eight groups of lanes where
// the elements are few.
TEST(PlanReduce, ManySplitsOfFewElementsAreShared) {
  ConvProblem few = ProblemOf(2, 100, 32), many = ProblemOf(32, 1000, 64);
  few.epilogue = many.epilogue = {};
  const auto elements = static_cast<unsigned>(few.out_elements());
  EXPECT_EQ(WorkgroupsOf(few, 16), CeilDiv(elements, 1024u));
  EXPECT_EQ(WorkgroupsOf(few, 17), CeilDiv(elements, 128u));
  ASSERT_GT(many.out_elements(), 1 << 18);
  EXPECT_EQ(WorkgroupsOf(many, 17), WorkgroupsOf(many, 16));
}

// As many groups as there is room for at a time: 132 multiprocessors with 4 workgroups each.
TEST(PlanReduce, GroupsOfLanesFillHopperOnce) {
  const auto of = [](std::int64_t elements, int splits) {
    ConvProblem problem = {.direction = Direction::kBackwardWeight, .c = 100, .k = elements / 100};
    return WorkgroupsOf(problem, splits, Gfx::kSm90a);
  };
  EXPECT_EQ(of(100'000, 3), CeilDiv(100'000u, 1024u));
  EXPECT_EQ(of(60'000, 4), CeilDiv(60'000u, 128u)) << "8 groups";
  EXPECT_EQ(of(10'000, 65), CeilDiv(10'000u, 64u)) << "16";
  EXPECT_EQ(of(100'000, 7), CeilDiv(100'000u, 256u)) << "4";
  EXPECT_EQ(of(230'400, 7), CeilDiv(230'400u, 512u)) << "2";
  EXPECT_EQ(of(2'000'000, 4), CeilDiv(2'000'000u, 1024u)) << "1";
}

// With fewer multiprocessors, fewer groups fill the device, and fewer workgroups are spread over
// it.
TEST(PlanReduce, GroupsOfLanesFillWhatTheDeviceHas) {
  const auto launch_of = [](std::int64_t elements, int units) {
    const ConvProblem problem = {
        .direction = Direction::kBackwardWeight, .c = 100, .k = elements / 100};
    LaunchPlan plan;
    AddReduceLaunches(problem, DeviceFacts(Gfx::kSm90a, units), /*splits=*/4, 0, {}, plan);
    return plan.launches.at(0).shape;
  };
  EXPECT_EQ(launch_of(67'500, 132).workgroups.x, CeilDiv(67'500u, 128u));
  EXPECT_EQ(launch_of(67'500, 114).workgroups.x, CeilDiv(67'500u, 256u));
  EXPECT_EQ(launch_of(67'500, 66).workgroups.x, CeilDiv(67'500u, 256u));
  EXPECT_EQ(launch_of(67'500, 64).workgroups.x, CeilDiv(67'500u, 512u));
  // 264 workgroups of 1,024 elements, of 4 that a unit runs at a time.
  EXPECT_GT(launch_of(270'000, 66).dynamic_lds_bytes, 0u);
  EXPECT_EQ(launch_of(270'000, 65).dynamic_lds_bytes, 0u);
}

TEST(PlanReduce, EstimatesCountTurnsOfLoads) {
  const DeviceFacts device = Gfx::k942;
  const auto cycles = [&](double elements, int splits) {
    return ReduceCycles(device, elements, splits, 2) -
           PassCycles(device, elements * (4 * splits + 2));
  };
  EXPECT_EQ(cycles(100, 8), 0);
  EXPECT_GT(cycles(100, 16), 0);
  EXPECT_EQ(cycles(100, 64), 0) << "shared, one round";
  EXPECT_NEAR(cycles(100, 65), cycles(100, 16), 1e-6) << "two";
  EXPECT_NEAR(cycles(1e6, 64), 7 * cycles(1e6, 16), 1e-6) << "not shared";
}

}  // namespace
}  // namespace gridwise
