// SPDX-License-Identifier: MIT
#include "tools/sim/isa/exec/float.h"
#include "tools/sim/isa/exec/lane_values.h"
#include "tools/sim/isa/exec/lanes.h"
#include "tools/sim/isa/exec/rounding.h"

/// The three instructions that frame a division: scale operands so that no intermediate result
/// leaves the normal range, multiply-add with the inverse scale, and put the special cases right
/// (MI300 ISA, V_DIV_SCALE, V_DIV_FMAS, V_DIV_FIXUP).

namespace gridwise::sim {
inline namespace GRIDWISE_SIM_LEVEL {
namespace {

template <class T>
struct DivideFormat;
template <>
struct DivideFormat<f32> {
  static constexpr int kScale = 64;  // exponent of the scale factor
  static constexpr int kFar = 96;    // difference of exponents from which the quotient is scaled
  static constexpr int kTiny = 24;   // exponents of numerators up to which both operands are
  static constexpr int kTop = 253;  // exponent from which a denominator's inverse may be a denormal
  static constexpr int kUnderflow = -150;
};
template <>
struct DivideFormat<f64> {
  static constexpr int kScale = 128;
  static constexpr int kFar = 768;
  static constexpr int kTiny = 53;
  static constexpr int kTop = 2045;
  static constexpr int kUnderflow = -1075;
};

template <class T>
GRIDWISE_SIM_INLINE bool Equal(T a, T b) {
  return Bits<typename FloatFormat<T>::Int>(a) == Bits<typename FloatFormat<T>::Int>(b);
}

/// `value` is the denominator or the numerator, scaled; the mask says that the quotient needs the
/// inverse scale. What decides are exponents alone, of zeros too, as measured on RDNA3 and RDNA4
/// (rocjitsu's division.h; tinygrad's tests of VCC); the ISA documents, which speak of denormal
/// inverses and quotients, give the same quotients but not the same scales.
template <class T>
GRIDWISE_SIM_INLINE WithMask<T> DivScale(T value, T denominator, T numerator) {
  using F = DivideFormat<T>;
  const bool is_denominator = Equal(value, denominator);
  const int divisor = Exponent(denominator), above = Exponent(numerator) - divisor;
  const bool huge = above >= F::kFar, small = above <= -F::kFar;
  const bool top = divisor >= F::kTop;
  const bool tiny = divisor == 0 || Exponent(numerator) <= F::kTiny;
  const int both = top ? -F::kScale : tiny ? F::kScale : 0;
  const int of_denominator = huge ? F::kScale : small && !top ? 0 : both;
  const int of_numerator = huge ? 0 : small ? (top ? 0 : F::kScale) : both;
  const T scaled = Scale(value, is_denominator ? of_denominator : of_numerator);
  const bool zero = numerator == T(0) || denominator == T(0);
  return {zero            ? WithSign(Quiet(Infinity<T>()), true)
          : IsNan(scaled) ? Quiet(scaled)
                          : scaled,
          huge || small};
}

/// The quotient's own size tells which way it was scaled. The result is rounded once, also where it
/// is a denormal.
GRIDWISE_SIM_INLINE f32 DivFmas(f32 a, f32 b, f32 c, bool scaled) {
  const f64 product = static_cast<f64>(a) * static_cast<f64>(b);
  const f64 odd = AddToOdd(product, static_cast<f64>(c));
  const f32 result = static_cast<f32>(odd * (Exponent(c) > 127 ? 0x1p64 : 0x1p-64));
  return scaled ? result : Fma(a, b, c);
}
GRIDWISE_SIM_INLINE f64 DivFmas(f64 a, f64 b, f64 c, bool scaled) {
  const f64 r = Fma(a, b, c);
  const bool up = Exponent(c) > 1023;
  // What becomes a denormal is computed again, well above the range in which products lose bits.
  const bool small = !up && r != 0 && WithSign(r, false) < 0x1p-894;
  const bool a_is_less = Exponent(a) < Exponent(b);
  const f64 less = (a_is_less ? a : b) * 0x1p512, more = a_is_less ? b : a;
  const f64 odd = FmaToOdd(less, more, c * 0x1p512) * 0x1p-640;
  return !scaled ? r : small ? odd : r * (up ? 0x1p128 : 0x1p-128);
}

template <class T>
GRIDWISE_SIM_INLINE T DivFixup(T quotient, T denominator, T numerator, int underflow) {
  const bool negative = Sign(denominator) != Sign(numerator);
  if (IsNan(numerator)) return Quiet(numerator);
  if (IsNan(denominator)) return Quiet(denominator);
  const bool zero = numerator == T(0), infinite = IsInfinite(numerator);
  if (zero && denominator == T(0)) return WithSign(Quiet(Infinity<T>()), true);
  if (infinite && IsInfinite(denominator)) return WithSign(Quiet(Infinity<T>()), true);
  if (infinite || denominator == T(0)) return WithSign(Infinity<T>(), negative);
  if (zero || IsInfinite(denominator)) return WithSign(T(0), negative);
  if (Exponent(numerator) - Exponent(denominator) < underflow) return WithSign(T(0), negative);
  // Quotients far above the range come out of the multiply-adds as NaN.
  return WithSign(IsNan(quotient) ? Infinity<T>() : quotient, negative);
}

}  // namespace

BindingTable ValuDivideTable() {
  static constexpr Binding kTable[] = {
      Valu("v_div_scale_f32", [](f32 a, f32 b, f32 c) { return DivScale(a, b, c); }),
      Valu("v_div_scale_f64", [](f64 a, f64 b, f64 c) { return DivScale(a, b, c); }),
      Valu(
          "v_div_fmas_f32",
          [](f32 a, f32 b, f32 c, bool scaled) { return DivFmas(a, b, c, scaled); },
          kImplicitVcc | kKeepsSources),
      Valu(
          "v_div_fmas_f64",
          [](f64 a, f64 b, f64 c, bool scaled) { return DivFmas(a, b, c, scaled); },
          kImplicitVcc | kKeepsSources),
      Valu(
          "v_div_fixup_f32",
          [](f32 a, f32 b, f32 c) { return DivFixup(a, b, c, DivideFormat<f32>::kUnderflow); },
          kKeepsFirst),
      Valu(
          "v_div_fixup_f64",
          [](f64 a, f64 b, f64 c) { return DivFixup(a, b, c, DivideFormat<f64>::kUnderflow); },
          kKeepsFirst),
      Valu(
          "v_div_fixup_f16", [](f16 a, f16 b, f16 c) { return DivFixup(a, b, c, -1000); },
          kKeepsOther | kKeepsFirst),
  };
  return {kTable, sizeof(kTable) / sizeof(kTable[0])};
}

}  // namespace GRIDWISE_SIM_LEVEL
}  // namespace gridwise::sim
