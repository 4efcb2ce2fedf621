// SPDX-License-Identifier: MIT
#include "core/rewrite/parts.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>

#include "core/base/math.h"

namespace gridwise {
namespace {

/// A range of an axis of x, of the filter's taps and of y, and the problem's axis restricted to
/// them.
struct AxisPart {
  Dim dim;
  std::int64_t first_x = 0, first_tap = 0, first_y = 0;
};

/// Indices first, ..., last; none where last < first.
struct Range {
  std::int64_t first, last;

  std::int64_t count() const { return last - first + 1; }
};

Range All(std::int64_t count) { return {0, count - 1}; }
std::array<Range, 2> Halves(std::int64_t count) {
  return {Range{0, count / 2 - 1}, Range{count / 2, count - 1}};
}

/// The range of an axis on which pixels `x`, taps `taps` and pixels `y` are left: tap t of pixel o
/// of y meets pixel o * stride + t * dilation - pad_begin of x.
AxisPart Cut(Direction direction, const Dim& dim, Range x, Range taps, Range y) {
  AxisPart part = {.dim = dim, .first_x = x.first, .first_tap = taps.first, .first_y = y.first};
  Dim& cut = part.dim;
  cut.in = x.count();
  cut.filter = taps.count();
  cut.pad_begin = dim.pad_begin + x.first - taps.first * dim.dilation - y.first * dim.stride;
  // A single tap or pixel takes no step. In backward-data, the smallest stride that leaves a single
  // tap to each pixel is kept.
  if (taps.count() == 1) cut.dilation = 1;
  if (y.count() == 1) {
    const std::int64_t least = direction == Direction::kBackwardData ? cut.dilated_filter() : 1;
    cut.stride = std::min(dim.stride, least);
  }
  cut.pad_end = (y.count() - 1) * cut.stride + cut.dilated_filter() - cut.in - cut.pad_begin;
  return part;
}

/// The i in [0, count) for which [i * step - pad, i * step - pad + reach] and [0, in) meet.
Range Meeting(std::int64_t count, std::int64_t step, std::int64_t pad, std::int64_t reach,
              std::int64_t in) {
  const std::int64_t first = pad - reach <= 0 ? 0 : CeilDiv(pad - reach, step);
  const std::int64_t last = in - 1 + pad < 0 ? -1 : (in - 1 + pad) / step;
  return {first, std::min(last, count - 1)};
}

/// Returns nullopt if no tap of the axis meets a pixel of x.
std::optional<AxisPart> TrimAxis(Direction direction, const Dim& dim) {
  const std::int64_t out_reach = (dim.out() - 1) * dim.stride;
  const std::int64_t tap_reach = (dim.filter - 1) * dim.dilation;
  Range x = All(dim.in), taps = All(dim.filter), y = All(dim.out());
  if (direction != Direction::kBackwardWeight) {
    taps = Meeting(dim.filter, dim.dilation, dim.pad_begin, out_reach, dim.in);
  }
  if (direction != Direction::kForward) {
    y = Meeting(dim.out(), dim.stride, dim.pad_begin, tap_reach, dim.in);
  }
  if (taps.count() < 1 || y.count() < 1) return std::nullopt;
  if (direction != Direction::kBackwardData) {
    const std::int64_t low = y.first * dim.stride + taps.first * dim.dilation - dim.pad_begin;
    const std::int64_t high = y.last * dim.stride + taps.last * dim.dilation - dim.pad_begin;
    x = {std::max<std::int64_t>(low, 0), std::min(high, dim.in - 1)};
    if (x.count() < 1) return std::nullopt;
  }
  return Cut(direction, dim, x, taps, y);
}

/// Where a part begins, by the axes of x, w and y.
struct Origin {
  PerAxis x = {}, w = {}, y = {};

