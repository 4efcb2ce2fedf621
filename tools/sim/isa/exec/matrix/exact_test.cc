// SPDX-License-Identifier: MIT
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tools/sim/isa/bind/bind.h"
#include "tools/sim/isa/bind/matrix_mode.h"
#include "tools/sim/isa/testing/matrix_cases.h"
#include "tools/sim/isa/testing/test_wave.h"

/// The bit-exact arithmetic of gfx942 against a scalar model in double, product by product. All
/// numbers of the model are exact: sums have fewer than 53 bits.

namespace gridwise::sim::matrix {
namespace {

/// x = significand * 2^exponent; the exponent is that of the leading bit, but not below the
/// format's lowest one. Zero has no exponent.
struct Parts {
  double significand = 0;
  int exponent = -100000;
};
Parts Take(double x, int lowest) {
  if (x == 0) return {};
  const int exponent = std::max(std::ilogb(x), lowest);
  return {std::ldexp(x, -exponent), exponent};
}
int LowestExponent(char type) {
  switch (type) {
    case 'h':
      return -14;
    case 'z':
      return -7;
    case 'y':
      return -15;
    default:
      return -126;
  }
}
double TruncateAt(double x, int bits) { return std::ldexp(std::trunc(std::ldexp(x, bits)), -bits); }
double FloorAt(double x, int bits) { return std::ldexp(std::floor(std::ldexp(x, bits)), -bits); }
/// x * 2^(from - to); an x without exponent is 0.
double Align(const Parts& x, int to) {
  return x.significand == 0 ? 0 : std::ldexp(x.significand, std::max(x.exponent - to, -1000));
}

/// Sum of products, each cut off at 24 bits after the point of the largest one.
Parts SumOfProducts(const std::vector<Parts>& products) {
  Parts sum;
  for (const Parts& p : products) sum.exponent = std::max(sum.exponent, p.exponent);
  for (const Parts& p : products) sum.significand += TruncateAt(Align(p, sum.exponent), 24);
  return sum;
}

float Group(const std::vector<double>& a, const std::vector<double>& b, char type_a, char type_b,
            float c) {
  std::vector<Parts> parts[2];
  double check = c;
  bool above = false, below = false;
  const bool eight = BitsOf(type_a) == 8;
  for (size_t k = 0; k < a.size(); ++k) {
    const double product = a[k] * b[k];
    check += product;
    above = above || product >= 0x1p128;
    below = below || product <= -0x1p128;
    const Parts x = Take(a[k], LowestExponent(type_a)), y = Take(b[k], LowestExponent(type_b));
    Parts p = {x.significand * y.significand, x.exponent + y.exponent};
    if (p.significand == 0) p = {};
    parts[eight ? k % 2 : 0].push_back(p);
  }
  if (!std::isfinite(check)) return static_cast<float>(check);
  if (above || below) return above && below ? NAN : above ? INFINITY : -INFINITY;
  Parts sum = SumOfProducts(parts[0]);
  if (eight) {
    const Parts odd = SumOfProducts(parts[1]);
    const int exponent = std::max(sum.exponent, odd.exponent);
    sum = {FloorAt(Align(sum, exponent), 24) + FloorAt(Align(odd, exponent), 24), exponent};
  }
  const Parts old = Take(c, -126);
  const int exponent = std::max(sum.exponent, old.exponent);
  if (exponent < -1000) return 0;
  double total = FloorAt(Align(sum, exponent), 31);
  if (!eight || old.exponent >= exponent - 25) total += FloorAt(Align(old, exponent), 24);
  return static_cast<float>(std::ldexp(total, exponent));  // rounds to nearest even, once
}

float Model(const MatrixCase& m, const std::vector<double>& a, const std::vector<double>& b,
            float c) {
  const size_t group = m.a == 'x' ? 4 : BitsOf(m.a) == 8 ? 16 : 8;
  for (size_t first = 0; first < a.size(); first += group) {
    const auto begin = static_cast<std::ptrdiff_t>(first),
               end = static_cast<std::ptrdiff_t>(std::min(first + group, a.size()));
    c = Group({a.begin() + begin, a.begin() + end}, {b.begin() + begin, b.begin() + end}, m.a, m.b,
              c);
  }
  return c;
}

/// xf32 ignores 13 bits of its operands.
double AsRead(double x, char type) {
  if (type != 'x') return x;
  return std::bit_cast<float>(std::bit_cast<uint32_t>(static_cast<float>(x)) & 0xffffe000);
}

std::vector<MatrixCase> ExactCases() {
  std::vector<MatrixCase> cases;
  for (const MatrixCase& m : AllMatrixCases()) {
    if ((m.targets & kGfx942) != 0 && m.out == 'f' && m.a != 'f' && !m.sparse) cases.push_back(m);
  }
  return cases;
}

/// Operands from codes: all bit patterns (with infinities and NaN if `special`), or about normal.
enum class Numbers { kNormal, kAnyFinite, kAny };
double RandomNumber(char type, Numbers numbers, std::mt19937_64& random) {
  for (;;) {
    double x = 0;
    if (numbers == Numbers::kNormal) {
      const double normal = std::normal_distribution<double>(0, 1)(random);
      if (BitsOf(type) != 8) {
        const int drop = type == 'h' ? 42 : type == 'b' ? 45 : 29;
        x = std::bit_cast<double>(std::bit_cast<uint64_t>(normal) >> drop << drop);
        if (type == 'h' && std::fabs(x) < 0x1p-14) x = 0;
      } else {
        x = Decode(0x30 + random() % 0x20 + (random() % 2) * 0x80, type);
      }
    } else {
      x = Decode(random() & (BitsOf(type) == 32 ? 0xffffffffu : (1u << BitsOf(type)) - 1), type);
    }
    if (numbers == Numbers::kAny ? random() % 8 != 0 || !std::isfinite(x) : std::isfinite(x))
      return x;
  }
}

/// The bits of a NaN, which Encode does not find.
uint32_t NanBits(char type) {
  return type == 'z' || type == 'y' ? 0x80
         : type == 'h'              ? 0x7e00
         : type == 'b'              ? 0x7fc0
                                    : 0x7fc00000;
}

void Check(const MatrixCase& m, const Handlers& handlers, Numbers numbers,
           std::mt19937_64& random) {
  Matrices values(m);
  TestWave wave(handlers);
  for (double& x : values.c) {
    const float c = static_cast<float>(std::normal_distribution<double>(0, 1)(random));
    x = numbers == Numbers::kNormal
            ? c
            : std::bit_cast<float>(static_cast<uint32_t>(random() & 0xbfffffff));  // below 2
  }
  for (auto* operand : {&values.a, &values.b}) {
    for (double& x : *operand) x = RandomNumber(operand == &values.a ? m.a : m.b, numbers, random);
  }
  // Registers are set from numbers, NaN put in afterwards.
  Matrices clean = values;
  for (double& x : clean.a) x = std::isnan(x) ? 0 : x;
  for (double& x : clean.b) x = std::isnan(x) ? 0 : x;
  SetRegisters(m, clean, *wave);
  for (int lane = 0; lane < kLanes; ++lane) {
    for (const auto& [reg, side] : {std::pair(kA, Side::kA), std::pair(kB, Side::kB)}) {
      const char type = TypeOf(m, side);
      for (int p = 0; p < Elements(m, side); ++p) {
        const Input at = InputAt(m, side, lane, p);
        const double x =
            reg == kA ? values.A(at.block, at.i, at.k) : values.B(at.block, at.i, at.k);
        const int bit = p * BitsOf(type);
        if (std::isnan(x)) wave->v[reg + bit / 32][lane] |= NanBits(type) << (bit % 32);
      }
    }
  }
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
      const float expected = Model(m, a, b, static_cast<float>(values.C(at.block, at.i, at.j)));
      const auto actual = static_cast<float>(ResultAt(m, *wave, lane, r));
      ASSERT_TRUE(std::isnan(expected) ? std::isnan(actual) : actual == expected)
          << actual << " instead of " << expected << " in lane " << lane << ", value " << r;
    }
  }
}

