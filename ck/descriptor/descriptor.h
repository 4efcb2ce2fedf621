// SPDX-License-Identifier: MIT
/// Tensor descriptors: the element of a tensor that an index means, as a composition of
/// transforms.
///
/// A descriptor is built from the tensor's memory upwards. Each transform consumes axes and makes
/// new ones; the user of the descriptor sees the axes that are left. Forward convolution sees x as
/// a matrix of output pixels by (filter tap, channel):
///
///   Descriptor x;
///   const Axis n = x.Memory(batch, n_stride), h = x.Memory(in, h_stride);
///   const Axis c = x.Memory(channels, 1);
///   const auto [y, o] = x.Embed(x.Pad(h, pad, pad), {Term{taps, dilation}, Term{out, stride}});
///   x.See({x.Merge({n, o}), x.Merge({y, c})});
///
/// Everything is constexpr. An invalid composition is remembered as its first Mistake, with the
/// numbers; further transforms then do nothing.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <type_traits>

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

class Descriptor {
 public:
  static constexpr int kMaxAxes = 48, kMaxTransforms = 40, kMaxSeen = 3;

  /// Constants must initialize all members; planners make many descriptors and do without.
  constexpr Descriptor() {
    if (!std::is_constant_evaluated()) return;
    length_ = {};
    consumed_ = {};
    transform_.fill(Transform::Of(TransformKind::kMemory));
  }

  /// An axis of the tensor: `length` indices, `stride` elements apart.
  constexpr Axis Memory(std::int64_t length, std::int64_t stride) {
    Transform t = Transform::Of(TransformKind::kMemory);
    t.number[0] = stride;
    return Finish1(t, length);
  }

  /// `a` with `begin` indices before it and `end` after it, at which there is no element.
  constexpr Axis Pad(Axis a, std::int64_t begin, std::int64_t end) {
    if (begin == 0 && end == 0) return a;
    Transform t = Transform::Of(TransformKind::kPad);
    t.number[0] = begin;
    Require(begin >= 0, "a pad has no fewer than 0 indices at its beginning", begin, 0);
    Require(end >= 0, "a pad has no fewer than 0 indices at its end", end, 0);
    const std::int64_t inner = Consume(t, a);
    return Finish1(t, begin + inner + end);
  }

  /// `length` indices of `a` from `begin` on, `step` apart, which may be negative.
  constexpr Axis Slice(Axis a, std::int64_t begin, std::int64_t length, std::int64_t step = 1) {
    if (begin == 0 && step == 1 && length == LengthOf(a)) return a;
    Transform t = Transform::Of(TransformKind::kSlice);
    t.number = {begin, step};
    const std::int64_t inner = Consume(t, a), last = begin + (length - 1) * step;
    Require(begin >= 0 && begin < inner, "a slice begins inside of its axis", begin, inner);
    Require(last >= 0 && last < inner, "a slice ends inside of its axis", last, inner);
    return Finish1(t, length);
  }

  /// Axes whose indices together are an index of `a`: the sum of step * index over the terms. All
  /// sums must be inside of `a`; pad `a` first if they would not be.
  template <std::size_t kTerms>
  constexpr std::array<Axis, kTerms> Embed(Axis a, const Term (&terms)[kTerms]) {
    static_assert(kTerms <= Transform::kMaxFan, "an axis is embedded as at most 6");
    Transform t = Transform::Of(TransformKind::kEmbed);
    const std::int64_t inner = Consume(t, a);
    std::array<Axis, kTerms> made;
    std::int64_t lowest = 0, highest = 0;
    for (std::size_t i = 0; i < kTerms; ++i) {
      const std::int64_t reach = terms[i].step * (terms[i].length - 1);
      (reach < 0 ? lowest : highest) += reach;
      t.number[i] = terms[i].step;
      made[i] = MakeUpper(t, terms[i].length);
    }
    Require(lowest >= 0, "an embedding begins at index 0 of its axis or later", lowest, 0);
    Require(highest < inner, "an embedding ends inside of its axis", highest, inner);
    Add(t);
    return made;
  }

  /// One axis over several, of which the last varies fastest: the index
  /// (i0 * length1 + i1) * length2 + i2 ...
  constexpr Axis Merge(std::initializer_list<Axis> axes) {
    Transform t = Transform::Of(TransformKind::kMerge);
    Require(axes.size() <= Transform::kMaxFan, "at most 6 axes are merged",
            static_cast<std::int64_t>(axes.size()), Transform::kMaxFan);
    std::int64_t length = 1;
    if (mistake_.rule == nullptr) {
      for (const Axis a : axes) {
        const std::int64_t inner = Consume(t, a);
        t.number[static_cast<std::size_t>(t.lowers - 1)] = inner;
        length *= inner;
      }
    }
    return Finish1(t, length);
  }

