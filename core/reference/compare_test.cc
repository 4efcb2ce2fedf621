// SPDX-License-Identifier: MIT
#include "core/reference/compare.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "core/base/types.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace gridwise {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInf = std::numeric_limits<float>::infinity();

float RoundToF16(double value) { return static_cast<float>(static_cast<_Float16>(value)); }

/// Outputs of K-term sums as a kernel makes them, and their exact values.
struct Sums {
  std::vector<double> out;
  std::vector<double> ref;
};

/// How a sum is kept between its terms.
enum class Accumulator { kF32, kF16 };

Sums MakeSums(int count, int64_t terms, double mean, Accumulator accumulator,
              int64_t dropped_terms = 0) {
  std::mt19937 random(static_cast<uint32_t>(terms));
  std::uniform_real_distribution<double> uniform(mean - 1, mean + 1);
  Sums sums;
  for (int i = 0; i < count; ++i) {
    float sum = 0;
    double exact = 0;
    for (int64_t k = 0; k < terms; ++k) {
      const float a = RoundToF16(uniform(random)), b = RoundToF16(uniform(random));
      exact += double{a} * b;
      if (k < dropped_terms) continue;
      sum += a * b;
      if (accumulator == Accumulator::kF16) sum = RoundToF16(sum);
    }
    sums.out.push_back(RoundToF16(sum));
    sums.ref.push_back(exact);
  }
  return sums;
}

TEST(UlpAt, OfEachType) {
  EXPECT_EQ(UlpAt(DataType::kF16, 1.0), std::ldexp(1, -10));
  EXPECT_EQ(UlpAt(DataType::kF16, -1.99), std::ldexp(1, -10));
  EXPECT_EQ(UlpAt(DataType::kF16, 2048), 2);
  EXPECT_EQ(UlpAt(DataType::kF16, 0), std::ldexp(1, -24)) << "the smallest subnormal";
  EXPECT_EQ(UlpAt(DataType::kF16, 1e-30), std::ldexp(1, -24));
  EXPECT_EQ(UlpAt(DataType::kBF16, 1.0), std::ldexp(1, -7));
  EXPECT_EQ(UlpAt(DataType::kF32, 1.0), std::ldexp(1, -23));
  EXPECT_EQ(UlpAt(DataType::kF32, 0), std::ldexp(1, -149));
}

TEST(Compare, RmsIsOfSumsOtherThanZero) {
  const std::vector<double> sums = {0, 3, 0, 0, -3, 0};
  EXPECT_DOUBLE_EQ(Compare(DataType::kF32, sums, sums, 1).rms, 3);
}

TEST(Compare, AcceptsF32SumsRoundedOnce) {
  for (double mean : {0.0, 0.75}) {
    for (int64_t terms : {1, 16, 576, 4608, 20000}) {
      const Sums s = MakeSums(terms > 1000 ? 300 : 5000, terms, mean, Accumulator::kF32);
      const ErrorStats stats = Compare(DataType::kF16, s.out, s.ref, terms);
      EXPECT_EQ(stats.bad, 0) << terms << " terms of mean " << mean;
      EXPECT_GT(stats.max_ratio, 0.3) << "the tolerance is not far from what happens";
      EXPECT_TRUE(CheckError(DataType::kF16, s.out, s.ref, terms).ok());
    }
  }
}

TEST(Compare, RejectsSumsKeptInF16) {
  for (int64_t terms : {16, 576, 4608}) {
    const Sums s = MakeSums(1000, terms, 0, Accumulator::kF16);
    EXPECT_GT(Compare(DataType::kF16, s.out, s.ref, terms).bad, 100) << terms;
  }
}

TEST(Compare, RejectsALostTerm) {
  for (int64_t terms : {16, 576, 4608}) {
    const Sums s = MakeSums(1000, terms, 0, Accumulator::kF32, 1);
    EXPECT_GT(Compare(DataType::kF16, s.out, s.ref, terms).bad, 500) << terms;
  }
}

TEST(Compare, CatchesOneWrongElement) {
  const Sums good = MakeSums(1000, 576, 0, Accumulator::kF32);
  for (size_t index : {0u, 500u, 999u}) {
    Sums s = good;
    s.out[index] += 2 * UlpAt(DataType::kF16, s.ref[index]) + 0.01;
    const ErrorStats stats = Compare(DataType::kF16, s.out, s.ref, 576);
    EXPECT_EQ(stats.bad, 1);
    EXPECT_EQ(stats.first_bad, static_cast<int64_t>(index));
    EXPECT_EQ(stats.worst, static_cast<int64_t>(index));
    EXPECT_GT(stats.max_ratio, 1);
  }
}

