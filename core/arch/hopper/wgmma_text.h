// SPDX-License-Identifier: MIT
#pragma once

#include "core/arch/hopper/matrix_descriptor.h"
#include "core/arch/mma_shape.h"
#include "core/base/types.h"

namespace gridwise {

namespace wgmma_text {

/// The text of an instruction, which the compiler composes.
struct Text {
  char text[1024] = {};
  int length = 0;

  constexpr const char* data() const { return text; }
  constexpr unsigned long size() const { return static_cast<unsigned long>(length); }
  constexpr Text& operator<<(const char* part) {
    while (*part != '\0') text[length++] = *part++;
    return *this;
  }
  constexpr Text& operator<<(int number) {
    if (number >= 10) *this << number / 10;
    text[length++] = static_cast<char>('0' + number % 10);
    return *this;
  }
};

constexpr const char* Suffix(DataType type) {
  switch (type) {
    case DataType::kF16:
      return ".f16";
    case DataType::kBF16:
      return ".bf16";
    case DataType::kI8:
      return ".s8";
    case DataType::kI32:
      return ".s32";
    case DataType::kTF32:
      return ".tf32";
    default:
      return ".f32";
  }
}

/// The instruction up to its sums. `keep` is the operand that is 0 if sums start from 0.
constexpr Text Beginning(int n, DataType type, int keep) {
  Text text;
  text << "{\n.reg .pred p;\nsetp.ne.b32 p, %" << keep << ", 0;\n"
       << "wgmma.mma_async.sync.aligned.m64n" << n << "k" << WgmmaK(type) << Suffix(SumType(type))
       << Suffix(type) << Suffix(type) << " {";
  for (int i = 0; i < n / 2; ++i) text << (i == 0 ? "%" : ", %") << i;
  text << "}, ";
  return text;
}
/// d += a * b, or d = a * b if the last operand is 0. Floats have factors of 1, and 16-bit types an
/// order.
constexpr Text Instruction(int n, DataType type, OperandOrder a, OperandOrder b) {
  const int sums = n / 2;
  Text text = Beginning(n, type, sums + 2);
  text << "%" << sums << ", %" << sums + 1 << ", p";
  if (SumType(type) == DataType::kF32) text << ", 1, 1";
  if (SizeOf(type) == 2) {
    text << ", " << (a == OperandOrder::kLinesPerK) << ", " << (b == OperandOrder::kLinesPerK);
  }
  return text << ";\n}";
}
/// The same with A in four registers.
constexpr Text InstructionOfRegisters(int n, DataType type, OperandOrder b) {
  const int sums = n / 2;
  Text text = Beginning(n, type, sums + 5);
  text << "{%" << sums << ", %" << sums + 1 << ", %" << sums + 2 << ", %" << sums + 3 << "}, %"
       << sums + 4 << ", p, 1, 1";
  if (SizeOf(type) == 2) text << ", " << (b == OperandOrder::kLinesPerK);
  return text << ";\n}";
}

/// The operand constraint of a sum.
template <class Sum>
constexpr Text InOut() {
  Text text;
  return text << (__is_same(Sum, int&) ? "+r" : "+f");
}

}  // namespace wgmma_text

// An instruction takes each sum as a separate operand.
#define GRIDWISE_SUM(d, i) (wgmma_text::InOut<decltype(d[i])>())(d[i])
#define GRIDWISE_SUMS4(d, i) \
  GRIDWISE_SUM(d, i), GRIDWISE_SUM(d, i + 1), GRIDWISE_SUM(d, i + 2), GRIDWISE_SUM(d, i + 3)
#define GRIDWISE_SUMS8(d, i) GRIDWISE_SUMS4(d, i), GRIDWISE_SUMS4(d, i + 4)
#define GRIDWISE_SUMS16(d, i) GRIDWISE_SUMS8(d, i), GRIDWISE_SUMS8(d, i + 8)
#define GRIDWISE_SUMS32(d, i) GRIDWISE_SUMS16(d, i), GRIDWISE_SUMS16(d, i + 16)
#define GRIDWISE_SUMS56(d, i) \
  GRIDWISE_SUMS32(d, i), GRIDWISE_SUMS16(d, i + 32), GRIDWISE_SUMS8(d, i + 48)
#define GRIDWISE_SUMS64(d, i) GRIDWISE_SUMS32(d, i), GRIDWISE_SUMS32(d, i + 32)
#define GRIDWISE_SUMS88(d, i) \
  GRIDWISE_SUMS64(d, i), GRIDWISE_SUMS16(d, i + 64), GRIDWISE_SUMS8(d, i + 80)
#define GRIDWISE_SUMS96(d, i) GRIDWISE_SUMS64(d, i), GRIDWISE_SUMS32(d, i + 64)
#define GRIDWISE_SUMS100(d, i) GRIDWISE_SUMS96(d, i), GRIDWISE_SUMS4(d, i + 96)
#define GRIDWISE_SUMS108(d, i) \
  GRIDWISE_SUMS96(d, i), GRIDWISE_SUMS8(d, i + 96), GRIDWISE_SUMS4(d, i + 104)
#define GRIDWISE_SUMS120(d, i) \
  GRIDWISE_SUMS96(d, i), GRIDWISE_SUMS16(d, i + 96), GRIDWISE_SUMS8(d, i + 112)
#define GRIDWISE_SUMS128(d, i) GRIDWISE_SUMS64(d, i), GRIDWISE_SUMS64(d, i + 64)

/// Visits the widths that kernels use: statement(sums, list of operands).
#define GRIDWISE_FOR_SUMS(count, d, statement)                    \
  if constexpr (count == 4) {                                     \
    statement(GRIDWISE_SUMS4(d, 0));                              \
  } else if constexpr (count == 8) {                              \
    statement(GRIDWISE_SUMS8(d, 0));                              \
  } else if constexpr (count == 12) {                             \
    statement(GRIDWISE_SUMS8(d, 0), GRIDWISE_SUMS4(d, 8));        \
  } else if constexpr (count == 16) {                             \
    statement(GRIDWISE_SUMS16(d, 0));                             \
  } else if constexpr (count == 20) {                             \
    statement(GRIDWISE_SUMS16(d, 0), GRIDWISE_SUMS4(d, 16));      \
  } else if constexpr (count == 24) {                             \
    statement(GRIDWISE_SUMS16(d, 0), GRIDWISE_SUMS8(d, 16));      \
  } else if constexpr (count == 32) {                             \
    statement(GRIDWISE_SUMS32(d, 0));                             \
  } else if constexpr (count == 36) {                             \
    statement(GRIDWISE_SUMS32(d, 0), GRIDWISE_SUMS4(d, 32));      \
  } else if constexpr (count == 40) {                             \
    statement(GRIDWISE_SUMS32(d, 0), GRIDWISE_SUMS8(d, 32));      \
  } else if constexpr (count == 48) {                             \
    statement(GRIDWISE_SUMS32(d, 0), GRIDWISE_SUMS16(d, 32));     \
  } else if constexpr (count == 56) {                             \
    statement(GRIDWISE_SUMS56(d, 0));                             \
  } else if constexpr (count == 60) {                             \
    statement(GRIDWISE_SUMS56(d, 0), GRIDWISE_SUMS4(d, 56));      \
  } else if constexpr (count == 64) {                             \
    statement(GRIDWISE_SUMS64(d, 0));                             \
  } else if constexpr (count == 72) {                             \
    statement(GRIDWISE_SUMS64(d, 0), GRIDWISE_SUMS8(d, 64));      \
  } else if constexpr (count == 80) {                             \
    statement(GRIDWISE_SUMS64(d, 0), GRIDWISE_SUMS16(d, 64));     \
  } else if constexpr (count == 88) {                             \
    statement(GRIDWISE_SUMS88(d, 0));                             \
  } else if constexpr (count == 96) {                             \
    statement(GRIDWISE_SUMS96(d, 0));                             \
  } else if constexpr (count == 100) {                            \
    statement(GRIDWISE_SUMS100(d, 0));                            \
  } else if constexpr (count == 104) {                            \
    statement(GRIDWISE_SUMS96(d, 0), GRIDWISE_SUMS8(d, 96));      \
  } else if constexpr (count == 108) {                            \
    statement(GRIDWISE_SUMS108(d, 0));                            \
  } else if constexpr (count == 120) {                            \
    statement(GRIDWISE_SUMS120(d, 0));                            \
  } else {                                                        \
    static_assert(count == 128, "add the width to wgmma_text.h"); \
    statement(GRIDWISE_SUMS128(d, 0));                            \
  }

}  // namespace gridwise
