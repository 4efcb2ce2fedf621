// SPDX-License-Identifier: MIT
/// The normal form of a descriptor: coordinates that add up, and move without divisions.
///
/// Every transform except merge and swizzle is affine. If merges divide only a visible axis, and
/// not a sum of several, the visible axes are cut into digits (mixed radix), and everything else is
/// linear in those:
///
///   coordinate(i, j, ...) = origin + sum over digits of digit * unit
///
/// A TensorCoordinate is an offset together with the indices that must be inside padded axes.
/// Coordinates of different axes are simply added, which is what a GEMM needs. The coordinate of a
/// row is computed once, that of a term of K once for all rows, and an element's coordinate is
/// their sum. A TensorCoordinate moves along an axis by adding digits with carry (Advance), like an
/// odometer.
///
/// Special cases need no code. Evenly spaced digits are fused, digits of length 1 vanish, and
/// indices that cannot leave their axis are not checked. A 1x1 convolution without padding becomes
/// a plain matrix by itself.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "ck/descriptor/descriptor.h"

namespace gridwise::ck {

inline constexpr int kMaxDigits = 4;  ///< per visible axis
inline constexpr int kMaxChecks = 3;  ///< padded axes

/// An offset in elements, and indices of padded axes: a vector, so coordinates add up.
struct TensorCoordinate {
  std::int64_t offset = 0;
  std::array<std::int64_t, kMaxChecks> checked = {};

  constexpr bool operator==(const TensorCoordinate&) const = default;
  constexpr TensorCoordinate operator+(const TensorCoordinate& other) const {
    TensorCoordinate sum = *this;
    sum.offset += other.offset;
    for (std::size_t i = 0; i < kMaxChecks; ++i) sum.checked[i] += other.checked[i];
    return sum;
  }
  constexpr TensorCoordinate operator*(std::int64_t factor) const {
    TensorCoordinate product = {.offset = offset * factor, .checked = checked};
    for (std::int64_t& index : product.checked) index *= factor;
    return product;
  }
};

/// A digit of an axis: indices 0 to length - 1, each `unit` further than the one before.
struct Digit {
  std::int64_t length = 1;
  TensorCoordinate unit;
};

/// A visible axis, as digits with the fastest last. Indices from `length` on have no element; they
/// are padding at the end of the axis.
struct NormalAxis {
  std::int64_t length = 1;
  int digits = 0;
  std::array<Digit, kMaxDigits> digit = {};
};

/// See above. `rule` is null, or says why the descriptor has no normal form.
struct NormalForm {
  Mistake mistake;
  int axes = 0, checks = 0;
  std::array<NormalAxis, Descriptor::kMaxSeen> axis = {};
  TensorCoordinate origin;                          // of index 0
  std::array<std::int64_t, kMaxChecks> limit = {};  // checked indices are below it and not negative
  constexpr bool ok() const { return mistake.rule == nullptr; }
};

/// The digits of `index` along an axis.
constexpr std::array<std::int64_t, kMaxDigits> DigitsOf(const NormalAxis& axis,
                                                        std::int64_t index) {
  std::array<std::int64_t, kMaxDigits> digits = {};
  for (auto i = static_cast<std::size_t>(axis.digits); i-- > 0;) {
    digits[i] = i == 0 ? index : index % axis.digit[i].length;
    index /= axis.digit[i].length;
  }
  return digits;
}

/// Adds `step` to `digits` with carry; both belong to the axis.
constexpr void Advance(const NormalAxis& axis, const std::array<std::int64_t, kMaxDigits>& step,
                       std::array<std::int64_t, kMaxDigits>& digits) {
  std::int64_t carry = 0;
  for (auto i = static_cast<std::size_t>(axis.digits); i-- > 0;) {
    digits[i] += step[i] + carry;
    carry = i > 0 && digits[i] >= axis.digit[i].length;
    digits[i] -= carry * axis.digit[i].length;
  }
}

/// The contribution of an axis to the coordinate.
constexpr TensorCoordinate CoordinateOf(const NormalAxis& axis,
                                        const std::array<std::int64_t, kMaxDigits>& digits) {
  TensorCoordinate coordinate;
  for (std::size_t i = 0; i < static_cast<std::size_t>(axis.digits); ++i) {
    coordinate = coordinate + axis.digit[i].unit * digits[i];
  }
  return coordinate;
}

/// The same as Descriptor::At.
constexpr Location At(const NormalForm& form,
                      const std::array<std::int64_t, Descriptor::kMaxSeen>& seen) {
  TensorCoordinate coordinate = form.origin;
  Location location;
  for (std::size_t i = 0; i < static_cast<std::size_t>(form.axes); ++i) {
    coordinate = coordinate + CoordinateOf(form.axis[i], DigitsOf(form.axis[i], seen[i]));
    location.exists &= seen[i] < form.axis[i].length;
  }
  for (std::size_t i = 0; i < static_cast<std::size_t>(form.checks); ++i) {
    location.exists &= coordinate.checked[i] >= 0 && coordinate.checked[i] < form.limit[i];
  }
  location.offset = coordinate.offset;
  return location;
}

namespace normal_form_internal {

/// Derives the normal form of a descriptor, from the visible axes down to memory.
class Derivation {
 public:
  constexpr Derivation(const Descriptor& descriptor, NormalForm& form)
      : descriptor_(descriptor), form_(form) {
    form_.mistake = descriptor.mistake();
    form_.axes = descriptor.seen();
    for (int i = 0; i < form_.axes; ++i) {
      form_.axis[Size(i)].length = descriptor.length(i);
      SumOf(descriptor.SeenAxis(i)).SetDigit(NewDigit(i, descriptor.length(i)));
    }
    for (int i = descriptor.transforms(); form_.ok() && i-- > 0;) Apply(descriptor.transform(i));
    if (form_.ok()) Collect();
  }

