// SPDX-License-Identifier: MIT
// Every instance of the classic family on problems of each kind: 1-D to 3-D, with groups, strides,
// dilation, asymmetric padding, channels that divide nothing, fused epilogues, and outputs in f32.

#include <cstdint>
#include <cstdlib>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "core/conv/problem.h"
#include "core/conv/problem_io.h"
#include "gridwise/conv.h"
#include "gtest/gtest.h"
#include "instances/ck/family.h"
#include "tests/conv/conv_case.h"

namespace gridwise {
namespace {

ConvProblem Problem2d(std::int64_t batch, std::int64_t groups, std::int64_t c, std::int64_t k,
                      Dim h, Dim w) {
  ConvProblem problem = {.groups = groups, .batch = batch, .c = c, .k = k};
  problem.dims[1] = h;
  problem.dims[2] = w;
  return problem;
}

std::vector<ConvProblem> Problems() {
  const Dim same = {.in = 9, .filter = 3, .pad_begin = 1, .pad_end = 1};
  const Dim odd = {.in = 13, .filter = 3, .stride = 2, .dilation = 2, .pad_begin = 1, .pad_end = 0};
  std::vector<ConvProblem> problems = {
      Problem2d(2, 1, 32, 48, same, {.in = 11, .filter = 3, .pad_begin = 1, .pad_end = 1}),
      Problem2d(2, 2, 64, 96, {.in = 8}, {.in = 8}), Problem2d(1, 1, 7, 9, odd, same),
      Problem2d(1, 1, 144, 160, {.in = 12, .filter = 3, .pad_begin = 1, .pad_end = 1}, same),
      Problem2d(2, 3, 48, 96, odd, {.in = 10, .filter = 2, .stride = 3})};
  ConvProblem volume = Problem2d(2, 1, 16, 16, same, odd);
  volume.rank = 3;
  volume.dims[0] = {.in = 5, .filter = 3, .stride = 2, .pad_begin = 1, .pad_end = 1};
  problems.push_back(volume);
  ConvProblem line =
      Problem2d(3, 1, 16, 32, {}, {.in = 40, .filter = 5, .pad_begin = 2, .pad_end = 2});
  line.rank = 1;
  problems.push_back(line);
  // Groups of few channels, which instances merge; a tile of columns has 16 of 4, or less.
  problems.push_back(Problem2d(2, 32, 128, 128, same, odd));
  problems.push_back(Problem2d(1, 16, 16, 96, odd, same));
  return problems;
}

/// Bias and ReLU, and a sum with a tensor.
Epilogue FusedEpilogue(const ConvProblem& problem) {
  Epilogue epilogue = {.alpha = 0.5, .tensors = 2};
  epilogue.d[0] = {.type = problem.output_type(), .stride = {}};
  epilogue.d[0].stride[problem.out() == Tensor::kW ? 1 : 5] = 1;
  epilogue.d[1] = {.op = EpilogueTensor::Op::kMultiply,
                   .scale = 0.25,
                   .type = DataType::kF32,
                   .stride = problem.AxesOf(problem.out()).stride};
  epilogue.low = 0;
  return epilogue;
}

/// The variants of a problem for an instance's type.
std::vector<ConvProblem> MakeVariants(ConvProblem problem, Direction direction, DataType type) {
  problem.direction = direction;
  problem.type = type;
  std::vector<ConvProblem> variants = {problem};
  ConvProblem fused = problem;
  fused.out_type = DataType::kF32;
  fused.epilogue = FusedEpilogue(fused);
  variants.push_back(fused);
  ConvProblem layout = problem;
  layout.layout = Layout::kGNHWC;
  layout.weight_layout = WeightLayout::kKYXGC;
  layout.epilogue.unary = Unary::kSwish;
  if (type == DataType::kI8) layout.out_type = DataType::kF32;
  variants.push_back(layout);
  if (direction != Direction::kForward || SizeOf(type) == 1) return variants;
  // scaleadd_ab; and A alone is a sum, beside a fused epilogue.
  ConvProblem sums = layout;
  sums.operand_sums = {{{.adds = true, .scale = 0.5}, {.adds = true, .scale = -2}}};
  variants.push_back(sums);
  fused.operand_sums[0] = {.adds = true, .scale = 1.5};
  variants.push_back(fused);
  return variants;
}

/// Only this op refuses some problems of its direction: if dw's groups lie inside of its taps,
/// columns of several groups are not adjacent.
bool IsRefused(std::string_view op, const ConvProblem& problem) {
  return op == "explicit" && problem.groups > 1 && problem.filter_taps() > 1 &&
         problem.weight_layout == WeightLayout::kKYXGC;
}

/// Whether the instances of an op are tested, of which the environment may name one.
bool IsTested(std::string_view op) {
  const char* const wanted = std::getenv("GRIDWISE_TEST_OP");
  return wanted == nullptr || op == wanted;
}

class ClassicInstancesTest : public ::testing::TestWithParam<Direction> {};

TEST_P(ClassicInstancesTest, ComputeWhatTheyAccept) {
  const absl::StatusOr<Gfx> gfx = UseTestTarget();
  ASSERT_TRUE(gfx.ok()) << gfx.status();
  int instances = 0, computed = 0;
  std::map<std::string, int> of_problem;  // instances of an op that compute it
  std::map<std::string, ConvCase> cases;
  for (const InstanceInfo& instance : ck::Family().Instances(GetParam(), *gfx)) {
    if (!IsTested(instance.op)) continue;
    ++instances;
    int of_row = 0;
    for (const ConvProblem& base : Problems()) {
      for (const ConvProblem& problem : MakeVariants(base, GetParam(), instance.type)) {
        const std::string name = ToString(problem);
        SCOPED_TRACE(absl::StrCat(instance.name, ": ", name));
        const std::string op_and_name = absl::StrCat(instance.op, " ", name);
        if (!IsRefused(instance.op, problem)) of_problem.try_emplace(op_and_name, 0);
        const absl::StatusOr<Plan> plan =
            MakePlan(problem, *gfx, {.instance = instance.name, .family = "ck"});
        if (plan.status().code() == absl::StatusCode::kUnimplemented) continue;
        ASSERT_TRUE(plan.ok()) << plan.status();
        EXPECT_EQ(plan->family(), "ck");
        if (!cases.contains(name)) {
          absl::StatusOr<ConvCase> made = ConvCase::Make(problem, 1);
          ASSERT_TRUE(made.ok()) << made.status();
          cases.emplace(name, *std::move(made));
        }
        const absl::Status status = cases.at(name).CheckPlan(*plan);
        ASSERT_TRUE(status.ok()) << status;
        ++of_row;
        ++computed;
        ++of_problem[op_and_name];
      }
    }
    EXPECT_GT(of_row, 0) << instance.name << " computes none of the problems";
  }
  EXPECT_GT(instances, 0);
  EXPECT_GT(computed, instances);
  for (const auto& [problem, count] : of_problem) {
    EXPECT_GT(count, 0) << "no instance computes by " << problem;
  }
}

INSTANTIATE_TEST_SUITE_P(Directions, ClassicInstancesTest, ::testing::ValuesIn(kAllDirections),
                         [](const auto& direction) { return std::string(Name(direction.param)); });

TEST(LaunchPerSubGemm, ComputesTheSame) {
  const absl::StatusOr<Gfx> gfx = UseTestTarget();
  ASSERT_TRUE(gfx.ok()) << gfx.status();
  // Phases of one, two and three taps, and of none.
  ConvProblem problem = Problem2d(2, 2, 16, 16, {.in = 13, .filter = 5, .stride = 2},
                                  {.in = 11, .filter = 3, .stride = 4, .pad_begin = 1});
  problem.direction = Direction::kBackwardData;
  const absl::StatusOr<ConvCase> made = ConvCase::Make(problem, 1);
  ASSERT_TRUE(made.ok()) << made.status();
  for (const char* family : {"tile", "direct", "ck"}) {
    SCOPED_TRACE(family);
    for (const int splits : {1, 2}) {
      const PlanOptions options = {.family = family, .splits = splits, .launch_per_sub_gemm = true};
      const absl::StatusOr<Plan> plan = MakePlan(problem, *gfx, options);
      ASSERT_TRUE(plan.ok()) << plan.status();
      EXPECT_EQ(plan->launches(), 8 + splits - 1);  // the last one adds splits
      const absl::Status status = made->CheckPlan(*plan);
      EXPECT_TRUE(status.ok()) << status;
    }
  }
}

TEST(ClassicOpTest, IsNamedAndItsInstancesAreChosen) {
  const absl::StatusOr<Gfx> gfx = UseTestTarget();
  ASSERT_TRUE(gfx.ok()) << gfx.status();
  ConvProblem problem = Problems()[0];
  problem.direction = Direction::kBackwardWeight;
  for (const char* op : {"cshuffle_v3", "two_stage"}) {
    const absl::StatusOr<Plan> plan = MakePlan(problem, *gfx, {.op = op});
    ASSERT_TRUE(plan.ok()) << plan.status();
    EXPECT_TRUE(absl::StartsWith(plan->instance(), op)) << plan->instance();
  }
  const absl::Status unknown = MakePlan(problem, *gfx, {.op = "best"}).status();
  EXPECT_EQ(unknown.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_TRUE(absl::StrContains(unknown.message(), "op is best; must be one of cshuffle_v3"))
      << unknown;
}

}  // namespace
}  // namespace gridwise
