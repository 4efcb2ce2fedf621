// SPDX-License-Identifier: MIT
#include "core/reference/elements.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

namespace gridwise {
namespace {

/// 8-bit floats: 1 bit of sign, then the exponent, then the mantissa. Sources: OCP 8-bit floating
/// point specification 1.0; Noune et al., "8-bit numerical formats for deep neural networks" (2022)
/// for FNUZ.
struct Float8 {
  int mantissa_bits;
  int bias;
  float largest;
  int infinity;  ///< code of infinity, after which come NaN; 0: there is none
  int nan;       ///< code of the NaN that kernels and conversions make; FNUZ: the only one
};

constexpr Float8 Float8Of(DataType type) {
  switch (type) {
    case DataType::kF8E4M3Fnuz:
      return {.mantissa_bits = 3, .bias = 8, .largest = 240, .infinity = 0, .nan = 0x80};
    case DataType::kF8E5M2:
      return {.mantissa_bits = 2, .bias = 15, .largest = 57344, .infinity = 0x7c, .nan = 0x7f};
    case DataType::kF8E5M2Fnuz:
      return {.mantissa_bits = 2, .bias = 16, .largest = 57344, .infinity = 0, .nan = 0x80};
    default:
      break;
  }
  return {.mantissa_bits = 3, .bias = 7, .largest = 448, .infinity = 0, .nan = 0x7f};
}

constexpr uint8_t kSign = 0x80;

float FromFloat8(const Float8& format, uint8_t bits) {
  using Limits = std::numeric_limits<float>;
  const int code = bits & 0x7f;
  const int exponent = code >> format.mantissa_bits;
  const int mantissa = code & ((1 << format.mantissa_bits) - 1);
  const float sign = (bits & kSign) != 0 ? -1.0f : 1.0f;
  if (format.infinity != 0 && code >= format.infinity) {
    return code == format.infinity ? sign * Limits::infinity() : Limits::quiet_NaN();
  }
  if (bits == format.nan || code == format.nan) return Limits::quiet_NaN();
  const int implied = exponent == 0 ? 0 : 1 << format.mantissa_bits;
  return sign * std::ldexp(static_cast<float>(implied + mantissa),
                           std::max(exponent, 1) - format.bias - format.mantissa_bits);
}

uint8_t ToFloat8(const Float8& format, float value) {
  const uint8_t sign = std::signbit(value) ? kSign : 0;
  if (std::isnan(value)) return static_cast<uint8_t>(format.nan);
  const float magnitude = std::abs(value);
  // The value in units of its last place is the mantissa with the implied bit. Carries into the
  // exponent come out right because codes of adjacent elements are adjacent.
  const int exponent =
      std::max(magnitude == 0 ? 1 - format.bias : std::ilogb(magnitude), 1 - format.bias);
  const float units = std::nearbyint(std::ldexp(magnitude, format.mantissa_bits - exponent));
  if (!std::isfinite(magnitude) ||
      std::ldexp(units, exponent - format.mantissa_bits) > format.largest) {
    return static_cast<uint8_t>(format.infinity != 0 ? sign | format.infinity : format.nan);
  }
  const int code = ((exponent + format.bias - 1) << format.mantissa_bits) + static_cast<int>(units);
  if (format.nan == kSign && code == 0) return 0;  // FNUZ has one zero
  return static_cast<uint8_t>(sign | code);
}

uint16_t ToF16(float value) { return std::bit_cast<uint16_t>(static_cast<_Float16>(value)); }
float FromF16(uint16_t bits) { return static_cast<float>(std::bit_cast<_Float16>(bits)); }

// bf16 is the upper half of an f32: adding half a unit, less one for even ones, carries into it.
uint16_t ToBF16(float value) {
  const auto bits = std::bit_cast<uint32_t>(value);
  if (std::isnan(value)) return static_cast<uint16_t>(bits >> 16 | 0x40);
  return static_cast<uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}
// tf32 has the upper 19 bits of an f32; rounded as bf16.
float ToTF32(float value) {
  const auto bits = std::bit_cast<uint32_t>(value);
  if (std::isnan(value)) return value;
  return std::bit_cast<float>((bits + 0xfff + (bits >> 13 & 1)) & 0xffffe000u);
}
float FromBF16(uint16_t bits) { return std::bit_cast<float>(uint32_t{bits} << 16); }

/// The nearest integer, or the nearest end of Int's range.
template <class Int>
Int ToInteger(float value) {
  if (std::isnan(value)) return 0;
  constexpr double kMin = std::numeric_limits<Int>::min(), kMax = std::numeric_limits<Int>::max();
  return static_cast<Int>(std::clamp(std::nearbyint(double{value}), kMin, kMax));
}

/// Calls visit(to, from), which convert a float to an element of `type` and back.
template <class Visitor>
auto VisitCodec(DataType type, Visitor&& visit) {
  const Float8 float8 = Float8Of(type);
  switch (type) {
    case DataType::kF16:
      return visit(ToF16, FromF16);
    case DataType::kBF16:
      return visit(ToBF16, FromBF16);
    case DataType::kF32:
      return visit([](float value) { return value; }, [](float value) { return value; });
    case DataType::kTF32:
      return visit(ToTF32, [](float value) { return value; });
    case DataType::kI8:
      return visit(ToInteger<int8_t>, [](int8_t value) { return value; });
    case DataType::kI32:
      return visit(ToInteger<int32_t>, [](int32_t value) { return value; });
    case DataType::kF8E4M3:
    case DataType::kF8E4M3Fnuz:
    case DataType::kF8E5M2:
    case DataType::kF8E5M2Fnuz:
      break;
  }
  return visit([&](float value) { return ToFloat8(float8, value); },
               [&](uint8_t bits) { return FromFloat8(float8, bits); });
}

template <class Number>
std::vector<Number> DecodeAs(DataType type, std::span<const std::byte> bytes) {
  std::vector<Number> values(bytes.size() / static_cast<size_t>(SizeOf(type)));
  VisitCodec(type, [&](auto to, auto from) {
    decltype(to(0.0f)) element;
    for (size_t i = 0; i < values.size(); ++i) {
      std::memcpy(&element, &bytes[sizeof(element) * i], sizeof(element));
      values[i] = static_cast<Number>(from(element));
    }
  });
  return values;
}

}  // namespace

float RoundTo(DataType type, float value) {
  return VisitCodec(type, [=](auto to, auto from) { return static_cast<float>(from(to(value))); });
}

unsigned char PoisonByte(DataType type) {
  return type == DataType::kI32 || type == DataType::kI8 ? 0x80 : 0xff;
}

float OperandRange(DataType type) { return type == DataType::kI8 ? 128.0f : 1.0f; }

void FlushAmbiguous(DataType type, Gfx gfx, std::span<float> operands) {
  const bool is_half = type == DataType::kF16 || type == DataType::kBF16;
  if (!is_half || TraitsOf(gfx).mfma_generation != 2) return;
  const float smallest_normal = type == DataType::kF16 ? 0x1p-14f : 0x1p-126f;
  for (float& value : operands) {
    if (std::abs(value) < smallest_normal) value = 0;
  }
}

std::vector<std::byte> Encode(DataType type, std::span<const float> values) {
  std::vector<std::byte> bytes(values.size() * static_cast<size_t>(SizeOf(type)));
  VisitCodec(type, [&](auto to, auto) {
    for (size_t i = 0; i < values.size(); ++i) {
      const auto element = to(values[i]);
      std::memcpy(&bytes[sizeof(element) * i], &element, sizeof(element));
    }
  });
  return bytes;
}

std::vector<float> Decode(DataType type, std::span<const std::byte> bytes) {
  return DecodeAs<float>(type, bytes);
}

std::vector<double> DecodeExactly(DataType type, std::span<const std::byte> bytes) {
  return DecodeAs<double>(type, bytes);
}

}  // namespace gridwise