  /// The axis as several axes with these lengths; the last varies fastest. Their product must be
  /// the axis' length; pad the axis first if it does not divide.
  template <std::size_t kParts>
  constexpr std::array<Axis, kParts> Unmerge(Axis a, const std::int64_t (&lengths)[kParts]) {
    Term terms[kParts] = {};
    std::int64_t step = 1;
    for (std::size_t i = kParts; i-- > 0;) {
      terms[i] = {.length = lengths[i], .step = step};
      step *= lengths[i];
    }
    Require(step == LengthOf(a), "the lengths of an unmerged axis multiply to its length", step,
            LengthOf(a));
    return Embed(a, terms);
  }

  /// Fixes `a` at `index` and hides it.
  constexpr void Freeze(Axis a, std::int64_t index) {
    Transform t = Transform::Of(TransformKind::kFreeze);
    t.number[0] = index;
    const std::int64_t inner = Consume(t, a);
    Require(index >= 0 && index < inner, "an axis is frozen at one of its indices", index, inner);
    Add(t);
  }

  /// Axes (a, b) with the index of b permuted by an exclusive-or with the bits `mask` of a's index,
  /// which spreads a column of a tile over memory banks.
  constexpr std::array<Axis, 2> Swizzle(Axis a, Axis b, std::int64_t mask) {
    Transform t = Transform::Of(TransformKind::kSwizzle);
    t.number[0] = mask;
    const std::int64_t length_a = Consume(t, a), length_b = Consume(t, b);
    Require((length_b & (length_b - 1)) == 0, "a swizzled axis has a power of two indices",
            length_b, length_b & -length_b);
    Require(mask >= 0 && mask < length_b, "a swizzle's mask is an index of its axis", mask,
            length_b);
    const std::array<Axis, 2> made = {MakeUpper(t, length_a), MakeUpper(t, length_b)};
    Add(t);
    return made;
  }

  /// Ends the construction: an index has these axes, in this order. All others must have been
  /// consumed.
  constexpr void See(std::initializer_list<Axis> axes) {
    Require(seen_count_ == 0, "a descriptor is seen once", seen_count_, 0);
    Require(axes.size() <= kMaxSeen, "a descriptor shows at most 3 axes",
            static_cast<std::int64_t>(axes.size()), kMaxSeen);
    if (mistake_.rule != nullptr) return;
    for (const Axis a : axes) {
      Check(a);
      if (mistake_.rule != nullptr) return;
      consumed_[static_cast<std::size_t>(a.id)] = true;
      seen_[static_cast<std::size_t>(seen_count_++)] = a.id;
    }
    for (int id = 0; id < axes_; ++id) {
      Require(consumed_[static_cast<std::size_t>(id)],
              "every axis is consumed by a transform, or seen: this one is neither", id, axes_);
    }
  }

  /// The first mistake. A descriptor with a mistake is meaningless.
  constexpr const Mistake& mistake() const { return mistake_; }
  constexpr bool ok() const { return mistake_.rule == nullptr; }

  /// All axes, consumed or not.
  constexpr int axes() const { return axes_; }
  constexpr int seen() const { return seen_count_; }
  constexpr int SeenAxis(int i) const { return seen_[static_cast<std::size_t>(i)]; }
  /// Number of indices of a visible axis.
  constexpr std::int64_t length(int i) const { return LengthOf({SeenAxis(i)}); }
  constexpr std::int64_t LengthOf(Axis a) const {
    return a.id < 0 || a.id >= axes_ ? 0 : length_[static_cast<std::size_t>(a.id)];
  }

  /// Transforms, from memory upwards.
  constexpr int transforms() const { return transforms_; }
  constexpr const Transform& transform(int i) const {
    return transform_[static_cast<std::size_t>(i)];
  }

  /// The element that the index means; takes indices of the visible axes, each inside of its
  /// axis. This is the definition: it divides, and kernels use the normal form instead
  /// (normal_form.h).
  constexpr Location At(const std::array<std::int64_t, kMaxSeen>& seen) const {
    std::array<std::int64_t, kMaxAxes> index = {};
    for (int i = 0; i < seen_count_; ++i) {
      index[static_cast<std::size_t>(SeenAxis(i))] = seen[static_cast<std::size_t>(i)];
    }
    Location element;
    for (int i = transforms_; i-- > 0;) Apply(transform(i), index, element);
    return element;
  }

 private:
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

  /// Sets the indices of t's lower axes.
  constexpr void Apply(const Transform& t, std::array<std::int64_t, kMaxAxes>& index,
                       Location& element) const {
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
        element.exists &= lower(0) >= 0 && lower(0) < LengthOf({t.lower[0]});
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

  int axes_ = 0, transforms_ = 0, seen_count_ = 0;
  // The first axes_ and transforms_ of them.
  std::array<std::int64_t, kMaxAxes> length_;
  std::array<bool, kMaxAxes> consumed_;
  std::array<Transform, kMaxTransforms> transform_;
  std::array<int, kMaxSeen> seen_ = {};
  Mistake mistake_ = {};
};

}  // namespace gridwise::ck
