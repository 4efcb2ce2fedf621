// SPDX-License-Identifier: MIT
/// Layouts by strides.

#include "core/conv/strides.h"

#include "absl/status/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace gridwise {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

ConvProblem Problem() {
  ConvProblem problem{.groups = 2, .batch = 3, .c = 8, .k = 12};
  problem.dims[1] = {.in = 5, .filter = 2};
  problem.dims[2] = {.in = 7, .filter = 3};
  return problem;
}

TensorStrides StridesOf(const ConvProblem& problem) {
  return {.x = problem.AxesOf(Tensor::kX).stride,
          .w = problem.AxesOf(Tensor::kW).stride,
          .y = problem.AxesOf(Tensor::kY).stride};
}

TEST(SetLayouts, FindsEachLayout) {
  for (const Layout layout : kAllLayouts) {
    for (const WeightLayout weights : kAllWeightLayouts) {
      ConvProblem problem = Problem();
      problem.layout = layout;
      problem.weight_layout = weights;
      ConvProblem found = Problem();
      ASSERT_TRUE(SetLayouts(StridesOf(problem), found).ok());
      EXPECT_EQ(found, problem) << Name(layout) << " " << Name(weights);
    }
  }
}

TEST(SetLayouts, ByHand) {
  // NCHW of 3 x 8 x 5 x 7: d has size 1; 2 groups of 4 channels.
  ConvProblem problem = Problem();
  ASSERT_TRUE(SetLayouts({.x = {280, 99, 7, 1, 140, 35}}, problem).ok());
  EXPECT_EQ(problem.layout, Layout::kNGCHW);
  // NHWC.
  ASSERT_TRUE(SetLayouts({.x = {280, -1, 56, 8, 4, 1}}, problem).ok());
  EXPECT_EQ(problem.layout, Layout::kNHWGC);
}

TEST(SetLayouts, WhatIsNotGivenStays) {
  ConvProblem problem = Problem();
  problem.layout = Layout::kNGCHW;
  const ConvProblem before = problem;
  ASSERT_TRUE(SetLayouts({}, problem).ok());
  EXPECT_EQ(problem, before);
}

TEST(SetLayouts, OthersAreSentences) {
  ConvProblem problem = Problem();
  // Rows of 64 elements in place of 56.
  EXPECT_THAT(SetLayouts({.x = {320, 0, 64, 8, 4, 1}}, problem).message(),
              AllOf(HasSubstr("x has strides [320 0 64 8 4 1]"), HasSubstr("in nhwgc"),
                    HasSubstr("stride of axis 0 must be 280")));
  TensorStrides mixed = StridesOf(problem);
  problem.layout = Layout::kNGCHW;
  mixed.y = problem.AxesOf(Tensor::kY).stride;
  problem.layout = Layout::kNHWGC;
  EXPECT_EQ(SetLayouts(mixed, problem).code(), absl::StatusCode::kInvalidArgument);
  TensorStrides odd = StridesOf(problem);
  odd.w[5] = 2;
  EXPECT_THAT(SetLayouts(odd, problem).message(), HasSubstr("w has strides"));
  EXPECT_EQ(problem, Problem()) << "errors change nothing";
}

// Layouts of these have no strides.
TEST(SetLayouts, RefusesSizesOfNoProblem) {
  ConvProblem problem = Problem();
  const TensorStrides strides = StridesOf(problem);
  problem.groups = 0;
  EXPECT_THAT(SetLayouts(strides, problem).message(), HasSubstr("groups is 0; must be >= 1"));
  problem = Problem();
  problem.dims[2].stride = 0;
  EXPECT_THAT(SetLayouts(strides, problem).message(), HasSubstr("stride (w) is 0; must be >= 1"));
}

}  // namespace
}  // namespace gridwise
