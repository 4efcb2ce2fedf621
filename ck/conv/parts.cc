#include "ck/conv/parts.h"

#include <algorithm>
#include <cstddef>

#include "ck/base/math.h"

namespace gridwise {
namespace {

/// A range of an axis of x and of y, and the axis of the problem on them.
struct AxisPart {
  Dim dim;
  std::int64_t first_x, first_y;
};

/// Output cells first ... end - 1 of forward and backward-weight, with the input cells that they
/// see.
std::optional<AxisPart> PartOfOutput(const Dim& dim, std::int64_t first, std::int64_t end) {
  const std::int64_t low = first * dim.stride - dim.pad_begin;
  const std::int64_t high = (end - 1) * dim.stride - dim.pad_begin + dim.dilated_filter() - 1;
  if (low >= dim.in || high < 0) return std::nullopt;
  const std::int64_t first_x = std::max<std::int64_t>(low, 0);
  const std::int64_t last_x = std::min(high, dim.in - 1);
  AxisPart part = {.dim = dim, .first_x = first_x, .first_y = first};
  part.dim.in = last_x - first_x + 1;
  part.dim.pad_begin = first_x - low;
  part.dim.pad_end = high - last_x;
  return part;
}

/// Input cells first ... end - 1 of backward-data, with the output cells that see them.
std::optional<AxisPart> PartOfInput(const Dim& dim, std::int64_t first, std::int64_t end) {
  const std::int64_t reach = dim.dilated_filter() - 1;
  const std::int64_t from = first + dim.pad_begin - reach;
  const std::int64_t first_y = std::min({from <= 0 ? 0 : CeilDiv(from, dim.stride),
                                         (first + dim.pad_begin) / dim.stride, dim.out() - 1});
  const std::int64_t last_y =
      std::max(first_y, std::min(dim.out() - 1, (end - 1 + dim.pad_begin) / dim.stride));
  AxisPart part = {.dim = dim, .first_x = first, .first_y = first_y};
  part.dim.in = end - first;
  part.dim.pad_begin = dim.pad_begin + first - first_y * dim.stride;
  part.dim.pad_end = std::max<std::int64_t>(
      0, (last_y - first_y) * dim.stride + reach + 1 - part.dim.in - part.dim.pad_begin);
  if (part.dim.out() != last_y - first_y + 1) return std::nullopt;
  return part;
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
    return Offset(origin.Of(tensor), whole.AxesOf(tensor).stride);
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

std::optional<std::vector<ConvPart>> HalveCells(const ConvPart& whole) {
  const bool of_input = whole.problem.direction == Direction::kBackwardData;
  for (std::size_t i = 0; i < 3; ++i) {
    const Dim& dim = whole.problem.dims[i];
    const std::int64_t cells = of_input ? dim.in : dim.out();
    if (cells < 2) continue;
    std::vector<ConvPart> halves;
    for (const auto& [first, end] : {std::pair<std::int64_t, std::int64_t>(0, cells / 2),
                                     std::pair<std::int64_t, std::int64_t>(cells / 2, cells)}) {
      const std::optional<AxisPart> part =
          of_input ? PartOfInput(dim, first, end) : PartOfOutput(dim, first, end);
      if (!part) return std::nullopt;
      ConvProblem problem = whole.problem;
      problem.dims[i] = part->dim;
      Origin origin;
      origin.x[i + 1] = part->first_x;
      origin.y[i + 1] = part->first_y;
      halves.push_back(Move(whole, problem, origin));
    }
    return halves;
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::vector<ConvPart>> Halve(const ConvPart& part, PartAxis axis) {
  if (axis == PartAxis::kCells) return HalveCells(part);
  const bool groups = axis == PartAxis::kGroups;
  const std::int64_t count = groups ? part.problem.groups : part.problem.batch;
  if (count < 2) return std::nullopt;
  std::vector<ConvPart> halves;
  for (const std::int64_t first : {std::int64_t{0}, count / 2}) {
    const std::int64_t half = first == 0 ? count / 2 : count - count / 2;
    ConvProblem problem = part.problem;
    Origin origin;
    if (groups) {
      problem.c = part.problem.c_per_group() * half;
      problem.k = part.problem.k_per_group() * half;
      problem.groups = half;
      origin.x[4] = origin.w[0] = origin.y[4] = first;
    } else {
      problem.batch = half;
      origin.x[0] = origin.y[0] = first;
    }
    halves.push_back(Move(part, problem, origin));
  }
  return halves;
}

}  // namespace gridwise
