// SPDX-License-Identifier: MIT
#include "core/rewrite/canonicalize.h"

#include <algorithm>
#include <random>
#include <span>
#include <vector>

#include "core/conv/problem_io.h"
#include "core/conv/validate.h"
#include "core/reference/expected.h"
#include "core/reference/nonfinite_cases.h"
#include "core/reference/random_problem.h"
#include "gtest/gtest.h"

namespace gridwise {
namespace {

ConvProblem Pointwise(std::int64_t n, std::int64_t h, std::int64_t w) {
  return {.batch = n, .c = 8, .k = 8, .dims = {Dim{}, Dim{.in = h}, Dim{.in = w}}};
}

TEST(Canonicalize, PointwiseIsOneAxis) {
  const ConvProblem canonical = Canonicalize(Pointwise(2, 7, 9));
  EXPECT_EQ(canonical.batch, 1);
  EXPECT_EQ(canonical.dims[1], Dim{});
  EXPECT_EQ(canonical.dims[2], Dim{.in = 2 * 7 * 9});
}

TEST(Canonicalize, WhatAFilterSeesStays) {
  ConvProblem problem = Pointwise(2, 7, 9);
  problem.dims[2].filter = 3;
  EXPECT_EQ(Canonicalize(problem).dims[2].in, 9);
  EXPECT_EQ(Canonicalize(problem).batch, 2);
  problem = Pointwise(2, 7, 9);
  problem.dims[1].stride = 2;
  EXPECT_EQ(Canonicalize(problem).dims[1].in, 7);
  problem = Pointwise(2, 7, 9);
  problem.dims[1].pad_end = 1;
  EXPECT_EQ(Canonicalize(problem).dims[1].in, 7);
  problem = Pointwise(2, 7, 9);
  problem.layout = Layout::kNGCHW;
  EXPECT_EQ(Canonicalize(problem), problem);
}

TEST(Canonicalize, TapsOfPatchesAreChannels) {
  ConvProblem problem = {.c = 3, .k = 8};
  problem.dims[1] = {.in = 8, .filter = 4, .stride = 4};
  problem.dims[2] = {.in = 12, .filter = 4, .stride = 4};
  ConvProblem canonical = Canonicalize(problem);
  EXPECT_EQ(canonical.c, 12);
  EXPECT_EQ(canonical.dims[2], Dim{.in = 3});
  EXPECT_EQ(canonical.dims[1], problem.dims[1]) << "three pixels lie between two of its taps";
  for (auto change : {+[](Dim& d) { d.in = 13; }, +[](Dim& d) { d.stride = 3; },
                      +[](Dim& d) { d.pad_begin = d.pad_end = 2; }}) {
    ConvProblem other = problem;
    change(other.dims[2]);
    EXPECT_EQ(Canonicalize(other).c, 3);
  }
  problem.dims[1] = {.in = 7, .filter = 7, .stride = 2};  // as large as the input
  problem.dims[2] = {.in = 7, .filter = 7};
  canonical = Canonicalize(problem);
  EXPECT_EQ(canonical.c, 7 * 7 * 3);
  EXPECT_EQ(canonical.dims[1], Dim{});
  EXPECT_EQ(canonical.dims[2], Dim{});
  problem.groups = problem.c = problem.k = 8;
  EXPECT_EQ(Canonicalize(problem).c, 8);
}

TEST(Canonicalize, TensorsOfTheEpilogueLieAlongTaps) {
  ConvProblem problem = {.direction = Direction::kBackwardData, .c = 3, .k = 8};
  problem.dims[2] = {.in = 12, .filter = 4, .stride = 4};
  problem.epilogue.tensors = 1;
  EpilogueTensor& tensor = problem.epilogue.d[0];
  tensor.stride = {36, 0, 0, 3, 0, 1};  // as dx
  const ConvProblem canonical = Canonicalize(problem);
  EXPECT_EQ(canonical.c, 12);
  EXPECT_EQ(canonical.epilogue.d[0].stride[3], 12);
  EXPECT_EQ(canonical.epilogue.d[0].stride[5], 1);
  tensor.stride = {0, 0, 0, 0, 0, 1};  // a bias
  EXPECT_EQ(Canonicalize(problem).c, 3);
  problem.direction = Direction::kBackwardWeight;
  tensor.stride = {0, 12, 0, 0, 3, 1};  // as dw
  EXPECT_EQ(Canonicalize(problem).c, 12);
  tensor.stride = {0, 12, 0, 0, 1, 4};  // taps within channels
  EXPECT_EQ(Canonicalize(problem).c, 3);
}

TEST(Canonicalize, StridesLeadToASecondPixel) {
  ConvProblem problem = {.direction = Direction::kBackwardWeight, .c = 8, .k = 8};
  problem.dims[1] = {.in = 9, .filter = 3, .stride = 7, .dilation = 2, .pad_end = 1};
  problem.dims[2] = {.in = 9, .filter = 3, .stride = 6};
  const ConvProblem canonical = Canonicalize(problem);
  EXPECT_EQ(canonical.dims[1].stride, 6) << "one pixel of 5, and 5 more that hold no second one";
  EXPECT_EQ(canonical.dims[1].out(), 1);
  EXPECT_EQ(canonical.dims[2], problem.dims[2]) << "two pixels";
  problem.direction = Direction::kBackwardData;
  EXPECT_EQ(Canonicalize(problem).dims, problem.dims);
}

TEST(Canonicalize, LargeTensorsKeepTheirImages) {
  EXPECT_EQ(Canonicalize(Pointwise(600, 256, 256)).batch, 600);
  EXPECT_EQ(Canonicalize(Pointwise(600, 256, 256)).dims[2].in, 256 * 256);
}

TEST(Canonicalize, TensorsOfTheEpilogueDecide) {
  ConvProblem problem = Pointwise(2, 7, 9);
  problem.epilogue.tensors = 1;
  EpilogueTensor& tensor = problem.epilogue.d[0];
  tensor.stride = {0, 0, 0, 0, 0, 1};  // a bias
  EXPECT_EQ(Canonicalize(problem).dims[2].in, 2 * 7 * 9);
  tensor.stride = {0, 0, 9, 1, 0, 0};  // repeated for each image
  EXPECT_EQ(Canonicalize(problem).dims[2].in, 7 * 9);
  EXPECT_EQ(Canonicalize(problem).batch, 2);
  tensor.stride = {0, 0, 10, 1, 0, 0};  // rows with gaps
  EXPECT_EQ(Canonicalize(problem).dims[2].in, 9);
}

TEST(Canonicalize, IsTheSameConvolution) {
  std::mt19937 random(7);
  int changed = 0, with_patches = 0;
  for (int i = 0; i < 600; ++i) {
    ConvProblem problem = RandomProblem(random, {.max_in = 5, .max_channels = 4});
    for (Dim& dim : std::span(problem.dims).last(static_cast<size_t>(problem.rank))) {
      if (random() % 4 == 0) continue;
      const auto filter = static_cast<std::int64_t>(random() % 3) + 1;
      dim = random() % 2 == 0 ? Dim{.in = dim.in}
                              : Dim{.in = filter * 2, .filter = filter, .stride = filter};
    }
    problem.layout = kAllLayouts[random() % 3];
    problem.weight_layout = kAllWeightLayouts[random() % 2];
    const ConvProblem canonical = Canonicalize(problem);
    changed += canonical.dims != problem.dims;
    with_patches += canonical.c != problem.c;
    SCOPED_TRACE(ToString(problem) + " as " + ToString(canonical));
    ASSERT_TRUE(Validate(canonical).ok()) << Validate(canonical);
    std::vector<float> a(static_cast<size_t>(problem.a_elements()));
    std::vector<float> b(static_cast<size_t>(problem.b_elements()));
    for (std::vector<float>* operand : {&a, &b}) {
      for (float& value : *operand) value = static_cast<float>(random() % 64);
    }
    const absl::StatusOr<Expected> expected = ExpectedOutput(problem, a, b);
    const absl::StatusOr<Expected> actual = ExpectedOutput(canonical, a, b);
    ASSERT_TRUE(expected.ok() && actual.ok()) << expected.status() << actual.status();
    EXPECT_EQ(actual->out, expected->out);
  }
  EXPECT_GT(changed, 100);
  EXPECT_GT(with_patches, 20);
}

TEST(Canonicalize, MultipliesInfinitiesWithTheSamePadding) {
  for (const Direction direction : kAllDirections) {
    int changed = 0, with_patches = 0;
    ForEachNonFiniteCase(direction, [&](const NonFiniteCase& one) {
      const ConvProblem canonical = Canonicalize(one.problem);
      changed += canonical.dims != one.problem.dims;
      with_patches += canonical.c != one.problem.c;
      const std::vector<double> sums = PaddedSums(canonical, one.a, one.b);
      EXPECT_TRUE(std::equal(sums.begin(), sums.end(), one.sums.begin(), AreEqual))
          << ToString(one.problem) << " as " << ToString(canonical) << ", tensor "
          << static_cast<int>(one.planted);
    });
    EXPECT_GT(changed, 30);
    EXPECT_GT(with_patches, 10);
  }
}

}  // namespace
}  // namespace gridwise