TEST(Compare, CatchesSwappedElements) {
  Sums s = MakeSums(1000, 576, 0, Accumulator::kF32);
  std::swap(s.out[10], s.out[11]);
  const ErrorStats stats = Compare(DataType::kF16, s.out, s.ref, 576);
  EXPECT_EQ(stats.bad, 2);
  EXPECT_EQ(stats.first_bad, 10);
}

TEST(Compare, CatchesNanInfinityAndUnwrittenElements) {
  const Sums good = MakeSums(100, 16, 0, Accumulator::kF32);
  for (float value : {kNan, kInf, -kInf}) {
    Sums s = good;
    s.out[42] = value;
    const ErrorStats stats = Compare(DataType::kF16, s.out, s.ref, 16);
    EXPECT_EQ(stats.bad, 1);
    EXPECT_EQ(stats.first_bad, 42);
    EXPECT_TRUE(std::isfinite(stats.rel_norm));
    EXPECT_THAT(CheckError(DataType::kF16, s.out, s.ref, 16).message(), HasSubstr("element 42 is"));
  }
  const std::vector<double> zeros(100);
  EXPECT_GT(Compare(DataType::kF16, zeros, good.ref, 16).bad, 90);
}

TEST(Compare, AllNanIsBad) {
  const std::vector<double> nans(10, kNan);
  const std::vector<double> ref(10, 1.0);
  EXPECT_EQ(Compare(DataType::kF32, nans, ref, 1).bad, 10);
  EXPECT_EQ(Compare(DataType::kF32, nans, ref, 1).worst, -1);
}

TEST(Compare, ZerosMustBeZero) {
  const std::vector<double> ref = {0, 0};
  EXPECT_EQ(Compare(DataType::kF16, std::vector<double>{0, -0.0f}, ref, 0).bad, 0);
  EXPECT_EQ(Compare(DataType::kF16, std::vector<double>{0, 1e-6f}, ref, 0).bad, 1);
}

TEST(Compare, InfinityIsRightWhereTheSumOverflows) {
  const std::vector<double> ref = {70000, -70000, 65000, 65519.9};
  EXPECT_EQ(Compare(DataType::kF16, std::vector<double>{kInf, -kInf, 65000, 65504}, ref, 1).bad, 0);
  EXPECT_EQ(Compare(DataType::kF16, std::vector<double>{-kInf, kInf, kInf, kInf}, ref, 1).bad, 3)
      << "the last may round either way";
  EXPECT_EQ(Compare(DataType::kBF16, std::vector<double>{kInf, -kInf, 65024, 65536}, ref, 1).bad,
            2);
}

TEST(Compare, StatisticsAreThoseOfTheirDefinitions) {
  const std::vector<double> out = {3.0f, 4.5f};
  const std::vector<double> ref = {3.0, 4.0};
  const ErrorStats stats = Compare(DataType::kF16, out, ref, 1);
  EXPECT_EQ(stats.max_abs, 0.5);
  EXPECT_EQ(stats.rel_norm, 0.1);        // 0.5 / 5
  EXPECT_EQ(stats.max_ulps, 0.5 * 256);  // ulp(4) = 2^-8
  EXPECT_DOUBLE_EQ(stats.rms, std::sqrt(12.5));
  EXPECT_EQ(stats.worst, 1);
}

TEST(CheckError, SaysWhatIsWrong) {
  const std::vector<double> ref = {1, 2, 3};
  EXPECT_EQ(CheckError(DataType::kF16, std::vector<double>{1, 2}, ref, 1).message(),
            "the output has 2 elements; must have 3, as the reference");
  EXPECT_THAT(
      CheckError(DataType::kF16, std::vector<double>{1, 2.5f, 7}, ref, 1).message(),
      StartsWith("element 1 is 2.5; must be 2 within 0.000978. 2 of 3 elements are off; the "
                 "largest finite error is 4 (2048.0 f16 ulps), the relative error of all is"));
}

TEST(Compare, SumsOfIntegersAreExact) {
  const std::vector<double> ref = {16777217, -3, 0};
  EXPECT_EQ(Compare(DataType::kI32, ref, ref, 1000).bad, 0);
  EXPECT_EQ(Compare(DataType::kI32, std::vector<double>{16777216, -3, 0}, ref, 1000).bad, 1);
  EXPECT_EQ(Compare(DataType::kI32, std::vector<double>{16777217, -3, 1}, ref, 1000).first_bad, 2);
}

}  // namespace
}  // namespace gridwise
