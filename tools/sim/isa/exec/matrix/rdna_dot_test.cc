// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
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

/// v_dot2 and WMMA of RDNA on halves and bf16: results that cards gave, and a model in numbers,
/// where the simulator has bits. All of the model's sums are exact in double.

namespace gridwise::sim::matrix {
namespace {

/// What a Radeon PRO W7900 (gfx1100) and a Radeon AI PRO R9700 (gfx1201) gave for v_dot2_f32 of two
/// dwords and C (rocm-systems, rocjitsu, tests/fixtures/float_dot).
struct Measured {
  uint32_t a, b, c, gfx1100, gfx1201;
};
constexpr Measured kHalves[] = {
    {0x48004200, 0x44004800, 0xbf800000, 0x425c0001, 0x425c0000},
    {0xc800c200, 0x44004800, 0x3f800000, 0xc25c0001, 0xc25c0000},
    {0x3c00bc00, 0x3c003c00, 0x3f800000, 0x3f7fffff, 0x3f800000},
    {0x3c003c00, 0x3c003c00, 0xc0000000, 0x34000000, 0x00000000},
    {0x3c004000, 0x3c003c00, 0xc0000000, 0x3f800002, 0x3f800000},
    {0x4800c800, 0x48004800, 0x3f800000, 0x3f7fffc0, 0x3f800000},
    {0x3c00bc00, 0x3c000000, 0x00000000, 0x3f7fffff, 0x3f800000},
    {0x3c003c00, 0x3c000000, 0x80000000, 0x3f800001, 0x3f800000},
    {0x3c003c00, 0x3c003c00, 0x7f812345, 0x7fc12345, 0x7fc12345},
    {0x3c007c01, 0x3c003c00, 0x00000000, 0xffc00a3d, 0xffc00a3d},
    {0x3c007c00, 0x3c000000, 0x7fc12345, 0xffc00000, 0xffc00000},
    {0x80008000, 0x3c003c00, 0x00800000, 0x00800000, 0x00800000},
    {0x00000001, 0x3c000001, 0x00000000, 0x27800000, 0x27800000},
    {0x00000001, 0x3c008001, 0x00000000, 0xa7880000, 0xa7800000},
    {0x058ef3f3, 0x2b241c4a, 0xb8eed486, 0xc2886106, 0xc2886106},
    {0xcd6c4d6c, 0x78af78af, 0x00000000, 0xbd000000, 0x00000000},
    {0x84950495, 0x3d283d28, 0x80000000, 0x2c800000, 0x00000000},
    {0xbc003c00, 0x0001fbff, 0x7f800000, 0x7f800000, 0x7f800000},
    {0x7c000401, 0x80000401, 0xff9a5ce2, 0xffc00000, 0xffc00000},
    {0x8000fc00, 0x04013c00, 0x00800000, 0xff800000, 0xff800000},
};
constexpr Measured kBf16s[] = {
    {0x3f80bf80, 0x3f803f80, 0x3f800000, 0x3f7fffff, 0x3f800000},
    {0x00800000, 0x3f808000, 0x00000000, 0x00000000, 0x00800000},
    {0x00800000, 0x3f808000, 0x00000001, 0x00000000, 0x00800001},
    {0x00000001, 0x3f804980, 0x00000000, 0x00000000, 0x07000000},
    {0x00800080, 0x3f003f00, 0x00000000, 0x00800000, 0x00800000},
    {0xff7f7f7f, 0x7f7f7f7f, 0x00000000, 0xff800000, 0x00000000},
    {0x49b3fce2, 0x573a122b, 0x246a3c33, 0x61820e00, 0x61820e00},
    {0x058ef3f3, 0x2b241c4a, 0xb8eed486, 0xd0bfbe00, 0xd0bfbe00},
    {0xc395629b, 0xd9633359, 0xdc60025c, 0x5d504185, 0x5d504184},
    {0xce354e35, 0x7bfd7bfd, 0x00000000, 0xfe000000, 0x00000000},
    {0x35b3b5b3, 0xc398c398, 0x80000000, 0x2d800000, 0x00000000},
    {0x8000ff80, 0x00813f80, 0x00800000, 0xff800000, 0xff800000},
    {0x7f800081, 0x80000081, 0xff9a5ce2, 0xffc00000, 0xffc00000},
};

uint32_t Dot2(const char* mnemonic, const char* gfx, const Handlers& handlers, uint32_t a,
              uint32_t b, uint32_t c) {
  TestWave wave(handlers, gfx);
  wave->v[0][5] = a;
  wave->v[1][5] = b;
  wave->v[2][5] = c;
  EXPECT_TRUE(wave.Execute(std::string(mnemonic) + " v3, v0, v1, v2").ok());
  return wave->v[3][5];
}

TEST(RdnaDot, GivesWhatCardsGave) {
  for (const Handlers* handlers : UsableHandlers()) {
    const auto check = [&](const Measured& m, const char* mnemonic) {
      EXPECT_EQ(Dot2(mnemonic, "gfx1100", *handlers, m.a, m.b, m.c), m.gfx1100)
          << mnemonic << std::hex << " of " << m.a << ", " << m.b << ", " << m.c << " on gfx1100";
      EXPECT_EQ(Dot2(mnemonic, "gfx1201", *handlers, m.a, m.b, m.c), m.gfx1201)
          << mnemonic << std::hex << " of " << m.a << ", " << m.b << ", " << m.c << " on gfx1201";
    };
    for (const Measured& m : kHalves) check(m, "v_dot2_f32_f16");
    for (const Measured& m : kBf16s) check(m, "v_dot2_f32_bf16");
  }
  // bf16 denormals next to those of f32, which gfx1201 has.
  for (const auto& [a, b, c, sum] :
       {std::array<uint32_t, 4>{0x2061bc39, 0x96b40093, 0x0056dd77, 0x00553463},
        {0x08e7393d, 0xb7d307aa, 0x80800005, 0x8006c205},
        {0x98ea1190, 0x2720af4c, 0x80800004, 0x81b75001}}) {
    EXPECT_EQ(Dot2("v_dot2_f32_bf16", "gfx1201", BestHandlers(), a, b, c), sum);
  }
}

/// The format of an operand or result: h f16, b bf16, f f32.
int LowestOf(char type) { return type == 'h' ? -14 : -126; }
int FractionOf(char type) { return type == 'h' ? 10 : type == 'b' ? 7 : 23; }

int ExponentOf(double x, int lowest) { return std::max(std::ilogb(x), lowest); }
/// To nearest even, of numbers of `bits` fraction bits whose exponent is `lowest` at least.
double Nearest(double x, int bits, int lowest) {
  if (x == 0) return 0;
  const int unit = ExponentOf(x, lowest) - bits;
  return std::ldexp(std::nearbyint(std::ldexp(x, -unit)), unit);
}
/// x in multiples of 2^unit.
double In(double x, int unit) { return std::ldexp(x, -unit); }
constexpr int kNothing = -400;

/// The finite sum of products in exact numbers of which the last rounding is left.
double Unrounded(int generation, char in, char out, const std::vector<double>& a,
                 const std::vector<double>& b, double c) {
  std::vector<int> units;
  for (size_t i = 0; i < a.size(); ++i) {
    const bool none = a[i] * b[i] == 0;
    units.push_back(none ? kNothing
                         : ExponentOf(a[i], LowestOf(in)) + ExponentOf(b[i], LowestOf(in)) - 24);
  }
  int unit = *std::max_element(units.begin(), units.end());
  const int least = out == 'h' ? -14 : generation == 12 ? -126 : kNothing;
  unit = std::max(unit, (c == 0 ? least : std::max(least, std::ilogb(c))) - 26);
  unit = std::max(unit, kNothing);
  if (generation == 11) {
    double total = std::trunc(In(std::fabs(c), unit));
    for (size_t i = 0; i < a.size(); ++i) {
      const double magnitude = std::trunc(In(std::fabs(a[i] * b[i]), unit));
      const bool opposes = (std::signbit(a[i]) != std::signbit(b[i])) != std::signbit(c);
      total += opposes ? -magnitude - 1 : magnitude;
    }
    return std::ldexp(std::signbit(c) ? -total : total, unit);
  }
  double total = std::floor(In(c, unit));
  if (unit > least && std::fabs(In(c, unit)) < 1) total = 0;
  for (size_t i = 0; i < a.size(); i += 2) {
    const int own = std::max(units[i], units[i + 1]);
    const double pair = std::floor(In(a[i] * b[i], own)) + std::floor(In(a[i + 1] * b[i + 1], own));
    total += std::floor(In(std::ldexp(pair, own), unit));
  }
  return std::ldexp(total, unit);
}

/// The sum as a number of type `out`.
double Model(int generation, char in, char out, std::vector<double> a, std::vector<double> b,
             double c) {
  const auto flushed = [&](double x, char type) {
    const bool flushes = generation == 11 && type != 'h';
    return flushes && std::fabs(x) < 0x1p-126 ? std::copysign(0, x) : x;
  };
  for (double& x : a) x = flushed(x, in);
  for (double& x : b) x = flushed(x, in);
  const double exact = Unrounded(generation, in, out, a, b, flushed(c, out));
  if (out == 'h') {
    const double half = Nearest(exact, 10, -14);
    return std::fabs(half) > 65504 ? std::copysign(INFINITY, half) : half + 0.0;  // zeros are +0
  }
  double sum = Nearest(exact, 23, generation == 11 ? -1000 : -126);
  if (generation == 11 && std::fabs(sum) < 0x1p-126) sum = 0;
  if (std::fabs(sum) >= 0x1p128) return std::copysign(INFINITY, sum);
  if (out != 'b' || sum == 0) return sum + 0.0;
  const int unit = ExponentOf(sum, -126) - 7;
  return std::ldexp(std::trunc(In(sum, unit)), unit);  // -0 of a negative denormal
}

/// Any finite number of the type; half of them about as large as each other.
double MakeRandom(char type, std::mt19937_64& random) {
  for (;;) {
    if (random() % 2 == 0) {
      const double normal = std::normal_distribution<double>(0, 1)(random);
      return Nearest(normal, FractionOf(type), LowestOf(type));
    }
    const uint64_t code = random() & (type == 'f' ? 0xffffffff : 0xffff);
    const double x = Decode(code, type);
    if (std::isfinite(x)) return x;
  }
}

TEST(RdnaDot, EqualsTheModel) {
  struct Case {
    const char* mnemonic;
    char in, out;
  };
  std::mt19937_64 random(7);
  int inexact = 0;
  for (const Handlers* handlers : UsableHandlers()) {
    for (const Case& c : {Case{"v_dot2_f32_f16", 'h', 'f'},
                          {"v_dot2_f32_bf16", 'b', 'f'},
                          {"v_dot2_f16_f16", 'h', 'h'},
                          {"v_dot2_bf16_bf16", 'b', 'b'}}) {
      for (const int generation : {11, 12}) {
        for (int i = 0; i < 3000; ++i) {
          std::vector<double> a, b;
          for (std::vector<double>* side : {&a, &b}) {
            for (int k = 0; k < 2; ++k) side->push_back(MakeRandom(c.in, random));
          }
          const double sum = MakeRandom(c.out, random);
          const auto pair = [&](const std::vector<double>& x) {
            return static_cast<uint32_t>(Encode(x[0], c.in) | Encode(x[1], c.in) << 16);
          };
          const char* const gfx = generation == 11 ? "gfx1100" : "gfx1201";
          const uint32_t result = Dot2(c.mnemonic, gfx, *handlers, pair(a), pair(b),
                                       static_cast<uint32_t>(Encode(sum, c.out)));
          const double expected = Model(generation, c.in, c.out, a, b, sum);
          ASSERT_EQ(Decode(c.out == 'f' ? result : result & 0xffff, c.out), expected)
              << c.mnemonic << " on " << gfx << ": " << a[0] << " * " << b[0] << " + " << a[1]
              << " * " << b[1] << " + " << sum;
          inexact += std::fma(a[1], b[1], std::fma(a[0], b[0], sum)) != expected;
        }
      }
    }
  }
  EXPECT_GT(inexact, 10'000);
}

class RdnaMatrix : public testing::Test {
 protected:
  void SetUp() override { SetMatrixMode(MatrixMode::kExact); }
  void TearDown() override { SetMatrixMode(MatrixMode::kFast); }
};

TEST_F(RdnaMatrix, EqualsTheModel) {
  std::mt19937_64 random(8);
  int cases = 0;
  for (const MatrixCase& m : AllMatrixCases()) {
    if (m.family == Family::kMfma || m.sparse || BitsOf(m.a) != 16) continue;
    ++cases;
    const int generation = m.family == Family::kWmma11 ? 11 : 12;
    Matrices values(m);
    for (double& x : values.a) x = MakeRandom(m.a, random);
    for (double& x : values.b) x = MakeRandom(m.b, random);
    for (double& x : values.c) x = MakeRandom(m.out, random);
    for (const Handlers* handlers : UsableHandlers()) {
      TestWave wave(*handlers, generation == 11 ? "gfx1100" : "gfx1201", LanesOf(m));
      SetRegisters(m, values, *wave);
      ASSERT_TRUE(wave.Execute(WriteInstruction(m, true)).ok());
      for (int lane = 0; lane < LanesOf(m); ++lane) {
        for (int r = 0; r < OutputsOfLane(m); ++r) {
          const Output at = OutputAt(m, lane, r);
          double sum = values.C(at.block, at.i, at.j);
          const int step = generation == 11 ? 2 : 4;
          for (int k = 0; k < m.depth && std::isfinite(sum); k += step) {
            std::vector<double> a, b;
            for (int i = k; i < k + step; ++i) {
              a.push_back(values.A(at.block, at.i, i));
              b.push_back(values.B(at.block, at.j, i));
            }
            sum = Model(generation, m.a, m.out, a, b, sum);
          }
          const double result = ResultAt(m, *wave, lane, r);
          ASSERT_TRUE(std::isfinite(sum) ? result == sum : !std::isfinite(result))
              << m.mnemonic << ": " << result << " in place of " << sum;
        }
      }
    }
  }
  // Types of two generations, and of gfx11 the two with results in high halves, in waves of 32
  // and 64.
  EXPECT_EQ(cases, (4 + 4 + 2) * 2);
}

/// Captured on a Radeon AI PRO R9700 with all rows of A, and all columns of B, alike (rocjitsu's
/// kGfx12WmmaF16Cases): halves as the lane groups of a wave hold them one after the other. The same
/// registers are other k in a wave64, which shows in what order they are added.
TEST_F(RdnaMatrix, GivesWhatACardGave) {
  struct Captured {
    std::array<uint16_t, 16> a, b;
    uint32_t c, wave32, wave64;
  };
  constexpr Captured kCaptured[] = {
      {{0xc6e1, 0xb1ea, 0xd31d, 0x2d4f, 0x4a45, 0xd1f1, 0x3362, 0xc244, 0x4a75, 0x443e, 0x5623,
        0x4ec3, 0x57c7, 0xb82e, 0xcf34, 0x3660},
       {0xd36c, 0xc886, 0x2f3d, 0x30a3, 0xd070, 0xb2cb, 0x4759, 0xcf27, 0x4ed4, 0x3c97, 0xae37,
        0xb63f, 0x35f0, 0x3a25, 0xb0d8, 0x405a},
       0xbf6ba3b9,
       0x43dfc44b,
       0x43dfc44a},
      {{0x9844, 0x3f7a, 0x606f, 0xc18c, 0xbe5b, 0x891f, 0xbbfb, 0x93b8, 0xc3c6, 0x32f2, 0xf44e,
        0x15cf, 0x5eeb, 0x2b55, 0x8bef, 0xa075},
       {0x8e88, 0xec18, 0xd3c2, 0xf6ae, 0x0cdb, 0x87c5, 0x4587, 0x5825, 0x6e7d, 0x8ab5, 0x8773,
        0x4108, 0x91c2, 0x3987, 0x62ab, 0xfbad},
       0x48e26837,
       0x48e6175e,
       0x48e6175f}};
  for (const Captured& captured : kCaptured) {
    for (const int lanes : {32, 64}) {
      TestWave wave(BestHandlers(), "gfx1201", lanes);
      const int dwords = 8 * 16 / lanes, sums = 256 / lanes;
      for (int lane = 0; lane < lanes; ++lane) {
        for (int i = 0; i < dwords; ++i) {
          const size_t at = 2 * static_cast<size_t>(lane / 16 * dwords + i);
          wave->v[i][lane] = captured.a[at] | uint32_t{captured.a[at + 1]} << 16;
          wave->v[8 + i][lane] = captured.b[at] | uint32_t{captured.b[at + 1]} << 16;
        }
        for (int r = 0; r < sums; ++r) wave->v[16 + r][lane] = captured.c;
      }
      ASSERT_TRUE(wave.Execute(lanes == 32
                                   ? "v_wmma_f32_16x16x16_f16 v[24:31], v[0:3], v[8:11], v[16:23]"
                                   : "v_wmma_f32_16x16x16_f16 v[24:27], v[0:1], v[8:9], v[16:19]")
                      .ok());
      for (int lane = 0; lane < lanes; ++lane)
        EXPECT_EQ(wave->v[24][lane], lanes == 32 ? captured.wave32 : captured.wave64);
    }
  }
}

}  // namespace
}  // namespace gridwise::sim::matrix
