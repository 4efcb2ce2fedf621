// SPDX-License-Identifier: MIT
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tools/sim/isa/bind/constants.h"

/// Vector operations as scalar expressions of their definitions in the ISA document: the table that
/// valu_test.cc goes through.

namespace gridwise::sim::valu {

using u32 = uint32_t;
using u64 = uint64_t;
using i32 = int32_t;
using i64 = int64_t;

inline float F(u64 x) { return std::bit_cast<float>(static_cast<u32>(x)); }
inline double D(u64 x) { return std::bit_cast<double>(x); }
inline u64 B(float x) { return std::bit_cast<u32>(x); }
inline u64 B(double x) { return std::bit_cast<u64>(x); }
inline i32 S(u64 x) { return static_cast<i32>(static_cast<u32>(x)); }
inline u32 U(u64 x) { return static_cast<u32>(x); }
inline int16_t S16(u64 x) { return static_cast<int16_t>(x); }
inline uint16_t U16(u64 x) { return static_cast<uint16_t>(x); }

/// A half as a double, from the definition of the format.
inline double H(u64 x) {
  const int exponent = static_cast<int>(x >> 10 & 31), mantissa = static_cast<int>(x & 1023);
  const double sign = (x >> 15 & 1) != 0 ? -1 : 1;
  if (exponent == 31) return mantissa != 0 ? std::nan("") : sign * INFINITY;
  return exponent == 0 ? sign * std::ldexp(mantissa, -24)
                       : sign * std::ldexp(1024 + mantissa, exponent - 25);
}
inline u64 HB(double x) { return HalfBits(x); }

/// Result of an operation; the mask bit is checked where the table says that there is one.
struct Result {
  u64 value = 0;
  bool mask = false;
};
using Args = const u64*;

enum Form : u32 {
  kCarry = 1,      // a second result, in s[20:21]
  kOldIsLast = 2,  // the last argument is the destination's old value
  kVccIsLast = 4,  // the last argument is VCC
  kKeepsHigh = 8,  // writes the low half and keeps the high one
};

struct Case {
  std::string mnemonic;
  std::string types;  // of result and arguments: b 32 bits, q 64, h 16, f d e floats of 32, 64, 16
                      // bits, m lane mask; of results also k g two halves, bf16; y bf16
  std::function<Result(Args)> expected;
  u32 form = 0;
  double ulps = 0;  // tolerated, for functions that hardware approximates
  const char* gfx = "gfx942";
  std::string suffix = {};  // modifiers after the operands
};

inline Result V(u64 x) { return {x, false}; }
inline Result M(bool x) { return {0, x}; }

/// Bits of a value of a type in Case::types.
inline int Bits(char type) {
  return type == 'q' || type == 'd' || type == 'w'   ? 64
         : type == 'h' || type == 'e' || type == 'y' ? 16
                                                     : 32;
}
/// A float of a type in Case::types as a number.
inline double Value(u64 x, char type) { return type == 'f' ? F(x) : type == 'd' ? D(x) : H(x); }

// Each adds the cases of its part. Float operations come for each of the types f, d, e.
void AddInteger(std::vector<Case>& cases);
void AddInteger16(std::vector<Case>& cases);
void AddClamped(std::vector<Case>& cases);
void AddFloat(std::vector<Case>& cases, char type);
void AddFloatSpecials(std::vector<Case>& cases);
void AddConversions(std::vector<Case>& cases);
void AddComparisons(std::vector<Case>& cases);
void AddRdna(std::vector<Case>& cases);
void AddCdna4(std::vector<Case>& cases);

}  // namespace gridwise::sim::valu