  const PerAxis& Of(Tensor tensor) const {
    return tensor == Tensor::kX ? x : tensor == Tensor::kW ? w : y;
  }
};

std::int64_t Offset(const PerAxis& at, const PerAxis& stride) {
  std::int64_t offset = 0;
  for (std::size_t axis = 0; axis < at.size(); ++axis) offset += at[axis] * stride[axis];
  return offset;
}

/// `problem` on tensors that begin at `origin` of those of `from`.
ConvPart Move(const ConvPart& from, ConvProblem problem, const Origin& origin) {
  const ConvProblem& whole = from.problem;
  for (const Tensor tensor : {Tensor::kX, Tensor::kW, Tensor::kY}) {
    problem.strides[static_cast<std::size_t>(tensor)] = whole.AxesOf(tensor).stride;
  }
  const auto offset = [&](Tensor tensor) {
    return Offset(origin.Of(tensor), problem.strides[static_cast<std::size_t>(tensor)]);
  };
  ConvPart part = {.problem = problem,
                   .a = from.a + offset(whole.a()),
                   .b = from.b + offset(whole.b()),
                   .out = from.out + offset(whole.out())};
  for (std::size_t i = 0; i < 2; ++i) {
    part.d[i] = from.d[i] + Offset(origin.Of(whole.out()), whole.epilogue.d[i].stride);
  }
  return part;
}

/// `part` with axis i of the problem as in axes[i].
ConvPart WithAxes(const ConvPart& part, const AxisPart (&axes)[3]) {
  ConvProblem problem = part.problem;
  Origin origin;
  for (std::size_t i = 0; i < 3; ++i) {
    problem.dims[i] = axes[i].dim;
    origin.x[i + 1] = axes[i].first_x;
    origin.w[i + 2] = axes[i].first_tap;
    origin.y[i + 1] = axes[i].first_y;
  }
  return Move(part, problem, origin);
}

/// A part without products: `part` with one tap, or one pixel of y, per axis, which meets padding.
ConvPart Dead(const ConvPart& part) {
  const Direction direction = part.problem.direction;
  AxisPart axes[3];
  for (std::size_t i = 0; i < 3; ++i) {
    const Dim& whole = part.problem.dims[i];
    Dim& dim = axes[i].dim;
    if (direction == Direction::kBackwardData) dim.in = whole.in;
    if (direction == Direction::kBackwardWeight) dim.filter = whole.filter;
    dim.pad_begin = -dim.in;
    dim.pad_end = (direction == Direction::kForward ? whole.out() : 1) + dim.filter - 1;
  }
  ConvPart dead = WithAxes(part, axes);
  // Nothing is read from the tensor that has the padding, and no offset reaches anywhere.
  const Tensor source = direction == Direction::kBackwardData ? Tensor::kY : Tensor::kX;
  for (const std::size_t axis : {1u, 2u, 3u}) {
    dead.problem.strides[static_cast<std::size_t>(source)][axis] = 0;
  }
  return dead;
}

/// `part` with axis i of the problem as in `axis`, trimmed.
ConvPart WithAxis(const ConvPart& part, std::size_t i, const AxisPart& axis) {
  AxisPart axes[3];
  for (std::size_t a = 0; a < 3; ++a) axes[a].dim = part.problem.dims[a];
  axes[i] = axis;
  return Trim(WithAxes(part, axes));
}

/// How far offsets reach along axis i, to pixels and to the pixels that taps pair with them, in the
/// tensor in which they reach furthest.
std::int64_t ReachAlong(const ConvProblem& problem, std::size_t i) {
  const Dim& dim = problem.dims[i];
  const std::int64_t taps = (dim.filter - 1) * dim.dilation;
  std::int64_t x = dim.in - 1, y = dim.out() - 1;
  if (problem.direction == Direction::kBackwardData) {
    y = (x + taps) / dim.stride;
  } else {
    x = y * dim.stride + taps;
  }
  std::int64_t reach = std::max(x * problem.AxesOf(Tensor::kX).stride[i + 1],
                                y * problem.AxesOf(Tensor::kY).stride[i + 1]);
  if (problem.out() == Tensor::kW) return reach;
  for (int d = 0; d < problem.epilogue.tensors; ++d) {
    const EpilogueTensor& tensor = problem.epilogue.d[static_cast<std::size_t>(d)];
    reach = std::max(reach, (problem.out() == Tensor::kX ? x : y) * tensor.stride[i + 1]);
  }
  return reach;
}

std::optional<std::vector<ConvPart>> HalvePixels(const ConvPart& whole) {
  const Direction direction = whole.problem.direction;
  const bool of_input = direction == Direction::kBackwardData;
  const auto pixels_along = [&](std::size_t i) {
    return of_input ? whole.problem.dims[i].in : whole.problem.dims[i].out();
  };
  const auto value = [&](std::size_t i) {
    return pixels_along(i) < 2 ? -1 : ReachAlong(whole.problem, i);
  };
  const std::size_t i = std::max({std::size_t{0}, std::size_t{1}, std::size_t{2}},
                                 [&](std::size_t a, std::size_t b) { return value(a) < value(b); });
  const Dim& dim = whole.problem.dims[i];
  const std::int64_t pixels = pixels_along(i);
  if (pixels < 2) return std::nullopt;
  std::vector<ConvPart> halves;
  for (const Range& half : Halves(pixels)) {
    const AxisPart axis = of_input ? Cut(direction, dim, half, All(dim.filter), All(dim.out()))
                                   : Cut(direction, dim, All(dim.in), All(dim.filter), half);
    halves.push_back(WithAxis(whole, i, axis));
  }
  return halves;
}

/// The halves of the taps; only backward-weight writes taps.
std::optional<std::vector<ConvPart>> HalveTaps(const ConvPart& whole) {
  const ConvProblem& problem = whole.problem;
  if (problem.direction != Direction::kBackwardWeight) return std::nullopt;
  const PerAxis x_stride = problem.AxesOf(Tensor::kX).stride;
  const auto reach = [&](std::size_t i) {
    return (problem.dims[i].filter - 1) * problem.dims[i].dilation * x_stride[i + 1];
  };
  const std::size_t i = std::max({std::size_t{0}, std::size_t{1}, std::size_t{2}},
                                 [&](std::size_t a, std::size_t b) { return reach(a) < reach(b); });
  const Dim& dim = problem.dims[i];
  if (dim.filter < 2) return std::nullopt;
  std::vector<ConvPart> halves;
  for (const Range& half : Halves(dim.filter)) {
    halves.push_back(
        WithAxis(whole, i, Cut(problem.direction, dim, All(dim.in), half, All(dim.out()))));
  }
  return halves;
}

/// Channels of the first half of `count`: a power of two times those that instances load at a time,
/// if there are enough.
std::int64_t HalfOfChannels(std::int64_t count) {
  const auto together = static_cast<std::int64_t>(
      std::min(std::uint64_t{64}, std::bit_floor(static_cast<std::uint64_t>(count) / 2)));
  return count / 2 / together * together;
}

}  // namespace

std::vector<ConvPart> CutImages(const ConvPart& part, std::int64_t images) {
  std::vector<ConvPart> parts;
  const std::int64_t rest = part.problem.batch - images;
  for (const auto& [first, size] : {std::pair(std::int64_t{0}, images), {images, rest}}) {
    ConvProblem problem = part.problem;
    problem.batch = size;
    Origin origin;
    origin.x[0] = origin.y[0] = first;
    parts.push_back(Move(part, problem, origin));
  }
  return parts;
}

std::optional<std::vector<ConvPart>> Halve(const ConvPart& part, PartAxis axis) {
  if (axis == PartAxis::kPixels) return HalvePixels(part);
  if (axis == PartAxis::kTaps) return HalveTaps(part);
  const ConvProblem& whole = part.problem;
  if (axis == PartAxis::kC && whole.direction == Direction::kForward) return std::nullopt;
  const std::int64_t count = axis == PartAxis::kGroups   ? whole.groups
                             : axis == PartAxis::kImages ? whole.batch
                             : axis == PartAxis::kC      ? whole.c_per_group()
                                                         : whole.k_per_group();
  if (count < 2) return std::nullopt;
  if (axis == PartAxis::kImages) return CutImages(part, count / 2);
  const bool of_channels = axis == PartAxis::kC || axis == PartAxis::kK;
  const std::int64_t middle = of_channels ? HalfOfChannels(count) : count / 2;
  std::vector<ConvPart> halves;
  for (const auto& [first, size] : {std::pair(std::int64_t{0}, middle), {middle, count - middle}}) {
    ConvProblem problem = whole;
    Origin origin;
    switch (axis) {
      case PartAxis::kGroups:
        problem.c = whole.c_per_group() * size;
        problem.k = whole.k_per_group() * size;
        problem.groups = size;
        origin.x[4] = origin.w[0] = origin.y[4] = first;
        break;
      case PartAxis::kC:
        problem.c = size * whole.groups;
        origin.x[5] = origin.w[5] = first;
        break;
      default:
        problem.k = size * whole.groups;
        origin.w[1] = origin.y[5] = first;
        break;
    }
    halves.push_back(Move(part, problem, origin));
  }
  return halves;
}

ConvPart Trim(const ConvPart& part) {
  const Direction direction = part.problem.direction;
  AxisPart axes[3];
  for (std::size_t i = 0; i < 3; ++i) {
    const std::optional<AxisPart> axis = TrimAxis(direction, part.problem.dims[i]);
    if (!axis) return Dead(part);
    axes[i] = *axis;
  }
  return WithAxes(part, axes);
}

}  // namespace gridwise
