// SPDX-License-Identifier: MIT
#pragma once

#include "tools/sim/isa/exec/float.h"
#include "tools/sim/isa/exec/formats.h"
#include "tools/sim/isa/exec/rounding.h"

/// Sums of products of halves and bf16 on RDNA3 and RDNA4, bit for bit as they were measured on a
/// Radeon PRO W7900 (gfx1100) and a Radeon AI PRO R9700 (gfx1201): rocm-systems 12056; rocjitsu's
/// gfx11_dot2.h, gfx12_dot.h, dot_packed16.h and the captures of their tests.
///
/// Products are exact. They and C are aligned to one grid, whose unit is 24 binades below the
/// largest sum of the factors' exponents (the format's lowest one for denormals; that a product of
/// significands may be 2 or more does not count), or 26 below C if that is higher. What is below
/// the grid is cut off, and the sum is rounded once, to nearest even.
///
/// gfx11 cuts magnitudes, and a product whose sign is not C's, that of zeros too, counts as ~m in
/// place of -m: a unit too much. Denormals of bf16 are 0, of f32 +0, in C as in the sum. gfx12
/// rounds towards minus infinity, adds products in pairs first, each pair on a grid of its own, and
/// keeps denormals; a C below the unit is 0, unless the grid is as low as can be.
///
/// A sum in f16 is rounded once, from the grid, which a C below 2^-14 cannot lower; one in bf16 is
/// the sum in f32, cut off.