class Exact : public testing::Test {
 protected:
  void SetUp() override { SetMatrixMode(MatrixMode::kExact); }
  void TearDown() override { SetMatrixMode(MatrixMode::kFast); }
};

TEST_F(Exact, EqualsTheScalarModel) {
  std::mt19937_64 random(99);
  ASSERT_GE(ExactCases().size(), 20u);
  for (const Handlers* handlers : UsableHandlers()) {
    for (const MatrixCase& m : ExactCases()) {
      for (const Numbers numbers : {Numbers::kNormal, Numbers::kAnyFinite, Numbers::kAny}) {
        SCOPED_TRACE(testing::Message() << m.mnemonic << " at level " << handlers->level()
                                        << ", numbers " << static_cast<int>(numbers));
        for (int i = 0; i < 4; ++i) ASSERT_NO_FATAL_FAILURE(Check(m, *handlers, numbers, random));
      }
    }
  }
}

/// Rounding towards minus infinity shows in signs: 1 - 2^-40 is below 1, but -(-1 + 2^-40) is 1.
TEST_F(Exact, IsNotSymmetric) {
  for (const std::string mnemonic : {"v_mfma_f32_16x16x16_f16", "v_mfma_f32_16x16x16_bf16"}) {
    const uint32_t one = mnemonic.ends_with("bf16") ? 0x3f80 : 0x3c00;
    for (const bool negative : {false, true}) {
      TestWave wave;
      for (int l = 0; l < 16; ++l) {  // k = 0 of rows and columns
        wave->v[0][l] = one | (negative ? 0x8000u : 0u);
        wave->v[2][l] = one;
      }
      for (int r = 0; r < 4; ++r) {
        for (int l = 0; l < kLanes; ++l)
          wave->v[4 + r][l] = std::bit_cast<uint32_t>(negative ? 0x1p-40f : -0x1p-40f);
      }
      ASSERT_TRUE(wave.Execute(mnemonic + " v[8:11], v[0:1], v[2:3], v[4:7]").ok());
      EXPECT_EQ(std::bit_cast<float>(wave->v[8][0]), negative ? -1.0f : 0x1.fffffep-1f) << mnemonic;
    }
  }
}

