#include "ck/conv/elements.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>

namespace gridwise {
namespace {

uint16_t ToF16(float value) { return std::bit_cast<uint16_t>(static_cast<_Float16>(value)); }
float FromF16(uint16_t bits) { return static_cast<float>(std::bit_cast<_Float16>(bits)); }

// bf16 is the upper half of an f32: adding half a unit, less one for even ones, carries into it.
uint16_t ToBF16(float value) {
  const auto bits = std::bit_cast<uint32_t>(value);
  if (std::isnan(value)) return static_cast<uint16_t>(bits >> 16 | 0x40);
  return static_cast<uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}
float FromBF16(uint16_t bits) { return std::bit_cast<float>(uint32_t{bits} << 16); }

uint16_t To16(DataType type, float value) {
  return type == DataType::kF16 ? ToF16(value) : ToBF16(value);
}
float From16(DataType type, uint16_t bits) {
  return type == DataType::kF16 ? FromF16(bits) : FromBF16(bits);
}

}  // namespace

float RoundTo(DataType type, float value) {
  return type == DataType::kF32 ? value : From16(type, To16(type, value));
}

std::vector<std::byte> Encode(DataType type, std::span<const float> values) {
  std::vector<std::byte> bytes(values.size() * static_cast<size_t>(SizeOf(type)));
  if (type == DataType::kF32) {
    if (!values.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
    return bytes;
  }
  for (size_t i = 0; i < values.size(); ++i) {
    const uint16_t bits = To16(type, values[i]);
    std::memcpy(&bytes[2 * i], &bits, sizeof(bits));
  }
  return bytes;
}

std::vector<float> Decode(DataType type, std::span<const std::byte> bytes) {
  std::vector<float> values(bytes.size() / static_cast<size_t>(SizeOf(type)));
  if (type == DataType::kF32) {
    if (!values.empty()) std::memcpy(values.data(), bytes.data(), 4 * values.size());
    return values;
  }
  for (size_t i = 0; i < values.size(); ++i) {
    uint16_t bits;
    std::memcpy(&bits, &bytes[2 * i], sizeof(bits));
    values[i] = From16(type, bits);
  }
  return values;
}

}  // namespace gridwise
