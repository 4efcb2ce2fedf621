// SPDX-License-Identifier: MIT
#pragma once

#include "tools/sim/isa/exec/formats.h"
#include "tools/sim/isa/exec/matrix/exact_sums.h"
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