 private:
  static constexpr int kAllDigits = 16;
  static constexpr std::size_t Size(int i) { return static_cast<std::size_t>(i); }
  /// A digit that may still be replaced by several others.
  struct OpenDigit {
    int axis = 0;
    std::int64_t length = 1;
    TensorCoordinate unit;
    int next = -1;  // the digit after it on its axis
  };
  /// An index as a constant and a sum of digits. Only the first entries are initialized, because
  /// initialization would take most of the time of a derivation.
  struct Sum {
    std::int64_t constant;
    int digits;
    std::array<std::int64_t, kAllDigits> factor;

    constexpr void Set(std::int64_t value) {
      constant = value;
      digits = 0;
    }
    constexpr void SetDigit(int digit) {
      Set(0);
      Widen(digit + 1);
      factor[Size(digit)] = 1;
    }
    constexpr void Add(const Sum& other, std::int64_t times) {
      constant += other.constant * times;
      Widen(other.digits);
      for (std::size_t i = 0; i < Size(other.digits); ++i) factor[i] += other.factor[i] * times;
    }
    constexpr std::int64_t Factor(int digit) const {
      return digit < digits ? factor[Size(digit)] : 0;
    }

   private:
    constexpr void Widen(int count) {
      for (; digits < count; ++digits) factor[Size(digits)] = 0;
    }
  };
  struct PadCheck {
    int axis;
    std::int64_t limit;
  };

  constexpr Sum& SumOf(int axis) { return sum_[Size(axis)]; }
  constexpr void Fail(const char* rule, std::int64_t number, std::int64_t bound) {
    if (form_.ok()) form_.mistake = {rule, number, bound};
  }

  constexpr int NewDigit(int axis, std::int64_t length) {
    if (digits_ == kAllDigits) {
      Fail("a normal form has at most 16 digits", digits_, kAllDigits);
      return 0;
    }
    digit_[Size(digits_)] = {.axis = axis, .length = length, .unit = {}};
    return digits_++;
  }

  /// The digit that the sum consists of, or -1.
  constexpr int OnlyDigit(const Sum& sum) const {
    int only = -1;
    for (int i = 0; i < sum.digits; ++i) {
      if (sum.factor[Size(i)] == 0) continue;
      if (only >= 0 || sum.factor[Size(i)] != 1) return -1;
      only = i;
    }
    return sum.constant == 0 ? only : -1;
  }

  constexpr void Apply(const Transform& t) {
    switch (t.kind) {
      case TransformKind::kMemory: {
        const Sum& index = SumOf(t.upper[0]);
        form_.origin.offset += index.constant * t.number[0];
        for (int i = 0; i < index.digits; ++i) {
          digit_[Size(i)].unit.offset += index.factor[Size(i)] * t.number[0];
        }
        break;
      }
      case TransformKind::kPad:
        ApplyPad(t);
        break;
      case TransformKind::kSlice:
        SumOf(t.lower[0]).Set(t.number[0]);
        SumOf(t.lower[0]).Add(SumOf(t.upper[0]), t.number[1]);
        break;
      case TransformKind::kEmbed:
        SumOf(t.lower[0]).Set(0);
        for (int u = 0; u < t.uppers; ++u) {
          SumOf(t.lower[0]).Add(SumOf(t.upper[Size(u)]), t.number[Size(u)]);
        }
        break;
      case TransformKind::kMerge:
        ApplyMerge(t);
        break;
      case TransformKind::kFreeze:
        SumOf(t.lower[0]).Set(t.number[0]);
        break;
      case TransformKind::kSwizzle:
        Fail("coordinates add up, which exclusive-ors do not: a swizzle has no normal form",
             t.number[0], 0);
        break;
    }
  }

