// SPDX-License-Identifier: MIT
#include "tools/sim/isa/exec/float.h"
#include "tools/sim/isa/exec/lanes.h"

namespace gridwise::sim {
inline namespace GRIDWISE_SIM_LEVEL {
namespace {

// Ordered comparisons are false, and unordered ones (the n forms) true, when an operand is a NaN.
#define GRIDWISE_SIM_COMPARE_INT(suffix, T)                      \
  Valu("v_cmp_f_" suffix, [](T, T) { return false; }),           \
      Valu("v_cmp_lt_" suffix, [](T a, T b) { return a < b; }),  \
      Valu("v_cmp_eq_" suffix, [](T a, T b) { return a == b; }), \
      Valu("v_cmp_le_" suffix, [](T a, T b) { return a <= b; }), \
      Valu("v_cmp_gt_" suffix, [](T a, T b) { return a > b; }),  \
      Valu("v_cmp_ne_" suffix, [](T a, T b) { return a != b; }), \
      Valu("v_cmp_ge_" suffix, [](T a, T b) { return a >= b; }), \
      Valu("v_cmp_t_" suffix, [](T, T) { return true; })

#define GRIDWISE_SIM_COMPARE_FLOAT(suffix, T, W, M)                                      \
  Valu("v_cmp_f_" suffix, [](T, T) { return false; }),                                   \
      Valu("v_cmp_lt_" suffix, [](T a, T b) { return W(a) < W(b); }),                    \
      Valu("v_cmp_eq_" suffix, [](T a, T b) { return W(a) == W(b); }),                   \
      Valu("v_cmp_le_" suffix, [](T a, T b) { return W(a) <= W(b); }),                   \
      Valu("v_cmp_gt_" suffix, [](T a, T b) { return W(a) > W(b); }),                    \
      Valu("v_cmp_lg_" suffix, [](T a, T b) { return W(a) < W(b) || W(a) > W(b); }),     \
      Valu("v_cmp_ge_" suffix, [](T a, T b) { return W(a) >= W(b); }),                   \
      Valu("v_cmp_o_" suffix, [](T a, T b) { return !IsNan(W(a)) && !IsNan(W(b)); }),    \
      Valu("v_cmp_u_" suffix, [](T a, T b) { return IsNan(W(a)) || IsNan(W(b)); }),      \
      Valu("v_cmp_nge_" suffix, [](T a, T b) { return !(W(a) >= W(b)); }),               \
      Valu("v_cmp_nlg_" suffix, [](T a, T b) { return !(W(a) < W(b) || W(a) > W(b)); }), \
      Valu("v_cmp_ngt_" suffix, [](T a, T b) { return !(W(a) > W(b)); }),                \
      Valu("v_cmp_nle_" suffix, [](T a, T b) { return !(W(a) <= W(b)); }),               \
      Valu("v_cmp_neq_" suffix, [](T a, T b) { return W(a) != W(b); }),                  \
      Valu("v_cmp_nlt_" suffix, [](T a, T b) { return !(W(a) < W(b)); }),                \
      Valu("v_cmp_tru_" suffix, [](T, T) { return true; }),                              \
      Valu("v_cmp_class_" suffix, [](T a, M mask) { return HasClass(a, mask); }, kOwnDenormals)

}  // namespace

BindingTable ValuCompareIntTable() {
  static constexpr Binding kTable[] = {
      GRIDWISE_SIM_COMPARE_INT("i16", i16), GRIDWISE_SIM_COMPARE_INT("u16", u16),
      GRIDWISE_SIM_COMPARE_INT("i32", i32), GRIDWISE_SIM_COMPARE_INT("u32", u32),
      GRIDWISE_SIM_COMPARE_INT("i64", i64), GRIDWISE_SIM_COMPARE_INT("u64", u64),
  };
  return {kTable, sizeof(kTable) / sizeof(kTable[0])};
}

BindingTable ValuCompareFloatTable() {
  static constexpr Binding kTable[] = {
      GRIDWISE_SIM_COMPARE_FLOAT("f16", f16, f32, u16),
      GRIDWISE_SIM_COMPARE_FLOAT("f32", f32, f32, u32),
      GRIDWISE_SIM_COMPARE_FLOAT("f64", f64, f64, u32),
  };
  return {kTable, sizeof(kTable) / sizeof(kTable[0])};
}

}  // namespace GRIDWISE_SIM_LEVEL
}  // namespace gridwise::sim
