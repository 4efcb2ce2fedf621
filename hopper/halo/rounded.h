// SPDX-License-Identifier: MIT
#pragma once

#include "core/arch/factor.h"
#include "core/arch/gpu.h"
#include "core/base/types.h"

namespace gridwise::hopper {

/// Bits of memory as products take them: of tf32 the nearest f32 whose last 13 bits are zeros, ties
/// to even, as TMA rounds what it loads. Other types are unchanged.
template <DataType kType>
GRIDWISE_DEVICE unsigned RoundedWord(unsigned word) {
  if constexpr (kType != DataType::kTF32) return word;
  if ((word & 0x7fffffffu) > 0x7f800000u) return word | 0x400000u;  // NaN
  return (word + 0xfffu + (word >> 13 & 1)) & kTF32Bits;
}

/// The same of an element.
template <DataType kType>
GRIDWISE_DEVICE Element<kType> Rounded(Element<kType> value) {
  if constexpr (kType != DataType::kTF32) {
    return value;
  } else {
    return __builtin_bit_cast(float, RoundedWord<kType>(__builtin_bit_cast(unsigned, value)));
  }
}

}  // namespace gridwise::hopper
