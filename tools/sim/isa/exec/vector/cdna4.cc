// SPDX-License-Identifier: MIT
#include <iterator>

#include "tools/sim/isa/exec/float.h"
#include "tools/sim/isa/exec/lane_values.h"
#include "tools/sim/isa/exec/lanes.h"
#include "tools/sim/isa/exec/lanewise.h"
#include "tools/sim/isa/exec/rdna_dot.h"
#include "tools/sim/isa/exec/rounding.h"
#include "tools/sim/isa/exec/small_float.h"

/// Vector instructions that gfx950 adds to gfx942, apart from conversions with a scale (CDNA4 ISA,
/// "VOP3").

namespace gridwise::sim {
inline namespace GRIDWISE_SIM_LEVEL {
namespace {

/// Any function of three bits: bit 4 a + 2 b + c of the table is the result. 16-bit results clear
/// the upper half.
template <u32 kMask>
void BitOp3(Wave& w, const Uop& u) {
  const u32 *a = Row(w, u.src[0]), *b = Row(w, u.src[1]), *c = Row(w, u.src[2]);
  u32 terms[8];
  for (u32 i = 0; i < 8; ++i) terms[i] = 0u - (static_cast<u32>(u.imm) >> i & 1);
  MaskedRows<1> result(w, u.dst);
  u32* const out = result.out();
  GRIDWISE_SIM_FOR_LANES(l) {
    const u32 x = a[l], y = b[l], z = c[l];
    u32 bits = 0;
    for (u32 i = 0; i < 8; ++i) {
      bits |= terms[i] & (i & 4 ? x : ~x) & (i & 2 ? y : ~y) & (i & 1 ? z : ~z);
    }
    out[l] = bits & kMask;
  }
  result.Commit();
}
constexpr Binding BitOp(const char* name, ExecFn exec, ValueType type) {
  return {name,
          OpClass::kValu,
          &BindValu,
          exec,
          {.result = type, .args = {type, type, type}, .arg_count = 3, .flags = kTruthTable},
          kGfx950};
}

/// Exchanges lanes with bit kRow of their number set in dst with lanes without it in src. EXEC is
/// of the lane that is written; a lane whose partner is off gets its value with FI (imm bit 1), 0
/// with BOUND_CTRL (bit 0), else keeps its own.
template <int kRow>
void SwapRows(Wave& w, const Uop& u) {
  u32 *upper = Row(w, u.dst), *lower = Row(w, u.src[0]);
  const u64 exec = Exec(w);
  const auto on = [exec](int l) { return (exec >> l & 1) != 0; };
  const bool zero = (u.imm & 1) != 0, fetch = (u.imm & 2) != 0;
  for (int l = 0; l < kLanes; ++l) {
    if ((l & kRow) != 0) continue;
    const int partner = l + kRow;
    const u32 high = upper[partner], low = lower[l];
    if (on(partner) && (on(l) || fetch || zero)) upper[partner] = on(l) || fetch ? low : 0;
    if (on(l) && (on(partner) || fetch || zero)) lower[l] = on(partner) || fetch ? high : 0;
  }
}

/// IEEE 754-2019 minimum and maximum: NaN if an operand is, and -0 < +0.
template <bool kMax, class T>
GRIDWISE_SIM_INLINE T Extreme(T a, T b) {
  const bool a_first = kMax ? (a > b || (a == b && Sign(b))) : (a < b || (a == b && Sign(a)));
  const T number = a_first ? a : b;
  return IsNan(a) ? Quiet(a) : IsNan(b) ? Quiet(b) : number;
}
template <bool kMax, class T>
GRIDWISE_SIM_INLINE T Extreme(T a, T b, T c) {
  return Extreme<kMax>(Extreme<kMax>(a, b), c);
}

template <i32 kLowest, i32 kHighest>
GRIDWISE_SIM_INLINE u32 ShiftedByte(i32 x, u32 shift) {
  const i32 y = x >> (shift & 31);
  return static_cast<u32>(y < kLowest ? kLowest : y > kHighest ? kHighest : y) & 0xff;
}
template <i32 kLowest, i32 kHighest>
GRIDWISE_SIM_INLINE u16 ShiftedBytes(i32 a, i32 b, u32 shift) {
  return static_cast<u16>(ShiftedByte<kLowest, kHighest>(a, shift) |
                          ShiftedByte<kLowest, kHighest>(b, shift) << 8);
}

using HalfFormat = SmallFormat<5, 10, 15, Specials::kIeee>;
using Bf16Format = SmallFormat<8, 7, 127, Specials::kIeee>;
template <class S>
GRIDWISE_SIM_INLINE u16 RoundRandomly(f32 x, u32 random, bool saturate) {
  return static_cast<u16>(ToSmall<S>(x, saturate && (Bits<u32>(x) & 0x7fffffff) != 0x7f800000,
                                     {.stochastic = true, .random = random}));
}

/// The dot product of CDNA, whose order of additions is not public. Products of bf16 are exact;
/// their sum is rounded, and so is its sum with c.
GRIDWISE_SIM_INLINE f32 DotBf16(u32 a, u32 b, f32 c) {
  const u32 x = FlushBf16Pair(a), y = FlushBf16Pair(b);
  const f32 low = FromBf16(x & 0xffff) * FromBf16(y & 0xffff);
  return FlushToPlus(Fma(FromBf16(x >> 16), FromBf16(y >> 16), low) + FlushToPlus(c));
}
template <int kGeneration>
GRIDWISE_SIM_INLINE f32 RdnaDotBf16(u32 a, u32 b, f32 c) {
  return RdnaDot2<kGeneration, Format::kBf16, Format::kF32>(a, b, c);
}

constexpr Binding Swap(const char* name, ExecFn exec) {
  return {name, OpClass::kValu, &BindSwapRows, exec, {}, kGfx950};
}

}  // namespace

constexpr Binding kValuCdna4[] = {
    BitOp("v_bitop3_b32", &Step<&BitOp3<~0u>>, ValueType::kB32),
    BitOp("v_bitop3_b16", &Step<&BitOp3<0xffff>>, ValueType::kB16),
    Swap("v_permlane16_swap_b32", &Step<&SwapRows<16>>),
    Swap("v_permlane32_swap_b32", &Step<&SwapRows<32>>),
    On(kGfx950,
       Valu("v_prng_b32", [](u32 a) { return a << 1 ^ (a >> 31 != 0 ? u32{197} : u32{0}); })),
    On(kGfx950,
       Valu("v_minimum3_f32", [](f32 a, f32 b, f32 c) { return Extreme<false>(a, b, c); })),
    On(kGfx1201, Valu(
                     "v_minimum3_f32", [](f32 a, f32 b, f32 c) { return Extreme<false>(a, b, c); },
                     kSelects)),
    On(kGfx950, Valu("v_maximum3_f32", [](f32 a, f32 b, f32 c) { return Extreme<true>(a, b, c); })),
    On(kGfx1201,
       Valu(
           "v_maximum3_f32", [](f32 a, f32 b, f32 c) { return Extreme<true>(a, b, c); }, kSelects)),
    On(kGfx950,
       Packed("v_pk_minimum3_f16", [](f16 a, f16 b, f16 c) { return Extreme<false>(a, b, c); })),
    On(kGfx950,
       Packed("v_pk_maximum3_f16", [](f16 a, f16 b, f16 c) { return Extreme<true>(a, b, c); })),
    On(kGfx950, Valu("v_ashr_pk_i8_i32",
                     [](i32 a, i32 b, u32 c) { return ShiftedBytes<-128, 127>(a, b, c); })),
    On(kGfx950,
       Valu("v_ashr_pk_u8_i32", [](i32 a, i32 b, u32 c) { return ShiftedBytes<0, 255>(a, b, c); })),
    On(kGfx950, Valu("v_cvt_pk_f16_f32",
                     [](f32 a, f32 b) {
                       return PkF16{u32{Bits<u16>(static_cast<f16>(a))} |
                                    u32{Bits<u16>(static_cast<f16>(b))} << 16};
                     })),
    On(kGfx950,
       Valu("v_cvt_pk_bf16_f32", [](f32 a, f32 b) { return ToBf16(a) | ToBf16(b) << 16; })),
    On(kGfx950, Valu("v_cvt_f32_bf16", [](u16 a) { return FromBf16(a); })),
    On(kGfx950, Valu(
                    "v_cvt_sr_f16_f32",
                    [](f32 a, u32 b,
                       ModeBits m) { return RoundRandomly<HalfFormat>(a, b, m.SaturatesHalves()); },
                    kKeepsOther)),
    On(kGfx950,
       Valu(
           "v_cvt_sr_bf16_f32", [](f32 a, u32 b) { return RoundRandomly<Bf16Format>(a, b, false); },
           kKeepsOther)),
    On(kGfx950,
       Valu(
           "v_dot2_f32_bf16", [](PkB16 a, PkB16 b, f32 c) { return DotBf16(a.bits, b.bits, c); },
           kBf16Constants | kFixedMode)),
    On(kGfx1100, Valu(
                     "v_dot2_f32_bf16",
                     [](PkB16 a, PkB16 b, f32 c) { return RdnaDotBf16<11>(a.bits, b.bits, c); },
                     kBf16Constants | kFixedMode)),
    On(kGfx1201, Valu(
                     "v_dot2_f32_bf16",
                     [](PkB16 a, PkB16 b, f32 c) { return RdnaDotBf16<12>(a.bits, b.bits, c); },
                     kBf16Constants | kFixedMode)),
    On(kGfx950, Valu(
                    "v_dot2c_f32_bf16", [](u32 a, u32 b, f32 d) { return DotBf16(a, b, d); },
                    kAccumulates | kFixedMode)),
};

BindingTable ValuCdna4Table() { return {kValuCdna4, std::size(kValuCdna4)}; }

}  // namespace GRIDWISE_SIM_LEVEL
}  // namespace gridwise::sim
