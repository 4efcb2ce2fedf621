#include "tools/sim/isa/exec/float.h"

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
  static constexpr int kNearMaximum =
      96;  // difference of exponents from which the quotient may overflow
  static constexpr int kTiny = 23;
  static constexpr int kUnderflow = -150;
};
template <>
struct DivideFormat<f64> {
  static constexpr int kScale = 128;
  static constexpr int kNearMaximum = 768;
  static constexpr int kTiny = 53;
  static constexpr int kUnderflow = -1075;
};

template <class T>
GRIDWISE_SIM_INLINE bool IsDenormal(T x) {
  return Exponent(x) == 0 && x != T(0);
}
template <class T>
GRIDWISE_SIM_INLINE bool Equal(T a, T b) {
  return Bits<typename FloatFormat<T>::Int>(a) == Bits<typename FloatFormat<T>::Int>(b);
}

/// `value` is the denominator or the numerator, scaled; the mask says that the quotient needs the
/// inverse scale.
template <class T>
GRIDWISE_SIM_INLINE WithMask<T> DivScale(T value, T denominator, T numerator) {
  using F = DivideFormat<T>;
  const bool is_denominator = Equal(value, denominator), is_numerator = Equal(value, numerator);
  const int difference = Exponent(numerator) - Exponent(denominator);
  if (numerator == T(0) || denominator == T(0)) return {Quiet(Infinity<T>()), false};
  if (difference >= F::kNearMaximum)
    return {is_denominator ? Scale(value, F::kScale) : value, true};
  if (IsDenormal(denominator)) return {Scale(value, F::kScale), false};
  const bool tiny_inverse = IsDenormal(T(1) / denominator),
             tiny_quotient = IsDenormal(numerator / denominator);
  // The document scales by +64 here, which would overflow: the denominator is at the top of the
  // range.
  if (tiny_inverse && tiny_quotient) {
    return {is_denominator ? Scale(value, -F::kScale) : value, true};
  }
  if (tiny_inverse) return {Scale(value, -F::kScale), false};
  if (tiny_quotient) return {is_numerator ? Scale(value, F::kScale) : value, true};
  if (Exponent(numerator) <= F::kTiny) return {Scale(value, F::kScale), false};
  return {value, false};
}

/// The quotient's own size tells which way it was scaled.
GRIDWISE_SIM_INLINE f32 DivFmas(f32 a, f32 b, f32 c, bool scaled) {
  if (!scaled) return Fma(a, b, c);
  const f64 exact = __builtin_fma(static_cast<f64>(a), static_cast<f64>(b), static_cast<f64>(c));
  return static_cast<f32>(exact * (Exponent(c) > 127 ? 0x1p64 : 0x1p-64));
}
GRIDWISE_SIM_INLINE f64 DivFmas(f64 a, f64 b, f64 c, bool scaled) {
  const f64 r = Fma(a, b, c);
  return !scaled ? r : r * (Exponent(c) > 1023 ? 0x1p128 : 0x1p-128);
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
          [](f32 a, f32 b, f32 c, bool scaled) { return DivFmas(a, b, c, scaled); }, kImplicitVcc),
      Valu(
          "v_div_fmas_f64",
          [](f64 a, f64 b, f64 c, bool scaled) { return DivFmas(a, b, c, scaled); }, kImplicitVcc),
      Valu("v_div_fixup_f32",
           [](f32 a, f32 b, f32 c) { return DivFixup(a, b, c, DivideFormat<f32>::kUnderflow); }),
      Valu("v_div_fixup_f64",
           [](f64 a, f64 b, f64 c) { return DivFixup(a, b, c, DivideFormat<f64>::kUnderflow); }),
      Valu(
          "v_div_fixup_f16", [](f16 a, f16 b, f16 c) { return DivFixup(a, b, c, -1000); },
          kKeepsOther),
  };
  return {kTable, sizeof(kTable) / sizeof(kTable[0])};
}

}  // namespace GRIDWISE_SIM_LEVEL
}  // namespace gridwise::sim
