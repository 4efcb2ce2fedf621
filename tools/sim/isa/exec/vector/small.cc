// SPDX-License-Identifier: MIT
#include "tools/sim/isa/exec/formats.h"
#include "tools/sim/isa/exec/lane_values.h"
#include "tools/sim/isa/exec/lanes.h"
#include "tools/sim/isa/exec/lanewise.h"
#include "tools/sim/isa/exec/rdna_dot.h"
#include "tools/sim/isa/exec/rounding.h"

/// Conversions of 8-bit and smaller floats, and dot products of small elements. gfx942 has fp8 and
/// bf8 without infinities and negative zero (FNUZ), gfx950 and gfx1201 those of OCP. What is too
/// large becomes NaN (OCP bf8: infinity), or the largest number with MODE.FP16_OVFL.

namespace gridwise::sim {
inline namespace GRIDWISE_SIM_LEVEL {

namespace {

template <class S>
GRIDWISE_SIM_INLINE u16 Pack(f32 a, f32 b, ModeBits mode) {
  const bool saturate = mode.SaturatesHalves();
  return static_cast<u16>(ToSmall<S>(a, saturate) | ToSmall<S>(b, saturate) << 8);
}
template <class S>
GRIDWISE_SIM_INLINE u32 RoundRandomly(f32 a, u32 random, ModeBits mode) {
  return ToSmall<S>(a, mode.SaturatesHalves(), {.stochastic = true, .random = random});
}
template <class S>
GRIDWISE_SIM_INLINE u64 Unpack(u32 pair) {
  return u64{Bits<u32>(FromSmall<S>(pair & 255))} | u64{Bits<u32>(FromSmall<S>(pair >> 8 & 255))}
                                                        << 32;
}

template <class S>
constexpr Binding PackSmall(const char* name, uint8_t targets) {
  return On(targets,
            Valu(name, [](f32 a, f32 b, ModeBits m) { return Pack<S>(a, b, m); }, kKeepsOther));
}
template <class S>
constexpr Binding PackRandomly(const char* name, uint8_t targets) {
  return On(
      targets,
      Valu(name, [](f32 a, u32 b, ModeBits m) { return RoundRandomly<S>(a, b, m); }, kByteResult));
}
template <class S>
constexpr Binding UnpackOne(const char* name, uint8_t targets) {
  return On(targets, Valu(name, [](u32 a) { return FromSmall<S>(a & 255); }, kByteSource));
}
template <class S>
constexpr Binding UnpackPair(const char* name, uint8_t targets) {
  return On(targets, Valu(name, [](u16 a) { return Unpack<S>(a); }));
}

/// Fused multiply-adds in order; the hardware's order is not public.
template <class A, class B>
GRIDWISE_SIM_INLINE f32 DotBytes(u32 a, u32 b, f32 c) {
  for (int i = 0; i < 32; i += 8)
    c = Fma(FromSmall<A>(a >> i & 255), FromSmall<B>(b >> i & 255), c);
  return c;
}

template <int kGeneration>
GRIDWISE_SIM_INLINE f16 SumInHalf(u32 a, u32 b, f16 c) {
  return static_cast<f16>(
      RdnaDot2<kGeneration, Format::kF16, Format::kF16>(a, b, static_cast<f32>(c)));
}
template <int kGeneration>
GRIDWISE_SIM_INLINE u16 SumInBf16(u32 a, u32 b, u16 c) {
  const f32 sum = RdnaDot2<kGeneration, Format::kBf16, Format::kBf16>(a, b, FromBf16(c));
  return static_cast<u16>(Bits<u32>(sum) >> 16);
}

/// v_dot4_i32_iu8, v_dot8_i32_iu4: imm bits 0 and 1 say that a and b are signed, bit 2 that the sum
/// saturates.
template <int kBits>
void DotInteger(Wave& w, const Uop& u) {
  const u32 *a = Row(w, u.src[0]), *b = Row(w, u.src[1]), *c = Row(w, u.src[2]);
  MaskedRows<1> result(w, u.dst);
  u32* const out = result.out();
  const bool signed_a = (u.imm & 1) != 0, signed_b = (u.imm & 2) != 0, clamp = (u.imm & 4) != 0;
  const auto field = [](u32 dword, int p, bool is_signed) {
    return static_cast<i32>(is_signed ? Field<kBits, true>(dword, p)
                                      : Field<kBits, false>(dword, p));
  };
  for (int l = 0; l < kLanes; ++l) {
    i32 sum = 0;
    for (int p = 0; p < 32 / kBits; ++p) sum += field(a[l], p, signed_a) * field(b[l], p, signed_b);
    const i64 exact = i64{sum} + static_cast<i32>(c[l]);
    const i64 limited = exact < -0x80000000LL  ? -0x80000000LL
                        : exact > 0x7fffffffLL ? 0x7fffffffLL
                                               : exact;
    out[l] = static_cast<u32>(clamp ? limited : exact);
  }
  result.Commit();
}
constexpr Binding Dot(const char* name, ExecFn exec) {
  return {name, OpClass::kValu, &BindDotInteger, exec, {}, kRdna};
}

constexpr uint8_t kOcp = kGfx950 | kGfx1201;

template <class A, class B>
constexpr Binding DotSmall(const char* name) {
  return On(kGfx1201,
            Valu(name, [](u32 a, u32 b, f32 c) { return DotBytes<A, B>(a, b, c); }, kFixedMode));
}

}  // namespace

BindingTable ValuSmallTable() {
  static constexpr Binding kTable[] = {
      PackSmall<Fp8Fnuz>("v_cvt_pk_fp8_f32", kGfx942),
      PackSmall<Bf8Fnuz>("v_cvt_pk_bf8_f32", kGfx942),
      PackSmall<Fp8>("v_cvt_pk_fp8_f32", kOcp),
      PackSmall<Bf8>("v_cvt_pk_bf8_f32", kOcp),
      PackRandomly<Fp8Fnuz>("v_cvt_sr_fp8_f32", kGfx942),
      PackRandomly<Bf8Fnuz>("v_cvt_sr_bf8_f32", kGfx942),
      PackRandomly<Fp8>("v_cvt_sr_fp8_f32", kOcp),
      PackRandomly<Bf8>("v_cvt_sr_bf8_f32", kOcp),
      UnpackOne<Fp8Fnuz>("v_cvt_f32_fp8", kGfx942),
      UnpackOne<Bf8Fnuz>("v_cvt_f32_bf8", kGfx942),
      UnpackOne<Fp8>("v_cvt_f32_fp8", kOcp),
      UnpackOne<Bf8>("v_cvt_f32_bf8", kOcp),
      UnpackPair<Fp8Fnuz>("v_cvt_pk_f32_fp8", kGfx942),
      UnpackPair<Bf8Fnuz>("v_cvt_pk_f32_bf8", kGfx942),
      UnpackPair<Fp8>("v_cvt_pk_f32_fp8", kOcp),
      UnpackPair<Bf8>("v_cvt_pk_f32_bf8", kOcp),
      DotSmall<Fp8, Fp8>("v_dot4_f32_fp8_fp8"),
      DotSmall<Fp8, Bf8>("v_dot4_f32_fp8_bf8"),
      DotSmall<Bf8, Fp8>("v_dot4_f32_bf8_fp8"),
      DotSmall<Bf8, Bf8>("v_dot4_f32_bf8_bf8"),
      Dot("v_dot4_i32_iu8", &Step<&DotInteger<8>>),
      Dot("v_dot8_i32_iu4", &Step<&DotInteger<4>>),
      On(kGfx1100,
         Valu(
             "v_dot2_f16_f16",
             [](PkF16 a, PkF16 b, f16 c) { return SumInHalf<11>(a.bits, b.bits, c); }, kFixedMode)),
      On(kGfx1100, Valu(
                       "v_dot2_bf16_bf16",
                       [](PkB16 a, PkB16 b, u16 c) { return SumInBf16<11>(a.bits, b.bits, c); },
                       kBf16Constants)),
      On(kGfx1201,
         Valu(
             "v_dot2_f16_f16",
             [](PkF16 a, PkF16 b, f16 c) { return SumInHalf<12>(a.bits, b.bits, c); }, kFixedMode)),
      On(kGfx1201, Valu(
                       "v_dot2_bf16_bf16",
                       [](PkB16 a, PkB16 b, u16 c) { return SumInBf16<12>(a.bits, b.bits, c); },
                       kBf16Constants)),
  };
  return {kTable, sizeof(kTable) / sizeof(kTable[0])};
}

}  // namespace GRIDWISE_SIM_LEVEL
}  // namespace gridwise::sim
