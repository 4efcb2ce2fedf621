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

}  // namespace gridwise::ck
