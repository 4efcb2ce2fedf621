// SPDX-License-Identifier: MIT
#include "core/rewrite/images_of_patches.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <random>
#include <vector>

#include "core/conv/problem_io.h"
#include "core/reference/nonfinite_cases.h"
#include "gtest/gtest.h"

namespace gridwise {
namespace {

ConvProblem WithPatches(Direction direction) {
  return {.direction = direction,
          .batch = 2,
          .c = 2,
          .k = 3,
          .dims = {Dim{}, Dim{.in = 27, .filter = 9, .stride = 9}, Dim{.in = 4, .filter = 2}}};
}

/// For numbers, and with an infinity in any one element.
TEST(ImagesOfPatches, AreTheSameConvolution) {
  for (const Direction direction : {Direction::kForward, Direction::kBackwardWeight}) {
    const ConvProblem problem = WithPatches(direction);
    const ConvProblem images = WithImagesOfPatches(problem);
    EXPECT_EQ(images.batch, 6) << ToString(images);
    std::mt19937 random(3);
    std::vector<float> a(static_cast<std::size_t>(problem.a_elements()));
    std::vector<float> b(static_cast<std::size_t>(problem.b_elements()));
    for (std::vector<float>* operand : {&a, &b}) {
      for (float& value : *operand) value = static_cast<float>(random() % 16 + 1);
    }
    const auto are_equal = [&] {
      const std::vector<double> sums = PaddedSums(problem, a, b),
                                of_images = PaddedSums(images, a, b);
      return std::equal(sums.begin(), sums.end(), of_images.begin(), AreEqual);
    };
    EXPECT_TRUE(are_equal());
    for (std::vector<float>* operand : {&a, &b}) {
      for (float& value : *operand) {
        const float number = value;
        value = std::numeric_limits<float>::infinity();
        EXPECT_TRUE(are_equal()) << Name(direction);
        value = number;
      }
    }
  }
}

TEST(ImagesOfPatches, LeavesOthersAlone) {
  ConvProblem problem = WithPatches(Direction::kBackwardData);
  EXPECT_EQ(WithImagesOfPatches(problem), problem);
  problem = WithPatches(Direction::kForward);
  for (auto change : {+[](Dim& h) { h.stride = 10, h.in = 29; }, +[](Dim& h) { h.in = 28; },
                      +[](Dim& h) { h.pad_begin = h.pad_end = 9; },
                      +[](Dim& h) { h = {.in = 24, .filter = 8, .stride = 8}; }}) {
    ConvProblem other = problem;
    change(other.dims[1]);
    EXPECT_EQ(WithImagesOfPatches(other), other) << ToString(other);
  }
}

}  // namespace
}  // namespace gridwise
