// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace gridwise::ck {

/// An axis of a descriptor, as its transforms name it.
struct Axis {
  int id = -1;
};

/// One of the axes that compose an index: index = sum of step * (this axis' index).
struct Term {
  std::int64_t length, step;
};

/// Why a composition is invalid: the rule, the number that breaks it, and its bound. The rule is
/// null if it is valid. See ToString in describe.h.
struct Mistake {
  const char* rule = nullptr;
  std::int64_t number = 0, bound = 0;
};

/// How the lower axes' indices follow from the upper ones'. There is one number per lower axis for
/// kMerge, and per upper axis otherwise.
enum class TransformKind : unsigned char {
  kMemory,   ///< offset += index * number
  kPad,      ///< lower = upper - number; outside of the lower axis there is no element
  kSlice,    ///< lower = number0 + upper * number1
  kEmbed,    ///< lower = sum of upper * number
  kMerge,    ///< lower = digits of upper, the last axis' fastest; numbers are their lengths
  kFreeze,   ///< lower = number, no upper axis
  kSwizzle,  ///< lower0 = upper0, lower1 = upper1 ^ (upper0 & number)
};

struct Transform {
  static constexpr int kMaxFan = 6;
  TransformKind kind;
  int lowers, uppers;
  std::array<std::int8_t, kMaxFan> lower, upper;  // axes
  std::array<std::int64_t, kMaxFan> number;

  /// A transform without axes.
  static constexpr Transform Of(TransformKind kind) {
    return {.kind = kind, .lowers = 0, .uppers = 0, .lower = {}, .upper = {}, .number = {}};
  }
};

/// An element of memory.
struct Location {
  std::int64_t offset = 0;  ///< in elements; meaningless if there is none
  bool exists = true;       ///< otherwise the index is padding, which reads 0
  constexpr bool operator==(const Location&) const = default;
};

/// Computes the indices of t's lower axes in `index` from those of its upper ones, and what `t`
/// says of the element. `length` has the axes' lengths.
template <std::size_t kAxes>
constexpr void Apply(const Transform& t, const std::array<std::int64_t, kAxes>& length,
                     std::array<std::int64_t, kAxes>& index, Location& element) {
  const auto upper = [&](int i) {
    return index[static_cast<std::size_t>(t.upper[static_cast<std::size_t>(i)])];
  };
  const auto lower = [&](int i) -> std::int64_t& {
    return index[static_cast<std::size_t>(t.lower[static_cast<std::size_t>(i)])];
  };
  switch (t.kind) {
    case TransformKind::kMemory:
      element.offset += upper(0) * t.number[0];
      break;
    case TransformKind::kPad:
      lower(0) = upper(0) - t.number[0];
      element.exists &= lower(0) >= 0 && lower(0) < length[static_cast<std::size_t>(t.lower[0])];
      break;
    case TransformKind::kSlice:
      lower(0) = t.number[0] + upper(0) * t.number[1];
      break;
    case TransformKind::kEmbed:
      lower(0) = 0;
      for (int i = 0; i < t.uppers; ++i) {
        lower(0) += upper(i) * t.number[static_cast<std::size_t>(i)];
      }
      break;
    case TransformKind::kMerge: {
      std::int64_t rest = upper(0);
      for (int i = t.lowers; i-- > 1;) {
        lower(i) = rest % t.number[static_cast<std::size_t>(i)];
        rest /= t.number[static_cast<std::size_t>(i)];
      }
      lower(0) = rest;
      break;
    }
    case TransformKind::kFreeze:
      lower(0) = t.number[0];
      break;
    case TransformKind::kSwizzle:
      lower(0) = upper(0);
      lower(1) = upper(1) ^ (upper(0) & t.number[0]);
      break;
  }
}

}  // namespace gridwise::ck