/// Fast sums are not those of the hardware: the reason for having both.
TEST(Fast, DiffersInLastBits) {
  SetMatrixMode(MatrixMode::kFast);
  TestWave fast, exact;
  std::mt19937_64 random(3);
  MatrixCase m;
  for (const MatrixCase& c : ExactCases()) {
    if (c.mnemonic == "v_mfma_f32_16x16x16_f16") m = c;
  }
  Matrices values(m);
  for (double& x : values.a) x = RandomNumber('h', Numbers::kNormal, random);
  for (double& x : values.b) x = RandomNumber('h', Numbers::kNormal, random);
  SetRegisters(m, values, *fast);
  SetRegisters(m, values, *exact);
  ASSERT_TRUE(fast.Execute(WriteInstruction(m, true)).ok());
  SetMatrixMode(MatrixMode::kExact);
  ASSERT_TRUE(exact.Execute(WriteInstruction(m, true)).ok());
  SetMatrixMode(MatrixMode::kFast);
  int different = 0;
  for (int lane = 0; lane < kLanes; ++lane) {
    for (int r = 0; r < 4; ++r) {
      const double a = ResultAt(m, *fast, lane, r), b = ResultAt(m, *exact, lane, r);
      different += a != b;
      EXPECT_NEAR(a, b, 1e-5);
    }
  }
  EXPECT_GT(different, 20);
}

}  // namespace
}  // namespace gridwise::sim::matrix
