// SPDX-License-Identifier: MIT
#include "tools/sim/isa/bind/alu.h"

#include <iterator>

#include "tools/sim/isa/exec/level.h"
#include "tools/sim/isa/exec/scalar/scalar.h"

namespace gridwise::sim {
inline namespace GRIDWISE_SIM_LEVEL {
namespace {

template <class T>
GRIDWISE_SIM_INLINE T Reverse(T x) {
  return sizeof(T) == 4 ? static_cast<T>(__builtin_bitreverse32(static_cast<u32>(x)))
                        : static_cast<T>(__builtin_bitreverse64(x));
}

/// Position of the highest bit that differs from the sign, counted from the top; -1 if there is
/// none.
GRIDWISE_SIM_INLINE u32 LeadingSignBits(u64 x, int bits) {
  const u64 top = x << (64 - bits);
  const u64 differ = top ^ static_cast<u64>(static_cast<i64>(top) >> 63);
  const u64 valid = differ & (~u64{0} << (64 - bits));
  return valid == 0 ? ~0u : static_cast<u32>(__builtin_clzll(valid));
}

template <class T>
GRIDWISE_SIM_INLINE T BitField(T x, u32 control, u32 offset_mask) {
  const u32 offset = control & offset_mask;
  const u32 width = (control >> 16) & 0x7f;
  const u32 bits = sizeof(T) * 8;
  if (width == 0) return 0;
  const T shifted = static_cast<T>(x >> offset);
  if (width >= bits) return shifted;
  const u32 spare = bits - width;
  return static_cast<T>(static_cast<T>(shifted << spare) >> spare);
}

/// Each of the 32 bits twice (RDNA3 ISA, S_BITREPLICATE_B64_B32).
GRIDWISE_SIM_INLINE u64 Replicate(u32 x) {
  u64 r = x;
  r = (r | r << 16) & 0x0000ffff0000ffff;
  r = (r | r << 8) & 0x00ff00ff00ff00ff;
  r = (r | r << 4) & 0x0f0f0f0f0f0f0f0f;
  r = (r | r << 2) & 0x3333333333333333;
  r = (r | r << 1) & 0x5555555555555555;
  return r | r << 1;
}
/// Bit 4 i of the result: any bit of the ith group of four.
template <class T>
GRIDWISE_SIM_INLINE T AnyOfFour(T x) {
  x = x | x >> 1;
  x = x | x >> 2;
  return x & static_cast<T>(0x1111111111111111);
}
template <class T>
GRIDWISE_SIM_INLINE T QuadMask(T x) {
  const T any = AnyOfFour(x);
  T result = 0;
  for (u32 i = 0; i < sizeof(T) * 2; ++i) result |= (any >> (4 * i) & 1) << i;
  return result;
}

GRIDWISE_SIM_INLINE u32 Pack(u32 low, u32 high) { return (low & 0xffff) | high << 16; }
GRIDWISE_SIM_INLINE bool SumOverflows(i32 a, i32 b) {
  i32 r;
  return __builtin_add_overflow(a, b, &r);
}
GRIDWISE_SIM_INLINE bool DifferenceOverflows(i32 a, i32 b) {
  i32 r;
  return __builtin_sub_overflow(a, b, &r);
}
GRIDWISE_SIM_INLINE WithScc<u32> ShiftAdd(u32 a, u32 b, int shift) {
  const u64 sum = (u64{a} << shift) + b;
  return {static_cast<u32>(sum), sum >> 32 != 0};
}

}  // namespace

constexpr Binding kSaluArithmetic[] = {
    Salu("s_add_u32", [](u32 a, u32 b) { return WithScc<u32>{a + b, a + b < a}; }),
    Salu("s_sub_u32", [](u32 a, u32 b) { return WithScc<u32>{a - b, a < b}; }),
    Salu("s_addc_u32",
         [](u32 a, u32 b, SccIn c) {
           const u64 sum = u64{a} + b + c.value;
           return WithScc<u32>{static_cast<u32>(sum), sum >> 32 != 0};
         }),
    Salu("s_subb_u32",
         [](u32 a, u32 b, SccIn c) {
           const u64 difference = u64{a} - b - c.value;
           return WithScc<u32>{static_cast<u32>(difference), difference >> 32 != 0};
         }),
    Salu("s_add_i32",
         [](u32 a, u32 b) { return WithScc<u32>{a + b, SumOverflows(i32(a), i32(b))}; }),
    Salu("s_sub_i32",
         [](u32 a, u32 b) { return WithScc<u32>{a - b, DifferenceOverflows(i32(a), i32(b))}; }),
    Salu("s_absdiff_i32",
         [](u32 a, u32 b) {
           const u32 wrapped = a - b, d = i32(wrapped) < 0 ? 0u - wrapped : wrapped;
           return WithScc<u32>{d, d != 0};
         }),
    Salu("s_abs_i32",
         [](u32 a) {
           const u32 r = i32(a) < 0 ? 0u - a : a;
           return WithScc<u32>{r, r != 0};
         }),
    Salu("s_mul_i32", [](u32 a, u32 b) { return a * b; }),
    Salu("s_mul_u64", [](u64 a, u64 b) { return a * b; }),
    Salu("s_add_nc_u64", [](u64 a, u64 b) { return a + b; }),
    Salu("s_sub_nc_u64", [](u64 a, u64 b) { return a - b; }),
    Salu("s_mul_hi_u32", [](u32 a, u32 b) { return static_cast<u32>(u64{a} * b >> 32); }),
    Salu("s_mul_hi_i32", [](i32 a, i32 b) { return static_cast<u32>(i64{a} * b >> 32); }),
    Salu("s_min_i32", [](i32 a, i32 b) { return WithScc<i32>{a < b ? a : b, a < b}; }),
    Salu("s_min_u32", [](u32 a, u32 b) { return WithScc<u32>{a < b ? a : b, a < b}; }),
    Salu("s_max_i32", [](i32 a, i32 b) { return WithScc<i32>{a > b ? a : b, a > b}; }),
    Salu("s_max_u32", [](u32 a, u32 b) { return WithScc<u32>{a > b ? a : b, a > b}; }),
    Salu("s_lshl1_add_u32", [](u32 a, u32 b) { return ShiftAdd(a, b, 1); }),
    Salu("s_lshl2_add_u32", [](u32 a, u32 b) { return ShiftAdd(a, b, 2); }),
    Salu("s_lshl3_add_u32", [](u32 a, u32 b) { return ShiftAdd(a, b, 3); }),
    Salu("s_lshl4_add_u32", [](u32 a, u32 b) { return ShiftAdd(a, b, 4); }),
    SaluImmediate("s_movk_i32", [](i32 k) { return k; }),
    SaluImmediate(
        "s_cmovk_i32", [](i32 old, i32 k, SccIn c) { return c.value ? k : old; },
        kReadsDestination),
    SaluImmediate(
        "s_addk_i32",
        [](u32 old, i32 k) { return WithScc<u32>{old + u32(k), SumOverflows(i32(old), k)}; },
        kReadsDestination),
    SaluImmediate(
        "s_mulk_i32", [](u32 old, i32 k) { return old * u32(k); }, kReadsDestination),
};

BindingTable SaluArithmeticTable() { return {kSaluArithmetic, std::size(kSaluArithmetic)}; }

constexpr Binding kSaluBits[] = {
    Salu("s_mov_b32", [](u32 a) { return a; }),
    Salu("s_mov_b64", [](u64 a) { return a; }),
    Salu(
        "s_cmov_b32", [](u32 old, u32 a, SccIn c) { return c.value ? a : old; }, kReadsDestination),
    Salu(
        "s_cmov_b64", [](u64 old, u64 a, SccIn c) { return c.value ? a : old; }, kReadsDestination),
    Salu("s_cselect_b32", [](u32 a, u32 b, SccIn c) { return c.value ? a : b; }),
    Salu("s_cselect_b64", [](u64 a, u64 b, SccIn c) { return c.value ? a : b; }),
    Salu("s_not_b32", [](u32 a) { return NonZero(~a); }),
    Salu("s_not_b64", [](u64 a) { return NonZero(~a); }),
    Salu("s_and_b32", [](u32 a, u32 b) { return NonZero(a & b); }),
    Salu("s_and_b64", [](u64 a, u64 b) { return NonZero(a & b); }),
    Salu("s_or_b32", [](u32 a, u32 b) { return NonZero(a | b); }),
    Salu("s_or_b64", [](u64 a, u64 b) { return NonZero(a | b); }),
    Salu("s_xor_b32", [](u32 a, u32 b) { return NonZero(a ^ b); }),
    Salu("s_xor_b64", [](u64 a, u64 b) { return NonZero(a ^ b); }),
    Salu("s_andn2_b32", [](u32 a, u32 b) { return NonZero(a & ~b); }),
    Salu("s_andn2_b64", [](u64 a, u64 b) { return NonZero(a & ~b); }),
    Salu("s_orn2_b32", [](u32 a, u32 b) { return NonZero(a | ~b); }),
    Salu("s_orn2_b64", [](u64 a, u64 b) { return NonZero(a | ~b); }),
    Salu("s_nand_b32", [](u32 a, u32 b) { return NonZero(~(a & b)); }),
    Salu("s_nand_b64", [](u64 a, u64 b) { return NonZero(~(a & b)); }),
    Salu("s_nor_b32", [](u32 a, u32 b) { return NonZero(~(a | b)); }),
    Salu("s_nor_b64", [](u64 a, u64 b) { return NonZero(~(a | b)); }),
    Salu("s_xnor_b32", [](u32 a, u32 b) { return NonZero(~(a ^ b)); }),
    Salu("s_xnor_b64", [](u64 a, u64 b) { return NonZero(~(a ^ b)); }),
    Salu("s_lshl_b32", [](u32 a, u32 b) { return NonZero(a << (b & 31)); }),
    Salu("s_lshl_b64", [](u64 a, u32 b) { return NonZero(a << (b & 63)); }),
    Salu("s_lshr_b32", [](u32 a, u32 b) { return NonZero(a >> (b & 31)); }),
    Salu("s_lshr_b64", [](u64 a, u32 b) { return NonZero(a >> (b & 63)); }),
    Salu("s_ashr_i32", [](i32 a, u32 b) { return NonZero(a >> (b & 31)); }),
    Salu("s_ashr_i64", [](i64 a, u32 b) { return NonZero(a >> (b & 63)); }),
    Salu("s_bfe_u32", [](u32 a, u32 b) { return NonZero(BitField(a, b, 31)); }),
    Salu("s_bfe_i32", [](i32 a, u32 b) { return NonZero(BitField(a, b, 31)); }),
    Salu("s_bfe_u64", [](u64 a, u32 b) { return NonZero(BitField(a, b, 63)); }),
    Salu("s_bfe_i64", [](i64 a, u32 b) { return NonZero(BitField(a, b, 63)); }),
    Salu("s_bfm_b32", [](u32 a, u32 b) { return ((1u << (a & 31)) - 1) << (b & 31); }),
    Salu("s_bfm_b64", [](u32 a, u32 b) { return ((u64{1} << (a & 63)) - 1) << (b & 63); }),
    Salu("s_brev_b32", [](u32 a) { return Reverse(a); }),
    Salu("s_brev_b64", [](u64 a) { return Reverse(a); }),
    Salu("s_bcnt0_i32_b32",
         [](u32 a) { return NonZero(static_cast<u32>(__builtin_popcount(~a))); }),
    Salu("s_bcnt0_i32_b64",
         [](u64 a) { return NonZero(static_cast<u32>(__builtin_popcountll(~a))); }),
    Salu("s_bcnt1_i32_b32", [](u32 a) { return NonZero(static_cast<u32>(__builtin_popcount(a))); }),
    Salu("s_bcnt1_i32_b64",
         [](u64 a) { return NonZero(static_cast<u32>(__builtin_popcountll(a))); }),
    Salu("s_ff0_i32_b32",
         [](u32 a) { return ~a == 0 ? ~0u : static_cast<u32>(__builtin_ctz(~a)); }),
    Salu("s_ff0_i32_b64",
         [](u64 a) { return ~a == 0 ? ~0u : static_cast<u32>(__builtin_ctzll(~a)); }),
    Salu("s_ff1_i32_b32", [](u32 a) { return a == 0 ? ~0u : static_cast<u32>(__builtin_ctz(a)); }),
    Salu("s_ff1_i32_b64",
         [](u64 a) { return a == 0 ? ~0u : static_cast<u32>(__builtin_ctzll(a)); }),
    Salu("s_flbit_i32_b32",
         [](u32 a) { return a == 0 ? ~0u : static_cast<u32>(__builtin_clz(a)); }),
    Salu("s_flbit_i32_b64",
         [](u64 a) { return a == 0 ? ~0u : static_cast<u32>(__builtin_clzll(a)); }),
    Salu("s_flbit_i32", [](u32 a) { return LeadingSignBits(a, 32); }),
    Salu("s_flbit_i32_i64", [](u64 a) { return LeadingSignBits(a, 64); }),
    Salu("s_sext_i32_i8", [](u32 a) { return static_cast<i32>(static_cast<i8>(a)); }),
    Salu("s_sext_i32_i16", [](u32 a) { return static_cast<i32>(static_cast<i16>(a)); }),
    Salu(
        "s_bitset0_b32", [](u32 old, u32 a) { return old & ~(1u << (a & 31)); }, kReadsDestination),
    Salu(
        "s_bitset1_b32", [](u32 old, u32 a) { return old | 1u << (a & 31); }, kReadsDestination),
    Salu(
        "s_bitset0_b64", [](u64 old, u32 a) { return old & ~(u64{1} << (a & 63)); },
        kReadsDestination),
    Salu(
        "s_bitset1_b64", [](u64 old, u32 a) { return old | u64{1} << (a & 63); },
        kReadsDestination),
    Salu("s_pack_ll_b32_b16", [](u32 a, u32 b) { return Pack(a, b); }),
    Salu("s_pack_lh_b32_b16", [](u32 a, u32 b) { return Pack(a, b >> 16); }),
    Salu("s_pack_hl_b32_b16", [](u32 a, u32 b) { return Pack(a >> 16, b); }),
    Salu("s_bitreplicate_b64_b32", [](u32 a) { return Replicate(a); }),
    Salu("s_quadmask_b32", [](u32 a) { return NonZero(QuadMask(a)); }),
    Salu("s_quadmask_b64", [](u64 a) { return NonZero(QuadMask(a)); }),
    Salu("s_wqm_b32", [](u32 a) { return NonZero(AnyOfFour(a) * 15); }),
    Salu("s_wqm_b64", [](u64 a) { return NonZero(AnyOfFour(a) * 15); }),
    Salu("s_pack_hh_b32_b16", [](u32 a, u32 b) { return Pack(a >> 16, b >> 16); }),
};

BindingTable SaluBitsTable() { return {kSaluBits, std::size(kSaluBits)}; }

constexpr Binding kSaluCompare[] = {
    Salu("s_cmp_eq_i32", [](i32 a, i32 b) { return Scc{a == b}; }),
    Salu("s_cmp_lg_i32", [](i32 a, i32 b) { return Scc{a != b}; }),
    Salu("s_cmp_gt_i32", [](i32 a, i32 b) { return Scc{a > b}; }),
    Salu("s_cmp_ge_i32", [](i32 a, i32 b) { return Scc{a >= b}; }),
    Salu("s_cmp_lt_i32", [](i32 a, i32 b) { return Scc{a < b}; }),
    Salu("s_cmp_le_i32", [](i32 a, i32 b) { return Scc{a <= b}; }),
    Salu("s_cmp_eq_u32", [](u32 a, u32 b) { return Scc{a == b}; }),
    Salu("s_cmp_lg_u32", [](u32 a, u32 b) { return Scc{a != b}; }),
    Salu("s_cmp_gt_u32", [](u32 a, u32 b) { return Scc{a > b}; }),
    Salu("s_cmp_ge_u32", [](u32 a, u32 b) { return Scc{a >= b}; }),
    Salu("s_cmp_lt_u32", [](u32 a, u32 b) { return Scc{a < b}; }),
    Salu("s_cmp_le_u32", [](u32 a, u32 b) { return Scc{a <= b}; }),
    Salu("s_cmp_eq_u64", [](u64 a, u64 b) { return Scc{a == b}; }),
    Salu("s_cmp_lg_u64", [](u64 a, u64 b) { return Scc{a != b}; }),
    Salu("s_bitcmp0_b32", [](u32 a, u32 b) { return Scc{(a >> (b & 31) & 1) == 0}; }),
    Salu("s_bitcmp1_b32", [](u32 a, u32 b) { return Scc{(a >> (b & 31) & 1) == 1}; }),
    Salu("s_bitcmp0_b64", [](u64 a, u32 b) { return Scc{(a >> (b & 63) & 1) == 0}; }),
    Salu("s_bitcmp1_b64", [](u64 a, u32 b) { return Scc{(a >> (b & 63) & 1) == 1}; }),
    SaluImmediate("s_cmpk_eq_i32", [](i32 a, i32 k) { return Scc{a == k}; }),
    SaluImmediate("s_cmpk_lg_i32", [](i32 a, i32 k) { return Scc{a != k}; }),
    SaluImmediate("s_cmpk_gt_i32", [](i32 a, i32 k) { return Scc{a > k}; }),
    SaluImmediate("s_cmpk_ge_i32", [](i32 a, i32 k) { return Scc{a >= k}; }),
    SaluImmediate("s_cmpk_lt_i32", [](i32 a, i32 k) { return Scc{a < k}; }),
    SaluImmediate("s_cmpk_le_i32", [](i32 a, i32 k) { return Scc{a <= k}; }),
    SaluImmediate(
        "s_cmpk_eq_u32", [](u32 a, u32 k) { return Scc{a == k}; }, kZeroExtends16),
    SaluImmediate(
        "s_cmpk_lg_u32", [](u32 a, u32 k) { return Scc{a != k}; }, kZeroExtends16),
    SaluImmediate(
        "s_cmpk_gt_u32", [](u32 a, u32 k) { return Scc{a > k}; }, kZeroExtends16),
    SaluImmediate(
        "s_cmpk_ge_u32", [](u32 a, u32 k) { return Scc{a >= k}; }, kZeroExtends16),
    SaluImmediate(
        "s_cmpk_lt_u32", [](u32 a, u32 k) { return Scc{a < k}; }, kZeroExtends16),
    SaluImmediate(
        "s_cmpk_le_u32", [](u32 a, u32 k) { return Scc{a <= k}; }, kZeroExtends16),
};

BindingTable SaluCompareTable() { return {kSaluCompare, std::size(kSaluCompare)}; }

// s_<op>_saveexec d, a: d = EXEC; EXEC = op(a, EXEC); SCC = EXEC != 0. _wrexec: d = EXEC = op.
#define GRIDWISE_SIM_SAVE_EXEC(op, expression)                                        \
  SaveExec<u64>("s_" op "_saveexec_b64", [](u64 a, u64 exec) { return expression; }), \
      SaveExec<u32>("s_" op "_saveexec_b32", [](u32 a, u32 exec) { return expression; })
#define GRIDWISE_SIM_WRITE_EXEC(op, expression)                                           \
  SaveExec<u64, true>("s_" op "_wrexec_b64", [](u64 a, u64 exec) { return expression; }), \
      SaveExec<u32, true>("s_" op "_wrexec_b32", [](u32 a, u32 exec) { return expression; })

constexpr Binding kSaluExec[] = {
    GRIDWISE_SIM_SAVE_EXEC("and", a& exec),     GRIDWISE_SIM_SAVE_EXEC("or", a | exec),
    GRIDWISE_SIM_SAVE_EXEC("xor", a ^ exec),    GRIDWISE_SIM_SAVE_EXEC("andn2", a & ~exec),
    GRIDWISE_SIM_SAVE_EXEC("orn2", a | ~exec),  GRIDWISE_SIM_SAVE_EXEC("nand", ~(a& exec)),
    GRIDWISE_SIM_SAVE_EXEC("nor", ~(a | exec)), GRIDWISE_SIM_SAVE_EXEC("xnor", ~(a ^ exec)),
    GRIDWISE_SIM_SAVE_EXEC("andn1", ~a& exec),  GRIDWISE_SIM_SAVE_EXEC("orn1", ~a | exec),
    GRIDWISE_SIM_WRITE_EXEC("andn1", ~a& exec), GRIDWISE_SIM_WRITE_EXEC("andn2", a & ~exec),
};

BindingTable SaluExecTable() { return {kSaluExec, std::size(kSaluExec)}; }

}  // namespace GRIDWISE_SIM_LEVEL
}  // namespace gridwise::sim