namespace gridwise::sim {
inline namespace GRIDWISE_SIM_LEVEL {

/// The grid of a product with zero: below every other one.
inline constexpr i32 kNoGrid = -400;

/// value * 2^by, where bits to the right are cut off towards minus infinity. What is shifted left,
/// by 10 at most, has room for it.
GRIDWISE_SIM_INLINE i32 ShiftBy(i32 value, i32 by) {
  const i32 left = by < 0 ? 0 : by > 10 ? 10 : by, right = by > 0 ? 0 : by < -31 ? 31 : -by;
  return static_cast<i32>(static_cast<u32>(value) << left) >> right;
}

/// A factor of a product: significand * 2^(exponent - fraction bits).
struct DotFactor {
  i32 significand, exponent;
};
template <Format kIn>
constexpr int kFractionOf = kIn == Format::kF16 ? 10 : 7;
template <Format kIn>
GRIDWISE_SIM_INLINE DotFactor SplitFactor(f32 x) {
  constexpr i32 kLowest = kIn == Format::kF16 ? -14 : -126;
  const i32 field = Exponent(x);
  const i32 own = (field != 0 ? field : 1) - 127, exponent = own < kLowest ? kLowest : own;
  const u32 mantissa = (Bits<u32>(x) & 0x7fffff) | (field != 0 ? 0x800000u : 0u);
  const i32 wanted = 23 - kFractionOf<kIn> + exponent - own;
  const auto magnitude = static_cast<i32>(mantissa >> (wanted > 31 ? 31 : wanted));
  return {Sign(x) ? -magnitude : magnitude, exponent};
}

/// A product, value * 2^unit.
struct DotProduct {
  i32 value, unit, grid;
  bool negative;  // 0 has a sign, too
};
template <Format kIn>
GRIDWISE_SIM_INLINE DotProduct ProductOf(f32 a, f32 b) {
  const DotFactor x = SplitFactor<kIn>(a), y = SplitFactor<kIn>(b);
  const i32 value = x.significand * y.significand, exponent = x.exponent + y.exponent;
  return {value, exponent - 2 * kFractionOf<kIn>, value == 0 ? kNoGrid : exponent - 24,
          Sign(a) != Sign(b)};
}

/// A finite sum: total * 2^grid.
struct DotSum {
  i32 total, grid;
};

template <int kCount, bool kHalf>
GRIDWISE_SIM_INLINE DotSum SumOfGfx11(const DotProduct (&products)[kCount], f32 c) {
  const i32 field = Exponent(c), leading = field != 0 ? field - 127 : kNoGrid;
  const auto mantissa = static_cast<i32>(field != 0 ? (Bits<u32>(c) & 0x7fffff) | 0x800000u : 0u);
  i32 grid = (kHalf && leading < -14 ? -14 : leading) - 26;
  for (const DotProduct& p : products) grid = p.grid > grid ? p.grid : grid;
  grid = grid < kNoGrid ? kNoGrid : grid;
  i32 total = ShiftBy(mantissa, field - 127 - 23 - grid);
  for (const DotProduct& p : products) {
    const i32 magnitude = ShiftBy(p.value < 0 ? -p.value : p.value, p.unit - grid);
    total += p.negative != Sign(c) ? ~magnitude : magnitude;
  }
  return {Sign(c) ? -total : total, grid};
}

template <int kCount, bool kHalf>
GRIDWISE_SIM_INLINE DotSum SumOfGfx12(const DotProduct (&products)[kCount], f32 c) {
  constexpr i32 kLowest = kHalf ? -14 : -126;
  const i32 field = Exponent(c), leading = (field != 0 ? field : 1) - 127;
  const auto mantissa = static_cast<i32>((Bits<u32>(c) & 0x7fffff) | (field != 0 ? 0x800000u : 0u));
  i32 grid = (mantissa == 0 || leading < kLowest ? kLowest : leading) - 26;
  for (const DotProduct& p : products) grid = p.grid > grid ? p.grid : grid;
  const i32 by = leading - 23 - grid;
  const bool drops = grid > kLowest && ShiftBy(mantissa, by) == 0;
  i32 total = drops ? 0 : ShiftBy(Sign(c) ? -mantissa : mantissa, by);
  for (int i = 0; i < kCount; i += 2) {
    const DotProduct &p = products[i], &q = products[i + 1];
    const i32 own = p.grid > q.grid ? p.grid : q.grid;
    const i32 sum = ShiftBy(p.value, p.unit - own) + ShiftBy(q.value, q.unit - own);
    total += ShiftBy(sum, own - grid);
  }
  return {total, grid};
}

/// The sum rounded to kOut, as a float; zeros are +0.
template <int kGeneration, Format kOut>
GRIDWISE_SIM_INLINE f32 RoundSum(const DotSum& sum, bool saturate) {
  const f64 unit = Bits<f64>(static_cast<u64>(sum.grid + 1023) << 52);
  if constexpr (kOut == Format::kF16) {
    const u32 half = HalfBits(RoundToOdd(static_cast<f64>(sum.total) * unit), saturate);
    return static_cast<f32>(Bits<f16>(static_cast<u16>(half == 0x8000 ? 0 : half)));
  }
  f32 rounded;
  if constexpr (kGeneration == 11) {
    // What is a denormal is known once there are 24 bits.
    const f64 exact = static_cast<f64>(static_cast<f32>(sum.total)) * unit;
    rounded = exact < 0x1p-126 && exact > -0x1p-126 ? 0 : static_cast<f32>(exact);
  } else {
    rounded = static_cast<f32>(static_cast<f64>(sum.total) * unit);
    rounded = rounded == 0 ? 0 : rounded;
  }
  return kOut == Format::kBf16 ? Bits<f32>(Bits<u32>(rounded) & 0xffff0000) : rounded;
}

/// `finite`, or what infinities and NaNs among the operands make of it. NaNs of factors come first,
/// then infinity times 0 and the like, then C's.
template <Format kOut, int kCount>
GRIDWISE_SIM_INLINE f32 SpecialSum(const f32 (&a)[kCount], const f32 (&b)[kCount], f32 c,
                                   f32 finite) {
  constexpr u32 kOfFactor = kOut == Format::kF16    ? 0xffc7a000
                            : kOut == Format::kBf16 ? 0xfffd0000
                                                    : 0xffc00a3d;
  bool nan = false, invalid = false, above = false, below = false;
  for (int i = 0; i < kCount; ++i) {
    nan = nan || IsNan(a[i]) || IsNan(b[i]);
    const bool infinite = IsInfinite(a[i]) || IsInfinite(b[i]);
    invalid = invalid || (infinite && (a[i] == 0 || b[i] == 0));
    above = above || (infinite && Sign(a[i]) == Sign(b[i]));
    below = below || (infinite && Sign(a[i]) != Sign(b[i]));
  }
  invalid = invalid || (above && below);
  above = above || c == Infinity<f32>();
  below = below || c == -Infinity<f32>();
  u32 bits = Bits<u32>(finite);
  bits = above ? 0x7f800000 : bits;
  bits = below ? 0xff800000 : bits;
  bits = above && below ? 0xffc00000 : bits;
  bits = IsNan(c) ? Bits<u32>(c) | 0x400000 : bits;
  bits = invalid ? 0xffc00000 : bits;
  return Bits<f32>(nan ? kOfFactor : bits);
}

/// a[0] b[0] + a[1] b[1] + ... + c. The factors are of format kIn, c and the sum of kOut;
/// `saturate`: a finite sum that is too large for f16 becomes the largest number.
template <int kGeneration, Format kIn, Format kOut, int kCount>
GRIDWISE_SIM_INLINE f32 RdnaDot(f32 (&a)[kCount], f32 (&b)[kCount], f32 c, bool saturate = false) {
  DotProduct products[kCount];
  for (int i = 0; i < kCount; ++i) {
    if (kGeneration == 11 && kIn == Format::kBf16) {
      a[i] = Flush(a[i]);
      b[i] = Flush(b[i]);
    }
    products[i] = ProductOf<kIn>(a[i], b[i]);
  }
  constexpr bool kHalf = kOut == Format::kF16;
  DotSum sum;
  if constexpr (kGeneration == 11) {
    sum = SumOfGfx11<kCount, kHalf>(products, c);
  } else {
    sum = SumOfGfx12<kCount, kHalf>(products, c);
  }
  return SpecialSum<kOut>(a, b, c, RoundSum<kGeneration, kOut>(sum, saturate));
}

/// v_dot2: of the halves of two dwords.
template <int kGeneration, Format kIn, Format kOut>
GRIDWISE_SIM_INLINE f32 RdnaDot2(u32 a, u32 b, f32 c) {
  const auto half = [](u32 x) {
    if constexpr (kIn == Format::kBf16) return FromBf16(x);
    return static_cast<f32>(Bits<f16>(static_cast<u16>(x)));
  };
  f32 x[] = {half(a & 0xffff), half(a >> 16)}, y[] = {half(b & 0xffff), half(b >> 16)};
  return RdnaDot<kGeneration, kIn, kOut>(x, y, c);
}

}  // namespace GRIDWISE_SIM_LEVEL
}  // namespace gridwise::sim
