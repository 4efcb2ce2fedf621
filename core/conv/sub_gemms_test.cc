// SPDX-License-Identifier: MIT
#include "core/conv/sub_gemms.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <random>
#include <set>
#include <tuple>
#include <vector>

#include "core/conv/gemm_map.h"
#include "core/conv/problem.h"
#include "core/rewrite/canonicalize.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace gridwise {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using Triple = std::array<int64_t, 3>;  // input pixel, output pixel, tap

/// The triples of one axis by the definition of the convolution.
std::vector<Triple> TriplesByDefinition(const Dim& dim) {
  std::vector<Triple> triples;
  for (int64_t o = 0; o < dim.out(); ++o) {
    for (int64_t y = 0; y < dim.filter; ++y) {
      const int64_t i = o * dim.stride + y * dim.dilation - dim.pad_begin;
      if (i >= 0 && i < dim.in) triples.push_back({i, o, y});
    }
  }
  return triples;
}

/// Pixels along one axis of the tensor that a direction writes, and of the one that it gathers
/// from.
int64_t OutputSize(Direction direction, const Dim& dim) {
  return direction == Direction::kBackwardData ? dim.in : dim.out();
}
int64_t SourceSize(Direction direction, const Dim& dim) {
  return direction == Direction::kBackwardData ? dim.out() : dim.in;
}

/// (input pixel, output pixel, tap) of a convolution from the map's output and source pixel.
Triple MakeTriple(Direction direction, int64_t output, int64_t source, int64_t tap) {
  return direction == Direction::kBackwardData ? Triple{output, source, tap}
                                               : Triple{source, output, tap};
}

/// The triples of one axis as its phases enumerate them; `pixels` counts the visits to each pixel
/// of the output.
std::vector<Triple> TriplesOfPhases(Direction direction, const Dim& dim, std::vector<int>& pixels) {
  const AxisMap map = MakeAxisMap(direction, dim);
  std::vector<Triple> triples;
  for (const AxisPhase& axis : map.phases) {
    for (int j = 0; j < axis.count; ++j) {
      const int output = OutputPixel(axis, map.strides, j);
      ++pixels.at(static_cast<size_t>(output));
      for (int t = 0; t < axis.taps; ++t) {
        const int source = SourcePixel(axis, map.strides, j, t);
        if (source < 0 || source >= SourceSize(direction, dim)) continue;
        triples.push_back(MakeTriple(direction, output, source, Tap(axis, map.strides, t)));
      }
    }
  }
  return triples;
}

bool Fits(const Dim& dim) { return dim.out() >= 1; }

/// Calls `visit` for every axis with in <= 13, filter <= 5, stride <= 5, dilation <= 4 and pads
/// 0..2.
template <typename Visit>
void ForEachSmallAxis(Visit visit) {
  for (int64_t in = 1; in <= 13; ++in)
    for (int64_t filter = 1; filter <= 5; ++filter)
      for (int64_t stride = 1; stride <= 5; ++stride)
        for (int64_t dilation = 1; dilation <= 4; ++dilation)
          for (int64_t pads = 0; pads < 9; ++pads) {
            const Dim dim{in, filter, stride, dilation, pads / 3, pads % 3};
            if (Fits(dim)) visit(dim);
          }
}

TEST(AxisMap, PhasesEnumerateTheConvolutionExactly) {
  int axes = 0;
  ForEachSmallAxis([&](const Dim& dim) {
    if (testing::Test::HasFailure()) return;
    ++axes;
    std::vector<Triple> expected = TriplesByDefinition(dim);
    std::sort(expected.begin(), expected.end());
    for (const Direction direction : {Direction::kForward, Direction::kBackwardData}) {
      std::vector<int> pixels(static_cast<size_t>(OutputSize(direction, dim)));
      std::vector<Triple> actual = TriplesOfPhases(direction, dim, pixels);
      std::sort(actual.begin(), actual.end());
      EXPECT_EQ(actual, expected) << Name(direction) << " in " << dim.in << " filter " << dim.filter
                                  << " stride " << dim.stride << " dilation " << dim.dilation
                                  << " pads " << dim.pad_begin << ", " << dim.pad_end;
      EXPECT_EQ(pixels, std::vector<int>(pixels.size(), 1)) << "each output pixel is in one phase";
    }
  });
  EXPECT_GT(axes, 5000);
}

/// Every (image, input pixels, output pixels, taps) of a problem, flattened to numbers, as often as
/// it is visited.
using Visits = std::map<std::vector<int64_t>, int>;

Visits VisitsByDefinition(const ConvProblem& p) {
  const auto d = TriplesByDefinition(p.dims[0]);
  const auto h = TriplesByDefinition(p.dims[1]);
  const auto w = TriplesByDefinition(p.dims[2]);
  Visits visits;
  for (int64_t n = 0; n < p.batch; ++n)
    for (const Triple& a : d)
      for (const Triple& b : h)
        for (const Triple& c : w)
          ++visits[{n, a[0], b[0], c[0], a[1], b[1], c[1], a[2], b[2], c[2]}];
  return visits;
}

