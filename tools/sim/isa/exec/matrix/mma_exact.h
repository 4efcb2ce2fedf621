// SPDX-License-Identifier: MIT
#pragma once

#include "tools/sim/isa/exec/formats.h"
#include "tools/sim/isa/exec/matrix/matrix.h"

/// The arithmetic of CDNA3's matrix cores, bit for bit as it was measured on MI300 (MMA-Sim, arXiv
/// 2511.10909). Products of a group of consecutive k are exact; each is aligned to the largest sum
/// of the operands' exponents in the group, where a product of significands in [1, 2) is not
/// normalised and denormals have the format's lowest exponent, truncated towards zero at 24
/// fraction bits, and added. That sum is aligned with C, both are rounded towards minus infinity,
/// the sum at 31 fraction bits and C at 24, added, and rounded to nearest even: the C of the next
/// group. 8-bit floats: products at even and at odd k have sums of their own, which are aligned,
/// rounded towards minus infinity at 24 fraction bits and added; a C that is more than 25 binades
/// below counts as 0.

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

/// One column with infinities, NaN, or products above 2^128, which count as infinite; group by
/// group in double.
GRIDWISE_SIM_INLINE bool IsSpecialGroup(const f32* a, const f32* b, const MatrixPlan& p, int first,
                                        int last, f32& c) {
  f64 sum = static_cast<f64>(c);
  bool above = false, below = false;
  for (int k = first; k < last; ++k) {
    const f64 product = static_cast<f64>(a[p.a[k]]) * static_cast<f64>(b[p.b[k]]);
    sum += product;
    above = above || product >= 0x1p128;
    below = below || product <= -0x1p128;
  }
  if (sum - sum != 0) {  // infinite or NaN
    c = static_cast<f32>(sum);
    return true;
  }
  if (!above && !below) return false;
  c = above && below ? __builtin_nanf("") : above ? __builtin_inff() : -__builtin_inff();
  return true;
}

/// Infinite or NaN.
GRIDWISE_SIM_INLINE bool AnySpecial(const f32* c) {
  u32 any = 0;
  for (int j = 0; j < kExactWidth; ++j) any |= (Bits<u32>(c[j]) >> 23 & 0xff) == 255 ? 1 : 0;
  return any != 0;
}

/// What of an instruction all rows share.
struct ExactProduct {
  const MatrixPlan& plan;
  const Operands<f32>& operands;
  SplitRows a = {}, b = {};
  int group = 0;         // products that are added exactly
  bool eight = false;    // 8-bit floats
  int up = 0;            // from the fraction bits of a product to 24
  bool special = false;  // an infinity or NaN, or perhaps a product above 2^128
};

/// 16 columns of a row of D: from C to D, in place. a_at and b_at are as in AddGroup.
template <bool kSmall>
GRIDWISE_SIM_INLINE void ExactRow(const ExactProduct& x, int a_at, int b_at, f32* c) {
  const MatrixPlan& p = x.plan;
  for (int first = 0; first < p.depth; first += x.group) {
    const int last = first + x.group < p.depth ? first + x.group : p.depth;
    GroupSums sums;
    AddGroup<kSmall>(p, x.a, a_at, x.b, b_at, first, last, x.eight ? 2 : 1, x.up, sums);
    if (x.eight) {
      GroupSums odd;
      AddGroup<kSmall>(p, x.a, a_at, x.b, b_at, first + 1, last, 2, x.up, odd);
      JoinParts(odd, sums);
    }
    const bool special = x.special || AnySpecial(c);
    f32 before[kExactWidth];
    __builtin_memcpy(before, c, sizeof(before));
    AddC(sums, x.eight, c);
    for (int j = 0; special && j < kExactWidth; ++j) {
      const f32* row = x.operands.a + a_at + (kSmall ? j / 4 * 4 : 0);
      if (IsSpecialGroup(row, x.operands.b + b_at + j, p, first, last, before[j])) c[j] = before[j];
    }
  }
}

/// Multiply by the rules above.
[[gnu::noinline]] inline void MultiplyExactly(const MatrixPlan& p, Format format_a, Format format_b,
                                              const Operands<f32>& o) {
  const ExactFormat fa = ExactFormatOf(format_a), fb = ExactFormatOf(format_b);
  ExactProduct x{p, o};
  x.group = ExactGroup(format_a);
  x.eight = BitsOf(format_a) == 8;
  x.up = 24 - fa.fraction - fb.fraction;
  const int elements = p.depth * p.dim * p.blocks / kLanes;
  Split(o.a, elements, fa, x.a);
  Split(o.b, elements, fb, x.b);
  x.special = !x.a.finite || !x.b.finite || x.a.highest + x.b.highest + 2 > 127;
  const int registers = p.dim == 4 ? p.registers : p.registers * p.blocks;
  alignas(64) f32 sums[32 * kLanes];  // rows of C may be among those of D
  for (int r = 0; r < registers; ++r)
    __builtin_memcpy(sums + r * kLanes, o.c + r * o.c_stride * kLanes, kRowBytes);
  for (int r = 0; r < registers; ++r) {
    for (int first = 0; first < kLanes; first += kExactWidth) {
      f32* c = sums + r * kLanes + first;
      if (p.dim == 4) {
        // Lanes 4 b .. 4 b + 3 are block b; AddGroup adds the block to the place of A.
        ExactRow<true>(x, first + r, first, c);
      } else {
        const int block = r / p.registers;
        const int row = p.row[r % p.registers][first / p.dim];
        ExactRow<false>(x, block * p.dim + row, block * p.dim + first % p.dim, c);
      }
    }
  }
  __builtin_memcpy(o.d, sums, static_cast<size_t>(registers) * kRowBytes);
}

}  // namespace GRIDWISE_SIM_LEVEL
}  // namespace gridwise::sim
