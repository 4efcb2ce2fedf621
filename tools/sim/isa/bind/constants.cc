// SPDX-License-Identifier: MIT
#include "tools/sim/isa/bind/constants.h"

#include <bit>
#include <cmath>

namespace gridwise::sim {
namespace {

/// 1 / (2 pi) prints rounded; the hardware's constants.
constexpr double kInvTwoPi = 0.15915494;
constexpr uint64_t kInvTwoPi64 = 0x3fc45f306dc9c882;
constexpr uint32_t kInvTwoPi32 = 0x3e22f983;
constexpr uint16_t kInvTwoPi16 = 0x3118;

bool IsInvTwoPi(double value) { return std::fabs(value - kInvTwoPi) < 1e-7; }

uint64_t FloatBits(double value, ValueType type) {
  const bool inv_two_pi = IsInvTwoPi(value);
  switch (type) {
    case ValueType::kB16:
    case ValueType::kF16:
    case ValueType::kPkF16:
      return inv_two_pi ? kInvTwoPi16 : HalfBits(value);
    case ValueType::kB64:
    case ValueType::kI64:
    case ValueType::kF64:
      return inv_two_pi ? kInvTwoPi64 : std::bit_cast<uint64_t>(value);
    default: {
      const uint64_t bits =
          inv_two_pi ? kInvTwoPi32 : std::bit_cast<uint32_t>(static_cast<float>(value));
      return type == ValueType::kPkF32 ? bits << 32 | bits : bits;
    }
  }
}

}  // namespace

uint16_t HalfBits(double value) {
  const uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  const double magnitude = std::fabs(value);
  if (std::isnan(value)) return sign | 0x7e00;
  if (magnitude >= 65520) return sign | 0x7c00;
  // The spacing of halves at this magnitude, 2^-24 below the smallest normal one; the quotient is
  // exact, nearbyint rounds ties to even, and a mantissa that becomes 2048 carries into the
  // exponent by itself.
  const int exponent = magnitude < 0x1p-14 ? -14 : std::ilogb(magnitude);
  const auto mantissa = static_cast<uint32_t>(std::nearbyint(std::ldexp(magnitude, 10 - exponent)));
  return static_cast<uint16_t>(sign + ((exponent + 14) << 10) + mantissa);
}

uint64_t ConstantBits(const Operand& operand, ValueType type) {
  if (operand.kind == OperandKind::kFloat) return FloatBits(operand.real, type);
  const auto bits = static_cast<uint64_t>(operand.integer);
  switch (type) {
    case ValueType::kF64:
      return operand.literal ? bits << 32 : bits;
    case ValueType::kB64:
      return operand.literal ? bits & 0xffffffff : bits;
    case ValueType::kI64:
      return operand.literal ? static_cast<uint64_t>(int64_t{static_cast<int32_t>(bits)}) : bits;
    case ValueType::kPkF32:
      return (bits & 0xffffffff) | bits << 32;
    case ValueType::kB16:
    case ValueType::kF16:
      return bits & 0xffff;
    default:  // two halves, too: the high one of -2 is -1
      return bits & 0xffffffff;
  }
}

}  // namespace gridwise::sim
