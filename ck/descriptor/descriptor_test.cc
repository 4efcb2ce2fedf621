// SPDX-License-Identifier: MIT
#include "ck/descriptor/descriptor.h"

#include <array>
#include <cstdint>

#include "ck/descriptor/describe.h"
#include "ck/descriptor/normal_form.h"
#include "ck/descriptor/normalize.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace gridwise::ck {
namespace {

using ::testing::HasSubstr;

/// 1-D forward convolution's A: output pixels by (tap, channel).
constexpr Descriptor Patches(std::int64_t in, std::int64_t pad, std::int64_t stride,
                             std::int64_t dilation, std::int64_t taps) {
  const std::int64_t out = (in + 2 * pad - dilation * (taps - 1) - 1) / stride + 1;
  Descriptor x;
  const Axis n = x.Memory(2, in * 3), h = x.Memory(in, 3), c = x.Memory(3, 1);
  const auto [y, o] = x.Embed(x.Pad(h, pad, pad), {Term{taps, dilation}, Term{out, stride}});
  x.See({x.Merge({n, o}), x.Merge({y, c})});
  return x;
}

/// Whether the normal form means the same as the descriptor, at every index.
constexpr bool MeansTheSame(const Descriptor& d) {
  const NormalForm form = Normalize(d);
  if (!d.ok() || !form.ok() || form.axes != d.seen()) return false;
  const auto length = [&](int i) { return i < d.seen() ? d.length(i) : 1; };
  for (std::int64_t i = 0; i < length(0); ++i) {
    for (std::int64_t j = 0; j < length(1); ++j) {
      for (std::int64_t k = 0; k < length(2); ++k) {
        const Location expected = d.At({i, j, k}), found = At(form, {i, j, k});
        if (found.exists != expected.exists) return false;
        if (found.exists && found.offset != expected.offset) return false;
      }
    }
  }
  return true;
}

static_assert(Patches(7, 1, 2, 1, 3).At({0, 0}) == Location{-3, false}, "padding");
static_assert(MeansTheSame(Patches(7, 1, 2, 1, 3)), "strides and padding");
static_assert(MeansTheSame(Patches(6, 2, 1, 2, 2)), "dilation");
static_assert(Normalize(Patches(7, 1, 2, 1, 3)).checks == 1, "one padded axis");
static_assert(Normalize(Patches(7, 0, 1, 1, 1)).checks == 0 &&
                  Normalize(Patches(7, 0, 1, 1, 1)).axis[0].digits == 1 &&
                  Normalize(Patches(7, 0, 1, 1, 1)).axis[1].digits == 1,
              "a 1x1 convolution without padding is a plain matrix");
static_assert(Normalize(Patches(7, 0, 2, 1, 1)).axis[0].digits == 2, "with a stride it is not");

TEST(DescriptorTest, TransformsComposeToTheirFormulas) {
  Descriptor d;
  const Axis a = d.Memory(12, 10), b = d.Memory(8, 1);
  const auto [i, j] = d.Unmerge(a, {3, 4});
  d.Freeze(j, 2);
  const auto [s, t] = d.Swizzle(i, b, 3);
  d.See({d.Slice(s, 2, 2, -1), d.Pad(t, 1, 1)});
  ASSERT_TRUE(d.ok()) << ToString(d.mistake());
  EXPECT_EQ(d.length(0), 2);
  EXPECT_EQ(d.length(1), 10);
  // (0, 5): i = 2, so a = 2 * 4 + 2; t = 4, swizzled with 2.
  EXPECT_EQ(d.At({0, 5}), (Location{10 * 10 + (4 ^ 2), true}));
  EXPECT_EQ(d.At({1, 5}), (Location{6 * 10 + (4 ^ 1), true}));
  EXPECT_FALSE(d.At({0, 0}).exists);
  EXPECT_FALSE(d.At({0, 9}).exists);
}

TEST(DescriptorTest, AStridedSliceIsAnEmbeddingOneAxisOfWhichIsFrozen) {
  // Backward-data's tilde decomposition: pixel i = tilde * stride + a. a is frozen, and the tildes
  // are a slice of those that fit.
  for (std::int64_t a = 0; a < 3; ++a) {
    const std::int64_t count = (11 - a + 2) / 3;
    Descriptor sliced, frozen;
    sliced.See({sliced.Slice(sliced.Memory(11, 5), a, count, 3)});
    const auto [tilde, rest] =
        frozen.Embed(frozen.Pad(frozen.Memory(11, 5), 0, 3), {Term{4, 3}, Term{3, 1}});
    frozen.Freeze(rest, a);
    frozen.See({frozen.Slice(tilde, 0, count)});
    ASSERT_TRUE(sliced.ok()) << ToString(sliced.mistake());
    ASSERT_TRUE(frozen.ok()) << ToString(frozen.mistake());
    for (std::int64_t i = 0; i < count; ++i) EXPECT_EQ(sliced.At({i}), frozen.At({i}));
    const NormalForm x = Normalize(sliced), y = Normalize(frozen);
    EXPECT_EQ(x.checks, 0);
    EXPECT_EQ(y.checks, 0) << "the slice stays inside";
    EXPECT_EQ(x.origin, y.origin);
    EXPECT_EQ(x.axis[0].digit[0].unit, y.axis[0].digit[0].unit);
  }
}

TEST(DescriptorTest, PaddingAtTheEndOfASeenAxisMakesItShorter) {
  Descriptor d;
  const Axis i = d.Memory(3, 7), j = d.Memory(5, 1);
  d.See({d.Pad(d.Merge({i, j}), 0, 9)});
  const NormalForm form = Normalize(d);
  ASSERT_TRUE(form.ok()) << ToString(form.mistake);
  EXPECT_EQ(form.axis[0].length, 15);
  EXPECT_EQ(form.checks, 0);
  EXPECT_TRUE(MeansTheSame(d));
}

TEST(DescriptorTest, MergesOfMergesAreDigits) {
  Descriptor d;
  const Axis a = d.Memory(2, 100), b = d.Memory(3, 20), c = d.Memory(4, 1);
  d.See({d.Merge({d.Merge({a, b}), c})});
  EXPECT_TRUE(MeansTheSame(d));
  EXPECT_EQ(Normalize(d).axis[0].digits, 3);
}

TEST(NormalFormTest, DigitsMoveByCarry) {
  const NormalForm form = Normalize(Patches(9, 1, 1, 1, 3));
  for (const NormalAxis& axis : {form.axis[0], form.axis[1]}) {
    for (std::int64_t step = 1; step < axis.length; ++step) {
      for (std::int64_t i = 0; i + step < axis.length; ++i) {
        auto digits = DigitsOf(axis, i);
        Advance(axis, DigitsOf(axis, step), digits);
        EXPECT_EQ(digits, DigitsOf(axis, i + step)) << i << " + " << step;
      }
    }
  }
}

/// The first mistake of a composition.
template <class Compose>
std::string MistakeOf(Compose compose) {
  Descriptor d;
  compose(d);
  return ToString(d.ok() ? Normalize(d).mistake : d.mistake());
}

TEST(DescriptorTest, SaysWhyACompositionMakesNoSense) {
  EXPECT_EQ(MistakeOf([](Descriptor& d) { d.See({d.Embed(d.Memory(13, 1), {Term{5, 3}})[0]}); }),
            "");
  EXPECT_EQ(MistakeOf([](Descriptor& d) { d.See({d.Embed(d.Memory(13, 1), {Term{6, 3}})[0]}); }),
            "an embedding ends inside of its axis: 15, where the bound is 13");
  EXPECT_EQ(MistakeOf([](Descriptor& d) { d.See({d.Slice(d.Memory(5, 1), 3, 3)}); }),
            "a slice ends inside of its axis: 5, where the bound is 5");
  EXPECT_THAT(MistakeOf([](Descriptor& d) { d.Unmerge(d.Memory(12, 1), {3, 5}); }),
              HasSubstr("multiply to its length: 15, where the bound is 12"));
  EXPECT_THAT(MistakeOf([](Descriptor& d) { d.Freeze(d.Memory(4, 1), 4); }),
              HasSubstr("frozen at one of its indices: 4, where the bound is 4"));
  EXPECT_THAT(MistakeOf([](Descriptor& d) { d.Pad(d.Memory(4, 1), -1, 0); }), HasSubstr("a pad"));
  EXPECT_THAT(MistakeOf([](Descriptor& d) { d.Swizzle(d.Memory(4, 8), d.Memory(6, 1), 3); }),
              HasSubstr("power of two indices: 6"));
  EXPECT_THAT(MistakeOf([](Descriptor& d) { d.Memory(0, 1); }), HasSubstr("at least one index"));
  EXPECT_THAT(MistakeOf([](Descriptor& d) { d.Merge({Axis{3}}); }),
              HasSubstr("axes of its own descriptor"));
  EXPECT_THAT(MistakeOf([](Descriptor& d) {
                const Axis a = d.Memory(4, 1);
                d.See({a, d.Pad(a, 1, 1)});
              }),
              HasSubstr("an axis is consumed once: this one has been before"));
  EXPECT_THAT(MistakeOf([](Descriptor& d) {
                d.Memory(4, 1);
                d.See({d.Memory(3, 4)});
              }),
              HasSubstr("this one is neither: 0"));
  EXPECT_THAT(MistakeOf([](Descriptor& d) {
                d.See({d.Memory(3, 4), d.Memory(4, 1)});
                d.See({Axis{0}, Axis{1}});
              }),
              HasSubstr("a descriptor is seen once: 2"));
  EXPECT_THAT(MistakeOf([](Descriptor& d) {
                d.See({d.Memory(3, 4)});
                d.Memory(4, 1);
              }),
              HasSubstr("axes are made before a descriptor is seen"));
}

TEST(NormalFormTest, SaysWhyThereIsNone) {
  EXPECT_THAT(MistakeOf([](Descriptor& d) {
                const auto [a, b] = d.Swizzle(d.Memory(4, 8), d.Memory(8, 1), 3);
                d.See({a, b});
              }),
              HasSubstr("a swizzle has no normal form"));
  EXPECT_THAT(MistakeOf([](Descriptor& d) {
                const Axis a = d.Memory(4, 8), b = d.Memory(8, 1);
                const auto [i, j] = d.Embed(d.Merge({a, b}), {Term{4, 2}, Term{3, 1}});
                d.See({i, j});
              }),
              HasSubstr("a merge divides its axis"));
  EXPECT_THAT(MistakeOf([](Descriptor& d) {
                const Axis a = d.Memory(4, 8), b = d.Memory(8, 1), c = d.Memory(2, 32);
                d.See({d.Merge({d.Pad(d.Merge({a, b}), 0, 4), c})});
              }),
              HasSubstr("padding of a merged axis is at its end"));
}

}  // namespace
}  // namespace gridwise::ck
