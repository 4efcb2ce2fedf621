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

#include "ck/descriptor/composition.h"
#include "ck/descriptor/transform.h"

namespace gridwise::ck {

class Descriptor : public Composition {
 public:
  static constexpr int kMaxSeen = 3;

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

  /// Makes one axis of several. The last varies fastest: the index is
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

  constexpr int seen() const { return seen_count_; }
  constexpr int SeenAxis(int i) const { return seen_[static_cast<std::size_t>(i)]; }
  /// Number of indices of a visible axis.
  constexpr std::int64_t length(int i) const { return LengthOf({SeenAxis(i)}); }
  /// The element that the index means; takes indices of the visible axes, each inside of its
  /// axis. This is the definition: it divides, and kernels use the normal form instead
  /// (normal_form.h).
  constexpr Location At(const std::array<std::int64_t, kMaxSeen>& seen) const {
    std::array<std::int64_t, kMaxAxes> index = {};
    for (int i = 0; i < seen_count_; ++i) {
      index[static_cast<std::size_t>(SeenAxis(i))] = seen[static_cast<std::size_t>(i)];
    }
    Location element;
    for (int i = transforms_; i-- > 0;) Apply(transform(i), length_, index, element);
    return element;
  }

 private:
  std::array<int, kMaxSeen> seen_ = {};
};

}  // namespace gridwise::ck
