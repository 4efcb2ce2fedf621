// SPDX-License-Identifier: MIT
#pragma once

#include "tools/sim/isa/exec/formats.h"
#include "tools/sim/isa/exec/matrix/plan.h"

/// Exact sums of the products of a group of consecutive k (mma_exact.h): operands as significands
/// and exponents, the aligned sums of their products, and the addition of C.

namespace gridwise::sim {
inline namespace GRIDWISE_SIM_LEVEL {

struct ExactFormat {
  int fraction;  // bits
  int lowest;    // exponent of the smallest normal number
};
constexpr ExactFormat ExactFormatOf(Format f) {
  switch (f) {
    case Format::kF16:
      return {10, -14};
    case Format::kFp8Fnuz:
      return {3, -7};
    case Format::kBf8Fnuz:
      return {2, -15};
    case Format::kXf32:
      return {10, -126};
    default:
      return {7, -126};  // bf16
  }
}
constexpr int ExactGroup(Format f) { return f == Format::kXf32 ? 4 : BitsOf(f) == 8 ? 16 : 8; }

/// Exponent of a product with zero: below every other one.
inline constexpr int kNoExponent = -2000;

/// Elements of an operand in one lane, at most: those of 8 bits.
inline constexpr int kExactElements = 8;

/// An operand as significands (with sign, `fraction` fraction bits) and exponents, in the places of
/// its unpacked elements; zero has exponent kNoExponent.
struct SplitRows {
  alignas(64) i32 significand[kExactElements * kLanes];
  alignas(64) i32 exponent[kExactElements * kLanes];
  int highest = kNoExponent;
  bool finite = true;
};
GRIDWISE_SIM_INLINE void Split(const f32* values, int elements, ExactFormat format,
                               SplitRows& out) {
  i32 highest = kNoExponent, special = 0;
  const i32 shift = 23 - format.fraction;
  for (int i = 0; i < elements * kLanes; ++i) {
    const u32 bits = Bits<u32>(values[i]), field = bits >> 23 & 0xff;
    const i32 mantissa = static_cast<i32>((bits & 0x7fffff) | (field != 0 ? 0x800000u : 0u));
    const i32 own = static_cast<i32>(field != 0 ? field : 1) - 127;
    const i32 exponent = own < format.lowest ? format.lowest : own;
    const i32 steps = shift + exponent - own;
    const i32 magnitude = mantissa >> (steps > 31 ? 31 : steps);
    out.significand[i] = bits >> 31 != 0 ? -magnitude : magnitude;
    out.exponent[i] = magnitude == 0 ? kNoExponent : exponent;
    highest = out.exponent[i] > highest ? out.exponent[i] : highest;
    special |= field == 255 ? 1 : 0;
  }
  out.highest = highest;
  out.finite = special == 0;
}

inline constexpr int kExactWidth = 16;  // columns at once

/// Aligned sums of products: of all of a group, or of its even or odd ones.
struct GroupSums {
  i32 exponent[kExactWidth];
  i32 sum[kExactWidth];  // with 24 fraction bits
};

/// Adds up products first, first + step, ... below last; a and b give the place of column 0's
/// operand at k, kSmall says that every four columns are a block of their own.
template <bool kSmall>
GRIDWISE_SIM_INLINE void AddGroup(const MatrixPlan& p, const SplitRows& a, int a_at,
                                  const SplitRows& b, int b_at, int first, int last, int step,
                                  int up, GroupSums& out) {
  // Local arrays, which nothing else can point at, stay in registers.
  i32 exponent[kExactWidth], sum[kExactWidth] = {};
  for (int j = 0; j < kExactWidth; ++j) exponent[j] = 2 * kNoExponent;
  for (int k = first; k < last; k += step) {
    const i32* ea = a.exponent + p.a[k] + a_at;
    const i32* eb = b.exponent + p.b[k] + b_at;
    for (int j = 0; j < kExactWidth; ++j) {
      const i32 e = ea[kSmall ? j / 4 * 4 : 0] + eb[j];
      exponent[j] = e > exponent[j] ? e : exponent[j];
    }
  }
  for (int k = first; k < last; k += step) {
    const i32* ea = a.exponent + p.a[k] + a_at;
    const i32* sa = a.significand + p.a[k] + a_at;
    const i32* eb = b.exponent + p.b[k] + b_at;
    const i32* sb = b.significand + p.b[k] + b_at;
    for (int j = 0; j < kExactWidth; ++j) {
      const int i = kSmall ? j / 4 * 4 : 0;
      const i32 below = exponent[j] - ea[i] - eb[j];
      const i32 product = sa[i] * sb[j] * (1 << up);
      const i32 magnitude = (product < 0 ? -product : product) >> (below > 31 ? 31 : below);
      sum[j] += product < 0 ? -magnitude : magnitude;
    }
  }
  __builtin_memcpy(out.exponent, exponent, sizeof(exponent));
  __builtin_memcpy(out.sum, sum, sizeof(sum));
}

/// Sum of both parts of an 8-bit group.
GRIDWISE_SIM_INLINE void JoinParts(const GroupSums& odd, GroupSums& even) {
  for (int j = 0; j < kExactWidth; ++j) {
    const i32 e = odd.exponent[j] > even.exponent[j] ? odd.exponent[j] : even.exponent[j];
    const i32 d0 = e - even.exponent[j], d1 = e - odd.exponent[j];
    even.sum[j] = (even.sum[j] >> (d0 > 31 ? 31 : d0)) + (odd.sum[j] >> (d1 > 31 ? 31 : d1));
    even.exponent[j] = e;
  }
}

/// c = round(group + c); the sums, in units of 2^-31, are exact in double.
GRIDWISE_SIM_INLINE void AddC(const GroupSums& group, bool drops_small_c, f32* c) {
  for (int j = 0; j < kExactWidth; ++j) {
    const u32 bits = Bits<u32>(c[j]), field = bits >> 23 & 0xff;
    const i32 magnitude = static_cast<i32>((bits & 0x7fffff) | (field != 0 ? 0x800000u : 0u));
    const i32 own = magnitude == 0 ? kNoExponent : static_cast<i32>(field != 0 ? field : 1) - 127;
    const i32 higher = group.exponent[j] > own ? group.exponent[j] : own;
    const i32 highest = higher < -300 ? -300 : higher;  // both are zero: any exponent
    const i32 d_sum = highest - group.exponent[j], d_c = highest - own;
    const f64 to_units = Bits<f64>(static_cast<u64>(1023 + 7 - (d_sum > 200 ? 200 : d_sum)) << 52);
    const f64 sum = __builtin_floor(static_cast<f64>(group.sum[j]) * to_units);
    const i32 signed_c = 2 * (bits >> 31 != 0 ? -magnitude : magnitude);
    const i32 aligned = signed_c >> (d_c > 31 ? 31 : d_c);
    const f64 total = sum + 128.0 * (drops_small_c && d_c > 25 ? 0 : aligned);
    const f64 unit = Bits<f64>(static_cast<u64>(highest - 31 + 1023) << 52);
    c[j] = static_cast<f32>(total * unit);
  }
}

}  // namespace GRIDWISE_SIM_LEVEL
}  // namespace gridwise::sim
