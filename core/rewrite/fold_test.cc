// SPDX-License-Identifier: MIT
#include "core/rewrite/fold.h"

#include <random>
#include <vector>

#include "core/conv/problem_io.h"
#include "core/reference/expected.h"
#include "gtest/gtest.h"

namespace gridwise {
namespace {

ConvProblem Stem(std::int64_t in_w, std::int64_t filter_w, std::int64_t stride, std::int64_t pad) {
  return {
      .batch = 2,
      .c = 3,
      .k = 4,
      .dims = {
          Dim{}, Dim{.in = 6, .filter = 3, .stride = 2, .pad_begin = 1, .pad_end = 1},
          Dim{.in = in_w, .filter = filter_w, .stride = stride, .pad_begin = pad, .pad_end = pad}}};
}

/// The same with so many lines and pixels that those of a copy get a fourth channel.
ConvProblem LargeStem() {
  ConvProblem problem = Stem(700, 3, 1, 1);
  problem.dims[1].in = 1024;
  return problem;
}

/// Items of c elements, followed by zeros.
std::vector<float> Widen(const std::vector<float>& items, std::int64_t c, std::int64_t to) {
  std::vector<float> wide(items.size() / static_cast<size_t>(c) * static_cast<size_t>(to));
  for (std::size_t i = 0; i < items.size(); ++i) {
    const auto item = static_cast<std::int64_t>(i) / c, e = static_cast<std::int64_t>(i) % c;
    wide[static_cast<size_t>(item * to + e)] = items[i];
  }
  return wide;
}

/// x as the folded problem has it, an element for each of its axes, from the strides of the struct;
/// of pixels as wide as the copy's.
std::vector<float> Unroll(const Folded& folded, const ConvProblem& problem,
                          const std::vector<float>& narrow) {
  const std::vector<float> x = Widen(narrow, problem.c, folded.pixel);
  const std::int64_t in_line = problem.dims[2].in * folded.pixel;
  const std::int64_t lines = static_cast<std::int64_t>(x.size()) / in_line;
  const std::int64_t line = folded.copies ? folded.to_pixels * folded.pixel : in_line;
  std::vector<float> copy(static_cast<size_t>(lines * line));
  for (std::int64_t l = 0; l < lines; ++l) {
    for (std::int64_t e = 0; e < in_line; ++e) {
      const std::int64_t to = e + (folded.copies ? folded.pad * folded.pixel : 0);
      if (to < line)
        copy[static_cast<size_t>(l * line + to)] = x[static_cast<size_t>(l * in_line + e)];
    }
  }
  const TensorAxes axes = folded.problem.AxesOf(Tensor::kX);
  std::vector<float> unrolled;
  for (std::int64_t i = 0; i < axes.Elements(); ++i) {
    std::int64_t rest = i, offset = 0;
    for (std::size_t axis = 6; axis-- > 0; rest /= axes.size[axis]) {
      offset += rest % axes.size[axis] * axes.stride[axis];
    }
    unrolled.push_back(copy.at(static_cast<size_t>(offset)));
  }
  return unrolled;
}

TEST(Fold, IsTheSameConvolution) {
  std::mt19937 random(5);
  for (const ConvProblem& problem :
       {Stem(11, 3, 1, 0), Stem(11, 3, 1, 1), Stem(12, 7, 2, 3), Stem(9, 2, 4, 0), Stem(9, 2, 3, 1),
        Stem(5, 5, 1, 4), LargeStem()}) {
    SCOPED_TRACE(ToString(problem));
    const std::optional<Folded> folded = Fold(problem);
    ASSERT_TRUE(folded.has_value());
    EXPECT_EQ(folded->problem.c, folded->pixel * problem.dims[2].filter);
    EXPECT_EQ(folded->problem.dims[2].filter, 1);
    std::vector<float> x(static_cast<size_t>(problem.x_elements()));
    std::vector<float> w(static_cast<size_t>(problem.w_elements()));
    for (std::vector<float>* operand : {&x, &w}) {
      for (float& value : *operand) value = static_cast<float>(random() % 16);
    }
    ConvProblem packed = folded->problem;
    packed.strides = {};
    const absl::StatusOr<Expected> expected = ExpectedOutput(problem, x, w);
    const absl::StatusOr<Expected> actual =
        ExpectedOutput(packed, Unroll(*folded, problem, x), Widen(w, problem.c, folded->pixel));
    ASSERT_TRUE(expected.ok() && actual.ok()) << expected.status() << actual.status();
    EXPECT_EQ(actual->out, expected->out);
  }
}

TEST(Fold, OnlyPaddingNeedsACopy) {
  EXPECT_FALSE(Fold(Stem(11, 3, 1, 0))->copies);
  EXPECT_TRUE(Fold(Stem(11, 3, 1, 1))->copies);
}

TEST(Fold, PixelsOfLargeCopiesAreWhatLoadsTake) {
  ConvProblem problem = LargeStem();
  EXPECT_EQ(Fold(problem)->pixel, 4);
  problem.c = 5;
  EXPECT_EQ(Fold(problem)->pixel, 8);
  problem.c = 2;
  EXPECT_EQ(Fold(problem)->pixel, 2);
  EXPECT_EQ(Fold(Stem(11, 3, 1, 1))->pixel, 3) << "a launch would take longer";
  problem = LargeStem();
  problem.dims[2].pad_begin = problem.dims[2].pad_end = 0;
  EXPECT_EQ(Fold(problem)->pixel, 3) << "there is no copy";
  problem = LargeStem();
  problem.dims[1].filter = 1024;
  problem.k = 174'762;
  EXPECT_EQ(Fold(problem)->pixel, 4);
  ++problem.k;
  EXPECT_EQ(Fold(problem)->pixel, 3) << "4 * 3 * 1024 * k is above 2^31";
  problem = LargeStem();
  problem.dims[2].pad_begin = problem.dims[2].pad_end = 0;
  problem.type = DataType::kI8;
  EXPECT_EQ(Fold(problem)->pixel, 3);
}

TEST(Fold, LeavesOthersAlone) {
  ConvProblem problem = Stem(11, 3, 1, 1);
  problem.c = 8;
  EXPECT_FALSE(Fold(problem).has_value()) << "a pixel is a vector";
  problem.type = DataType::kI8;
  EXPECT_TRUE(Fold(problem).has_value()) << "a pixel is half a vector";
  problem.c = 16;
  EXPECT_FALSE(Fold(problem).has_value());
  problem = Stem(11, 3, 1, 1);
  problem.dims[2].dilation = 2;
  EXPECT_FALSE(Fold(problem).has_value()) << "taps are not adjacent";
  problem = Stem(11, 1, 1, 0);
  EXPECT_FALSE(Fold(problem).has_value()) << "there is one tap";
  problem = Stem(11, 3, 1, 1);
  problem.direction = Direction::kBackwardData;
  EXPECT_FALSE(Fold(problem).has_value());
}

}  // namespace
}  // namespace gridwise
