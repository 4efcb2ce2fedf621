// SPDX-License-Identifier: MIT
#include "core/rewrite/tap_rows.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <vector>

#include "absl/status/statusor.h"
#include "core/conv/problem_io.h"
#include "core/reference/expected.h"
#include "gtest/gtest.h"

namespace gridwise {
namespace {

ConvProblem Decoder(std::int64_t pad_begin, std::int64_t pad_end) {
  return {.direction = Direction::kBackwardWeight,
          .batch = 2,
          .c = 5,
          .k = 3,
          .dims = {Dim{}, Dim{.in = 6, .filter = 3, .stride = 2, .pad_begin = 1},
                   Dim{.in = 7, .filter = 4, .pad_begin = pad_begin, .pad_end = pad_end}}};
}

std::size_t Index(std::int64_t value) { return static_cast<std::size_t>(value); }

TEST(TapRows, AreTheSameConvolution) {
  std::mt19937 random(5);
  for (const ConvProblem& problem : {Decoder(0, 0), Decoder(2, 1), Decoder(3, 3), Decoder(3, 0)}) {
    SCOPED_TRACE(ToString(problem));
    const std::optional<TapRows> rows = WithTapRows(problem);
    ASSERT_TRUE(rows.has_value());
    const ConvProblem& p = rows->problem;
    EXPECT_EQ(p.k, 16) << "4 x 3, in whole vectors";
    std::vector<float> dy(Index(problem.y_elements())), x(Index(problem.x_elements()));
    for (std::vector<float>* operand : {&dy, &x}) {
      for (float& value : *operand) value = static_cast<float>(random() % 16);
    }
    const std::int64_t taps = rows->taps, out = problem.dims[2].out(), in = p.dims[2].in;
    std::vector<float> copy(Index(p.y_elements()));
    for (std::int64_t line = 0; line < problem.batch * problem.dims[1].out(); ++line) {
      for (std::int64_t i = 0; i < in; ++i) {
        for (std::int64_t t = 0; t < taps; ++t) {
          const std::int64_t o = i + problem.dims[2].pad_begin - (taps - 1) + t;
          for (std::int64_t k = 0; k < problem.k && o >= 0 && o < out; ++k) {
            copy[Index((line * in + i) * p.k + t * problem.k + k)] =
                dy[Index((line * out + o) * problem.k + k)];
          }
        }
      }
    }
    const absl::StatusOr<Expected> expected = ExpectedOutput(problem, dy, x);
    const absl::StatusOr<Expected> actual = ExpectedOutput(p, copy, x);
    ASSERT_TRUE(expected.ok() && actual.ok()) << expected.status() << actual.status();
    const std::int64_t others = problem.dims[1].filter;
    for (std::int64_t k = 0; k < problem.k; ++k) {
      for (std::int64_t y = 0; y < others; ++y) {
        for (std::int64_t t = 0; t < taps; ++t) {
          for (std::int64_t c = 0; c < problem.c; ++c) {
            const std::int64_t row = (taps - 1 - t) * problem.k + k;
            EXPECT_EQ(expected->out[Index(((k * others + y) * taps + t) * problem.c + c)],
                      actual->out[Index((row * others + y) * problem.c + c)]);
          }
        }
      }
    }
  }
}

TEST(TapRows, AreNoneOfOtherProblems) {
  ConvProblem problem = Decoder(1, 1);
  problem.dims[2].stride = 2;
  EXPECT_FALSE(WithTapRows(problem).has_value()) << "a pixel of x meets every other tap";
  problem = Decoder(1, 1);
  problem.dims[2].dilation = 2;
  EXPECT_FALSE(WithTapRows(problem).has_value());
  problem = Decoder(1, 1);
  problem.dims[2].filter = 1;
  EXPECT_FALSE(WithTapRows(problem).has_value());
  problem = Decoder(1, 1);
  problem.direction = Direction::kForward;
  EXPECT_FALSE(WithTapRows(problem).has_value());
  for (const ConvProblem& padded : {Decoder(4, 0), Decoder(0, 4)}) {
    EXPECT_FALSE(WithTapRows(padded).has_value()) << "a pixel of dy meets padding alone";
  }
}

TEST(TapRows, AreChosenForFewChannels) {
  ConvProblem problem = {.direction = Direction::kBackwardWeight, .batch = 16, .c = 128, .k = 3};
  for (const std::size_t axis : {1u, 2u}) {
    problem.dims[axis] = {.in = 256, .filter = 3, .pad_begin = 1, .pad_end = 1};
  }
  for (const Gfx gfx : kAmdGfx) {
    problem.k = 3;
    EXPECT_TRUE(ChooseTapRows(problem, gfx).has_value());
    problem.k = 32;
    EXPECT_FALSE(ChooseTapRows(problem, gfx).has_value());
    problem.k = 3;
    problem.c = 2;
    EXPECT_FALSE(ChooseTapRows(problem, gfx).has_value()) << "x has fewer channels";
    problem.c = 128;
  }
}

}  // namespace
}  // namespace gridwise
