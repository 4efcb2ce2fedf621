// SPDX-License-Identifier: MIT
#include <iterator>

#include "tools/sim/isa/exec/lane_values.h"
#include "tools/sim/isa/exec/lanes.h"
#include "tools/sim/isa/exec/lanewise.h"

namespace gridwise::sim {
inline namespace GRIDWISE_SIM_LEVEL {
namespace {

GRIDWISE_SIM_INLINE u32 Low24(u32 x) { return x & 0xffffff; }
GRIDWISE_SIM_INLINE i32 Signed24(u32 x) { return static_cast<i32>(x << 8) >> 8; }
template <class T>
GRIDWISE_SIM_INLINE T Min(T a, T b) {
  return a < b ? a : b;
}
template <class T>
GRIDWISE_SIM_INLINE T Max(T a, T b) {
  return a > b ? a : b;
}
template <class T>
GRIDWISE_SIM_INLINE T Median(T a, T b, T c) {
  return Max(Min(a, b), Min(Max(a, b), c));
}
/// Population counts and leading zeros without the builtins, which become calls or scalar code in a
/// loop.
GRIDWISE_SIM_INLINE u32 PopCount(u32 x) {
  x = x - (x >> 1 & 0x55555555);
  x = (x & 0x33333333) + (x >> 2 & 0x33333333);
  return ((x + (x >> 4)) & 0x0f0f0f0f) * 0x01010101 >> 24;
}
GRIDWISE_SIM_INLINE u32 LeadingZeros(u32 x) {
  return x == 0 ? ~0u : static_cast<u32>(__builtin_clz(x));
}
GRIDWISE_SIM_INLINE u32 TrailingZeros(u32 x) { return x == 0 ? ~0u : PopCount((x & (0u - x)) - 1); }
GRIDWISE_SIM_INLINE u32 FieldMask(u32 width) { return (1u << (width & 31)) - 1; }
GRIDWISE_SIM_INLINE u32 Byte(u32 x, int i) { return x >> (8 * i) & 0xff; }
/// Sum of the distances of the bytes; masked, of those that are not 0 in `b`.
template <bool kMasked>
GRIDWISE_SIM_INLINE u32 ByteDistance(u32 a, u32 b) {
  u32 sum = 0;
  for (int i = 0; i < 4; ++i) {
    const u32 x = Byte(a, i), y = Byte(b, i);
    sum += kMasked && y == 0 ? 0 : Max(x, y) - Min(x, y);
  }
  return sum;
}
/// The distances from `b` of the four bytes of `a` from each of the places 0 to 3, added to the
/// halfwords of `c` (MI300 ISA, V_QSAD_PK_U16_U8).
template <bool kMasked>
GRIDWISE_SIM_INLINE u64 FourDistances(u64 a, u32 b, u64 c) {
  u64 result = 0;
  for (int i = 0; i < 4; ++i) {
    const u32 sum = ByteDistance<kMasked>(static_cast<u32>(a >> (8 * i)), b);
    result |= (((c >> (16 * i)) + sum) & 0xffff) << (16 * i);
  }
  return result;
}
/// v_mqsad_u32_u8: the same masked distances, each added to a dword of four. A lane's sources are
/// read before its result is written, which may be in the same registers.
void FourWideDistances(Wave& w, const Uop& u) {
  const u32 *a = Row(w, u.src[0]), *b = Row(w, u.src[1]), *c = Row(w, u.src[2]);
  MaskedRows<4> result(w, u.dst);
  u32* const out = result.out();
  for (int l = 0; l < kLanes; ++l) {
    const u64 bytes = a[l] | u64{a[l + kLanes]} << 32;
    const u32 reference = b[l];
    u32 sums[4];
    for (int i = 0; i < 4; ++i) {
      sums[i] = c[i * kLanes + l] +
                ByteDistance</*kMasked=*/true>(static_cast<u32>(bytes >> (8 * i)), reference);
    }
    for (int i = 0; i < 4; ++i) out[i * kLanes + l] = sums[i];
  }
  result.Commit();
}
/// v_perm_b32: each selector byte picks one of the 8 bytes {a, b}, a sign byte, 0 or 0xff.
GRIDWISE_SIM_INLINE u32 Permute(u32 a, u32 b, u32 select) {
  u32 result = 0;
  for (int i = 0; i < 4; ++i) {  // in 32 bits, of which a vector has twice as many as of 64
    const u32 s = Byte(select, i);
    const u32 picked = ((s & 4) != 0 ? a : b) >> (8 * (s & 3)) & 0xff;
    const u32 sign = (((s & 2) != 0 ? a : b) >> (16 * (s & 1) + 15) & 1) != 0 ? 0xff : 0;
    result |= (s < 8 ? picked : s < 12 ? sign : s == 12 ? 0 : 0xff) << (8 * i);
  }
  return result;
}
/// Nearly always lanes have the same selector, and of bytes alone: these are found by the same
/// shifts in all of them.
void PermuteRows(Wave& w, const Uop& u) {
  const u32* const words[] = {Row(w, u.src[1]), Row(w, u.src[0])};  // bytes 0 to 3, 4 to 7
  const u32* const selectors = Row(w, u.src[2]);
  const u32 select = selectors[0];
  u32 others = 0;
  for (int l = 0; l < kLanes; ++l) others |= selectors[l] ^ select;
  MaskedRows<1> result(w, u.dst);
  u32* const out = result.out();
  if (others == 0 && (select & 0xf8f8f8f8) == 0) {
    const u32* of[4];
    u32 shift[4];
    for (int i = 0; i < 4; ++i) {
      of[i] = words[Byte(select, i) >> 2];
      shift[i] = 8 * (Byte(select, i) & 3);
    }
    GRIDWISE_SIM_FOR_LANES(l) {
      out[l] = (of[0][l] >> shift[0] & 0xff) | (of[1][l] >> shift[1] & 0xff) << 8 |
               (of[2][l] >> shift[2] & 0xff) << 16 | of[3][l] >> shift[3] << 24;
    }
  } else {
    GRIDWISE_SIM_FOR_LANES(l) out[l] = Permute(words[1][l], words[0][l], selectors[l]);
  }
  result.Commit();
}
/// Rounded averages of bytes, v_lerp_u8.
GRIDWISE_SIM_INLINE u32 Lerp(u32 a, u32 b, u32 c) {
  u32 result = 0;
  for (int i = 0; i < 4; ++i)
    result |= ((Byte(a, i) + Byte(b, i) + (c >> (8 * i) & 1)) >> 1) << (8 * i);
  return result;
}
GRIDWISE_SIM_INLINE u32 ReverseBits(u32 x) {
  x = (x >> 1 & 0x55555555) | (x & 0x55555555) << 1;
  x = (x >> 2 & 0x33333333) | (x & 0x33333333) << 2;
  x = (x >> 4 & 0x0f0f0f0f) | (x & 0x0f0f0f0f) << 4;
  return x >> 24 | (x >> 8 & 0xff00) | (x & 0xff00) << 8 | x << 24;
}
GRIDWISE_SIM_INLINE WithMask<u32> AddCarry(u32 a, u32 b, u32 carry) {
  const u32 partial = a + b, sum = partial + carry;
  return {sum, partial < a || sum < partial};
}
GRIDWISE_SIM_INLINE WithMask<u32> SubBorrow(u32 a, u32 b, u32 borrow) {
  const u32 partial = a - b;
  return {partial - borrow, a < b || partial < borrow};
}

}  // namespace

constexpr Binding kValuInt[] = {
    Valu("v_mov_b32", [](u32 a) { return a; }),
    Valu("v_mov_b64", [](u64 a) { return a; }),
    Valu("v_accvgpr_read_b32", [](u32 a) { return a; }),
    Valu("v_accvgpr_write_b32", [](u32 a) { return a; }),
    Valu("v_accvgpr_mov_b32", [](u32 a) { return a; }),
    Valu("v_add_u32", [](u32 a, u32 b) { return a + b; }),
    Valu("v_add_u32.clamp", [](u32 a, u32 b) { return Saturate<u32>(i64{a} + b); }),
    Valu("v_sub_u32", [](u32 a, u32 b) { return a - b; }),
    Valu("v_sub_u32.clamp", [](u32 a, u32 b) { return Saturate<u32>(i64{a} - b); }),
    Valu("v_subrev_u32", [](u32 a, u32 b) { return b - a; }),
    Valu("v_subrev_u32.clamp", [](u32 a, u32 b) { return Saturate<u32>(i64{b} - a); }),
    Valu("v_add_i32", [](u32 a, u32 b) { return a + b; }),
    Valu("v_add_i32.clamp", [](i32 a, i32 b) { return Saturate<i32>(i64{a} + b); }),
    Valu("v_sub_i32", [](u32 a, u32 b) { return a - b; }),
    Valu("v_sub_i32.clamp", [](i32 a, i32 b) { return Saturate<i32>(i64{a} - b); }),
    Valu("v_add_co_u32", [](u32 a, u32 b) { return AddCarry(a, b, 0); }),
    Valu("v_sub_co_u32", [](u32 a, u32 b) { return SubBorrow(a, b, 0); }),
    Valu("v_subrev_co_u32", [](u32 a, u32 b) { return SubBorrow(b, a, 0); }),
    Valu("v_addc_co_u32", [](u32 a, u32 b, bool c) { return AddCarry(a, b, c); }),
    Valu("v_subb_co_u32", [](u32 a, u32 b, bool c) { return SubBorrow(a, b, c); }),
    Valu("v_subbrev_co_u32", [](u32 a, u32 b, bool c) { return SubBorrow(b, a, c); }),
    Valu("v_add3_u32", [](u32 a, u32 b, u32 c) { return a + b + c; }),
    Valu("v_lshl_add_u32", [](u32 a, u32 b, u32 c) { return (a << (b & 31)) + c; }),
    Valu("v_add_lshl_u32", [](u32 a, u32 b, u32 c) { return (a + b) << (c & 31); }),
    // The shift has three bits; values above 4 count as 0 (CDNA3 ISA, V_LSHL_ADD_U64).
    Valu("v_lshl_add_u64",
         [](u64 a, u32 b, u64 c) { return (a << ((b & 7) > 4 ? 0 : b & 7)) + c; }),
    Valu("v_lshl_or_b32", [](u32 a, u32 b, u32 c) { return a << (b & 31) | c; }),
    Valu("v_and_or_b32", [](u32 a, u32 b, u32 c) { return (a & b) | c; }),
    Valu("v_or3_b32", [](u32 a, u32 b, u32 c) { return a | b | c; }),
    Valu("v_xad_u32", [](u32 a, u32 b, u32 c) { return (a ^ b) + c; }),
    Valu("v_and_b32", [](u32 a, u32 b) { return a & b; }),
    Valu("v_or_b32", [](u32 a, u32 b) { return a | b; }),
    Valu("v_xor_b32", [](u32 a, u32 b) { return a ^ b; }),
    Valu("v_xnor_b32", [](u32 a, u32 b) { return ~(a ^ b); }),
    Valu("v_not_b32", [](u32 a) { return ~a; }),
    Valu("v_lshlrev_b32", [](u32 a, u32 b) { return b << (a & 31); }),
    Valu("v_lshrrev_b32", [](u32 a, u32 b) { return b >> (a & 31); }),
    Valu("v_ashrrev_i32", [](u32 a, i32 b) { return b >> (a & 31); }),
    Valu("v_lshlrev_b64", [](u32 a, u64 b) { return b << (a & 63); }),
    Valu("v_lshrrev_b64", [](u32 a, u64 b) { return b >> (a & 63); }),
    Valu("v_ashrrev_i64", [](u32 a, i64 b) { return b >> (a & 63); }),
    Valu("v_mul_lo_u32", [](u32 a, u32 b) { return a * b; }),
    Valu("v_mul_hi_u32", [](u32 a, u32 b) { return static_cast<u32>(u64{a} * b >> 32); }),
    Valu("v_mul_hi_i32", [](i32 a, i32 b) { return static_cast<u32>(i64{a} * b >> 32); }),
    Valu("v_mul_u32_u24", [](u32 a, u32 b) { return Low24(a) * Low24(b); }),
    Valu(
        "v_mul_i32_i24",
        [](u32 a, u32 b) { return static_cast<u32>(Signed24(a)) * static_cast<u32>(Signed24(b)); }),
    Valu("v_mul_hi_u32_u24",
         [](u32 a, u32 b) { return static_cast<u32>(u64{Low24(a)} * Low24(b) >> 32); }),
    Valu("v_mul_hi_i32_i24",
         [](u32 a, u32 b) { return static_cast<u32>(i64{Signed24(a)} * Signed24(b) >> 32); }),
    Valu("v_mad_u32_u24", [](u32 a, u32 b, u32 c) { return Low24(a) * Low24(b) + c; }),
    Valu("v_mad_i32_i24",
         [](u32 a, u32 b, u32 c) {
           return static_cast<u32>(Signed24(a)) * static_cast<u32>(Signed24(b)) + c;
         }),
    Valu("v_mad_u64_u32",
         [](u32 a, u32 b, u64 c) {
           const u64 product = u64{a} * b;
           return WithMask<u64>{product + c, product + c < c};
         }),
    Valu("v_mad_i64_i32",
         [](i32 a, i32 b, i64 c) {
           const i64 product = i64{a} * b;
           const u64 sum = static_cast<u64>(product) + static_cast<u64>(c);
           const u64 overflow = (static_cast<u64>(product) ^ sum) & (static_cast<u64>(c) ^ sum);
           return WithMask<u64>{sum, overflow >> 63 != 0};
         }),
    Valu("v_min_u32", [](u32 a, u32 b) { return Min(a, b); }),
    Valu("v_max_u32", [](u32 a, u32 b) { return Max(a, b); }),
    Valu("v_min_i32", [](i32 a, i32 b) { return Min(a, b); }),
    Valu("v_max_i32", [](i32 a, i32 b) { return Max(a, b); }),
    Valu("v_min3_u32", [](u32 a, u32 b, u32 c) { return Min(Min(a, b), c); }),
    Valu("v_max3_u32", [](u32 a, u32 b, u32 c) { return Max(Max(a, b), c); }),
    Valu("v_min3_i32", [](i32 a, i32 b, i32 c) { return Min(Min(a, b), c); }),
    Valu("v_max3_i32", [](i32 a, i32 b, i32 c) { return Max(Max(a, b), c); }),
    Valu("v_med3_u32", [](u32 a, u32 b, u32 c) { return Median(a, b, c); }),
    Valu("v_med3_i32", [](i32 a, i32 b, i32 c) { return Median(a, b, c); }),
    Valu("v_bfe_u32", [](u32 a, u32 b, u32 c) { return a >> (b & 31) & FieldMask(c); }),
    Valu("v_bfe_i32",
         [](i32 a, u32 b, u32 c) {
           const u32 field = static_cast<u32>(a >> (b & 31)) & FieldMask(c);
           const u32 spare = (32 - (c & 31)) & 31;
           return static_cast<i32>(field << spare) >> spare;
         }),
    Valu("v_bfi_b32", [](u32 a, u32 b, u32 c) { return (a & b) | (~a & c); }),
    Valu("v_bfm_b32", [](u32 a, u32 b) { return FieldMask(a) << (b & 31); }),
    Valu("v_bfrev_b32", [](u32 a) { return ReverseBits(a); }),
    Valu("v_bcnt_u32_b32", [](u32 a, u32 b) { return PopCount(a) + b; }),
    Valu("v_ffbh_u32", [](u32 a) { return LeadingZeros(a); }),
    Valu("v_ffbl_b32", [](u32 a) { return TrailingZeros(a); }),
    Valu("v_ffbh_i32", [](i32 a) { return LeadingZeros(static_cast<u32>(a ^ a >> 31)); }),
    Valu("v_alignbit_b32",
         [](u32 a, u32 b, u16 c) { return static_cast<u32>((u64{a} << 32 | b) >> (c & 31)); }),
    Valu("v_alignbyte_b32",
         [](u32 a, u32 b, u16 c) { return static_cast<u32>((u64{a} << 32 | b) >> (8 * (c & 3))); }),
    WithHandler(&Step<&PermuteRows>,
                Valu("v_perm_b32", [](u32 a, u32 b, u32 c) { return Permute(a, b, c); })),
    Valu("v_sad_u8", [](u32 a, u32 b, u32 c) { return ByteDistance</*kMasked=*/false>(a, b) + c; }),
    Valu("v_sad_hi_u8",
         [](u32 a, u32 b, u32 c) { return (ByteDistance</*kMasked=*/false>(a, b) << 16) + c; }),
    Valu("v_sad_u16",
         [](u32 a, u32 b, u32 c) {
           const u32 low = Max(a & 0xffff, b & 0xffff) - Min(a & 0xffff, b & 0xffff);
           return low + Max(a >> 16, b >> 16) - Min(a >> 16, b >> 16) + c;
         }),
    Valu("v_msad_u8", [](u32 a, u32 b, u32 c) { return ByteDistance</*kMasked=*/true>(a, b) + c; }),
    Valu("v_qsad_pk_u16_u8",
         [](u64 a, u32 b, u64 c) { return FourDistances</*kMasked=*/false>(a, b, c); }),
    Valu("v_mqsad_pk_u16_u8",
         [](u64 a, u32 b, u64 c) { return FourDistances</*kMasked=*/true>(a, b, c); }),
    {"v_mqsad_u32_u8", OpClass::kValu, &BindFourSums, &Step<&FourWideDistances>},
    Valu("v_sad_u32", [](u32 a, u32 b, u32 c) { return Max(a, b) - Min(a, b) + c; }),
    Valu("v_lerp_u8", [](u32 a, u32 b, u32 c) { return Lerp(a, b, c); }),
    Valu("v_cndmask_b32", [](u32 a, u32 b, bool select) { return select ? b : a; }),
    Valu("v_mbcnt_lo_u32_b32",
         [](u32 a, u32 b, LaneIndex l) {
           return PopCount(a & (l.value >= 32 ? ~0u : (1u << (l.value & 31)) - 1)) + b;
         }),
    Valu("v_mbcnt_hi_u32_b32",
         [](u32 a, u32 b, LaneIndex l) {
           return PopCount(a & (l.value < 32 ? 0u : (1u << (l.value & 31)) - 1)) + b;
         }),
};

BindingTable ValuIntTable() { return {kValuInt, std::size(kValuInt)}; }

constexpr Binding kValuInt16[] = {
    Valu("v_add_u16", [](u16 a, u16 b) { return static_cast<u16>(a + b); }),
    Valu("v_add_u16.clamp", [](u16 a, u16 b) { return Saturate<u16>(a + b); }),
    Valu("v_sub_u16", [](u16 a, u16 b) { return static_cast<u16>(a - b); }),
    Valu("v_sub_u16.clamp", [](u16 a, u16 b) { return Saturate<u16>(a - b); }),
    Valu("v_subrev_u16", [](u16 a, u16 b) { return static_cast<u16>(b - a); }),
    Valu("v_subrev_u16.clamp", [](u16 a, u16 b) { return Saturate<u16>(b - a); }),
    Valu("v_add_i16", [](i16 a, i16 b) { return static_cast<i16>(a + b); }),
    Valu("v_add_i16.clamp", [](i16 a, i16 b) { return Saturate<i16>(a + b); }),
    Valu("v_sub_i16", [](i16 a, i16 b) { return static_cast<i16>(a - b); }),
    Valu("v_sub_i16.clamp", [](i16 a, i16 b) { return Saturate<i16>(a - b); }),
    Valu("v_mul_lo_u16", [](u16 a, u16 b) { return static_cast<u16>(u32{a} * b); }),
    Valu("v_mad_legacy_u16", [](u16 a, u16 b, u16 c) { return static_cast<u16>(u32{a} * b + c); }),
    Valu(
        "v_mad_u16", [](u16 a, u16 b, u16 c) { return static_cast<u16>(u32{a} * b + c); },
        kKeepsOther),
    Valu(
        "v_mad_i16", [](u16 a, u16 b, u16 c) { return static_cast<u16>(u32{a} * b + c); },
        kKeepsOther),
    Valu("v_mad_legacy_i16", [](u16 a, u16 b, u16 c) { return static_cast<u16>(u32{a} * b + c); }),
    Valu("v_mad_u32_u16", [](u16 a, u16 b, u32 c) { return u32{a} * b + c; }),
    Valu("v_mad_i32_i16", [](i16 a, i16 b, u32 c) { return static_cast<u32>(a * b) + c; }),
    Valu("v_min_u16", [](u16 a, u16 b) { return Min(a, b); }),
    Valu("v_max_u16", [](u16 a, u16 b) { return Max(a, b); }),
    Valu("v_min_i16", [](i16 a, i16 b) { return Min(a, b); }),
    Valu("v_max_i16", [](i16 a, i16 b) { return Max(a, b); }),
    Valu("v_min3_u16", [](u16 a, u16 b, u16 c) { return Min(Min(a, b), c); }),
    Valu("v_max3_u16", [](u16 a, u16 b, u16 c) { return Max(Max(a, b), c); }),
    Valu("v_min3_i16", [](i16 a, i16 b, i16 c) { return Min(Min(a, b), c); }),
    Valu("v_max3_i16", [](i16 a, i16 b, i16 c) { return Max(Max(a, b), c); }),
    Valu("v_med3_u16", [](u16 a, u16 b, u16 c) { return Median(a, b, c); }),
    Valu("v_med3_i16", [](i16 a, i16 b, i16 c) { return Median(a, b, c); }),
    Valu("v_lshlrev_b16", [](u16 a, u16 b) { return static_cast<u16>(b << (a & 15)); }),
    Valu("v_lshrrev_b16", [](u16 a, u16 b) { return static_cast<u16>(b >> (a & 15)); }),
    Valu("v_ashrrev_i16", [](u16 a, i16 b) { return static_cast<i16>(b >> (a & 15)); }),
    Valu("v_pack_b32_f16", [](f16 a, f16 b) { return Bits<u16>(a) | u32{Bits<u16>(b)} << 16; }),
};

BindingTable ValuInt16Table() { return {kValuInt16, std::size(kValuInt16)}; }

}  // namespace GRIDWISE_SIM_LEVEL
}  // namespace gridwise::sim
