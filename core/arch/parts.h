// SPDX-License-Identifier: MIT
#pragma once

#include "core/arch/hopper.h"

/// f32 for a matrix unit that multiplies bf16. 2^16 times a value is exactly the sum of three parts
/// of 8 bits, and the product of two values is 2^-32 times the products of their parts. The
/// products of the two lower parts, and of the low one with itself, are less than the rounding
/// error of f32.
///
/// The factor preserves all bits of values whose low parts would otherwise be below the range of
/// bf16, including subnormal values. For values of 2^112 and more, and values that are not finite,
/// a part is an infinity or NaN: sums are then not finite, and must be computed from f32 itself.

namespace gridwise {

inline constexpr int kParts = 3;
inline constexpr float kPartsFactor = 0x1p16f, kSumOfPartsFactor = 0x1p-32f;

/// The parts of two adjacent elements, as bf16: the largest first, the first element in the lower
/// half.
struct PairOfParts {
  unsigned part[kParts];
};

/// The highest part is truncated, so that it is finite and has the sign of the rest; the others are
/// rounded.
GRIDWISE_DEVICE PairOfParts PartsOf(float first, float second) {
  first *= kPartsFactor;
  second *= kPartsFactor;
  constexpr unsigned kUpper = 0xffff0000u;
  const auto upper = [](float v) { return __builtin_bit_cast(unsigned, v) & kUpper; };
  const auto value = [](unsigned bits) { return __builtin_bit_cast(float, bits); };
  PairOfParts parts;
  parts.part[0] = upper(first) >> 16 | upper(second);
  first -= value(upper(first));
  second -= value(upper(second));
  parts.part[1] = Pack<DataType::kBF16>(first, second);
  first -= value(parts.part[1] << 16);
  second -= value(parts.part[1] & kUpper);
  parts.part[2] = Pack<DataType::kBF16>(first, second);
  return parts;
}

}  // namespace gridwise