/// Visits of one row of a sub-GEMM, all taps.
void VisitRow(const ConvProblem& p, const SubGemm& gemm, int m, Visits& visits, Visits& pixels) {
  const PhasePixel pixel = PixelOfRow(gemm, m);
  AxisStrides strides[3];
  std::vector<int64_t> outputs{pixel.n};
  for (size_t axis = 0; axis < 3; ++axis) {
    strides[axis] = MakeAxisMap(p.direction, p.dims[axis]).strides;
    outputs.push_back(OutputPixel(gemm.axis[axis], strides[axis], pixel.j[axis]));
  }
  ++pixels[outputs];
  for (int tap = 0; tap < Taps(gemm); ++tap) {
    const int t[3] = {tap / gemm.axis[2].taps / gemm.axis[1].taps,
                      tap / gemm.axis[2].taps % gemm.axis[1].taps, tap % gemm.axis[2].taps};
    std::vector<int64_t> key(10);
    key[0] = pixel.n;
    bool inside = true;
    for (size_t axis = 0; axis < 3; ++axis) {
      const int source = SourcePixel(gemm.axis[axis], strides[axis], pixel.j[axis], t[axis]);
      inside = inside && source >= 0 && source < SourceSize(p.direction, p.dims[axis]);
      const Triple triple = MakeTriple(p.direction, outputs[axis + 1], source,
                                       Tap(gemm.axis[axis], strides[axis], t[axis]));
      for (size_t part = 0; part < 3; ++part) key[1 + 3 * part + axis] = triple[part];
    }
    if (inside) ++visits[key];
  }
}

void ExpectExactCover(const ConvProblem& p) {
  Visits visits, pixels;
  for (const SubGemm& gemm : MakeSubGemms(p)) {
    for (int m = 0; m < gemm.m; ++m) VisitRow(p, gemm, m, visits, pixels);
  }
  EXPECT_EQ(visits, VisitsByDefinition(p));
  int64_t size = p.batch;
  for (const Dim& dim : p.dims) size *= OutputSize(p.direction, dim);
  EXPECT_EQ(static_cast<int64_t>(pixels.size()), size);
  for (const auto& [pixel, count] : pixels) {
    ASSERT_EQ(count, 1);
    for (size_t axis = 0; axis < 3; ++axis) {
      ASSERT_GE(pixel[axis + 1], 0);
      ASSERT_LT(pixel[axis + 1], OutputSize(p.direction, p.dims[axis]));
    }
  }
}

Dim RandomDim(std::mt19937& random, int64_t longest) {
  auto pick = [&](int64_t low, int64_t high) {
    return low + static_cast<int64_t>(random() % static_cast<uint32_t>(high - low + 1));
  };
  for (;;) {
    const Dim dim{pick(1, longest), pick(1, 4), pick(1, 4), pick(1, 3), pick(0, 3), pick(0, 3)};
    if (Fits(dim)) return dim;
  }
}

TEST(SubGemms, CoverRandomProblemsOfEachRankExactlyOnce) {
  std::mt19937 random(7);
  for (int trial = 0; trial < 150 && !HasFailure(); ++trial) {
    ConvProblem p{.batch = 1 + trial % 3};
    p.rank = 1 + trial % 3;
    for (size_t axis = 3 - static_cast<size_t>(p.rank); axis < 3; ++axis) {
      p.dims[axis] = RandomDim(random, p.rank == 3 ? 5 : 9);
    }
    for (const Direction direction : kAllDirections) {
      p.direction = direction;
      ExpectExactCover(p);
    }
  }
}

TEST(SubGemms, ForwardIsOneGemmOfAllPixels) {
  const ConvProblem p{
      .batch = 2, .c = 5, .dims = {Dim{}, Dim{.in = 4, .filter = 2}, Dim{.in = 5, .filter = 3}}};
  const std::vector<SubGemm> gemms = MakeSubGemms(p);  // 3 x 3 output pixels
  ASSERT_EQ(gemms.size(), 1u);
  EXPECT_EQ(gemms[0].m, 18);
  EXPECT_EQ(Taps(gemms[0]), 6);
  const PhasePixel pixel = PixelOfRow(gemms[0], (1 * 3 + 2) * 3 + 1);
  EXPECT_EQ(pixel.n, 1);
  EXPECT_THAT(pixel.j, ElementsAre(0, 2, 1));
}

ConvProblem Square(int64_t in, int64_t filter, int64_t stride, int64_t dilation, int64_t pad) {
  const Dim dim{in, filter, stride, dilation, pad, pad};
  return {.direction = Direction::kBackwardData, .dims = {Dim{}, dim, dim}};
}

