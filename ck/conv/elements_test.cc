#include "ck/conv/elements.h"

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

}  // namespace
}  // namespace gridwise
