// SPDX-License-Identifier: MIT
#include "tools/gridwise/problem/variant_flags.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace gridwise {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// y is [2][1][4][4][2][8].
ConvProblem Forward() {
  return {.groups = 2, .batch = 2, .c = 6, .k = 16, .dims = {Dim{}, Dim{.in = 4}, Dim{.in = 4}}};
}

ConvProblem Apply(const VariantFlags& flags, ConvProblem problem = Forward()) {
  const absl::Status status = ApplyVariant(flags, problem);
  EXPECT_TRUE(status.ok()) << status;
  return problem;
}

std::string ErrorOf(const VariantFlags& flags) {
  ConvProblem problem = Forward();
  return std::string(ApplyVariant(flags, problem).message());
}

TEST(VariantFlags, DefaultsChangeNothing) { EXPECT_EQ(Apply({}), Forward()); }

TEST(VariantFlags, Layouts) {
  const ConvProblem problem = Apply({.layout = "ngchw", .weight_layout = "kyxgc"});
  EXPECT_EQ(problem.layout, Layout::kNGCHW);
  EXPECT_EQ(problem.weight_layout, WeightLayout::kKYXGC);
  EXPECT_EQ(ErrorOf({.layout = "nchw"}), "--layout is 'nchw'; must be one of nhwgc, gnhwc, ngchw");
}

TEST(VariantFlags, Tensors) {
  const Epilogue epilogue =
      Apply({.alpha = 2, .relu = true, .high = 6, .d0 = "mul:channel", .d1 = "add:-0.5"}).epilogue;
  EXPECT_EQ(epilogue.alpha, 2);
  EXPECT_EQ(epilogue.low, 0);
  EXPECT_EQ(epilogue.high, 6);
  ASSERT_EQ(epilogue.tensors, 2);
  EXPECT_EQ(epilogue.d[0].op, EpilogueTensor::Op::kMultiply);
  EXPECT_THAT(epilogue.d[0].stride, ElementsAre(0, 0, 0, 0, 8, 1));
  EXPECT_EQ(epilogue.d[1].op, EpilogueTensor::Op::kAdd);
  EXPECT_EQ(epilogue.d[1].scale, -0.5);
  EXPECT_THAT(epilogue.d[1].stride, ElementsAre(256, 256, 64, 16, 8, 1));
}

TEST(VariantFlags, FunctionsOfResultAndOperands) {
  const ConvProblem problem = Apply({.unary = "elu:0.5", .a1 = 2.0});
  EXPECT_EQ(problem.epilogue.unary, Unary::kElu);
  EXPECT_EQ(problem.epilogue.unary_parameter, 0.5);
  EXPECT_EQ(problem.operand_sums[0], (OperandSum{.adds = true, .scale = 2}));
  EXPECT_FALSE(problem.operand_sums[1].adds);
  EXPECT_EQ(Apply({.unary = "swish"}).epilogue.unary, Unary::kSwish);
  EXPECT_THAT(ErrorOf({.unary = "silu"}), HasSubstr("--unary is 'silu'; must be one of none, abs"));
  EXPECT_THAT(ErrorOf({.unary = "elu:x"}), HasSubstr("--unary is 'elu:x'; must be"));
}

TEST(VariantFlags, AValuePerChannelOfDwIsPerK) {
  ConvProblem problem = Forward();
  problem.direction = Direction::kBackwardWeight;
  EXPECT_THAT(Apply({.d0 = "add:channel"}, problem).epilogue.d[0].stride,
              ElementsAre(8, 1, 0, 0, 0, 0));
}

TEST(VariantFlags, ErrorsNameFlagAndValue) {
  EXPECT_THAT(ErrorOf({.d0 = "sub"}), HasSubstr("--d0 is 'sub'; must be add or mul"));
  EXPECT_THAT(ErrorOf({.d0 = "add:x"}), HasSubstr("--d0 is 'add:x'"));
  EXPECT_THAT(ErrorOf({.d0 = "add:channel:1:2"}), HasSubstr("--d0 is 'add:channel:1:2'"));
  EXPECT_THAT(ErrorOf({.d1 = "add"}), HasSubstr("there is no --d0"));
  EXPECT_THAT(ErrorOf({.low = 2, .high = 1}), HasSubstr("low <= high"));
}

}  // namespace
}  // namespace gridwise
