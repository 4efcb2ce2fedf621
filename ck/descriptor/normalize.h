// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>

#include "ck/descriptor/descriptor.h"
#include "ck/descriptor/digit_sum.h"
#include "ck/descriptor/normal_form.h"

namespace gridwise::ck {

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
  constexpr DigitSum& SumOf(int axis) { return sum_[Size(axis)]; }
  constexpr void Fail(const char* rule, std::int64_t number, std::int64_t bound) {
    if (form_.ok()) form_.mistake = {rule, number, bound};
  }

  constexpr int NewDigit(int axis, std::int64_t length) {
    if (digits_ == kMaxOpenDigits) {
      Fail("a normal form has at most 16 digits", digits_, kMaxOpenDigits);
      return 0;
    }
    digit_[Size(digits_)] = {.axis = axis, .length = length, .unit = {}};
    return digits_++;
  }

  constexpr void Apply(const Transform& t) {
    switch (t.kind) {
      case TransformKind::kMemory: {
        const DigitSum& index = SumOf(t.upper[0]);
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
    DigitSum& lower = SumOf(t.lower[0]);
    lower.Set(-t.number[0]);
    lower.Add(SumOf(t.upper[0]), 1);
    const std::int64_t limit = descriptor_.LengthOf({t.lower[0]});
    // Padding at the end of a whole visible axis makes the axis shorter.
    const int only = lower.OnlyDigit();
    if (only >= 0 && digit_[Size(only)].next < 0 && only == digit_[Size(only)].axis) {
      NormalAxis& axis = form_.axis[Size(digit_[Size(only)].axis)];
      if (axis.length > limit) axis.length = limit;
      digit_[Size(only)].length = axis.length;
      return;
    }
    if (CanLeave(lower, limit))
      checks_[Size(open_checks_++)] = {.axis = t.lower[0], .limit = limit};
  }

  constexpr bool CanLeave(const DigitSum& index, std::int64_t limit) const {
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
    const int cut = SumOf(t.upper[0]).OnlyDigit();
    if (cut < 0) {
      Fail(
          "a merge divides its axis, so that axis is one that is seen, or a digit of one, and no "
          "sum of several: this one is neither",
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
      const DigitSum& index = SumOf(check.axis);
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
  std::array<OpenDigit, kMaxOpenDigits> digit_ = {};
  std::array<DigitSum, Descriptor::kMaxAxes> sum_;
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
