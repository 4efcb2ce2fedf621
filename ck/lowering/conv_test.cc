// SPDX-License-Identifier: MIT
#include "ck/lowering/conv.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "ck/descriptor/describe.h"
#include "ck/descriptor/descriptor.h"
#include "ck/descriptor/normal_form.h"
#include "ck/descriptor/normalize.h"
#include "core/conv/gemm_map.h"
#include "core/conv/layouts.h"
#include "core/conv/problem.h"
#include "core/conv/problem_io.h"
#include "core/conv/sub_gemms.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace gridwise::ck {
namespace {

using Product = std::array<std::int64_t, 3>;  // offsets in x, w and y

std::int64_t OffsetOf(const ConvProblem& problem, Tensor tensor, const PerAxis& index) {
  const PerAxis stride = problem.AxesOf(tensor).stride;
  std::int64_t offset = 0;
  for (std::size_t i = 0; i < index.size(); ++i) offset += index[i] * stride[i];
  return offset;
}

/// The products that a convolution sums, by its definition.
std::vector<Product> ByDefinition(const ConvProblem& p) {
  std::vector<Product> products;
  const PerAxis y = p.AxesOf(Tensor::kY).size, w = p.AxesOf(Tensor::kW).size;
  const auto source = [&](std::size_t axis, std::int64_t o, std::int64_t t) {
    return o * p.dims[axis].stride + t * p.dims[axis].dilation - p.dims[axis].pad_begin;
  };
  for (std::int64_t i = 0; i < p.y_elements(); ++i) {
    PerAxis o;
    for (std::size_t a = 6, rest = static_cast<std::size_t>(i); a-- > 0;) {
      o[a] = static_cast<std::int64_t>(rest) % y[a];
      rest /= static_cast<std::size_t>(y[a]);
    }
    for (std::int64_t t = 0; t < p.filter_taps() * p.c_per_group(); ++t) {
      const std::int64_t c = t % w[5], tx = t / w[5] % w[4], ty = t / w[5] / w[4] % w[3],
                         tz = t / w[5] / w[4] / w[3];
      const std::int64_t d = source(0, o[1], tz), h = source(1, o[2], ty), v = source(2, o[3], tx);
      if (d < 0 || d >= p.dims[0].in || h < 0 || h >= p.dims[1].in || v < 0 || v >= p.dims[2].in) {
        continue;
      }
      products.push_back({OffsetOf(p, Tensor::kX, {o[0], d, h, v, o[4], c}),
                          OffsetOf(p, Tensor::kW, {o[4], o[5], tz, ty, tx, c}),
                          OffsetOf(p, Tensor::kY, o)});
    }
  }
  return products;
}

/// The same by the lowering, and in `written` how often each element of the output is.
std::vector<Product> ByLowering(const ConvProblem& p, std::vector<int>& written) {
  std::vector<Product> products;
  for (const SubGemm& gemm : MakeSubGemms(p)) {
    const GemmDescriptors lowered = Lower(p, gemm);
    for (const Descriptor* d : {&lowered.a, &lowered.b, &lowered.c}) {
      EXPECT_TRUE(d->ok()) << ToString(d->mistake());
    }
    const NormalForm a = Normalize(lowered.a), b = Normalize(lowered.b), c = Normalize(lowered.c);
    for (const NormalForm* form : {&a, &b, &c}) EXPECT_TRUE(form->ok()) << ToString(form->mistake);
    EXPECT_EQ(c.checks, 0) << "each place of the output is an element";
    for (std::int64_t g = 0; g < lowered.c.length(0); ++g) {
      for (std::int64_t m = 0; m < lowered.c.length(1); ++m) {
        for (std::int64_t n = 0; n < lowered.c.length(2); ++n) {
          const std::int64_t out = At(c, {g, m, n}).offset;
          EXPECT_EQ(lowered.c.At({g, m, n}), At(c, {g, m, n}));
          ++written.at(static_cast<std::size_t>(out));
          for (std::int64_t k = 0; k < lowered.terms; ++k) {
            const Location x = At(a, {g, m, k}), y = At(b, {g, n, k});
            EXPECT_EQ(lowered.a.At({g, m, k}).exists, x.exists);
            if (!x.exists || !y.exists) continue;
            EXPECT_EQ(lowered.a.At({g, m, k}).offset, x.offset);
            EXPECT_EQ(lowered.b.At({g, n, k}), y);
            switch (p.direction) {
              case Direction::kForward:
                products.push_back({x.offset, y.offset, out});
                break;
              case Direction::kBackwardData:
                products.push_back({out, y.offset, x.offset});
                break;
              case Direction::kBackwardWeight:
                products.push_back({y.offset, out, x.offset});
                break;
            }
          }
        }
      }
    }
  }
  return products;
}

class LoweringTest : public ::testing::TestWithParam<Direction> {};

void ExpectTheSameProducts(const ConvProblem& problem) {
  SCOPED_TRACE(ToString(problem));
  std::vector<Product> expected = ByDefinition(problem);
  std::vector<int> written(static_cast<std::size_t>(problem.out_elements()), 0);
  std::vector<Product> found = ByLowering(problem, written);
  std::sort(expected.begin(), expected.end());
  std::sort(found.begin(), found.end());
  EXPECT_EQ(found, expected);
  EXPECT_THAT(written, ::testing::Each(1)) << "each element of the output is written once";
}

TEST_P(LoweringTest, SumsTheProductsOfTheDefinition) {
  std::mt19937 random(7);
  const auto upto = [&](int most) {
    return static_cast<std::int64_t>(random() % static_cast<unsigned>(most)) + 1;
  };
  int tried = 0;
  while (tried < 120) {
    ConvProblem p = {.direction = GetParam()};
    p.rank = 1 + tried % 3;
    p.groups = upto(2);
    p.batch = upto(2);
    p.c = p.groups * upto(2);
    p.k = p.groups * upto(2);
    p.layout = kAllLayouts[random() % 3];
    p.weight_layout = kAllWeightLayouts[random() % 2];
    for (auto axis = static_cast<std::size_t>(3 - p.rank); axis < 3; ++axis) {
      p.dims[axis] = {.in = upto(p.rank == 3 ? 4 : 6),
                      .filter = upto(p.rank == 3 ? 2 : 4),
                      .stride = upto(4),
                      .dilation = upto(3),
                      .pad_begin = upto(4) - 1,
                      .pad_end = upto(4) - 1};
    }
    if (p.out_pixels() == 0) continue;
    ++tried;
    ExpectTheSameProducts(p);
  }
}

INSTANTIATE_TEST_SUITE_P(Directions, LoweringTest, ::testing::ValuesIn(kAllDirections),
                         [](const auto& direction) { return std::string(Name(direction.param)); });

/// Digits of an axis and checks of the normal form of A.
NormalForm FormOfA(const ConvProblem& problem) {
  return Normalize(Lower(problem, MakeSubGemms(problem)[0]).a);
}

TEST(LoweringFormTest, SpecialCasesFallOut) {
  ConvProblem p = {.batch = 4, .c = 8, .k = 16};
  p.dims[1] = p.dims[2] = {.in = 10};
  EXPECT_EQ(FormOfA(p).checks, 0);
  EXPECT_EQ(FormOfA(p).axis[1].digits, 1) << "images, rows and pixels are one run";
  EXPECT_EQ(FormOfA(p).axis[2].digits, 1) << "a plain matrix";
  p.dims[2].stride = 2;
  EXPECT_EQ(FormOfA(p).checks, 0);
  EXPECT_EQ(FormOfA(p).axis[2].digits, 1) << "one tap";
  p.dims[2] = {.in = 10, .filter = 3, .pad_begin = 1, .pad_end = 1};
  EXPECT_EQ(FormOfA(p).checks, 1) << "only w is padded";
  p.dims[2].pad_begin = p.dims[2].pad_end = 0;
  EXPECT_EQ(FormOfA(p).checks, 0);
  EXPECT_EQ(FormOfA(p).axis[2].digits, 1) << "taps along w and channels are one run of memory";
}

}  // namespace
}  // namespace gridwise::ck
