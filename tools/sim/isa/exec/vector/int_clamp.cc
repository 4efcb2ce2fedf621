// SPDX-License-Identifier: MIT
#include <iterator>

#include "tools/sim/isa/exec/lane_values.h"
#include "tools/sim/isa/exec/lanes.h"

/// Integer operations with CLAMP: the result is the nearest of its type to the exact one; a carry
/// is as without. (Additions and subtractions without carry are in exec/vector/int.cc, packed ones
/// in packed.cc.)

namespace gridwise::sim {
inline namespace GRIDWISE_SIM_LEVEL {
namespace {

GRIDWISE_SIM_INLINE i64 Low24(u32 x) { return x & 0xffffff; }
GRIDWISE_SIM_INLINE i64 Signed24(u32 x) { return static_cast<i32>(x << 8) >> 8; }
GRIDWISE_SIM_INLINE i64 Distance(u32 a, u32 b) { return a > b ? i64{a} - b : i64{b} - a; }
GRIDWISE_SIM_INLINE WithMask<u32> Carried(i64 exact) {
  return {Saturate<u32>(exact), exact < 0 || exact > 0xffffffff};
}

template <bool kMasked>
GRIDWISE_SIM_INLINE i64 ByteDistance(u32 a, u32 b) {
  i64 sum = 0;
  for (int i = 0; i < 32; i += 8) {
    const u32 x = a >> i & 0xff, y = b >> i & 0xff;
    sum += kMasked && y == 0 ? 0 : Distance(x, y);
  }
  return sum;
}
template <bool kMasked>
GRIDWISE_SIM_INLINE u64 FourDistances(u64 a, u32 b, u64 c) {
  u64 result = 0;
  for (int i = 0; i < 4; ++i) {
    const i64 sum =
        ByteDistance<kMasked>(static_cast<u32>(a >> (8 * i)), b) + static_cast<u16>(c >> (16 * i));
    result |= u64{Saturate<u16>(sum)} << (16 * i);
  }
  return result;
}

/// The exact sum of products of kBits-bit fields.
template <int kBits, bool kSigned>
GRIDWISE_SIM_INLINE i64 Dot(u32 a, u32 b) {
  i64 sum = 0;
  for (int i = 0; i < 32; i += kBits) {
    const u32 x = a << (32 - kBits - i), y = b << (32 - kBits - i);
    sum += kSigned
               ? i64{static_cast<i32>(x) >> (32 - kBits)} * (static_cast<i32>(y) >> (32 - kBits))
               : static_cast<i64>(u64{x >> (32 - kBits)} * (y >> (32 - kBits)));
  }
  return sum;
}

#define GRIDWISE_SIM_DOT_CLAMP(suffix, T, P, kBits, kSigned)                 \
  Valu("v_dot" suffix ".clamp", [](P a, P b, T c) {                          \
    return Saturate<T>(Dot<kBits, kSigned>(Bits<u32>(a), Bits<u32>(b)) + c); \
  })

}  // namespace

constexpr Binding kValuClamp[] = {
    Valu("v_add_co_u32.clamp", [](u32 a, u32 b) { return Carried(i64{a} + b); }),
    Valu("v_sub_co_u32.clamp", [](u32 a, u32 b) { return Carried(i64{a} - b); }),
    Valu("v_subrev_co_u32.clamp", [](u32 a, u32 b) { return Carried(i64{b} - a); }),
    Valu("v_addc_co_u32.clamp", [](u32 a, u32 b, bool c) { return Carried(i64{a} + b + c); }),
    Valu("v_subb_co_u32.clamp", [](u32 a, u32 b, bool c) { return Carried(i64{a} - b - c); }),
    Valu("v_subbrev_co_u32.clamp", [](u32 a, u32 b, bool c) { return Carried(i64{b} - a - c); }),
    Valu("v_mul_u32_u24.clamp", [](u32 a, u32 b) { return Saturate<u32>(Low24(a) * Low24(b)); }),
    Valu("v_mul_i32_i24.clamp",
         [](u32 a, u32 b) { return Saturate<i32>(Signed24(a) * Signed24(b)); }),
    Valu("v_mad_u32_u24.clamp",
         [](u32 a, u32 b, u32 c) { return Saturate<u32>(Low24(a) * Low24(b) + c); }),
    Valu("v_mad_i32_i24.clamp",
         [](u32 a, u32 b, i32 c) { return Saturate<i32>(Signed24(a) * Signed24(b) + c); }),
    Valu("v_mad_u64_u32.clamp",
         [](u32 a, u32 b, u64 c) {
           const u64 product = u64{a} * b, sum = product + c;
           return WithMask<u64>{sum < c ? ~u64{0} : sum, sum < c};
         }),
    Valu("v_mad_i64_i32.clamp",
         [](i32 a, i32 b, i64 c) {
           const i64 product = i64{a} * b;
           const u64 sum = static_cast<u64>(product) + static_cast<u64>(c);
           const u64 overflow = (static_cast<u64>(product) ^ sum) & (static_cast<u64>(c) ^ sum);
           const u64 end = (u64{1} << 63) - (c < 0 ? 0 : 1);
           return WithMask<u64>{overflow >> 63 != 0 ? end : sum, overflow >> 63 != 0};
         }),
    Valu(
        "v_mad_u16.clamp", [](u16 a, u16 b, u16 c) { return Saturate<u16>(i64{a} * b + c); },
        kKeepsOther),
    Valu(
        "v_mad_i16.clamp", [](i16 a, i16 b, i16 c) { return Saturate<i16>(i64{a} * b + c); },
        kKeepsOther),
    Valu("v_mad_legacy_u16.clamp",
         [](u16 a, u16 b, u16 c) { return Saturate<u16>(i64{a} * b + c); }),
    Valu("v_mad_legacy_i16.clamp",
         [](i16 a, i16 b, i16 c) { return Saturate<i16>(i64{a} * b + c); }),
    Valu("v_mad_u32_u16.clamp", [](u16 a, u16 b, u32 c) { return Saturate<u32>(i64{a} * b + c); }),
    Valu("v_mad_i32_i16.clamp", [](i16 a, i16 b, i32 c) { return Saturate<i32>(i64{a} * b + c); }),
    Packed("v_pk_mad_u16.clamp", [](u16 a, u16 b, u16 c) { return Saturate<u16>(i64{a} * b + c); }),
    Packed("v_pk_mad_i16.clamp", [](i16 a, i16 b, i16 c) { return Saturate<i16>(i64{a} * b + c); }),
    Valu("v_sad_u8.clamp",
         [](u32 a, u32 b, u32 c) { return Saturate<u32>(ByteDistance<false>(a, b) + c); }),
    Valu("v_sad_hi_u8.clamp",
         [](u32 a, u32 b, u32 c) { return Saturate<u32>((ByteDistance<false>(a, b) << 16) + c); }),
    Valu("v_sad_u16.clamp",
         [](u32 a, u32 b, u32 c) {
           return Saturate<u32>(Distance(a & 0xffff, b & 0xffff) + Distance(a >> 16, b >> 16) + c);
         }),
    Valu("v_sad_u32.clamp", [](u32 a, u32 b, u32 c) { return Saturate<u32>(Distance(a, b) + c); }),
    Valu("v_msad_u8.clamp",
         [](u32 a, u32 b, u32 c) { return Saturate<u32>(ByteDistance<true>(a, b) + c); }),
    Valu("v_qsad_pk_u16_u8.clamp",
         [](u64 a, u32 b, u64 c) { return FourDistances<false>(a, b, c); }),
    Valu("v_mqsad_pk_u16_u8.clamp",
         [](u64 a, u32 b, u64 c) { return FourDistances<true>(a, b, c); }),
    GRIDWISE_SIM_DOT_CLAMP("2_i32_i16", i32, PkB16, 16, true),
    GRIDWISE_SIM_DOT_CLAMP("2_u32_u16", u32, PkB16, 16, false),
    GRIDWISE_SIM_DOT_CLAMP("4_i32_i8", i32, u32, 8, true),
    GRIDWISE_SIM_DOT_CLAMP("4_u32_u8", u32, u32, 8, false),
    GRIDWISE_SIM_DOT_CLAMP("8_i32_i4", i32, u32, 4, true),
    GRIDWISE_SIM_DOT_CLAMP("8_u32_u4", u32, u32, 4, false),
};

BindingTable ValuClampTable() { return {kValuClamp, std::size(kValuClamp)}; }

}  // namespace GRIDWISE_SIM_LEVEL
}  // namespace gridwise::sim
