// SPDX-License-Identifier: MIT
#include "core/reference/elements.h"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#include "gtest/gtest.h"

namespace gridwise {
namespace {

uint16_t Bits(DataType type, float value) {
  const std::vector<std::byte> bytes = Encode(type, {&value, 1});
  uint16_t bits = 0;
  std::memcpy(&bits, bytes.data(), sizeof(bits));
  return bits;
}

TEST(Elements, F16IsBinary16) {
  constexpr DataType kType = DataType::kF16;
  EXPECT_EQ(Bits(kType, 1.0f), 0x3c00);
  EXPECT_EQ(Bits(kType, -2.0f), 0xc000);
  EXPECT_EQ(Bits(kType, 65504.0f), 0x7bff);
  EXPECT_EQ(Bits(kType, 65520.0f), 0x7c00);         // rounds to infinity
  EXPECT_EQ(Bits(kType, 0x1p-24f), 0x0001);         // smallest subnormal
  EXPECT_EQ(Bits(kType, 0x1p-25f), 0x0000);         // a tie goes to the even neighbour
  EXPECT_EQ(Bits(kType, 1.0f + 0x1p-11f), 0x3c00);  // likewise
  EXPECT_EQ(Bits(kType, 1.0f + 3 * 0x1p-11f), 0x3c02);
  EXPECT_EQ(RoundTo(kType, 0.333251953125f), 0.333251953125f);
}

TEST(Elements, TF32IsF32RoundedToTenBitsOfMantissa) {
  constexpr DataType kType = DataType::kTF32;
  EXPECT_EQ(RoundTo(kType, 0x1.004p0f), 0x1.004p0f);
  EXPECT_EQ(RoundTo(kType, 0x1.002p0f), 0x1p0f) << "half goes to the even one";
  EXPECT_EQ(RoundTo(kType, 0x1.006p0f), 0x1.008p0f);
  EXPECT_EQ(RoundTo(kType, -0x1.002002p0f), -0x1.004p0f);
  EXPECT_EQ(RoundTo(kType, 0x1p-136f), 0x1p-136f) << "the smallest subnormal one";
  EXPECT_EQ(RoundTo(kType, 0x1.fffffep127f), std::numeric_limits<float>::infinity());
  EXPECT_TRUE(std::isnan(RoundTo(kType, std::nanf(""))));
  const std::vector<float> values = {1, -0x1.004p-3f};
  EXPECT_EQ(Encode(kType, values), Encode(DataType::kF32, values));
}

TEST(Elements, BF16HasEightBitsOfFraction) {
  constexpr DataType kType = DataType::kBF16;
  EXPECT_EQ(Bits(kType, 1.0f), 0x3f80);
  EXPECT_EQ(Bits(kType, -2.0f), 0xc000);
  EXPECT_EQ(Bits(kType, 1.0f + 0x1p-8f), 0x3f80);  // a tie goes to the even neighbour
  EXPECT_EQ(Bits(kType, 1.0f + 3 * 0x1p-8f), 0x3f82);
  EXPECT_EQ(Bits(kType, 1.0f + 0x1.1p-8f), 0x3f81);
  EXPECT_EQ(Bits(kType, std::numeric_limits<float>::max()), 0x7f80);
  EXPECT_TRUE(std::isnan(RoundTo(kType, std::numeric_limits<float>::quiet_NaN())));
  EXPECT_EQ(RoundTo(kType, 0x1p-133f), 0x1p-133f);  // smallest subnormal
}

/// An 8-bit float by its definition: the fields of the code, and the special codes, spelled out.
struct Fields {
  DataType type;
  int exponent_bits, mantissa_bits, bias;
};

float ByDefinition(const Fields& f, int code) {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  if (f.type == DataType::kF8E4M3 && (code == 0x7f || code == 0xff)) return kNan;
  const bool fnuz = f.type == DataType::kF8E4M3Fnuz || f.type == DataType::kF8E5M2Fnuz;
  if (fnuz && code == 0x80) return kNan;
  if (f.type == DataType::kF8E5M2 && code % 128 >= 0x7c) {
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    return code % 128 > 0x7c ? kNan : code < 128 ? kInfinity : -kInfinity;
  }
  const double sign = code >= 128 ? -1 : 1;
  const int exponent = code % 128 >> f.mantissa_bits;
  const double fraction = code % (1 << f.mantissa_bits) / std::pow(2.0, f.mantissa_bits);
  return static_cast<float>(sign * (exponent == 0
                                        ? fraction * std::pow(2.0, 1 - f.bias)
                                        : (1 + fraction) * std::pow(2.0, exponent - f.bias)));
}

constexpr Fields kFloat8[] = {{DataType::kF8E4M3, 4, 3, 7},
                              {DataType::kF8E4M3Fnuz, 4, 3, 8},
                              {DataType::kF8E5M2, 5, 2, 15},
                              {DataType::kF8E5M2Fnuz, 5, 2, 16}};

TEST(Elements, All256CodesOfEightBitFloats) {
  for (const Fields& f : kFloat8) {
    ASSERT_EQ(1 + f.exponent_bits + f.mantissa_bits, 8);
    for (int code = 0; code < 256; ++code) {
      const auto byte = static_cast<std::byte>(code);
      const float value = Decode(f.type, {&byte, 1})[0];
      const float expected = ByDefinition(f, code);
      SCOPED_TRACE(testing::Message() << Name(f.type) << " code " << code);
      if (std::isnan(expected)) {
        EXPECT_TRUE(std::isnan(value));
        EXPECT_TRUE(std::isnan(RoundTo(f.type, value)));
        continue;
      }
      EXPECT_EQ(value, expected);
      EXPECT_EQ(std::signbit(value), std::signbit(expected));
      EXPECT_EQ(Encode(f.type, {&value, 1})[0], byte);
    }
  }
}

// Between any two neighbours: just below, at and just above the middle, where ties go to the even
// code.
TEST(Elements, EightBitFloatsRoundToTheNearest) {
  for (const Fields& f : kFloat8) {
    for (int code = 0; code < 127; ++code) {
      const float low = ByDefinition(f, code), high = ByDefinition(f, code + 1);
      if (!std::isfinite(low) || !std::isfinite(high)) break;
      const float middle = (low + high) / 2;
      SCOPED_TRACE(testing::Message() << Name(f.type) << " code " << code);
      EXPECT_EQ(RoundTo(f.type, middle), code % 2 == 0 ? low : high);
      EXPECT_EQ(RoundTo(f.type, std::nextafter(middle, low)), low);
      EXPECT_EQ(RoundTo(f.type, std::nextafter(middle, high)), high);
      EXPECT_EQ(RoundTo(f.type, -middle), code % 2 == 0 ? -low : -high);
    }
  }
}

TEST(Elements, EightBitFloatsOverflow) {
  EXPECT_EQ(RoundTo(DataType::kF8E4M3, 448), 448);
  EXPECT_EQ(RoundTo(DataType::kF8E4M3, 464), 448);
  EXPECT_TRUE(std::isnan(RoundTo(DataType::kF8E4M3, 465)));
  EXPECT_EQ(RoundTo(DataType::kF8E4M3Fnuz, 240), 240);
  EXPECT_TRUE(std::isnan(RoundTo(DataType::kF8E4M3Fnuz, 249)));
  EXPECT_TRUE(std::isnan(RoundTo(DataType::kF8E4M3Fnuz, -1e9f)));
  EXPECT_FALSE(std::signbit(RoundTo(DataType::kF8E4M3Fnuz, -0.0f))) << "it has one zero";
  EXPECT_EQ(RoundTo(DataType::kF8E5M2, 57344), 57344);
  EXPECT_TRUE(std::isinf(RoundTo(DataType::kF8E5M2, -61440)));
  EXPECT_EQ(RoundTo(DataType::kF8E5M2Fnuz, 57344), 57344);
  EXPECT_TRUE(std::isnan(RoundTo(DataType::kF8E5M2Fnuz, 61440)));
}

TEST(Elements, IntegersRoundAndSaturate) {
  EXPECT_EQ(RoundTo(DataType::kI8, 2.5f), 2);
  EXPECT_EQ(RoundTo(DataType::kI8, -3.5f), -4);
  EXPECT_EQ(RoundTo(DataType::kI8, 127.9f), 127);
  EXPECT_EQ(RoundTo(DataType::kI8, -1000), -128);
  const std::int32_t odd = (1 << 24) + 1;
  const auto bytes = std::as_bytes(std::span(&odd, 1));
  EXPECT_EQ(DecodeExactly(DataType::kI32, bytes)[0], 16777217.0);
  EXPECT_EQ(Decode(DataType::kI32, bytes)[0], 16777216.0f);
  const float value = -16777214;
  EXPECT_EQ(DecodeExactly(DataType::kI32, Encode(DataType::kI32, {&value, 1}))[0], -16777214.0);
}

TEST(Elements, EveryElementSurvivesTheRoundTrip) {
  for (const DataType type : {DataType::kF16, DataType::kBF16}) {
    for (int bits = 0; bits < 65536; ++bits) {
      const auto element = static_cast<uint16_t>(bits);
      const float value = Decode(type, std::as_bytes(std::span(&element, 1)))[0];
      if (!std::isnan(value)) ASSERT_EQ(Bits(type, value), bits) << Name(type);
    }
  }
  const float third = 1.0f / 3;
  EXPECT_EQ(Decode(DataType::kF32, Encode(DataType::kF32, {&third, 1}))[0], third);
}

TEST(FlushAmbiguous, IsOfHalvesOfGfx90aThatAreNotNormal) {
  const auto flushed = [](DataType type, Gfx gfx, float value) {
    FlushAmbiguous(type, gfx, {&value, 1});
    return value;
  };
  EXPECT_EQ(flushed(DataType::kF16, Gfx::k90a, 0x1p-15f), 0);
  EXPECT_EQ(flushed(DataType::kF16, Gfx::k90a, -0x1p-14f), -0x1p-14f);
  EXPECT_EQ(flushed(DataType::kF16, Gfx::k942, 0x1p-15f), 0x1p-15f);
  EXPECT_EQ(flushed(DataType::kBF16, Gfx::k90a, 0x1p-15f), 0x1p-15f);
  EXPECT_EQ(flushed(DataType::kBF16, Gfx::k90a, -0x1p-127f), 0);
  EXPECT_EQ(flushed(DataType::kF32, Gfx::k90a, 0x1p-127f), 0x1p-127f);
}

}  // namespace
}  // namespace gridwise
