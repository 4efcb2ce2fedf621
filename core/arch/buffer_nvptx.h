// SPDX-License-Identifier: MIT
#pragma once

#include "core/arch/gpu.h"
#include "core/arch/target.h"

namespace gridwise {

/// Loads `to` if `offset` is in range. A branch around each load would keep the assembler from
/// issuing several together.
#define GRIDWISE_LOAD_IN_RANGE(type, constraint, to, at, offset)                \
  asm("{.reg .pred in_range; setp.ge.s32 in_range, %2, 0; @in_range ld.global." \
      "nc." type " %0, [%1];}"                                                  \
      : constraint(to)                                                          \
      : "l"(at), "r"(offset))

/// A Buffer (memory.h): each access has a predicate.
class Buffer {
 public:
  static constexpr unsigned kOutOfRange = 0x80000000u;

  template <Gfx>
  GRIDWISE_DEVICE static Buffer From(const void* base) {
    return Buffer((char*)base);
  }

  /// Loads T, of 1, 2, 4 or 8 bytes, at `offset` + `uniform_offset`, a multiple of its size, from
  /// memory that is not written while the kernel runs.
  template <class T>
  GRIDWISE_DEVICE T Load(unsigned offset, int uniform_offset) const {
    T to = {};
    LoadAgain(to, offset, uniform_offset);
    return to;
  }
  /// The same, into a value that is already 0 if `offset` is out of range.
  template <class T>
  GRIDWISE_DEVICE void LoadAgain(T& to, unsigned offset, int uniform_offset) const {
    static_assert(sizeof(T) <= 8 && (sizeof(T) & (sizeof(T) - 1)) == 0);
    const Bytes at = base_ + uniform_offset + offset;
    if constexpr (sizeof(T) == 1) {
      unsigned short word = __builtin_bit_cast(unsigned char, to);
      GRIDWISE_LOAD_IN_RANGE("u8", "+h", word, at, offset);
      to = __builtin_bit_cast(T, static_cast<unsigned char>(word));
    } else if constexpr (sizeof(T) == 2) {
      unsigned short word = __builtin_bit_cast(unsigned short, to);
      GRIDWISE_LOAD_IN_RANGE("b16", "+h", word, at, offset);
      to = __builtin_bit_cast(T, word);
    } else if constexpr (sizeof(T) == 4) {
      unsigned word = __builtin_bit_cast(unsigned, to);
      GRIDWISE_LOAD_IN_RANGE("b32", "+r", word, at, offset);
      to = __builtin_bit_cast(T, word);
    } else {  // two words, because shifts would take a pair of registers apart
      auto words = __builtin_bit_cast(Vec<unsigned, 2>, to);
      unsigned low = words[0], high = words[1];
      asm("{.reg .pred in_range; setp.ge.s32 in_range, %3, 0; "
          "@in_range ld.global.nc.v2.b32 {%0, %1}, [%2];}"
          : "+r"(low), "+r"(high)
          : "l"(at), "r"(offset));
      to = __builtin_bit_cast(T, Vec<unsigned, 2>{low, high});
    }
  }

  template <class T>
  GRIDWISE_DEVICE void Store(T value, unsigned offset) const {
    if (!(offset & kOutOfRange)) *(__attribute__((address_space(1))) T*)(base_ + offset) = value;
  }

 private:
  using Bytes = __attribute__((address_space(1))) char*;

  GRIDWISE_DEVICE explicit Buffer(char* base) : base_((Bytes)base) {}

  Bytes base_;
};

#undef GRIDWISE_LOAD_IN_RANGE

}  // namespace gridwise