  constexpr void ApplyPad(const Transform& t) {
    Sum& lower = SumOf(t.lower[0]);
    lower.Set(-t.number[0]);
    lower.Add(SumOf(t.upper[0]), 1);
    const std::int64_t limit = descriptor_.LengthOf({t.lower[0]});
    // Padding at the end of a whole visible axis makes the axis shorter.
    const int only = OnlyDigit(lower);
    if (only >= 0 && digit_[Size(only)].next < 0 && only == digit_[Size(only)].axis) {
      NormalAxis& axis = form_.axis[Size(digit_[Size(only)].axis)];
      if (axis.length > limit) axis.length = limit;
      digit_[Size(only)].length = axis.length;
      return;
    }
    if (CanLeave(lower, limit))
      checks_[Size(open_checks_++)] = {.axis = t.lower[0], .limit = limit};
  }

  constexpr bool CanLeave(const Sum& index, std::int64_t limit) const {
    std::int64_t lowest = index.constant, highest = index.constant;
    for (int i = 0; i < index.digits; ++i) {
      const std::int64_t reach = index.factor[Size(i)] * (digit_[Size(i)].length - 1);
      (reach < 0 ? lowest : highest) += reach;
    }
    return lowest < 0 || highest >= limit;
  }

  constexpr void ApplyMerge(const Transform& t) {
    // Indices of axes of length 1 are 0, and need no digit.
    for (int i = 0; i < t.lowers; ++i) SumOf(t.lower[Size(i)]).Set(0);
    if (descriptor_.LengthOf({t.upper[0]}) == 1) return;
    const int cut = OnlyDigit(SumOf(t.upper[0]));
    if (cut < 0) {
      Fail(
          "a merge divides its axis, so that axis is one that is seen, or a digit of one, and no "
          "sum "
          "of several: this one is neither",
          t.upper[0], descriptor_.seen());
      return;
    }
    for (int i = 0; i < open_checks_; ++i) {
      if (SumOf(checks_[Size(i)].axis).Factor(cut) != 0) {
        Fail("padding of a merged axis is at its end, and the axis is one that is seen", t.upper[0],
             descriptor_.seen());
        return;
      }
    }
    // The digit becomes the first of the new ones.
    const int next = digit_[Size(cut)].next, axis = digit_[Size(cut)].axis;
    int last = cut;
    digit_[Size(cut)].length = t.number[0];
    SumOf(t.lower[0]).SetDigit(cut);
    for (int i = 1; i < t.lowers; ++i) {
      if (t.number[Size(i)] == 1) continue;
      const int digit = NewDigit(axis, t.number[Size(i)]);
      SumOf(t.lower[Size(i)]).SetDigit(digit);
      digit_[Size(last)].next = digit;
      last = digit;
    }
    digit_[Size(last)].next = next;
  }

  /// Writes the form from what is known of all digits.
  constexpr void Collect() {
    for (int i = 0; i < open_checks_; ++i) {
      const PadCheck& check = checks_[Size(i)];
      const Sum& index = SumOf(check.axis);
      if (!CanLeave(index, check.limit)) continue;  // its digits have become shorter
      if (form_.checks == kMaxChecks) {
        Fail("a normal form checks the indices of at most 3 padded axes", i + 1, kMaxChecks);
        return;
      }
      const auto slot = static_cast<std::size_t>(form_.checks++);
      form_.limit[slot] = check.limit;
      form_.origin.checked[slot] = index.constant;
      for (int d = 0; d < digits_; ++d) {
        digit_[Size(d)].unit.checked[slot] = index.Factor(d);
      }
    }
    for (int i = 0; i < form_.axes; ++i) CollectAxis(form_.axis[Size(i)], i);
  }

  constexpr void CollectAxis(NormalAxis& axis, int first) {
    for (int d = first; d >= 0; d = digit_[Size(d)].next) {
      const OpenDigit& digit = digit_[Size(d)];
      if (digit.length == 1) continue;
      if (axis.digits > 0) {  // this digit and the one before may be evenly spaced
        Digit& before = axis.digit[Size(axis.digits - 1)];
        if (before.unit == digit.unit * digit.length) {
          before = {.length = before.length * digit.length, .unit = digit.unit};
          continue;
        }
      }
      if (axis.digits == kMaxDigits) {
        Fail("an axis has at most 4 digits that do not lie evenly", axis.digits + 1, kMaxDigits);
        return;
      }
      axis.digit[Size(axis.digits++)] = {.length = digit.length, .unit = digit.unit};
    }
  }

  const Descriptor& descriptor_;
  NormalForm& form_;
  int digits_ = 0, open_checks_ = 0;
  std::array<OpenDigit, kAllDigits> digit_ = {};
  std::array<Sum, Descriptor::kMaxAxes> sum_;
  std::array<PadCheck, Descriptor::kMaxTransforms> checks_;
};

}  // namespace normal_form_internal

/// The normal form of a valid descriptor; an invalid one passes on its own rule. Post:
/// At(Normalize(d), c) == d.At(c) for all indices c of d; offsets are compared only where an
/// element exists.
constexpr NormalForm Normalize(const Descriptor& descriptor) {
  NormalForm form;
  normal_form_internal::Derivation(descriptor, form);
  return form;
}

}  // namespace gridwise::ck
