// SPDX-License-Identifier: MIT
#include "core/rewrite/parts.h"

#include <algorithm>
#include <iterator>
#include <random>
#include <vector>

#include "core/conv/problem_io.h"
#include "core/reference/random_problem.h"
#include "gtest/gtest.h"

namespace gridwise {
namespace {

std::size_t Offset(const TensorAxes& axes, const PerAxis& index) {
  std::int64_t offset = 0;
  for (std::size_t axis = 0; axis < 6; ++axis) {
    EXPECT_LT(index[axis], axes.size[axis]);
    offset += index[axis] * axes.stride[axis];
  }
  return static_cast<std::size_t>(offset);
}

/// Every index of `size`, the last one innermost.
template <class Visit>
void ForEach(const PerAxis& size, Visit visit) {
  std::int64_t count = 1;
  for (const std::int64_t axis : size) count *= axis;
  for (std::int64_t i = 0; i < count; ++i) {
    PerAxis index;
    std::int64_t rest = i;
    for (std::size_t axis = 6; axis-- > 0; rest /= size[axis]) index[axis] = rest % size[axis];
    visit(index);
  }
}

/// The definition of a convolution, which knows no rule that a problem must obey: a part may have
/// negative padding. Adds what the part computes to `out` and counts it in `writes`.
void RunPart(const ConvPart& part, const std::vector<float>& a, const std::vector<float>& b,
             std::vector<double>& out, std::vector<int>& writes) {
  const ConvProblem& p = part.problem;
  const TensorAxes axes[] = {p.AxesOf(Tensor::kX), p.AxesOf(Tensor::kW), p.AxesOf(Tensor::kY)};
  const auto& [x, w, y] = axes;
  ForEach(y.size, [&](const PerAxis& at_y) {
    for (std::int64_t c = 0; c < p.c_per_group(); ++c) {
      ForEach({1, 1, w.size[2], w.size[3], w.size[4], 1}, [&](const PerAxis& tap) {
        PerAxis at_x = {at_y[0], 0, 0, 0, at_y[4], c};
        bool inside = true;
        for (std::size_t i = 0; i < 3; ++i) {
          const Dim& dim = p.dims[i];
          at_x[i + 1] = at_y[i + 1] * dim.stride + tap[i + 2] * dim.dilation - dim.pad_begin;
          inside &= at_x[i + 1] >= 0 && at_x[i + 1] < dim.in;
        }
        if (!inside) return;
        const PerAxis at_w = {at_y[4], at_y[5], tap[2], tap[3], tap[4], c};
        const PerAxis at[] = {at_x, at_w, at_y};
        const auto offset = [&](Tensor tensor, std::int64_t start) {
          const auto i = static_cast<std::size_t>(tensor);
          return Offset(axes[i], at[i]) + static_cast<std::size_t>(start);
        };
        out.at(offset(p.out(), part.out)) += static_cast<double>(a.at(offset(p.a(), part.a))) *
                                             static_cast<double>(b.at(offset(p.b(), part.b)));
      });
    }
  });
  const TensorAxes output = p.AxesOf(p.out());
  ForEach(output.size, [&](const PerAxis& at) {
    ++writes.at(Offset(output, at) + static_cast<std::size_t>(part.out));
  });
}

constexpr PartAxis kAllPartAxes[] = {PartAxis::kGroups, PartAxis::kImages, PartAxis::kPixels,
                                     PartAxis::kTaps,   PartAxis::kC,      PartAxis::kK};

/// A problem of few elements with any padding, so that much of it meets nothing else.
ConvProblem SmallProblem(std::mt19937& random) {
  ConvProblem problem = RandomProblem(
      random, {.max_in = 6, .max_filter = 3, .max_dilation = 9, .max_pad = 12, .max_channels = 3});
  problem.layout = kAllLayouts[random() % 2];
  problem.weight_layout = kAllWeightLayouts[random() % 2];
  return problem;
}

/// Positive, so that no product is lost, and small: sums are exact.
std::vector<float> Values(std::int64_t count, std::mt19937& random) {
  std::vector<float> values(static_cast<size_t>(count));
  for (float& value : values) value = static_cast<float>(1 + random() % 16);
  return values;
}

/// Whether parts with the same output are terms of a sum when they are cut along `axis`.
bool AreTerms(Direction direction, PartAxis axis) {
  if (direction == Direction::kBackwardData) return axis == PartAxis::kK;
  if (direction == Direction::kForward) return false;
  return axis == PartAxis::kImages || axis == PartAxis::kPixels;
}

TEST(Parts, AreTheWhole) {
  std::mt19937 random(3);
  int halved[std::size(kAllPartAxes)] = {};
  for (int i = 0; i < 400; ++i) {
    const ConvProblem problem = SmallProblem(random);
    SCOPED_TRACE(ToString(problem));
    const std::vector<float> a = Values(problem.a_elements(), random);
    const std::vector<float> b = Values(problem.b_elements(), random);
    const size_t elements = static_cast<size_t>(problem.out_elements());
    std::vector<double> whole(elements), parts(elements);
    std::vector<int> once(elements), writes(elements);
    RunPart({.problem = problem}, a, b, whole, once);
    // Halves of halves, each along any axis.
    for (const PartAxis axis : kAllPartAxes) {
      const auto halves = Halve({.problem = problem}, axis);
      if (!halves) continue;
      ++halved[static_cast<int>(axis)];
      std::fill(parts.begin(), parts.end(), 0);
      std::fill(writes.begin(), writes.end(), 0);
      bool terms = AreTerms(problem.direction, axis);
      for (const ConvPart& half : *halves) {
        const PartAxis other = kAllPartAxes[random() % std::size(kAllPartAxes)];
        const auto quarters = Halve(half, other);
        terms |= quarters && AreTerms(problem.direction, other);
        for (const ConvPart& part : quarters ? *quarters : std::vector<ConvPart>{half}) {
          RunPart(part, a, b, parts, writes);
        }
      }
      EXPECT_EQ(parts, whole);
      if (!terms) EXPECT_EQ(writes, once);
    }
  }
  for (const int count : halved) EXPECT_GT(count, 100);
}

TEST(Parts, TrimmedComputeTheSame) {
  std::mt19937 random(4);
  int trimmed[3] = {}, dead = 0;
  for (int i = 0; i < 1000; ++i) {
    const ConvProblem problem = SmallProblem(random);
    SCOPED_TRACE(ToString(problem));
    const std::vector<float> a = Values(problem.a_elements(), random);
    const std::vector<float> b = Values(problem.b_elements(), random);
    const size_t elements = static_cast<size_t>(problem.out_elements());
    std::vector<double> whole(elements), part(elements);
    std::vector<int> once(elements), writes(elements);
    RunPart({.problem = problem}, a, b, whole, once);
    const ConvPart trim = Trim({.problem = problem});
    RunPart(trim, a, b, part, writes);
    EXPECT_EQ(part, whole);
    EXPECT_EQ(writes, once);
    trimmed[static_cast<int>(problem.direction)] += trim.problem.dims != problem.dims;
    dead += trim.problem.dims[0].pad_begin == -trim.problem.dims[0].in;
  }
  for (const int count : trimmed) EXPECT_GT(count, 100);
  EXPECT_GT(dead, 20);
}

// The taps are 30 million pixels apart: one meets the only pixel, the others nothing but padding.
TEST(Parts, TrimmedReachOverWhatTheyMeet) {
  const Dim far = {
      .in = 1, .filter = 3, .dilation = 30'000'000, .pad_begin = 30'000'000, .pad_end = 30'000'000};
  for (const Direction direction : {Direction::kForward, Direction::kBackwardData}) {
    const ConvProblem problem = {
        .direction = direction, .c = 64, .k = 64, .dims = {Dim{}, Dim{}, far}};
    const ConvPart part = Trim({.problem = problem});
    EXPECT_EQ(part.problem.dims[2], Dim{});
    EXPECT_EQ(part.b, 64) << "the middle tap";
  }
}

TEST(Parts, TensorsOfTheEpilogueMoveAlong) {
  ConvProblem problem = {.batch = 4, .c = 1, .k = 1, .dims = {Dim{}, Dim{.in = 8}, Dim{}}};
  problem.epilogue.tensors = 1;
  problem.epilogue.d[0].stride = {100, 0, 10, 0, 0, 0};
  const auto images = Halve({.problem = problem}, PartAxis::kImages);
  ASSERT_TRUE(images.has_value());
  EXPECT_EQ((*images)[1].d[0], 200);
  const auto pixels = Halve((*images)[1], PartAxis::kPixels);
  ASSERT_TRUE(pixels.has_value());
  EXPECT_EQ((*pixels)[1].d[0], 240);
}

TEST(Parts, ImagesAreCutAnywhere) {
  ConvProblem problem = {.batch = 7, .c = 1, .k = 1, .dims = {Dim{}, Dim{.in = 8}, Dim{}}};
  problem.epilogue.tensors = 1;
  problem.epilogue.d[0].stride = {100, 0, 10, 0, 0, 0};
  const std::vector<ConvPart> parts = CutImages({.problem = problem}, 5);
  ASSERT_EQ(parts.size(), 2);
  EXPECT_EQ(parts[0].problem.batch, 5);
  EXPECT_EQ(parts[1].problem.batch, 2);
  EXPECT_EQ(parts[1].a, 5 * 8);
  EXPECT_EQ(parts[1].out, 5 * 8);
  EXPECT_EQ(parts[1].b, 0);
  EXPECT_EQ(parts[1].d[0], 500);
}

TEST(Parts, OneOfEachCannotBeHalved) {
  const ConvProblem problem = {};
  for (const PartAxis axis : kAllPartAxes) {
    EXPECT_FALSE(Halve({.problem = problem}, axis).has_value());
  }
}

}  // namespace
}  // namespace gridwise
