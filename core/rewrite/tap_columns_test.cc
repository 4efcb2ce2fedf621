// SPDX-License-Identifier: MIT
#include "core/rewrite/tap_columns.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "core/conv/problem_io.h"
#include "core/reference/expected.h"
#include "gtest/gtest.h"

namespace gridwise {
namespace {

constexpr Dim Axis(std::int64_t in, std::int64_t filter, std::int64_t stride, std::int64_t dilation,
                   std::int64_t pad_begin, std::int64_t pad_end) {
  return {in, filter, stride, dilation, pad_begin, pad_end};
}

ConvProblem Decoder() {
  return {.direction = Direction::kForward,
          .rank = 3,
          .batch = 2,
          .c = 5,
          .k = 3,
          .dims = {Axis(4, 2, 1, 1, 0, 0), Axis(5, 3, 1, 1, 1, 0), Axis(7, 3, 1, 2, 2, 3)}};
}
ConvProblem Deconvolution() {
  ConvProblem problem = Decoder();
  problem.direction = Direction::kBackwardData;
  problem.c = 3;
  problem.k = 5;
  problem.dims = {Axis(5, 3, 2, 1, 1, 0), Axis(7, 2, 3, 1, 0, 1), Axis(11, 5, 2, 1, 2, 1)};
  return problem;
}

std::size_t Index(std::int64_t value) { return static_cast<std::size_t>(value); }

/// w in the order of the columns.
std::vector<float> WeightsOf(const ConvProblem& problem, const TapColumns& columns,
                             const std::vector<float>& w) {
  if (!columns.copies_weights) return w;
  if (problem.direction == Direction::kBackwardData) {
    const auto line = static_cast<std::ptrdiff_t>(columns.taps * problem.c);
    std::vector<float> copy;
    for (auto from = w.begin(); from != w.end(); from += line) {
      copy.insert(copy.end(), from, from + line);
      copy.resize(copy.size() + Index(columns.problem.c) - static_cast<std::size_t>(line));
    }
    return copy;
  }
  const std::int64_t others = problem.filter_taps() / columns.taps, c = problem.c;
  std::vector<float> copy;
  for (std::int64_t t = 0; t < columns.taps; ++t) {
    for (std::int64_t row = 0; row < problem.k * others; ++row) {
      const auto from = w.begin() + (row * columns.taps + t) * c;
      copy.insert(copy.end(), from, from + c);
    }
  }
  return copy;
}

/// The output from the columns' `q`, by the header's second line: goes over all output pixels, taps
/// and source pixels, and adds up those that meet.
std::vector<double> OverlapAdd(const ConvProblem& problem, const TapColumns& columns,
                               const std::vector<double>& q) {
  const bool forward = problem.direction == Direction::kForward;
  const TensorAxes to = problem.AxesOf(problem.out()), from = columns.problem.AxesOf(problem.out());
  std::vector<double> out(Index(to.Elements()));
  // Whether source pixel `j` and tap `t` of an axis belong to output pixel `i`.
  const auto meet = [&](std::size_t a, std::int64_t i, std::int64_t j, std::int64_t t) {
    const Dim& dim = problem.dims[a];
    if (static_cast<int>(a) < columns.first_axis || dim.filter == 1) return i == j && t == 0;
    const std::int64_t y = forward ? i : j, x = forward ? j : i;
    return y * dim.stride + t * dim.dilation - dim.pad_begin == x;
  };
  std::array<std::int64_t, 3> taps = {1, 1, 1};
  for (auto a = Index(columns.first_axis); a < 3; ++a) taps[a] = problem.dims[a].filter;
  const auto visit = [](const auto& sizes, auto use) {
    for (std::int64_t d = 0; d < sizes[0]; ++d) {
      for (std::int64_t h = 0; h < sizes[1]; ++h) {
        for (std::int64_t w = 0; w < sizes[2]; ++w) use(std::array{d, h, w});
      }
    }
  };
  const auto pixels = [](const TensorAxes& axes) {
    return std::array{axes.size[1], axes.size[2], axes.size[3]};
  };
  visit(pixels(to), [&](const auto& i) {
    visit(pixels(from), [&](const auto& j) {
      visit(taps, [&](const auto& t) {
        for (std::size_t a = 0; a < 3; ++a) {
          if (!meet(a, i[a], j[a], t[a])) return;
        }
        const std::int64_t tap = (t[0] * taps[1] + t[1]) * taps[2] + t[2];
        for (std::int64_t n = 0; n < problem.batch; ++n) {
          for (std::int64_t k = 0; k < to.size[5]; ++k) {
            const auto at = [n](const TensorAxes& axes, const auto& pixel, std::int64_t channel) {
              return Index(n * axes.stride[0] + pixel[0] * axes.stride[1] +
                           pixel[1] * axes.stride[2] + pixel[2] * axes.stride[3] + channel);
            };
            out[at(to, i, k)] += q[at(from, j, tap * columns.tap_step + k * columns.channel_step)];
          }
        }
      });
    });
  });
  return out;
}

TEST(TapColumns, AreTheSameConvolution) {
  std::mt19937 random(5);
  for (const ConvProblem& problem : {Decoder(), Deconvolution()}) {
    for (const auto& [first_axis, multiple] :
         {std::pair(0, 1), std::pair(1, 1), std::pair(2, 1), std::pair(1, 8), std::pair(2, 8)}) {
      SCOPED_TRACE(testing::Message() << ToString(problem) << " from axis " << first_axis
                                      << ", multiples of " << multiple);
      const std::optional<TapColumns> columns = WithTapColumns(problem, first_axis, multiple);
      ASSERT_TRUE(columns.has_value());
      std::vector<float> a(Index(problem.a_elements())), w(Index(problem.w_elements()));
      for (std::vector<float>* operand : {&a, &w}) {
        for (float& value : *operand) value = static_cast<float>(random() % 16);
      }
      const absl::StatusOr<Expected> expected = ExpectedOutput(problem, a, w);
      const absl::StatusOr<Expected> q =
          ExpectedOutput(columns->problem, a, WeightsOf(problem, *columns, w));
      ASSERT_TRUE(expected.ok() && q.ok()) << expected.status() << q.status();
      EXPECT_EQ(OverlapAdd(problem, *columns, q->out), expected->out);
    }
  }
}

TEST(TapColumns, CopyWeightsWhereOtherTapsLieBetweenThem) {
  EXPECT_TRUE(WithTapColumns(Decoder(), 2)->copies_weights);
  EXPECT_TRUE(WithTapColumns(Decoder(), 1)->copies_weights);
  EXPECT_FALSE(WithTapColumns(Decoder(), 0)->copies_weights) << "there are no others";
  EXPECT_FALSE(WithTapColumns(Deconvolution(), 2)->copies_weights) << "(t, c) are adjacent";
  EXPECT_TRUE(WithTapColumns(Deconvolution(), 2, 8)->copies_weights) << "15 columns become 16";
  EXPECT_EQ(WithTapColumns(Deconvolution(), 2, 8)->problem.c, 16);
}

TEST(TapColumns, AreNoneWhereProductsWouldBeOfNoUseOrUnevenlyApart) {
  ConvProblem problem = Decoder();
  problem.dims[2].stride = 2;
  EXPECT_FALSE(WithTapColumns(problem, 2).has_value()) << "half of the products are of no use";
  problem = Deconvolution();
  problem.dims[2].dilation = 2;
  EXPECT_FALSE(WithTapColumns(problem, 2).has_value());
  problem = Decoder();
  problem.dims[2].filter = 1;
  EXPECT_FALSE(WithTapColumns(problem, 2).has_value()) << "there is one tap";
  problem = Decoder();
  problem.direction = Direction::kBackwardWeight;
  EXPECT_FALSE(WithTapColumns(problem, 2).has_value());
  problem = Decoder();
  problem.type = DataType::kI8;
  EXPECT_FALSE(WithTapColumns(problem, 2).has_value()) << "sums are integers";
  problem = Decoder();
  problem.batch = std::int64_t{1} << 24;
  EXPECT_FALSE(WithTapColumns(problem, 2).has_value()) << "there would be 2^30 columns";
  problem = Deconvolution();
  problem.k = std::int64_t{1} << 27;
  EXPECT_TRUE(WithTapColumns(problem, 0).has_value());
  EXPECT_FALSE(WithTapColumns(problem, 0, 8).has_value()) << "the copy of w is too large";
}

/// A decoder's last layer, and a layer as most are.
TEST(TapColumns, AreChosenForFewChannels) {
  ConvProblem problem = {.batch = 16, .c = 128, .k = 3};
  for (const std::size_t axis : {1u, 2u}) problem.dims[axis] = Axis(256, 3, 1, 1, 1, 1);
  for (const Gfx gfx : kAmdGfx) {
    problem.direction = Direction::kForward;
    problem.c = 128, problem.k = 3;
    EXPECT_TRUE(ChooseTapColumns(problem, gfx).has_value());
    problem.k = 128;
    EXPECT_FALSE(ChooseTapColumns(problem, gfx).has_value());
    problem.direction = Direction::kBackwardData;
    problem.c = 3;
    EXPECT_TRUE(ChooseTapColumns(problem, gfx).has_value());
    problem.dims[1].in = problem.dims[2].in = 8;
    EXPECT_FALSE(ChooseTapColumns(problem, gfx).has_value()) << "it takes less than a launch";
    problem.dims[1].in = problem.dims[2].in = 256;
  }
}

/// A generator's first layer, and a classifier as a convolution: without columns nearly all
/// products would be with padding.
TEST(TapColumns, AreChosenForOnePositionOfAnyChannels) {
  ConvProblem generator = {
      .direction = Direction::kBackwardData, .batch = 512, .c = 1024, .k = 100};
  for (const std::size_t axis : {1u, 2u}) generator.dims[axis] = Axis(4, 4, 1, 1, 0, 0);
  ConvProblem classifier = generator;
  classifier.batch = 32, classifier.c = 512, classifier.k = 4096;
  for (const std::size_t axis : {1u, 2u}) classifier.dims[axis] = Axis(7, 7, 1, 1, 0, 0);
  for (const Gfx gfx : kAmdGfx) {
    ConvProblem small = generator;
    small.batch = 8;
    for (const ConvProblem& problem : {generator, classifier, small}) {
      const std::optional<TapColumns> columns = ChooseTapColumns(problem, gfx);
      ASSERT_TRUE(columns.has_value()) << Name(gfx) << " " << ToString(problem);
      EXPECT_EQ(columns->taps, problem.filter_taps());
    }
    ConvProblem other = generator;
    other.dims[2] = Axis(8, 4, 2, 1, 1, 1);
    EXPECT_FALSE(ChooseTapColumns(other, gfx).has_value()) << "dy has 4 positions";
  }
}

TEST(TapColumns, PixelsAreMultipliedAsOftenAsTheyMeetTaps) {
  EXPECT_EQ(PixelsMultiplied(Decoder()), 2 * (3 * 2) * (4 * 3) * (8 * 3));
  EXPECT_DOUBLE_EQ(PixelsMultiplied(Deconvolution()),
                   2 * (5 * 3 / 2.) * (7 * 2 / 3.) * (11 * 5 / 2.));
}

}  // namespace
}  // namespace gridwise
