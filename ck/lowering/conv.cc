// SPDX-License-Identifier: MIT
#include "ck/lowering/conv.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "ck/descriptor/descriptor.h"
#include "core/conv/gemm_map.h"
#include "core/conv/layouts.h"
#include "core/conv/problem.h"
#include "core/conv/sub_gemms.h"

namespace gridwise::ck {
namespace {

constexpr std::size_t kAxes = 3;  // d, h, w

constexpr Axis kNone = {};

/// The groups of a tensor: as matrices, and those that are merged into one.
struct GroupAxes {
  Axis matrix, merged;
};
GroupAxes AddGroups(Descriptor& d, std::int64_t groups, std::int64_t stride, int merged) {
  const Axis matrix = d.Memory(groups / merged, stride * merged);
  return {.matrix = matrix, .merged = merged == 1 ? kNone : d.Memory(merged, stride)};
}
Axis MergeRows(Descriptor& d, Axis n, const std::array<Axis, kAxes>& pixel, Axis group) {
  if (group.id == kNone.id) return d.Merge({n, pixel[0], pixel[1], pixel[2]});
  return d.Merge({n, pixel[0], pixel[1], pixel[2], group});
}
Axis MergeColumns(Descriptor& d, Axis group, Axis column) {
  return group.id == kNone.id ? column : d.Merge({group, column});
}

/// The axes of x or y, as they lie in memory.
struct ImageAxes {
  GroupAxes group;
  Axis n, channel;
  std::array<Axis, kAxes> pixel;
};
ImageAxes AddImage(Descriptor& d, const TensorAxes& axes, int merged) {
  const auto axis = [&](std::size_t i) { return d.Memory(axes.size[i], axes.stride[i]); };
  return {.group = AddGroups(d, axes.size[4], axes.stride[4], merged),
          .n = axis(0),
          .channel = axis(5),
          .pixel = {axis(1), axis(2), axis(3)}};
}

/// The axes of w.
struct WeightAxes {
  GroupAxes group;
  Axis k, c;
  std::array<Axis, kAxes> tap;
};
WeightAxes AddWeights(Descriptor& d, const TensorAxes& axes, int merged) {
  const auto axis = [&](std::size_t i) { return d.Memory(axes.size[i], axes.stride[i]); };
  return {.group = AddGroups(d, axes.size[0], axes.stride[0], merged),
          .k = axis(1),
          .c = axis(5),
          .tap = {axis(2), axis(3), axis(4)}};
}

/// Source pixels as (tap, output pixel of the phase): pixels outside of the source are padding.
std::array<Axis, 2> TapsAndPixels(Descriptor& d, Axis pixels, const AxisPhase& axis,
                                  const AxisStrides& strides) {
  const std::int64_t taps = std::max(axis.taps, 1), first = axis.first_source;
  const std::int64_t last = first + (axis.count - 1) * std::int64_t{strides.source_stride} +
                            (taps - 1) * strides.tap_source_stride;
  const std::int64_t before = std::max<std::int64_t>(0, -first);
  const std::int64_t after = std::max<std::int64_t>(0, last - (d.LengthOf(pixels) - 1));
  // A phase may begin after the last pixel, where all of it is padding.
  const Axis padded = d.Pad(pixels, before, after);
  return d.Embed(d.Slice(padded, first + before, last - first + 1),
                 {Term{taps, strides.tap_source_stride}, Term{axis.count, strides.source_stride}});
}

/// x of forward and backward-weight, dy of backward-data: rows are pixels, terms (tap, channel);
/// backward-weight recombines these.
struct SourceView {
  Axis matrix, channel;
  Axis pixels;  // image, pixels and merged groups
  std::array<Axis, kAxes> tap;
};
SourceView AddSource(Descriptor& d, const ConvAxes& axes, const TensorAxes& source,
                     const SubGemm& gemm, int merged) {
  const ImageAxes image = AddImage(d, source, merged);
  std::array<Axis, kAxes> tap, pixel;
  for (std::size_t i = 0; i < kAxes; ++i) {
    const auto [t, j] = TapsAndPixels(d, image.pixel[i], gemm.axis[i], axes.strides[i]);
    tap[i] = t;
    pixel[i] = j;
  }
  return {.matrix = image.group.matrix,
          .channel = image.channel,
          .pixels = MergeRows(d, image.n, pixel, image.group.merged),
          .tap = tap};
}

/// w of forward and backward-data, without the taps that the phase lacks.
WeightAxes AddTapsOf(Descriptor& d, const ConvAxes& axes, const SubGemm& gemm, int merged) {
  WeightAxes w = AddWeights(d, axes.b, merged);
  for (std::size_t i = 0; i < kAxes; ++i) {
    const AxisPhase& axis = gemm.axis[i];
    w.tap[i] =
        d.Slice(w.tap[i], axis.first_tap, std::max(axis.taps, 1), axes.strides[i].tap_stride);
  }
  return w;
}

GemmDescriptors LowerGather(const ConvProblem& problem, const ConvAxes& axes, const SubGemm& gemm,
                            int merged) {
  GemmDescriptors out = {
      .a = {}, .b = {}, .c = OutputDescriptor(problem, axes, axes.out.stride, gemm, merged)};
  if (Taps(gemm) == 0) return out;  // and terms is 0
  const SourceView x = AddSource(out.a, axes, axes.a, gemm, merged);
  out.a.See({x.matrix, x.pixels, out.a.Merge({x.tap[0], x.tap[1], x.tap[2], x.channel})});
  const WeightAxes w = AddTapsOf(out.b, axes, gemm, merged);
  const bool forward = problem.direction == Direction::kForward;
  const Axis column = forward ? w.k : w.c, channel = forward ? w.c : w.k;
  out.b.See({w.group.matrix, MergeColumns(out.b, w.group.merged, column),
             out.b.Merge({w.tap[0], w.tap[1], w.tap[2], channel})});
  out.terms = out.a.length(2);
  return out;
}

GemmDescriptors LowerBackwardWeight(const ConvProblem& problem, const ConvAxes& axes,
                                    const SubGemm& gemm) {
  GemmDescriptors out = {
      .a = {}, .b = {}, .c = OutputDescriptor(problem, axes, axes.out.stride, gemm)};
  const ImageAxes dy = AddImage(out.a, axes.a, /*merged=*/1);
  out.a.See({dy.group.matrix, dy.channel, MergeRows(out.a, dy.n, dy.pixel, dy.group.merged)});
  const SourceView x = AddSource(out.b, axes, axes.b, gemm, /*merged=*/1);
  out.b.See({x.matrix, out.b.Merge({x.tap[0], x.tap[1], x.tap[2], x.channel}), x.pixels});
  out.terms = out.b.length(2);
  return out;
}

}  // namespace

ConvAxes::ConvAxes(const ConvProblem& problem)
    : a(problem.AxesOf(problem.a())),
      b(problem.AxesOf(problem.b())),
      out(problem.AxesOf(problem.out())) {
  for (std::size_t i = 0; i < kAxes; ++i) {
    strides[i] = MakeAxisStrides(problem.direction, problem.dims[i]);
  }
}

Descriptor OutputDescriptor(const ConvProblem& problem, const ConvAxes& axes, const PerAxis& stride,
                            const SubGemm& gemm, int merged) {
  Descriptor c;
  const TensorAxes out = {.size = axes.out.size, .stride = stride};
  if (problem.direction == Direction::kBackwardWeight) {
    const WeightAxes w = AddWeights(c, out, /*merged=*/1);
    c.See({w.group.matrix, w.k, c.Merge({w.tap[0], w.tap[1], w.tap[2], w.c})});
    return c;
  }
  const ImageAxes image = AddImage(c, out, merged);
  std::array<Axis, kAxes> pixel;
  for (std::size_t i = 0; i < kAxes; ++i) {
    pixel[i] = c.Slice(image.pixel[i], gemm.axis[i].first_pixel, gemm.axis[i].count,
                       axes.strides[i].pixel_stride);
  }
  // A column's group is that of its row, which has been counted already.
  const Axis group = merged == 1 ? kNone : c.Memory(merged, 0);
  c.See({image.group.matrix, MergeRows(c, image.n, pixel, image.group.merged),
         MergeColumns(c, group, image.channel)});
  return c;
}

GemmDescriptors Lower(const ConvProblem& problem, const ConvAxes& axes, const SubGemm& gemm,
                      int merged) {
  return problem.direction == Direction::kBackwardWeight ? LowerBackwardWeight(problem, axes, gemm)
                                                         : LowerGather(problem, axes, gemm, merged);
}

}  // namespace gridwise::ck
