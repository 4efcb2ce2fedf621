// SPDX-License-Identifier: MIT
#include "core/reference/expected.h"

#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace gridwise {
namespace {

using ::testing::DoubleEq;
using ::testing::ElementsAre;

/// 1 x 1, two groups of 1 channel, two images of two pixels: y = x * w[group].
ConvProblem Scaling(Layout layout) {
  return {.rank = 1,
          .groups = 2,
          .batch = 2,
          .c = 2,
          .k = 2,
          .dims = {Dim{}, Dim{}, Dim{.in = 2}},
          .layout = layout};
}

std::vector<double> OutputOf(const ConvProblem& problem, const std::vector<float>& a,
                             const std::vector<float>& b,
                             const std::array<std::span<const float>, 2>& d = {}) {
  const absl::StatusOr<Expected> expected = ExpectedOutput(problem, a, b, d);
  EXPECT_TRUE(expected.ok()) << expected.status();
  return expected.ok() ? expected->out : std::vector<double>();
}

TEST(ExpectedOutput, ReadsAndWritesInTheLayout) {
  // x[n][w][g] = 100 n + 10 w + g + 1, w = {2, 3}.
  EXPECT_THAT(OutputOf(Scaling(Layout::kNHWGC), {1, 2, 11, 12, 101, 102, 111, 112}, {2, 3}),
              ElementsAre(2, 6, 22, 36, 202, 306, 222, 336));
  EXPECT_THAT(OutputOf(Scaling(Layout::kGNHWC), {1, 11, 101, 111, 2, 12, 102, 112}, {2, 3}),
              ElementsAre(2, 22, 202, 222, 6, 36, 306, 336));
  EXPECT_THAT(OutputOf(Scaling(Layout::kNGCHW), {1, 11, 2, 12, 101, 111, 102, 112}, {2, 3}),
              ElementsAre(2, 22, 6, 36, 202, 222, 306, 336));
}

TEST(ExpectedOutput, ReadsWeightsInTheLayout) {
  // Two groups of 1 input and 2 output channels, one pixel: y[g][k] = x[g] w[g][k].
  ConvProblem problem = {.rank = 1, .groups = 2, .c = 2, .k = 4};
  EXPECT_THAT(OutputOf(problem, {1, 10}, {1, 2, 3, 4}), ElementsAre(1, 2, 30, 40));
  problem.weight_layout = WeightLayout::kKYXGC;
  EXPECT_THAT(OutputOf(problem, {1, 10}, {1, 3, 2, 4}), ElementsAre(1, 2, 30, 40));
}

TEST(ExpectedOutput, AppliesTheEpilogueInItsOrder) {
  ConvProblem problem = Scaling(Layout::kNHWGC);
  problem.epilogue = {.alpha = 0.5, .tensors = 2, .low = -1000, .high = 300};
  problem.epilogue.d[0] = {
      .op = EpilogueTensor::Op::kMultiply, .scale = 2, .stride = {0, 0, 0, 0, 1, 0}};
  problem.epilogue.d[1] = {.scale = -1, .stride = {4, 4, 4, 2, 1, 1}};
  const std::vector<float> scale = {1, 10}, sub = {1, 2, 3, 4, 5, 6, 7, 8};
  // conv = 2 6 22 36 202 306 222 336; halved, doubled and times {1, 10}, less {1 ... 8}.
  EXPECT_THAT(OutputOf(problem, {1, 2, 11, 12, 101, 102, 111, 112}, {2, 3}, {scale, sub}),
              ElementsAre(DoubleEq(1), DoubleEq(58), DoubleEq(19), DoubleEq(300), DoubleEq(197),
                          DoubleEq(300), DoubleEq(215), DoubleEq(300)));
}

TEST(ExpectedOutput, AppliesUnaryFunctionsBeforeBounds) {
  ConvProblem problem = {.rank = 1};
  const auto of = [&](Unary unary, double a, float x) {
    problem.epilogue = {.unary = unary, .unary_parameter = a, .low = -100, .high = 3};
    return OutputOf(problem, {x}, {1})[0];
  };
  EXPECT_EQ(of(Unary::kNone, 1, 5), 3);
  EXPECT_EQ(of(Unary::kAbs, 1, -2), 2);
  EXPECT_EQ(of(Unary::kLeakyRelu, 0.25, -2), -0.5);
  EXPECT_EQ(of(Unary::kLeakyRelu, 0.25, 2), 2);
  EXPECT_NEAR(of(Unary::kElu, 2, -1), 2 * (std::exp(-1) - 1), 1e-15);
  EXPECT_NEAR(of(Unary::kSigmoid, 1, 1), 0.7310585786300049, 1e-15);
  EXPECT_NEAR(of(Unary::kTanh, 1, 0.5), 0.46211715726000975, 1e-15);
  EXPECT_NEAR(of(Unary::kSwish, 1, -1), -0.2689414213699951, 1e-15);
  EXPECT_NEAR(of(Unary::kSoftplus, 2, 0), std::log(2) / 2, 1e-15);
  EXPECT_NEAR(of(Unary::kSoftplus, 1, -700), 0, 1e-15);
  EXPECT_NEAR(of(Unary::kGelu, 1, 1), 0.8411919906082768, 1e-15);
  EXPECT_EQ(of(Unary::kAbs, 1, -5), 3) << "bounds are last";
}

TEST(ExpectedOutput, OperandsAreSumsRoundedToTheirType) {
  ConvProblem problem = {.type = DataType::kBF16, .rank = 1};
  problem.operand_sums = {{{.adds = true, .scale = 2}, {.adds = true, .scale = -1}}};
  const std::vector<float> a = {1}, b = {3}, a1 = {0x1p-9f}, b1 = {7};
  const auto expected = ExpectedOutput(problem, a, b, {}, {a1, b1});
  ASSERT_TRUE(expected.ok()) << expected.status();
  EXPECT_THAT(expected->out, ElementsAre(8)) << "2 + 2^-9 is no bf16";
  EXPECT_EQ(ExpectedOutput(problem, a, b, {}, {a1, {}}).status().message(),
            "b1 has 0 elements; the problem needs 1");
}

TEST(ExpectedOutput, SumRmsIsOfWhatIsClamped) {
  ConvProblem problem = Scaling(Layout::kNHWGC);
  problem.epilogue = {.alpha = 2, .low = 0, .high = 1};
  const absl::StatusOr<Expected> expected =
      ExpectedOutput(problem, std::vector<float>(8, 1), std::vector<float>(2, -1));
  ASSERT_TRUE(expected.ok()) << expected.status();
  EXPECT_THAT(expected->out, ::testing::Each(0));
  EXPECT_DOUBLE_EQ(expected->sum_rms, 2);
}

TEST(ExpectedOutput, SumRmsIsOfSumsThatHaveTerms) {
  ConvProblem problem = {.direction = Direction::kBackwardData, .rank = 1, .c = 1, .k = 1};
  problem.dims[2] = {.in = 9, .stride = 8};
  const absl::StatusOr<Expected> expected =
      ExpectedOutput(problem, std::vector<float>{3, 3}, std::vector<float>{1});
  ASSERT_TRUE(expected.ok()) << expected.status();
  EXPECT_THAT(expected->out, ElementsAre(3, 0, 0, 0, 0, 0, 0, 0, 3));
  EXPECT_DOUBLE_EQ(expected->sum_rms, 3);
}

TEST(ExpectedOutput, SumRmsIsOfFiniteSums) {
  constexpr float kInf = std::numeric_limits<float>::infinity();
  const absl::StatusOr<Expected> expected =
      ExpectedOutput(Scaling(Layout::kNHWGC), std::vector<float>{1, 1, 1, 1, 1, 1, 1, kInf},
                     std::vector<float>{2, 2});
  ASSERT_TRUE(expected.ok()) << expected.status();
  EXPECT_DOUBLE_EQ(expected->sum_rms, 2) << "an infinite one would tolerate any error";
}

TEST(ExpectedOutput, NamesATensorOfTheWrongSize) {
  ConvProblem problem = Scaling(Layout::kNHWGC);
  problem.epilogue.tensors = 1;
  problem.epilogue.d[0].stride = {0, 0, 0, 0, 3, 0};
  const std::vector<float> three(3);
  const absl::Status status =
      ExpectedOutput(problem, std::vector<float>(8), std::vector<float>(2), {three, {}}).status();
  EXPECT_EQ(status.message(), "d0 has 3 elements; the problem needs 4");
}

}  // namespace
}  // namespace gridwise
