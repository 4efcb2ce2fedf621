// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "ck/descriptor/normal_form.h"

namespace gridwise::ck::normal_form_internal {

inline constexpr int kMaxOpenDigits = 16;  ///< of all axes
constexpr std::size_t Size(int i) { return static_cast<std::size_t>(i); }

/// A digit that may still be replaced by several others.
struct OpenDigit {
  int axis = 0;
  std::int64_t length = 1;
  TensorCoordinate unit;
  int next = -1;  // the digit after it on its axis
};
/// An index as a constant and a sum of digits. Only the first entries are initialized, because
/// initialization would take most of the time of a derivation.
struct DigitSum {
  std::int64_t constant;
  int digits;
  std::array<std::int64_t, kMaxOpenDigits> factor;

  constexpr void Set(std::int64_t value) {
    constant = value;
    digits = 0;
  }
  constexpr void SetDigit(int digit) {
    Set(0);
    Widen(digit + 1);
    factor[Size(digit)] = 1;
  }
  constexpr void Add(const DigitSum& other, std::int64_t times) {
    constant += other.constant * times;
    Widen(other.digits);
    for (std::size_t i = 0; i < Size(other.digits); ++i) factor[i] += other.factor[i] * times;
  }
  constexpr std::int64_t Factor(int digit) const {
    return digit < digits ? factor[Size(digit)] : 0;
  }
  /// The digit that the sum consists of, or -1.
  constexpr int OnlyDigit() const {
    int only = -1;
    for (int i = 0; i < digits; ++i) {
      if (factor[Size(i)] == 0) continue;
      if (only >= 0 || factor[Size(i)] != 1) return -1;
      only = i;
    }
    return constant == 0 ? only : -1;
  }

 private:
  constexpr void Widen(int count) {
    for (; digits < count; ++digits) factor[Size(digits)] = 0;
  }
};

/// Indices of an axis must be below `limit`, and not negative.
struct PadCheck {
  int axis;
  std::int64_t limit;
};

}  // namespace gridwise::ck::normal_form_internal