// What a filter of one tap passes over is one axis once it is simplified.
TEST(SubGemms, RowsOfALineAreItsPixels) {
  const ConvProblem line =
      Canonicalize({.batch = 2, .c = 5, .dims = {Dim{}, Dim{.in = 4}, Dim{.in = 5}}});
  const SubGemm gemm = MakeSubGemms(line).front();
  ASSERT_EQ(gemm.m, 40);
  ASSERT_TRUE(IsLine(gemm));
  for (int m = 0; m < gemm.m; ++m) {
    const PhasePixel pixel = PixelOfRow(gemm, m), of_line = PixelOfLine(m);
    EXPECT_EQ(pixel.n, of_line.n) << m;
    EXPECT_THAT(pixel.j, ElementsAreArray(of_line.j)) << m;
  }
  EXPECT_FALSE(IsLine(MakeSubGemms(Square(28, 3, 1, 1, 1)).front()));
}

/// (sub-GEMMs with taps, sub-GEMMs without).
std::pair<int, int> Counts(const ConvProblem& p) {
  std::pair<int, int> counts;
  for (const SubGemm& gemm : MakeSubGemms(p)) ++(Taps(gemm) > 0 ? counts.first : counts.second);
  return counts;
}

TEST(SubGemms, CountsOfKnownShapes) {
  EXPECT_EQ(Counts(Square(28, 3, 1, 1, 1)), std::pair(1, 0)) << "stride 1: one GEMM";
  EXPECT_EQ(Counts(Square(28, 3, 1, 2, 1)), std::pair(1, 0)) << "stride 1, dilated: still one";
  EXPECT_EQ(Counts(Square(40, 5, 2, 1, 2)), std::pair(4, 0));
  EXPECT_EQ(Counts(Square(28, 3, 3, 1, 1)), std::pair(9, 0));
  EXPECT_EQ(Counts(Square(28, 6, 6, 1, 2)), std::pair(36, 0));
  EXPECT_EQ(Counts(Square(28, 3, 6, 1, 1)), std::pair(9, 27)) << "stride > filter";
  EXPECT_EQ(Counts(Square(28, 2, 2, 2, 0)), std::pair(1, 3)) << "gcd(stride, dilation) = 2";
  EXPECT_EQ(Counts(Square(29, 3, 3, 2, 1)), std::pair(9, 0)) << "coprime stride and dilation";
  EXPECT_EQ(Counts(Square(12, 1, 2, 1, 0)), std::pair(1, 3)) << "1x1 stride 2";
  EXPECT_EQ(Counts(Square(2, 3, 6, 1, 1)), std::pair(4, 0)) << "input shorter than the stride";
}

TEST(SubGemms, WorkedExampleStride2Filter3) {
  // out = 4 of in = 8, pad 1: i = 2 o + y - 1. Even pixels meet tap 1 alone; odd pixels 2j + 1 meet
  // tap 2 at o = j and tap 0 at o = j + 1.
  const AxisMap map = MakeAxisMap(Direction::kBackwardData, {8, 3, 2, 1, 1, 1});
  ASSERT_EQ(map.phases.size(), 2u);
  EXPECT_EQ(map.strides.tap_stride, -2);
  EXPECT_EQ(map.strides.tap_source_stride, 1);
  const auto fields = [](const AxisPhase& c) {
    return std::tuple(c.first_pixel, c.count, c.taps, c.first_tap, c.first_source);
  };
  EXPECT_EQ(fields(map.phases[0]), std::tuple(0, 4, 1, 1, 0));
  EXPECT_EQ(fields(map.phases[1]), std::tuple(1, 4, 2, 2, 0));

  std::vector<int> taps, rows;
  for (const SubGemm& gemm : MakeSubGemms(Square(8, 3, 2, 1, 1))) {
    taps.push_back(Taps(gemm));
    rows.push_back(gemm.m);
  }
  EXPECT_THAT(taps, ElementsAre(4, 2, 2, 1)) << "largest K first";
  EXPECT_THAT(rows, ElementsAre(16, 16, 16, 16));
}

TEST(SubGemms, EmptyOnesComeLast) {
  bool empty = false;
  for (const SubGemm& gemm : MakeSubGemms(Square(28, 3, 6, 1, 1))) {
    EXPECT_TRUE(!empty || Taps(gemm) == 0);
    empty = Taps(gemm) == 0;
    EXPECT_EQ(gemm.first_tile, 0);
  }
  EXPECT_TRUE(empty);
}

TEST(SubGemms, ReductionLengthIsTheLargestK) {
  ForEachSmallAxis([](const Dim& dim) {
    const ConvProblem p{.direction = Direction::kBackwardData, .k = 7, .dims = {Dim{}, Dim{}, dim}};
    const int64_t largest = Taps(MakeSubGemms(p).front()) * p.k_per_group();
    ASSERT_GE(p.reduction_length(), largest);
    if (dim.in >= dim.stride) {
      ASSERT_EQ(p.reduction_length(), largest) << dim.in << " " << dim.filter;
    }
  });
}

}  // namespace
}  // namespace gridwise
