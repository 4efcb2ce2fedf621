// SPDX-License-Identifier: MIT
#pragma once

#include "core/arch/gpu.h"

namespace gridwise {

/// The exact value of an 8-bit float of the Open Compute Project ("8-bit floating point
/// specification", 1.0). Both formats are f16 with fewer bits. e5m2 is its upper half. e4m3 has one
/// exponent bit less, whose bias differs by 8, and no infinities, but a NaN of each sign.
template <DataType kType>
GRIDWISE_DEVICE float FromFloat8(unsigned char code) {
  static_assert(kType == DataType::kF8E4M3 || kType == DataType::kF8E5M2);
  const auto value_of = [](int half) {
    return static_cast<float>(__builtin_bit_cast(_Float16, static_cast<unsigned short>(half)));
  };
  if constexpr (kType == DataType::kF8E5M2) {
    return value_of(code << 8);
  } else {
    const int magnitude = code & 0x7f;
    const float value = 256 * value_of((code & 0x80) << 8 | magnitude << 7);
    return magnitude == 0x7f ? __builtin_nanf("") : value;
  }
}

/// The bits of an f32 that tf32 has. Matrix units ignore the others.
inline constexpr unsigned kTF32Bits = 0xffffe000u;

/// An element as a factor of sums: an integer for i8, else a float.
template <DataType kType>
GRIDWISE_DEVICE auto ToFactor(Element<kType> element) {
  if constexpr (kType == DataType::kI8) {
    return static_cast<int>(static_cast<signed char>(element));
  } else if constexpr (SizeOf(kType) == 1) {
    return FromFloat8<kType>(element);
  } else if constexpr (kType == DataType::kTF32) {
    return __builtin_bit_cast(float, __builtin_bit_cast(unsigned, element) & kTF32Bits);
  } else {
    return static_cast<float>(element);
  }
}

}  // namespace gridwise
