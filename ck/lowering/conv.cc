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

std::array<AxisStrides, kAxes> StridesOf(const ConvProblem& problem) {
  std::array<AxisStrides, kAxes> strides;
  for (std::size_t i = 0; i < kAxes; ++i) {
    strides[i] = MakeAxisStrides(problem.direction, problem.dims[i]);
  }
  return strides;
}

/// The axes of x or y, as they lie in memory.
struct ImageAxes {
  Axis n, group, channel;
  std::array<Axis, kAxes> cell;
};
ImageAxes AddImage(Descriptor& d, const TensorAxes& axes) {
  const auto axis = [&](std::size_t i) { return d.Memory(axes.size[i], axes.stride[i]); };
  return {.n = axis(0), .group = axis(4), .channel = axis(5), .cell = {axis(1), axis(2), axis(3)}};
}

/// The axes of w.
struct WeightAxes {
  Axis group, k, c;
  std::array<Axis, kAxes> tap;
};
WeightAxes AddWeights(Descriptor& d, const TensorAxes& axes) {
  const auto axis = [&](std::size_t i) { return d.Memory(axes.size[i], axes.stride[i]); };
  return {.group = axis(0), .k = axis(1), .c = axis(5), .tap = {axis(2), axis(3), axis(4)}};
}

/// Source cells as (tap, output cell of the class): those outside of the source are its padding.
std::array<Axis, 2> TapsAndCells(Descriptor& d, Axis cells, const AxisClass& axis,
                                 const AxisStrides& strides) {
  const std::int64_t taps = std::max(axis.taps, 1), first = axis.first_source;
  const std::int64_t last = first + (axis.count - 1) * std::int64_t{strides.source_stride} +
                            (taps - 1) * strides.tap_source_stride;
  const std::int64_t before = std::max<std::int64_t>(0, -first);
  const std::int64_t after = std::max<std::int64_t>(0, last - (d.LengthOf(cells) - 1));
  // A class may begin behind the last cell, where all of it is padding.
  const Axis padded = d.Pad(cells, before, after);
  return d.Embed(d.Slice(padded, first + before, last - first + 1),
                 {Term{taps, strides.tap_source_stride}, Term{axis.count, strides.source_stride}});
}

/// x of forward and backward-weight, dy of backward-data: rows are cells, terms (tap, channel), or
/// what backward-weight makes of these.
struct SourceView {
  Axis group, channel;
  Axis cells;  // image and cells, merged
  std::array<Axis, kAxes> tap;
};
SourceView AddSource(Descriptor& d, const ConvProblem& problem, Tensor tensor,
                     const SubGemm& gemm) {
  const ImageAxes image = AddImage(d, problem.AxesOf(tensor));
  const std::array<AxisStrides, kAxes> strides = StridesOf(problem);
  std::array<Axis, kAxes> tap, cell;
  for (std::size_t i = 0; i < kAxes; ++i) {
    const auto [t, j] = TapsAndCells(d, image.cell[i], gemm.axis[i], strides[i]);
    tap[i] = t;
    cell[i] = j;
  }
  return {.group = image.group,
          .channel = image.channel,
          .cells = d.Merge({image.n, cell[0], cell[1], cell[2]}),
          .tap = tap};
}

/// w of forward and backward-data, without the taps that the class does not have.
WeightAxes AddTapsOf(Descriptor& d, const ConvProblem& problem, const SubGemm& gemm) {
  WeightAxes w = AddWeights(d, problem.AxesOf(Tensor::kW));
  const std::array<AxisStrides, kAxes> strides = StridesOf(problem);
  for (std::size_t i = 0; i < kAxes; ++i) {
    const AxisClass& axis = gemm.axis[i];
    w.tap[i] = d.Slice(w.tap[i], axis.first_tap, std::max(axis.taps, 1), strides[i].tap_stride);
  }
  return w;
}

GemmDescriptors LowerGather(const ConvProblem& problem, const SubGemm& gemm) {
  GemmDescriptors out = {
      .a = {}, .b = {}, .c = OutputDescriptor(problem, problem.AxesOf(problem.out()).stride, gemm)};
  const SourceView x = AddSource(out.a, problem, problem.a(), gemm);
  out.a.See({x.group, x.cells, out.a.Merge({x.tap[0], x.tap[1], x.tap[2], x.channel})});
  const WeightAxes w = AddTapsOf(out.b, problem, gemm);
  const bool forward = problem.direction == Direction::kForward;
  const Axis column = forward ? w.k : w.c, channel = forward ? w.c : w.k;
  out.b.See({w.group, column, out.b.Merge({w.tap[0], w.tap[1], w.tap[2], channel})});
  out.terms = Taps(gemm) == 0 ? 0 : out.a.length(2);
  return out;
}

GemmDescriptors LowerBackwardWeight(const ConvProblem& problem, const SubGemm& gemm) {
  GemmDescriptors out = {
      .a = {}, .b = {}, .c = OutputDescriptor(problem, problem.AxesOf(problem.out()).stride, gemm)};
  const ImageAxes dy = AddImage(out.a, problem.AxesOf(Tensor::kY));
  out.a.See({dy.group, dy.channel, out.a.Merge({dy.n, dy.cell[0], dy.cell[1], dy.cell[2]})});
  const SourceView x = AddSource(out.b, problem, Tensor::kX, gemm);
  out.b.See({x.group, out.b.Merge({x.tap[0], x.tap[1], x.tap[2], x.channel}), x.cells});
  out.terms = out.b.length(2);
  return out;
}

}  // namespace

Descriptor OutputDescriptor(const ConvProblem& problem, const PerAxis& stride,
                            const SubGemm& gemm) {
  Descriptor c;
  TensorAxes axes = problem.AxesOf(problem.out());
  axes.stride = stride;
  if (problem.direction == Direction::kBackwardWeight) {
    const WeightAxes w = AddWeights(c, axes);
    c.See({w.group, w.k, c.Merge({w.tap[0], w.tap[1], w.tap[2], w.c})});
    return c;
  }
  const ImageAxes image = AddImage(c, axes);
  const std::array<AxisStrides, kAxes> strides = StridesOf(problem);
  std::array<Axis, kAxes> cell;
  for (std::size_t i = 0; i < kAxes; ++i) {
    cell[i] =
        c.Slice(image.cell[i], gemm.axis[i].first_cell, gemm.axis[i].count, strides[i].cell_stride);
  }
  c.See({image.group, c.Merge({image.n, cell[0], cell[1], cell[2]}), image.channel});
  return c;
}

GemmDescriptors Lower(const ConvProblem& problem, const SubGemm& gemm) {
  return problem.direction == Direction::kBackwardWeight ? LowerBackwardWeight(problem, gemm)
                                                         : LowerGather(problem, gemm);
}

}  // namespace gridwise::ck
