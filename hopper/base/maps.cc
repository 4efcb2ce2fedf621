// SPDX-License-Identifier: MIT
#include "hopper/base/maps.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <tuple>
#include <utility>

#include "core/base/math.h"
#include "core/base/recent.h"
#include "core/conv/sub_gemms.h"
#include "core/launch/part_kernel.h"
#include "hopper/operands/tma_operands.h"

namespace gridwise::hopper {
namespace {

TensorMapSpec MapOf(DataType type, int rank) {
  TensorMapSpec map = {.type = type, .rank = rank, .swizzle_bytes = 128};
  return map;
}

/// Taps of the whole filter; the problem may have a part of it.
std::int64_t TapsOfFilter(const TensorAxes& w) {
  return ((w.size[2] - 1) * w.stride[2] + (w.size[3] - 1) * w.stride[3]) / w.stride[4] + w.size[4];
}

/// Elements from the first to the last of all groups and taps, at one output channel of a group.
std::int64_t LineOfWeights(const TensorAxes& w) {
  return (w.size[0] - 1) * w.stride[0] + (TapsOfFilter(w) - 1) * w.stride[4] + w.size[5];
}

/// Limits of im2col maps. Source: CUDA Driver API, cuTensorMapEncodeIm2col, and PTX ISA 9.0,
/// section "im2col mode": offsets share 16 bits.
struct Im2colLimits {
  int corner, move, stride;
};
Im2colLimits LimitsOf(bool is_3d) {
  return is_3d ? Im2colLimits{15, 31, 8} : Im2colLimits{127, 255, 8};
}

std::optional<Refusal> RejectPhase(const AxisPhase& axis, AxisStrides strides, std::int64_t size,
                                   Im2colLimits limits, char name) {
  if (axis.taps == 0) return std::nullopt;
  const std::int64_t last =
      axis.first_source + std::int64_t{axis.count - 1} * strides.source_stride;
  const std::int64_t upper = last - (size - 1);
  const std::int64_t move = std::int64_t{axis.taps - 1} * strides.tap_source_stride;
  if (std::max(std::abs(std::int64_t{axis.first_source}), std::abs(upper)) > limits.corner ||
      move > limits.move || strides.source_stride > limits.stride) {
    return Refuse<
        "along %c, the first tap's pixels begin %d before the tensor's first and end %d after its "
        "last, %d apart, and taps move them by %d; at most %d, %d, %d and %d">(
        name, -axis.first_source, upper, strides.source_stride, move, limits.corner, limits.corner,
        limits.stride, limits.move);
  }
  return std::nullopt;
}

/// Whether kernels need w of backward-data with adjacent k (OperandForm::transposes_w).
bool RunsAlongSourceChannels(const ConvProblem& problem) {
  return problem.direction == Direction::kBackwardData && problem.type == DataType::kTF32;
}

/// `axes` with every `groups` adjacent groups taken as one.
TensorAxes OfTiles(TensorAxes axes, std::int64_t groups) {
  axes.size[4] /= groups;
  axes.stride[4] *= groups;
  axes.size[5] *= groups;
  return axes;
}

}  // namespace

// The stride of an axis of one element does not matter, and maps need multiples of 16 bytes.
void SetAxis(TensorMapSpec& map, std::size_t axis, std::int64_t size, std::int64_t stride) {
  map.size[axis] = static_cast<std::uint64_t>(size);
  map.stride_bytes[axis] = static_cast<std::uint64_t>(size == 1 ? 16 : stride * SizeOf(map.type));
}

std::optional<Refusal> RejectStrides(const char* name, const TensorAxes& axes, std::int64_t bytes,
                                     bool of_groups) {
  if (axes.stride[5] != 1 && axes.size[5] != 1) {
    return Refuse<"channels of %s are %d elements apart; tensor maps need adjacent channels">(
        name, axes.stride[5]);
  }
  for (std::size_t i = 0; i < 5; ++i) {
    if (axes.size[i] == 1 || (i == 4 && !of_groups) || axes.stride[i] * bytes % 16 == 0) continue;
    return Refuse<"elements of %s are %d bytes apart; tensor maps need multiples of 16 bytes">(
        name, axes.stride[i] * bytes);
  }
  return std::nullopt;
}

std::optional<Refusal> RejectLanePixels(const TensorAxes& axes, std::int64_t bytes) {
  if (axes.size[4] != 1) return Refuse<"lanes load pixels of one group">();
  if (axes.stride[3] * bytes % 16 == 0) {
    return Refuse<"pixels of dy are multiples of 16 bytes apart, which TMA loads">();
  }
  if (axes.stride[5] != 1) return Refuse<"lanes load adjacent channels">();
  if (axes.size[5] * bytes % 8 != 0 || axes.stride[3] * bytes % 8 != 0) {
    return Refuse<"pixels of dy are %d bytes, %d bytes apart; lanes load 8 at a time">(
        axes.size[5] * bytes, axes.stride[3] * bytes);
  }
  return std::nullopt;
}

Tensor GatheredTensor(const ConvProblem& problem) {
  return problem.direction == Direction::kBackwardData ? Tensor::kY : Tensor::kX;
}

std::int64_t ChannelsOf(const ConvProblem& problem, Tensor tensor) {
  return tensor == Tensor::kY ? problem.k_per_group() : problem.c_per_group();
}

bool Is3d(const ConvProblem& problem) {
  const Dim& d = problem.dims[0];
  return d != Dim{};
}

TensorMapSpec SourceMap(const ConvProblem& problem, const SubGemm& gemm, int channels, int pixels,
                        SourceGroups groups) {
  const TensorAxes axes = problem.AxesOf(GatheredTensor(problem));
  const bool is_3d = Is3d(problem), has_axis = groups == SourceGroups::kAxis;
  const bool weight = problem.direction == Direction::kBackwardWeight;
  TensorMapSpec map =
      MapOf(weight ? TypeOfB(problem.type) : problem.type, is_3d || has_axis ? 5 : 4);
  map.is_im2col = true;
  map.channels = static_cast<unsigned>(channels);
  map.swizzle_bytes = channels * SizeOf(map.type);
  map.pixels = static_cast<unsigned>(pixels);
  const std::int64_t of_pixel =
      groups == SourceGroups::kWindows ? ChannelsOfPixel(axes) : axes.size[5];
  SetAxis(map, 0, RunsGoOn(problem) ? AlignUp<std::int64_t>(of_pixel, channels) : of_pixel, 1);
  const std::size_t spatial = is_3d ? 3 : 2;
  for (std::size_t i = 0; i < spatial; ++i) {  // w, h, d
    const std::size_t axis = 2 - i;
    const AxisStrides strides = MakeAxisStrides(problem.direction, problem.dims[axis]);
    const AxisPhase& pixels_of = gemm.axis[axis];
    const std::int64_t size = axes.size[axis + 1];
    SetAxis(map, i + 1, size, axes.stride[axis + 1]);
    map.step[i + 1] = static_cast<unsigned>(strides.source_stride);
    map.lower[i] = pixels_of.first_source;
    map.upper[i] =
        static_cast<int>(pixels_of.first_source +
                         std::int64_t{pixels_of.count - 1} * strides.source_stride - (size - 1));
  }
  SetAxis(map, spatial + 1, axes.size[0], axes.stride[0]);
  if (has_axis) SetAxis(map, spatial + 2, axes.size[4], axes.stride[4]);
  return map;
}

TensorMapSpec WeightMap(const ConvProblem& problem, int of_outer, int of_inner) {
  const TensorAxes axes = problem.AxesOf(Tensor::kW);
  const bool transposed = RunsAlongSourceChannels(problem);
  const std::size_t inner = transposed ? 1 : 5, outer = transposed ? 5 : 1;
  TensorMapSpec map = MapOf(TypeOfB(problem.type), 4);
  SetAxis(map, 0, axes.size[inner], 1);
  SetAxis(map, 1, TapsOfFilter(axes), axes.stride[4]);
  SetAxis(map, 2, axes.size[outer], axes.stride[outer]);
  SetAxis(map, 3, axes.size[0], axes.stride[0]);
  map.box = {static_cast<unsigned>(of_inner), 1, static_cast<unsigned>(of_outer), 1};
  map.swizzle_bytes = of_inner * SizeOf(map.type);
  return map;
}

TensorMapSpec WeightLinesMap(const ConvProblem& problem, int k) {
  const TensorAxes axes = problem.AxesOf(Tensor::kW);
  TensorMapSpec map = MapOf(TypeOfB(problem.type), 3);
  SetAxis(map, 0, LineOfWeights(axes), 1);
  SetAxis(map, 1, axes.size[1], axes.stride[1]);
  SetAxis(map, 2, 1, 1);
  map.box = {64, static_cast<unsigned>(k), 1};
  return map;
}

TensorMapSpec PixelMap(const ConvProblem& problem, int pixels) {
  const TensorAxes axes = problem.AxesOf(Tensor::kY);
  TensorMapSpec map = MapOf(problem.type, 3);
  const bool has_groups = PixelsHaveGroups(axes);
  SetAxis(map, 0, has_groups ? ChannelsOfPixel(axes) : axes.size[5], 1);
  SetAxis(map, 1, problem.batch * problem.out_pixels(), axes.stride[3]);
  SetAxis(map, 2, has_groups ? 1 : axes.size[4], axes.stride[4]);
  map.box = {128u / static_cast<unsigned>(SizeOf(map.type)), static_cast<unsigned>(pixels), 1};
  return map;
}

TensorMapSpec ElementsMap(const ConvProblem& problem, Tensor tensor) {
  TensorMapSpec map = {.type = problem.type, .rank = 3};
  SetAxis(map, 0, problem.AxesOf(tensor).Elements(), 1);
  SetAxis(map, 1, 1, 1);
  SetAxis(map, 2, 1, 1);
  map.box = {8, 1, 1};
  return map;
}

bool PixelsHaveGroups(const TensorAxes& axes) {
  return axes.size[4] > 1 && axes.size[4] * axes.stride[4] <= axes.stride[3];
}

std::int64_t ChannelsOfPixel(const TensorAxes& axes) {
  return (axes.size[4] - 1) * axes.stride[4] + axes.size[5];
}

TensorMapSpec OutputMap(const Config& config, const ConvProblem& problem) {
  const TensorAxes axes = problem.AxesOf(problem.out());
  TensorMapSpec map = MapOf(problem.output_type(), 3);
  SetAxis(map, 0, axes.size[5], 1);
  SetAxis(map, 1, axes.size[4], axes.stride[4]);
  SetAxis(map, 2, axes.size[0] * axes.size[1] * axes.size[2] * axes.size[3], axes.stride[3]);
  const auto stored = static_cast<unsigned>(config.stored_columns());
  if (config.w_is_a) {
    map.box = {64, 1, stored};  // a warpgroup's rows
    map.swizzle_bytes = 128;
    return map;
  }
  map.box = {stored, 1, 16};  // a warp's rows
  map.swizzle_bytes = config.stored_row_bytes() == 128 ? 128 : 0;
  return map;
}

bool PixelsAreEvenlySpaced(const TensorAxes& axes) {
  std::int64_t pixels = 1;
  for (const std::size_t axis : {3u, 2u, 1u, 0u}) {
    if (axes.size[axis] != 1 && axes.stride[axis] != pixels * axes.stride[3]) return false;
    pixels *= axes.size[axis];
  }
  return true;
}

namespace {

std::optional<Refusal> FindWhyNot(const ConvProblem& problem, bool lanes,
                                  std::int64_t groups_of_tile) {
  const TensorAxes source = OfTiles(problem.AxesOf(GatheredTensor(problem)), groups_of_tile);
  const std::int64_t of_b = SizeOf(TypeOfB(problem.type));
  const bool weight = problem.direction == Direction::kBackwardWeight;
  const std::int64_t source_bytes = weight ? of_b : SizeOf(problem.type);
  const std::int64_t bytes = weight ? SizeOf(problem.type) : of_b;
  const bool takes_groups = weight ? PixelsHaveGroups(source) : source.stride[4] == source.size[5];
  if (source.size[4] != 1 && !takes_groups) {
    return Refuse<
        "groups are %d elements apart; the instance gathers channels of adjacent groups, or, in "
        "backward-weight, of the groups of one pixel">(source.stride[4]);
  }
  if (auto reason = RejectStrides("the gathered tensor", source, source_bytes)) return reason;
  const Tensor other = weight ? Tensor::kY : Tensor::kW;
  TensorAxes axes = OfTiles(problem.AxesOf(other), groups_of_tile);
  const bool transposed = RunsAlongSourceChannels(problem);
  if (transposed) {  // the axis that must be adjacent is k
    std::swap(axes.size[1], axes.size[5]);
    std::swap(axes.stride[1], axes.stride[5]);
  }
  if (lanes) {
    if (auto reason = RejectLanePixels(axes, bytes)) return reason;
  } else if (auto reason = RejectStrides(weight ? "dy" : "w", axes, bytes)) {
    return reason;
  }
  if (weight && !PixelsAreEvenlySpaced(axes)) return Refuse<"pixels of dy are not evenly spaced">();
  if (problem.direction == Direction::kBackwardData && !transposed &&
      LineOfWeights(axes) >= kOffsetLimit) {
    return Refuse<"w reaches over %d elements; must be fewer than 2^31">(LineOfWeights(axes));
  }
  const Im2colLimits limits = LimitsOf(Is3d(problem));
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const AxisMap map = MakeAxisMap(problem.direction, problem.dims[axis]);
    for (const AxisPhase& of : map.phases) {
      if (auto reason = RejectPhase(of, map.strides, source.size[axis + 1], limits, "dhw"[axis])) {
        return reason;
      }
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<Refusal> RejectMaps(const ConvProblem& problem, bool lanes,
                                  std::int64_t groups_of_tile) {
  // Which of a thread's last problems have maps: most instances ask about the same one.
  using Key = std::tuple<bool, std::int64_t, ConvProblem>;
  static thread_local Recent<Key, bool> has_maps;
  std::optional<Refusal> reason;
  const bool has = has_maps.Get(std::tie(lanes, groups_of_tile, problem), [&] {
    reason = FindWhyNot(problem, lanes, groups_of_tile);
    return !reason;
  });
  if (has || reason) return reason;
  return FindWhyNot(problem, lanes, groups_of_tile);
}

}  // namespace gridwise::hopper
