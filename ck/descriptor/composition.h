// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "ck/descriptor/transform.h"

namespace gridwise::ck {

/// The axes and transforms of a descriptor, as far as it is built, and its first mistake.
class Composition {
 public:
  static constexpr int kMaxAxes = 48, kMaxTransforms = 40;

  /// Constants must initialize all members; planners make many descriptors and do without.
  constexpr Composition() {
    if (!std::is_constant_evaluated()) return;
    length_ = {};
    consumed_ = {};
    transform_.fill(Transform::Of(TransformKind::kMemory));
  }

  /// The first mistake. A descriptor with a mistake is meaningless.
  constexpr const Mistake& mistake() const { return mistake_; }
  constexpr bool ok() const { return mistake_.rule == nullptr; }

  /// All axes, consumed or not.
  constexpr int axes() const { return axes_; }
  constexpr std::int64_t LengthOf(Axis a) const {
    return a.id < 0 || a.id >= axes_ ? 0 : length_[static_cast<std::size_t>(a.id)];
  }

  /// Transforms, from memory upwards.
  constexpr int transforms() const { return transforms_; }
  constexpr const Transform& transform(int i) const {
    return transform_[static_cast<std::size_t>(i)];
  }

 protected:
  constexpr void Require(bool holds, const char* rule, std::int64_t number, std::int64_t bound) {
    if (!holds && mistake_.rule == nullptr) mistake_ = {rule, number, bound};
  }

  constexpr void Check(Axis a) {
    Require(a.id >= 0 && a.id < axes_, "a transform takes axes of its own descriptor", a.id, axes_);
    if (mistake_.rule != nullptr) return;
    Require(!consumed_[static_cast<std::size_t>(a.id)],
            "an axis is consumed once: this one has been before", a.id, axes_);
  }

  /// Makes `a` a lower axis of `t`; returns its length.
  constexpr std::int64_t Consume(Transform& t, Axis a) {
    Check(a);
    if (mistake_.rule != nullptr) return 1;
    consumed_[static_cast<std::size_t>(a.id)] = true;
    t.lower[static_cast<std::size_t>(t.lowers++)] = static_cast<std::int8_t>(a.id);
    return LengthOf(a);
  }

  constexpr Axis MakeUpper(Transform& t, std::int64_t length) {
    Require(length > 0, "an axis has at least one index", length, 1);
    Require(axes_ < kMaxAxes, "a descriptor has at most 48 axes", axes_, kMaxAxes);
    Require(seen_count_ == 0, "axes are made before a descriptor is seen", axes_, axes_);
    if (mistake_.rule != nullptr) return {};
    const int id = axes_++;
    length_[static_cast<std::size_t>(id)] = length;
    consumed_[static_cast<std::size_t>(id)] = false;
    t.upper[static_cast<std::size_t>(t.uppers++)] = static_cast<std::int8_t>(id);
    return {id};
  }

  constexpr void Add(const Transform& t) {
    Require(transforms_ < kMaxTransforms, "a descriptor has at most 40 transforms", transforms_,
            kMaxTransforms);
    if (mistake_.rule == nullptr) transform_[static_cast<std::size_t>(transforms_++)] = t;
  }

  constexpr Axis Finish1(Transform& t, std::int64_t length) {
    const Axis a = MakeUpper(t, length);
    Add(t);
    return a;
  }

  int axes_ = 0, transforms_ = 0;
  int seen_count_ = 0;  // axes that an index has; 0 until See()
  // The first axes_ and transforms_ of them.
  std::array<std::int64_t, kMaxAxes> length_;
  std::array<bool, kMaxAxes> consumed_;
  std::array<Transform, kMaxTransforms> transform_;
  Mistake mistake_ = {};
};

}  // namespace gridwise::ck
