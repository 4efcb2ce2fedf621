// SPDX-License-Identifier: MIT
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "gtest/gtest.h"
#include "tools/sim/isa/bind/bind.h"
#include "tools/sim/isa/testing/matrix_cases.h"
#include "tools/sim/isa/testing/test_wave.h"

/// gfx90a's products of halves and bf16 against the definition of a group's sum: the sum of its
/// first half plus that of its second, each rounded. Rounding a double that is the exact product or
/// sum of two floats, or within 53 bits of it, is rounding once.

namespace gridwise::sim::matrix {
namespace {

double WithoutDenormal(double x) { return std::fabs(x) < 0x1p-126 ? x * 0 : x; }
double Rounded(double x) { return WithoutDenormal(static_cast<float>(x)); }

/// As a matrix instruction reads an operand: a denormal or zero is +0.
double AsRead(double x, char type) {
  return std::fabs(x) < (type == 'h' ? 0x1p-14 : 0x1p-126) ? 0 : x;
}

double SumOf(std::span<const double> a, std::span<const double> b) {
  if (a.size() == 1) return Rounded(a[0] * b[0]);
  const size_t half = a.size() / 2;
  return Rounded(SumOf(a.first(half), b.first(half)) + SumOf(a.subspan(half), b.subspan(half)));
}

/// CDNA1's bf16 instructions have a lane pass two k, all others four.
size_t GroupOf(const MatrixCase& m) { return m.a == 'b' && Elements(m, Side::kA) == 2 ? 2 : 4; }

float Model(const MatrixCase& m, const std::vector<double>& a, const std::vector<double>& b,
            double c) {
  const size_t group = GroupOf(m);
  double sum = AsRead(c, 'f');
  for (size_t k = 0; k < a.size(); k += group) {
    sum = Rounded(sum + SumOf(std::span(a).subspan(k, group), std::span(b).subspan(k, group)));
  }
  return static_cast<float>(sum);
}

std::vector<MatrixCase> PairwiseCases() {
  std::vector<MatrixCase> cases;
  for (const MatrixCase& m : AllMatrixCases()) {
    if ((m.targets & kGfx90a) != 0 && BitsOf(m.a) == 16) cases.push_back(m);
  }
  return cases;
}

/// About normal; any finite; near the smallest normal product, whose sums are denormal.
enum class Numbers : uint8_t { kNormal, kAny, kSmall };
double RandomNumber(char type, Numbers numbers, std::mt19937_64& random) {
  for (;;) {
    double x = Decode(random() & 0xffff, type);
    if (numbers != Numbers::kAny) {
      // No half is so small that a product of two would be denormal.
      const int exponent = numbers == Numbers::kSmall && type == 'b' ? -63 : 0;
      x = std::ldexp(static_cast<double>(random() % 255) - 127, exponent - 7);
    }
    if (std::isfinite(x)) return x;
  }
}

void Check(const MatrixCase& m, const Handlers& handlers, Numbers numbers,
           std::mt19937_64& random) {
  Matrices values(m);
  TestWave wave(handlers, "gfx90a");
  for (double& x : values.a) x = RandomNumber(m.a, numbers, random);
  for (double& x : values.b) x = RandomNumber(m.b, numbers, random);
  for (double& x : values.c) {
    const auto bits = static_cast<uint32_t>(random());
    x = numbers == Numbers::kSmall ? std::bit_cast<float>(bits & 0x80ffffff)
                                   : std::bit_cast<float>(bits & 0xbfffffff);  // below 2
  }
  SetRegisters(m, values, *wave);
  const absl::Status status = wave.Execute(WriteInstruction(m, true));
  ASSERT_TRUE(status.ok()) << status;
  for (int lane = 0; lane < kLanes; ++lane) {
    for (int r = 0; r < OutputsOfLane(m); ++r) {
      const Output at = OutputAt(m, lane, r);
      std::vector<double> a, b;
      for (int k = 0; k < m.depth; ++k) {
        a.push_back(AsRead(values.A(at.block, at.i, k), m.a));
        b.push_back(AsRead(values.B(at.block, at.j, k), m.b));
      }
      const float expected = Model(m, a, b, values.C(at.block, at.i, at.j));
      const auto actual = static_cast<float>(ResultAt(m, *wave, lane, r));
      ASSERT_TRUE(std::isnan(expected) ? std::isnan(actual) : actual == expected)
          << actual << " instead of " << expected << " in lane " << lane << ", value " << r;
      if (expected == 0) ASSERT_EQ(std::signbit(actual), std::signbit(expected));
    }
  }
}

TEST(Pairwise, EqualsTheScalarModel) {
  std::mt19937_64 random(90);
  ASSERT_EQ(PairwiseCases().size(), 15u);
  for (const Handlers* handlers : UsableHandlers()) {
    for (const MatrixCase& m : PairwiseCases()) {
      for (const Numbers numbers : {Numbers::kNormal, Numbers::kAny, Numbers::kSmall}) {
        SCOPED_TRACE(testing::Message() << m.mnemonic << " at level " << handlers->level()
                                        << ", numbers " << static_cast<int>(numbers));
        for (int i = 0; i < 4; ++i) ASSERT_NO_FATAL_FAILURE(Check(m, *handlers, numbers, random));
      }
    }
  }
}

/// 2^24 + 1 + 1 + ...: the ones survive only if they are added to each other first.
TEST(Pairwise, AddsAGroupBeforeC) {
  TestWave wave(BestHandlers(), "gfx90a");
  for (int l = 0; l < kLanes; ++l) {
    for (const int row : {0, 1, 2, 3}) wave->v[row][l] = 0x3c003c00;
    for (const int row : {4, 5, 6, 7}) wave->v[row][l] = std::bit_cast<uint32_t>(0x1p24f);
  }
  ASSERT_TRUE(wave.Execute("v_mfma_f32_16x16x16f16 v[8:11], v[0:1], v[2:3], v[4:7]").ok());
  EXPECT_EQ(std::bit_cast<float>(wave->v[8][0]), 0x1p24f + 16);
  // The same for pairs.
  for (int l = 0; l < kLanes; ++l) wave->v[0][l] = wave->v[2][l] = 0x3f803f80;
  ASSERT_TRUE(wave.Execute("v_mfma_f32_4x4x2bf16 v[8:11], v0, v2, v[4:7]").ok());
  EXPECT_EQ(std::bit_cast<float>(wave->v[8][0]), 0x1p24f + 2);
}

/// The smallest half that is no denormal, and the largest that is one.
TEST(Pairwise, ReadsDenormalsAsZero) {
  for (const auto& [half, product] : {std::pair(0x0400u, 0x1p-14f), std::pair(0x03ffu, 0.0f)}) {
    TestWave wave(BestHandlers(), "gfx90a");
    for (int l = 0; l < 16; ++l) {  // k = 0 of rows and columns
      wave->v[0][l] = half;
      wave->v[2][l] = 0x3c00;
    }
    ASSERT_TRUE(wave.Execute("v_mfma_f32_16x16x16f16 v[8:11], v[0:1], v[2:3], 0").ok());
    EXPECT_EQ(std::bit_cast<float>(wave->v[8][0]), product);
  }
}

}  // namespace
}  // namespace gridwise::sim::matrix
