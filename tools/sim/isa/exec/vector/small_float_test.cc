// SPDX-License-Identifier: MIT
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tools/sim/isa/bind/bind.h"
#include "tools/sim/isa/bind/binding.h"
#include "tools/sim/isa/target.h"
#include "tools/sim/isa/testing/matrix_cases.h"
#include "tools/sim/isa/testing/test_wave.h"

/// Conversions of 8, 6 and 4-bit floats against the definitions of the formats (matrix_cases.h):
/// every code, and rounding by comparing with the neighbours.

namespace gridwise::sim::matrix {
namespace {

struct Target {
  const char* gfx;
  char fp8, bf8;
};
constexpr Target kTargets[] = {{"gfx942", 'z', 'y'}, {"gfx950", '8', '5'}, {"gfx1201", '8', '5'}};

uint32_t U(float x) { return std::bit_cast<uint32_t>(x); }
float F(uint32_t x) { return std::bit_cast<float>(x); }
bool Same(float a, float b) { return std::isnan(b) ? std::isnan(a) : U(a) == U(b); }

/// Numbers of a format without sign, in order of their codes.
std::vector<double> Magnitudes(char type) {
  std::vector<double> values;
  for (uint64_t code = 0; code < uint64_t{1} << (BitsOf(type) - 1); ++code) {
    const double x = Decode(code, type);
    if (std::isfinite(x)) values.push_back(x);
  }
  return values;
}

bool IsNanCode(uint64_t code, char type) { return std::isnan(Decode(code, type)); }

/// The code that x is rounded to: the nearest number, ties to the even code. Above the largest
/// number by half a unit or more: the largest if `saturate`, else infinity or NaN.
uint64_t Nearest(double x, char type, bool saturate) {
  const std::vector<double> numbers = Magnitudes(type);
  const uint64_t sign = uint64_t{1} << (BitsOf(type) - 1);
  const bool fnuz = type == 'z' || type == 'y', finite_only = BitsOf(type) < 8;
  const uint64_t nan = fnuz ? sign : sign - 1;
  const uint64_t infinity = type == '5' ? 0x7c : nan;
  const uint64_t largest = numbers.size() - 1;
  if (std::isnan(x)) return finite_only ? largest | (std::signbit(x) ? sign : 0) : nan;
  const double magnitude = std::fabs(x);
  uint64_t code = 0;
  const double unit = numbers[largest] - numbers[largest - 1];
  const double limit = numbers[largest] + unit / 2;
  // A tie at the limit goes to the even code.
  if (magnitude > limit || (magnitude == limit && largest % 2 != 0)) {
    code = saturate || finite_only ? largest : infinity;
  } else {
    const auto above = std::lower_bound(numbers.begin(), numbers.end(), magnitude);
    code = static_cast<uint64_t>(above - numbers.begin());
    if (above == numbers.end()) code = largest;
    if (code > 0 && numbers[code] != magnitude) {
      const double up = numbers[code] - magnitude, down = magnitude - numbers[code - 1];
      if (down < up || (down == up && code % 2 != 0)) --code;
    }
  }
  if (code == nan && !finite_only) return fnuz ? nan : code | (std::signbit(x) ? sign : 0);
  return std::signbit(x) && !(fnuz && code == 0) ? code | sign : code;
}

TEST(SmallFloat, EveryCodeBecomesItsNumber) {
  for (const Target& t : kTargets) {
    for (const char type : {t.fp8, t.bf8}) {
      const std::string name = type == t.fp8 ? "fp8" : "bf8";
      for (uint32_t first = 0; first < 256; first += 32) {
        TestWave wave(BestHandlers(), t.gfx);
        for (uint32_t l = 0; l < 32; ++l)
          wave->v[0][l] = (first + l) | (first + l + 1) % 256 << 8 | (first + l) << 16 |
                          (first + l + 3) % 256 << 24;
        const bool gfx12 = std::string(t.gfx) == "gfx1201";
        ASSERT_TRUE(wave.Execute("v_cvt_f32_" + name + " v1, v0").ok());
        ASSERT_TRUE(wave.Execute(gfx12 ? "v_cvt_f32_" + name + "_e64 v2, v0 byte_sel:3"
                                       : "v_cvt_f32_" + name + "_sdwa v2, v0 src0_sel:BYTE_3")
                        .ok());
        ASSERT_TRUE(wave.Execute("v_cvt_pk_f32_" + name + " v[4:5], v0").ok());
        ASSERT_TRUE(wave.Execute(gfx12
                                     ? "v_cvt_pk_f32_" + name + "_e64 v[6:7], v0 op_sel:[1,0]"
                                     : "v_cvt_pk_f32_" + name + "_sdwa v[6:7], v0 src0_sel:WORD_1")
                        .ok());
        for (uint32_t l = 0; l < 32; ++l) {
          const auto number = [&](uint32_t code) {
            return static_cast<float>(Decode(code % 256, type));
          };
          const uint32_t c = first + l;
          const std::pair<int, uint32_t> kResults[] = {{1, c},     {2, c + 3}, {4, c},
                                                       {5, c + 1}, {6, c},     {7, c + 3}};
          for (const auto& [reg, code] : kResults) {
            ASSERT_TRUE(Same(F(wave->v[reg][l]), number(code)))
                << t.gfx << " " << name << " v" << reg << " code " << code % 256;
          }
        }
      }
    }
  }
}

/// Numbers around every number of the format and halfway between, and others.
std::vector<float> Inputs(char type) {
  std::vector<float> inputs = {0.0f,     -0.0f,     INFINITY,  -INFINITY, NAN,     1e30f,
                               -1e30f,   0x1p-149f, -0x1p-60f, 0x1p-127f, 65535.f, 447.99f,
                               448.001f, 464.0f,    480.0f,    61439.9f,  240.0f,  248.0f};
  const std::vector<double> numbers = Magnitudes(type);
  for (size_t i = 0; i + 1 < numbers.size(); ++i) {
    for (const double x : {numbers[i], (numbers[i] + numbers[i + 1]) / 2}) {
      for (const float y : {static_cast<float>(x), std::nextafterf(static_cast<float>(x), 0),
                            std::nextafterf(static_cast<float>(x), INFINITY)}) {
        inputs.push_back(y);
        inputs.push_back(-y);
      }
    }
  }
  while (inputs.size() % 32 != 0) inputs.push_back(1);
  return inputs;
}

bool SameCode(uint64_t actual, uint64_t expected, char type) {
  return IsNanCode(expected, type) ? IsNanCode(actual, type) : actual == expected;
}

TEST(SmallFloat, RoundsToNearestEven) {
  for (const Target& t : kTargets) {
    for (const char type : {t.fp8, t.bf8}) {
      const std::string name = type == t.fp8 ? "fp8" : "bf8";
      const std::vector<float> inputs = Inputs(type);
      for (const bool saturate : {false, true}) {
        for (size_t first = 0; first < inputs.size(); first += 32) {
          TestWave wave(BestHandlers(), t.gfx);
          if (saturate) wave->mode |= 1u << 23;
          for (size_t l = 0; l < 32; ++l) {
            wave->v[0][l] = U(inputs[first + l]);
            wave->v[1][l] = U(inputs[(first + 2 * l) % inputs.size()]);
            wave->v[2][l] = wave->v[3][l] = 0x12345678;
          }
          ASSERT_TRUE(wave.Execute("v_cvt_pk_" + name + "_f32 v2, v0, v1").ok());
          ASSERT_TRUE(wave.Execute("v_cvt_pk_" + name + "_f32 v3, v0, v1 op_sel:[0,0,1]").ok());
          for (size_t l = 0; l < 32; ++l) {
            const uint32_t low = wave->v[2][l];
            const float a = inputs[first + l], b = inputs[(first + 2 * l) % inputs.size()];
            ASSERT_EQ(low >> 16, 0x1234u);
            ASSERT_EQ(wave->v[3][l], (low & 0xffff) << 16 | 0x5678);
            ASSERT_TRUE(SameCode(low & 255, Nearest(a, type, saturate), type))
                << t.gfx << " " << name << " of " << a << ": " << (low & 255) << " instead of "
                << Nearest(a, type, saturate);
            ASSERT_TRUE(SameCode(low >> 8 & 255, Nearest(b, type, saturate), type)) << b;
          }
        }
      }
    }
  }
}

/// Rounding by random bits: up if the bits that are dropped and the random ones carry, so a random
/// 0 truncates, and of all random numbers the right share rounds up.
TEST(SmallFloat, RoundsRandomly) {
  for (const Target& t : kTargets) {
    for (const char type : {t.fp8, t.bf8}) {
      const double unit = type == t.fp8 ? 0.125 : 0.25;  // above 1
      for (int byte = 0; byte < 4; ++byte) {
        TestWave wave(BestHandlers(), t.gfx);
        const std::string select =
            std::string(t.gfx) == "gfx1201"
                ? absl::StrCat(" byte_sel:", byte)
                : absl::StrCat(" op_sel:[0,0,", byte % 2, ",", byte / 2, "]");
        for (uint32_t l = 0; l < 32; ++l) {
          wave->v[0][l] = U(static_cast<float>(1 + unit / 4));
          wave->v[1][l] = l << 27;
          wave->v[2][l] = 0xa5a5a5a5;
        }
        const char* const text =
            type == t.fp8 ? "v_cvt_sr_fp8_f32 v2, v0, v1" : "v_cvt_sr_bf8_f32 v2, v0, v1";
        ASSERT_TRUE(wave.Execute(text + select).ok());
        for (uint32_t l = 0; l < 32; ++l) {
          const uint32_t mask = 255u << (8 * byte);
          EXPECT_EQ(wave->v[2][l] & ~mask, 0xa5a5a5a5 & ~mask);
          const double x = Decode(wave->v[2][l] >> (8 * byte) & 255, type);
          EXPECT_EQ(x, l >= 24 ? 1 + unit : 1.0) << t.gfx << " " << text << " random " << l;
        }
      }
    }
  }
}

/// --- Conversions with a scale ---

char TypeOf(const std::string& name) {
  return name == "fp8"    ? '8'
         : name == "bf8"  ? '5'
         : name == "fp6"  ? '6'
         : name == "bf6"  ? '3'
         : name == "fp4"  ? '4'
         : name == "f16"  ? 'h'
         : name == "bf16" ? 'b'
                          : 'f';
}

uint64_t Field(const Wave& wave, int reg, int lane, int bit, int bits) {
  uint64_t code = 0;
  for (int i = 0; i < bits; ++i)
    code |= uint64_t{wave.v[reg + (bit + i) / 32][lane] >> ((bit + i) % 32) & 1} << i;
  return code;
}
std::string Range(int first, int bits) {
  return bits <= 32 ? absl::StrCat("v", first)
                    : absl::StrCat("v[", first, ":", first + bits / 32 - 1, "]");
}
/// Code of x in f32, f16 or bf16 by one rounding to nearest even.
uint64_t Wide(double x, char type) {
  if (type != 'b') return Encode(x, type);
  const uint32_t bits = U(static_cast<float>(x));
  return std::isnan(x) ? 0x7fc0 : (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
}

/// Random codes of type `from` in v0 to v63, truncation as the random number in v70, scales in v80,
/// and a pattern in v100.
void SetSources(TestWave& wave, char from, std::mt19937& random) {
  const int bits = BitsOf(from);
  for (int l = 0; l < kLanes; ++l) {
    for (int r = 0; r < 64; ++r) {
      const double x = std::ldexp(static_cast<double>(random() % 4001) / 1000 - 2,
                                  -static_cast<int>(random() % 6));
      const uint32_t half = static_cast<uint32_t>(Wide(x, from == 'b' ? 'b' : 'h'));
      wave->v[r][l] = bits <= 8    ? static_cast<uint32_t>(random())
                      : bits == 16 ? half | half << 16
                                   : U(static_cast<float>(x));
    }
    wave->v[70][l] = 0;
    wave->v[80][l] = (124u + static_cast<uint32_t>(l) % 7) << 23 | 0x12345;
    wave->v[100][l] = 0x9abcdef0;
  }
}

/// Runs `mnemonic` on random codes of `count` elements and checks every element of every lane. The
/// sources are in v0 and, with two, v32; the scale in v80; the result in v100.
void CheckScaled(const std::string& mnemonic, char from, char to, int count, bool two, int select,
                 std::mt19937& random, bool sr = false) {
  const int from_bits = BitsOf(from), to_bits = BitsOf(to);
  TestWave wave(BestHandlers(), "gfx950");
  SetSources(wave, from, random);
  const int source = from_bits * count / (two ? 2 : 1), result = to_bits * count;
  std::string op_sel;
  int shift_in = 0, shift_out = 0;
  if (from_bits <= 8 && source < 32) {
    shift_in = source == 16 ? 16 * (select & 1) : 8 * select;
    op_sel = source == 16 ? absl::StrCat(" op_sel:[", select & 1, ",0,0]")
                          : absl::StrCat(" op_sel:[", select & 1, ",", select >> 1, ",0]");
  } else if (result == 16) {
    shift_out = 16 * (select & 1);
    op_sel = absl::StrCat(two ? " op_sel:[0,0,0," : " op_sel:[0,0,", select & 1, "]");
  } else if (result == 8) {
    shift_out = 8 * select;
    op_sel = absl::StrCat(" op_sel:[0,0,", select & 1, ",", select >> 1, "]");
  }
  const std::string text = absl::StrCat(mnemonic, " ", Range(100, result), ", ", Range(0, source),
                                        two ? absl::StrCat(", ", Range(32, source)) : "",
                                        sr ? ", v70" : "", ", v80", op_sel);
  const absl::Status status = wave.Execute(text);
  ASSERT_TRUE(status.ok()) << status;
  for (int l = 0; l < kLanes; ++l) {
    const double scale = std::ldexp(1, 124 + l % 7 - 127);
    for (int i = 0; i < count; ++i) {
      const int reg = two && i % 2 != 0 ? 32 : 0, at = two ? i / 2 : i;
      const double x = Decode(Field(*wave, reg, l, shift_in + at * from_bits, from_bits), from);
      const uint64_t actual = Field(*wave, 100, l, shift_out + i * to_bits, to_bits);
      if (to_bits >= 16) {
        const double expected = Decode(Wide(x * scale, to), to);
        ASSERT_TRUE(std::isnan(expected) ? std::isnan(Decode(actual, to))
                                         : Decode(actual, to) == expected)
            << text << " lane " << l << " value " << i << " " << x;
      } else if (!sr) {
        ASSERT_TRUE(SameCode(actual, Nearest(x / scale, to, false), to))
            << text << " lane " << l << " value " << i << " " << x / scale << ": " << actual;
      } else if (i == 0) {  // truncated: not larger, and the next number is
        const double y = Decode(actual, to),
                     want = std::min(std::fabs(x / scale), Magnitudes(to).back());
        ASSERT_LE(std::fabs(y), want) << text << " lane " << l;
        for (const double other : Magnitudes(to))
          ASSERT_FALSE(other > std::fabs(y) && other <= want);
      }
    }
    if (result < 32) {
      const uint32_t mask = ((1u << result) - 1) << shift_out;
      ASSERT_EQ(wave->v[100][l] & ~mask, 0x9abcdef0 & ~mask) << text;
    }
  }
}

TEST(ScaledConversion, EveryInstruction) {
  std::mt19937 random(21);
  std::set<std::string> tested;
  const auto check = [&](const std::string& form, const std::string& to, const std::string& from,
                         int count, bool two = false, bool sr = false) {
    const std::string mnemonic = absl::StrCat("v_cvt_scalef32_", form, to, "_", from);
    tested.insert(mnemonic);
    for (int select = 0; select < 4; ++select)
      CheckScaled(mnemonic, TypeOf(from), TypeOf(to), count, two, select, random, sr);
  };
  for (const std::string small : {"fp8", "bf8", "fp4"}) {
    for (const std::string wide : {"f32", "f16", "bf16"}) {
      check("pk_", small, wide, 2, wide == "f32");
      check("pk_", wide, small, 2);
      if (small == "fp4") {
        check("sr_pk_", small, wide, 2, false, true);
      } else {
        check("sr_", small, wide, 1, false, true);
        if (wide != "bf16") check("", wide, small, 1);
      }
    }
  }
  for (const std::string small : {"fp6", "bf6"}) {
    check("2xpk16_", small, "f32", 32, true);
    for (const std::string wide : {"f32", "f16", "bf16"}) {
      check("pk32_", wide, small, 32);
      check("sr_pk32_", small, wide, 32, false, true);
      if (wide != "f32") check("pk32_", small, wide, 32);
    }
  }
  for (const Binding* binding : BestHandlers().All(kGfx950)) {
    const std::string mnemonic = binding->mnemonic;
    if (mnemonic.starts_with("v_cvt_scalef32")) EXPECT_EQ(tested.count(mnemonic), 1) << mnemonic;
  }
  EXPECT_EQ(tested.size(), 49u);
}

/// --- Dot products of small elements ---

TEST(Dot, BytesAndNibblesOfEitherSign) {
  std::mt19937 random(5);
  for (const bool eight : {true, false}) {
    for (int signs = 0; signs < 4; ++signs) {
      for (const bool clamp : {false, true}) {
        TestWave wave(BestHandlers(), "gfx1100");
        for (int l = 0; l < 32; ++l) {
          wave->v[0][l] = static_cast<uint32_t>(random());
          wave->v[1][l] = static_cast<uint32_t>(random());
          wave->v[2][l] = l % 2 == 0 ? 0x7fffff00 + static_cast<uint32_t>(random() % 256)
                                     : 0x80000000 + static_cast<uint32_t>(random() % 256);
        }
        const std::string text =
            absl::StrCat(eight ? "v_dot4_i32_iu8" : "v_dot8_i32_iu4", " v3, v0, v1, v2 neg_lo:[",
                         signs & 1, ",", signs >> 1, ",0]", clamp ? " clamp" : "");
        ASSERT_TRUE(wave.Execute(text).ok());
        for (int l = 0; l < 32; ++l) {
          int64_t sum = static_cast<int32_t>(wave->v[2][l]);
          const int bits = eight ? 8 : 4;
          for (int i = 0; i < 32; i += bits) {
            const auto element = [&](int reg, bool is_signed) {
              const uint64_t code = wave->v[reg][l] >> i & ((1u << bits) - 1);
              return Decode(code, eight ? (is_signed ? 'i' : 'u') : (is_signed ? 'n' : 'm'));
            };
            sum += static_cast<int64_t>(element(0, (signs & 1) != 0) * element(1, signs >= 2));
          }
          if (clamp) sum = std::clamp<int64_t>(sum, INT32_MIN, INT32_MAX);
          ASSERT_EQ(wave->v[3][l], static_cast<uint32_t>(sum)) << text;
        }
      }
    }
  }
}

TEST(Dot, SmallFloats) {
  std::mt19937 random(6);
  for (const char a : {'8', '5'}) {
    for (const char b : {'8', '5'}) {
      TestWave wave(BestHandlers(), "gfx1201");
      for (int l = 0; l < 32; ++l) {
        wave->v[0][l] = static_cast<uint32_t>(random()) & 0xb7b7b7b7;  // neither NaN nor infinity
        wave->v[1][l] = static_cast<uint32_t>(random()) & 0xb7b7b7b7;
        wave->v[2][l] = U(static_cast<float>(l) - 16);
      }
      const auto name = [](char type) { return type == '8' ? "fp8" : "bf8"; };
      const std::string text =
          absl::StrCat("v_dot4_f32_", name(a), "_", name(b), " v3, v0, v1, v2");
      ASSERT_TRUE(wave.Execute(text).ok());
      for (int l = 0; l < 32; ++l) {
        double sum = l - 16;
        for (int i = 0; i < 32; i += 8)
          sum += Decode(wave->v[0][l] >> i & 255, a) * Decode(wave->v[1][l] >> i & 255, b);
        ASSERT_NEAR(F(wave->v[3][l]), sum, 1e-6 * (std::fabs(sum) + 20)) << text;
      }
    }
  }
  TestWave wave(BestHandlers(), "gfx1100");
  wave->v[0][0] = 0x40003c00;  // halves 1, 2
  wave->v[1][0] = 0x42004000;  // 2, 3
  wave->v[2][0] = 0x3800;      // 0.5
  wave->v[4][0] = 0x40003f80;  // bf16 1, 2
  wave->v[5][0] = 0x40404000;  // 2, 3
  wave->v[6][0] = 0x3f00;      // 0.5
  ASSERT_TRUE(wave.Execute("v_dot2_f16_f16 v3, v0, v1, v2").ok());
  ASSERT_TRUE(wave.Execute("v_dot2_bf16_bf16 v7, v4, v5, v6").ok());
  EXPECT_EQ(wave->v[3][0] & 0xffff, 0x4840u);  // 8.5
  EXPECT_EQ(wave->v[7][0] & 0xffff, 0x4108u);
}

}  // namespace
}  // namespace gridwise::sim::matrix
