// SPDX-License-Identifier: MIT
#include "tools/sim/isa/exec/float.h"
#include "tools/sim/isa/exec/lane_values.h"
#include "tools/sim/isa/exec/lanes.h"
#include "tools/sim/isa/exec/min_max.h"
#include "tools/sim/isa/exec/rdna_dot.h"
#include "tools/sim/isa/exec/rounding.h"

namespace gridwise::sim {
inline namespace GRIDWISE_SIM_LEVEL {
namespace {

GRIDWISE_SIM_INLINE f32 LowHalf(u32 x) { return static_cast<f32>(Bits<f16>(static_cast<u16>(x))); }
GRIDWISE_SIM_INLINE f32 HighHalf(u32 x) { return LowHalf(x >> 16); }
GRIDWISE_SIM_INLINE f16 Half(f32 x) { return static_cast<f16>(x); }
GRIDWISE_SIM_INLINE f32 Float(f16 x) { return static_cast<f32>(x); }
template <class T>
GRIDWISE_SIM_INLINE T Limit(i32 x) {
  constexpr i32 kLowest = T(-1) < T(0) ? -32768 : 0, kHighest = T(-1) < T(0) ? 32767 : 65535;
  return static_cast<T>(x < kLowest ? kLowest : x > kHighest ? kHighest : x);
}

/// Sums of products of kBits-bit fields, wrapping.
template <int kBits, bool kSigned>
GRIDWISE_SIM_INLINE u32 Dot(u32 a, u32 b, u32 c) {
  for (int i = 0; i < 32; i += kBits) {
    const u32 x = a << (32 - kBits - i), y = b << (32 - kBits - i);
    c += kSigned ? static_cast<u32>((static_cast<i32>(x) >> (32 - kBits)) *
                                    (static_cast<i32>(y) >> (32 - kBits)))
                 : (x >> (32 - kBits)) * (y >> (32 - kBits));
  }
  return c;
}

/// The dot product of CDNA: fused in sequence; the hardware's internal order is not public.
GRIDWISE_SIM_INLINE f32 DotHalves(u32 a, u32 b, f32 c) {
  return Fma(HighHalf(a), HighHalf(b), Fma(LowHalf(a), LowHalf(b), c));
}
/// The same, with denormal floats flushed.
GRIDWISE_SIM_INLINE f32 DotHalvesFlushed(u32 a, u32 b, f32 c) {
  return FlushToPlus(DotHalves(a, b, FlushToPlus(c)));
}
/// The same, with denormal halves flushed, too: gfx90a (PyTorch, notes on numerical accuracy, on
/// MI200's V_DOT2).
GRIDWISE_SIM_INLINE u32 FlushHalves(u32 x) {
  const u32 low = (x & 0x7c00) != 0 ? x & 0xffff : 0;
  return low | ((x & 0x7c000000) != 0 ? x & 0xffff0000 : 0);
}
GRIDWISE_SIM_INLINE f32 DotFlushedHalves(u32 a, u32 b, f32 c) {
  return DotHalvesFlushed(FlushHalves(a), FlushHalves(b), c);
}
template <int kGeneration>
GRIDWISE_SIM_INLINE f32 RdnaDotHalves(u32 a, u32 b, f32 c) {
  return RdnaDot2<kGeneration, Format::kF16, Format::kF32>(a, b, c);
}

/// v_dot2_f32_f16 and v_dot2c_f32_f16, as `kDot` adds up the products.
template <f32 (*kDot)(u32, u32, f32)>
constexpr Binding DotF16(uint8_t targets) {
  return On(targets,
            Valu(
                "v_dot2_f32_f16", [](PkF16 a, PkF16 b, f32 c) { return kDot(a.bits, b.bits, c); },
                kFixedMode));
}
template <f32 (*kDot)(u32, u32, f32)>
constexpr Binding AccumulatedDotF16(uint8_t targets) {
  return On(targets, Valu(
                         "v_dot2c_f32_f16", [](u32 a, u32 b, f32 c) { return kDot(a, b, c); },
                         kAccumulates | kFixedMode));
}

constexpr Binding kPacked[] = {
    Packed("v_pk_add_f16", [](f16 a, f16 b) { return Half(Float(a) + Float(b)); }),
    Packed("v_pk_mul_f16", [](f16 a, f16 b) { return Half(Float(a) * Float(b)); }),
    Packed("v_pk_fma_f16", [](f16 a, f16 b, f16 c) { return Fma(a, b, c); }),
    On(kGfx9, Packed(
                  "v_pk_fmac_f16", [](f16 a, f16 b, f16 d) { return Fma(a, b, d); }, kAccumulates)),
    // Measured on gfx11, of gfx10 not so, and so it is in LLVM's assembler since 22 (llvm-project
    // 94116, 176659).
    On(kRdna, Packed(
                  "v_pk_fmac_f16", [](f16 a, f16 b, f16 d) { return Fma(a, b, d); },
                  kAccumulates | kPairConstants)),
    Packed("v_pk_min_f16", [](f16 a, f16 b) { return Minimum(a, b); }),
    Packed("v_pk_max_f16", [](f16 a, f16 b) { return Maximum(a, b); }),
    Packed("v_pk_add_u16", [](u16 a, u16 b) { return static_cast<u16>(a + b); }),
    Packed("v_pk_add_u16.clamp", [](u16 a, u16 b) { return Limit<u16>(a + b); }),
    Packed("v_pk_sub_u16", [](u16 a, u16 b) { return static_cast<u16>(a - b); }),
    Packed("v_pk_sub_u16.clamp", [](u16 a, u16 b) { return Limit<u16>(a - b); }),
    Packed("v_pk_add_i16", [](i16 a, i16 b) { return static_cast<i16>(a + b); }),
    Packed("v_pk_add_i16.clamp", [](i16 a, i16 b) { return Limit<i16>(a + b); }),
    Packed("v_pk_sub_i16", [](i16 a, i16 b) { return static_cast<i16>(a - b); }),
    Packed("v_pk_sub_i16.clamp", [](i16 a, i16 b) { return Limit<i16>(a - b); }),
    Packed("v_pk_mul_lo_u16", [](u16 a, u16 b) { return static_cast<u16>(u32{a} * b); }),
    Packed("v_pk_mad_u16", [](u16 a, u16 b, u16 c) { return static_cast<u16>(u32{a} * b + c); }),
    Packed("v_pk_mad_i16", [](u16 a, u16 b, u16 c) { return static_cast<u16>(u32{a} * b + c); }),
    Packed("v_pk_min_u16", [](u16 a, u16 b) { return a < b ? a : b; }),
    Packed("v_pk_max_u16", [](u16 a, u16 b) { return a > b ? a : b; }),
    Packed("v_pk_min_i16", [](i16 a, i16 b) { return a < b ? a : b; }),
    Packed("v_pk_max_i16", [](i16 a, i16 b) { return a > b ? a : b; }),
    Packed("v_pk_lshlrev_b16", [](u16 a, u16 b) { return static_cast<u16>(b << (a & 15)); }),
    Packed("v_pk_lshrrev_b16", [](u16 a, u16 b) { return static_cast<u16>(b >> (a & 15)); }),
    Packed("v_pk_ashrrev_i16", [](i16 a, i16 b) { return static_cast<i16>(b >> (a & 15)); }),
    PackedF32("v_pk_add_f32", [](f32 a, f32 b) { return a + b; }),
    PackedF32("v_pk_mul_f32", [](f32 a, f32 b) { return a * b; }),
    PackedF32("v_pk_fma_f32", [](f32 a, f32 b, f32 c) { return Fma(a, b, c); }),
    Valu(
        "v_pk_mov_b32", [](u64 a, u64 b) { return (a & 0xffffffff) | (b & 0xffffffff00000000); },
        kPairMove),
    DotF16<DotHalvesFlushed>(kGfx94),
    DotF16<DotFlushedHalves>(kGfx90a),
    DotF16<RdnaDotHalves<11>>(kGfx1100),
    DotF16<RdnaDotHalves<12>>(kGfx1201),
    AccumulatedDotF16<DotHalvesFlushed>(kGfx94),
    AccumulatedDotF16<DotFlushedHalves>(kGfx90a),
    AccumulatedDotF16<RdnaDotHalves<11>>(kGfx1100),
    AccumulatedDotF16<RdnaDotHalves<12>>(kGfx1201),
    Valu("v_dot2_i32_i16",
         [](PkB16 a, PkB16 b, u32 c) { return Dot<16, true>(a.bits, b.bits, c); }),
    Valu("v_dot2_u32_u16",
         [](PkB16 a, PkB16 b, u32 c) { return Dot<16, false>(a.bits, b.bits, c); }),
    Valu("v_dot4_i32_i8", [](u32 a, u32 b, u32 c) { return Dot<8, true>(a, b, c); }),
    Valu("v_dot4_u32_u8", [](u32 a, u32 b, u32 c) { return Dot<8, false>(a, b, c); }),
    Valu("v_dot8_i32_i4", [](u32 a, u32 b, u32 c) { return Dot<4, true>(a, b, c); }),
    Valu("v_dot8_u32_u4", [](u32 a, u32 b, u32 c) { return Dot<4, false>(a, b, c); }),
    Valu(
        "v_dot2c_i32_i16", [](u32 a, u32 b, u32 d) { return Dot<16, true>(a, b, d); },
        kAccumulates),
    Valu(
        "v_dot4c_i32_i8", [](u32 a, u32 b, u32 d) { return Dot<8, true>(a, b, d); }, kAccumulates),
    Valu(
        "v_dot8c_i32_i4", [](u32 a, u32 b, u32 d) { return Dot<4, true>(a, b, d); }, kAccumulates),
};

}  // namespace

BindingTable ValuPackedTable() { return {kPacked, sizeof(kPacked) / sizeof(kPacked[0])}; }

}  // namespace GRIDWISE_SIM_LEVEL
}  // namespace gridwise::sim
