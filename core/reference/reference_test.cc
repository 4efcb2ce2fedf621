// SPDX-License-Identifier: MIT
#include "core/reference/reference.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "core/conv/problem.h"
#include "core/conv/problem_io.h"
#include "core/conv/validate.h"
#include "core/reference/nonfinite_cases.h"
#include "core/reference/random_problem.h"
#include "dnnl.hpp"
#include "gtest/gtest.h"

namespace gridwise {
namespace {

constexpr double kPoison = 12345.678;

/// The definition, on one axis at a time: seven loops and an index per tensor.
std::vector<double> Naive(const ConvProblem& p, const std::vector<float>& a,
                          const std::vector<float>& b) {
  const auto& [d, h, w] = p.dims;
  const int64_t G = p.groups, C = p.c_per_group(), K = p.k_per_group();
  std::vector<double> out(static_cast<size_t>(p.out_elements()));
  const int64_t out_pixels = p.out_pixels(), taps = p.filter_taps();
  for (int64_t n = 0; n < p.batch; ++n)
    for (int64_t o = 0; o < out_pixels; ++o)
      for (int64_t t = 0; t < taps; ++t)
        for (int64_t g = 0; g < G; ++g)
          for (int64_t k = 0; k < K; ++k)
            for (int64_t c = 0; c < C; ++c) {
              const int64_t id = o / w.out() / h.out() * d.stride - d.pad_begin +
                                 t / w.filter / h.filter * d.dilation;
              const int64_t ih = o / w.out() % h.out() * h.stride - h.pad_begin +
                                 t / w.filter % h.filter * h.dilation;
              const int64_t iw = o % w.out() * w.stride - w.pad_begin + t % w.filter * w.dilation;
              if (id < 0 || id >= d.in || ih < 0 || ih >= h.in || iw < 0 || iw >= w.in) continue;
              const int64_t x = ((((n * d.in + id) * h.in + ih) * w.in + iw) * G + g) * C + c;
              const int64_t y = ((n * out_pixels + o) * G + g) * K + k;
              const int64_t f = ((g * K + k) * taps + t) * C + c;
              if (p.direction == Direction::kForward) out[y] += double{a[x]} * b[f];
              if (p.direction == Direction::kBackwardData) out[x] += double{a[y]} * b[f];
              if (p.direction == Direction::kBackwardWeight) out[f] += double{a[y]} * b[x];
            }
  return out;
}

/// Integers in [-4, 4]: every sum is exact in double and, up to 2^20 terms, in float.
std::vector<float> RandomIntegers(std::mt19937& random, int64_t count) {
  std::vector<float> values(static_cast<size_t>(count));
  for (float& value : values) value = static_cast<float>(static_cast<int>(random() % 9) - 4);
  return values;
}

std::vector<float> RandomReals(std::mt19937& random, int64_t count) {
  std::vector<float> values(static_cast<size_t>(count));
  for (float& value : values) value = static_cast<float>(random()) / 2147483648.0f - 1.0f;
  return values;
}

std::vector<double> Compute(const ConvProblem& p, const std::vector<float>& a,
                            const std::vector<float>& b, int threads = 0) {
  std::vector<double> out(static_cast<size_t>(p.out_elements()), kPoison);
  const absl::Status status = Reference(p, a, b, out, threads);
  EXPECT_TRUE(status.ok()) << status;
  return out;
}

TEST(Reference, EqualsTheDefinitionOnRandomProblems) {
  std::mt19937 random(11);
  int seen[3] = {0, 0, 0};
  for (int trial = 0; trial < 300; ++trial) {
    const ConvProblem p = RandomProblem(random, {.max_in = 7, .max_channels = 11});
    ++seen[static_cast<int>(p.direction)];
    const std::vector<float> a = RandomIntegers(random, p.a_elements());
    const std::vector<float> b = RandomIntegers(random, p.b_elements());
    ASSERT_EQ(Compute(p, a, b), Naive(p, a, b)) << ToString(p);
  }
  for (int count : seen) EXPECT_GT(count, 50);
}

TEST(Reference, EqualsTheDefinitionPastEveryTileSize) {
  std::mt19937 random(12);
  ConvProblem p{
      .groups = 2, .batch = 3, .dims = {Dim{}, Dim{5, 1, 1, 1, 0, 0}, Dim{9, 2, 1, 1, 1, 0}}};
  for (Direction direction : kAllDirections) {
    for (const auto& [c, k] : {std::pair(2 * 261, 2 * 133), std::pair(2 * 133, 2 * 261)}) {
      p.direction = direction, p.c = c, p.k = k;
      const std::vector<float> a = RandomIntegers(random, p.a_elements());
      const std::vector<float> b = RandomIntegers(random, p.b_elements());
      EXPECT_TRUE(Compute(p, a, b) == Naive(p, a, b)) << ToString(p);
    }
  }
}

TEST(Reference, DoesNotDependOnTheNumberOfThreads) {
  std::mt19937 random(13);
  for (int trial = 0; trial < 30; ++trial) {
    const ConvProblem p = RandomProblem(random);
    const std::vector<float> a = RandomReals(random, p.a_elements());
    const std::vector<float> b = RandomReals(random, p.b_elements());
    const std::vector<double> one = Compute(p, a, b, 1);
    EXPECT_EQ(one, Compute(p, a, b, 5)) << ToString(p);
  }
}

TEST(Reference, WritesZeroWhereNoTapLands) {
  // 1x1, stride 2: three of four input pixels meet no output.
  const ConvProblem p{.direction = Direction::kBackwardData,
                      .dims = {Dim{}, Dim{.in = 4, .stride = 2}, Dim{.in = 4, .stride = 2}}};
  const std::vector<float> ones(4, 1.0f), filter(1, 3.0f);
  EXPECT_EQ(Compute(p, ones, filter),
            (std::vector<double>{3, 0, 3, 0, 0, 0, 0, 0, 3, 0, 3, 0, 0, 0, 0, 0}));
}

TEST(Reference, MultipliesInfinitiesWithPadding) {
  for (const Direction direction : kAllDirections) {
    int cases = 0;
    ForEachNonFiniteCase(direction, [&](const NonFiniteCase& one) {
      const std::vector<double> sums = Compute(one.problem, one.a, one.b, /*threads=*/1);
      EXPECT_TRUE(std::equal(sums.begin(), sums.end(), one.sums.begin(), AreEqual))
          << ToString(one.problem) << ", tensor " << static_cast<int>(one.planted);
      ++cases;
    });
    EXPECT_GT(cases, 2000);
  }
}

/// `problem` with zeros in memory in place of its padding: of x, or of dy in backward-data as many
/// as its taps can reach. `values` are that tensor's, which become the larger one's.
ConvProblem WithZerosInMemory(ConvProblem problem, std::vector<float>& values) {
  const ConvProblem before = problem;
  const bool of_dy = problem.direction == Direction::kBackwardData;
  problem.rank = 3;
  std::array<int64_t, 3> front = {};
  for (size_t axis = 0; axis < 3; ++axis) {
    Dim& dim = problem.dims[axis];
    if (!of_dy) {
      front[axis] = dim.pad_begin;
      dim.in += dim.pad_begin + dim.pad_end;
      dim.pad_begin = dim.pad_end = 0;
      continue;
    }
    front[axis] = dim.filter * dim.dilation / dim.stride + 1;
    // Pixels past the last one of x that a filter meets make room for an output pixel each.
    const int64_t out = dim.out() + 2 * front[axis];
    dim.pad_begin += front[axis] * dim.stride;
    dim.pad_end = (out - 1) * dim.stride + dim.dilated_filter() - dim.in - dim.pad_begin;
  }
  const Tensor tensor = of_dy ? Tensor::kY : Tensor::kX;
  const PerAxis from = before.AxesOf(tensor).size, to = problem.AxesOf(tensor).size;
  std::vector<float> larger(static_cast<size_t>(problem.AxesOf(tensor).Elements()));
  const int64_t channels = from[4] * from[5];
  for (int64_t i = 0; i < static_cast<int64_t>(values.size()); ++i) {
    const int64_t pixel = i / channels, w = pixel % from[3], h = pixel / from[3] % from[2],
                  d = pixel / from[3] / from[2] % from[1], n = pixel / from[3] / from[2] / from[1];
    const int64_t at = ((n * to[1] + d + front[0]) * to[2] + h + front[1]) * to[3] + w + front[2];
    larger[static_cast<size_t>(at * channels + i % channels)] = values[static_cast<size_t>(i)];
  }
  values = larger;
  return problem;
}

TEST(Reference, MultipliesPaddingAsZeros) {
  std::mt19937 random(14);
  int not_finite = 0;
  for (int trial = 0; trial < 200; ++trial) {
    const ConvProblem p = RandomProblem(random, {.max_in = 7, .max_channels = 5});
    std::vector<float> a = RandomIntegers(random, p.a_elements());
    std::vector<float> b = RandomIntegers(random, p.b_elements());
    const bool b_is_padded = p.direction == Direction::kBackwardWeight;
    std::vector<float>& other = b_is_padded ? a : b;
    other[random() % other.size()] = std::numeric_limits<float>::infinity();
    const std::vector<double> out = Compute(p, a, b);
    const ConvProblem with_zeros = WithZerosInMemory(p, b_is_padded ? b : a);
    ASSERT_TRUE(Validate(with_zeros).ok()) << Validate(with_zeros) << ToString(with_zeros);
    const std::vector<double> expected = Naive(with_zeros, a, b);
    ASSERT_EQ(out.size(), expected.size());
    for (size_t i = 0; i < out.size(); ++i) {
      EXPECT_TRUE(out[i] == expected[i] || (std::isnan(out[i]) && std::isnan(expected[i])))
          << out[i] << " in place of " << expected[i] << ", element " << i << " of " << ToString(p);
      not_finite += !std::isfinite(out[i]);
    }
  }
  EXPECT_GT(not_finite, 1000);
}

TEST(Reference, RejectsWrongSizesAndInvalidProblems) {
  ConvProblem p{.c = 2, .dims = {Dim{}, Dim{.in = 3}, Dim{.in = 3}}};
  std::vector<float> a(18), b(2);
  std::vector<double> out(9);
  EXPECT_TRUE(Reference(p, a, b, out).ok());
  EXPECT_EQ(Reference(p, {a.data(), 17}, b, out).message(), "a has 17 elements; must have 18");
  EXPECT_EQ(Reference(p, a, a, out).message(), "b has 18 elements; must have 2");
  EXPECT_EQ(Reference(p, a, b, {out.data(), 8}).message(), "out has 8 elements; must have 9");
  p.groups = 3;
  EXPECT_EQ(Reference(p, a, b, out).message(), "c is 2; must be a multiple of groups, which is 3");
}

// ---- oneDNN

using Dims = dnnl::memory::dims;

/// Memory descriptor of a tensor whose logical sizes are outer..., channels, spatial... and whose
/// channels are innermost in memory; `channel_axis` says where they are in `sizes`.
dnnl::memory::desc ChannelsLast(const Dims& sizes, size_t channel_axis) {
  Dims strides(sizes.size());
  strides[channel_axis] = 1;
  int64_t stride = sizes[channel_axis];
  for (size_t axis = sizes.size(); axis-- > 0;) {
    if (axis == channel_axis) continue;
    strides[axis] = stride;
    stride *= sizes[axis];
  }
  return {sizes, dnnl::memory::data_type::f32, strides};
}

struct DnnlProblem {
  dnnl::memory::desc x, w, y;
  Dims strides, dilations, pad_begin, pad_end;
};

DnnlProblem ToDnnl(const ConvProblem& p) {
  Dims x{p.batch, p.c}, w{p.groups, p.k_per_group(), p.c_per_group()}, y{p.batch, p.k};
  DnnlProblem result;
  for (int axis = 3 - p.rank; axis < 3; ++axis) {
    const Dim& dim = p.dims[axis];
    x.push_back(dim.in);
    w.push_back(dim.filter);
    y.push_back(dim.out());
    result.strides.push_back(dim.stride);
    result.dilations.push_back(dim.dilation - 1);
    result.pad_begin.push_back(dim.pad_begin);
    result.pad_end.push_back(dim.pad_end);
  }
  result.x = ChannelsLast(x, 1), result.w = ChannelsLast(w, 2), result.y = ChannelsLast(y, 1);
  return result;
}

std::vector<float> Dnnl(const ConvProblem& p, std::vector<float> a, std::vector<float> b) {
  const DnnlProblem d = ToDnnl(p);
  const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  dnnl::stream stream(engine);
  std::vector<float> out(static_cast<size_t>(p.out_elements()));
  const auto memory = [&](const dnnl::memory::desc& desc, std::vector<float>& values) {
    return dnnl::memory(desc, engine, values.data());
  };
  constexpr auto kDirect = dnnl::algorithm::convolution_direct;
  const dnnl::convolution_forward::primitive_desc forward(engine, dnnl::prop_kind::forward_training,
                                                          kDirect, d.x, d.w, d.y, d.strides,
                                                          d.dilations, d.pad_begin, d.pad_end);
  switch (p.direction) {
    case Direction::kForward:
      dnnl::convolution_forward(forward).execute(stream, {{DNNL_ARG_SRC, memory(d.x, a)},
                                                          {DNNL_ARG_WEIGHTS, memory(d.w, b)},
                                                          {DNNL_ARG_DST, memory(d.y, out)}});
      break;
    case Direction::kBackwardData:
      dnnl::convolution_backward_data(
          {engine, kDirect, d.x, d.w, d.y, d.strides, d.dilations, d.pad_begin, d.pad_end, forward})
          .execute(stream, {{DNNL_ARG_DIFF_DST, memory(d.y, a)},
                            {DNNL_ARG_WEIGHTS, memory(d.w, b)},
                            {DNNL_ARG_DIFF_SRC, memory(d.x, out)}});
      break;
    case Direction::kBackwardWeight:
      dnnl::convolution_backward_weights(
          {engine, kDirect, d.x, d.w, d.y, d.strides, d.dilations, d.pad_begin, d.pad_end, forward})
          .execute(stream, {{DNNL_ARG_DIFF_DST, memory(d.y, a)},
                            {DNNL_ARG_SRC, memory(d.x, b)},
                            {DNNL_ARG_DIFF_WEIGHTS, memory(d.w, out)}});
      break;
  }
  stream.wait();
  return out;
}

std::vector<float> Magnitudes(std::vector<float> values) {
  for (float& value : values) value = std::abs(value);
  return values;
}

/// A float sum of K products in any order is within (K + 1) 2^-24 sum |a b| of the exact one (to
/// first order); the bound for each element comes from the reference on magnitudes.
void ExpectAgreesWithDnnl(const ConvProblem& p, std::mt19937& random) {
  const std::vector<float> a = RandomReals(random, p.a_elements());
  const std::vector<float> b = RandomReals(random, p.b_elements());
  const std::vector<double> expected = Compute(p, a, b);
  const std::vector<double> magnitudes = Compute(p, Magnitudes(a), Magnitudes(b));
  const std::vector<float> actual = Dnnl(p, a, b);
  const double relative = static_cast<double>(p.reduction_length() + 2) * std::ldexp(1.0, -24);
  for (size_t i = 0; i < actual.size(); ++i) {
    ASSERT_LE(std::abs(double{actual[i]} - expected[i]), relative * magnitudes[i])
        << "element " << i << " of " << ToString(p);
  }
}

TEST(Reference, AgreesWithOneDnnOnRandomProblems) {
  std::mt19937 random(14);
  for (int trial = 0; trial < 300 && !HasFailure(); ++trial) {
    ExpectAgreesWithDnnl(RandomProblem(random), random);
  }
}

TEST(Reference, AgreesWithOneDnnOnTheRegressionSetCutShort) {
  const auto problems = ReadProblems("tests/problems/regressions.csv");
  ASSERT_TRUE(problems.ok()) << problems.status();
  std::mt19937 random(15);
  int compared = 0;
  for (const NamedProblem& named : *problems) {
    ConvProblem p = named.problem;
    p.batch = 1;
    p.c = p.groups * std::min<int64_t>(p.c_per_group(), 40);
    p.k = p.groups * std::min<int64_t>(p.k_per_group(), 40);
    for (Dim& dim : p.dims) dim.in = std::min<int64_t>(dim.in, 16);
    for (Direction direction : named.directions) {
      p.direction = direction;
      ExpectAgreesWithDnnl(p, random);
      ++compared;
    }
  }
  EXPECT_EQ(compared, 3 * static_cast<int>(problems->size()));
  EXPECT_GE(compared, 3 * 27);
}

}  // namespace
}  // namespace gridwise
