// SPDX-License-Identifier: MIT
#pragma once

#include "tools/sim/isa/exec/float.h"

/// Minimum, maximum and median, and what they give for a NaN: three rules, by instruction.

namespace gridwise::sim {
inline namespace GRIDWISE_SIM_LEVEL {

/// min and max with MODE.IEEE set: a signaling NaN gives a quiet one, a quiet NaN gives the other
/// operand, -0 < +0.
template <bool kMax, class T>
GRIDWISE_SIM_INLINE T MinMax(T a, T b) {
  const bool a_first = kMax ? (a > b || (a == b && Sign(b))) : (a < b || (a == b && Sign(a)));
  T result = a_first ? a : b;
  result = IsNan(b) ? a : result;
  result = IsNan(a) ? b : result;
  result = IsSignaling(b) ? Quiet(b) : result;
  result = IsSignaling(a) ? Quiet(a) : result;
  return IsNan(result) ? Quiet(result) : result;
}
template <class T>
GRIDWISE_SIM_INLINE T Minimum(T a, T b) {
  return MinMax<false>(a, b);
}
template <class T>
GRIDWISE_SIM_INLINE T Maximum(T a, T b) {
  return MinMax<true>(a, b);
}
/// The middle one; with a NaN, the minimum (MI300 ISA, V_MED3_F32).
template <class T>
GRIDWISE_SIM_INLINE T Median(T a, T b, T c) {
  const T low = Minimum(Minimum(a, b), c);
  const T middle = Maximum(Minimum(a, b), Minimum(Maximum(a, b), c));
  return IsNan(a) || IsNan(b) || IsNan(c) ? low : middle;
}

/// The number among the two, if there is one (IEEE 754-2019 minimumNumber, maximumNumber; RDNA4
/// ISA, V_MIN_NUM_F32): a signaling NaN counts as a quiet one.
template <bool kMax, class T>
GRIDWISE_SIM_INLINE T ExtremeNumber(T a, T b) {
  return MinMax<kMax>(IsNan(a) ? Quiet(a) : a, IsNan(b) ? Quiet(b) : b);
}
/// A NaN if there is one (IEEE 754-2019 minimum, maximum; RDNA4 ISA, V_MINIMUM_F32).
template <bool kMax, class T>
GRIDWISE_SIM_INLINE T ExtremeOrNan(T a, T b) {
  const T number = MinMax<kMax>(a, b);
  return IsNan(a) ? Quiet(a) : IsNan(b) ? Quiet(b) : number;
}
template <class T>
GRIDWISE_SIM_INLINE T MedianNumber(T a, T b, T c) {
  const auto quiet = [](T x) { return IsNan(x) ? Quiet(x) : x; };
  return Median(quiet(a), quiet(b), quiet(c));
}

}  // namespace GRIDWISE_SIM_LEVEL
}  // namespace gridwise::sim
