// SPDX-License-Identifier: MIT
/// The convolution problem: the user's request. Plain values; device-usable.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "core/base/math.h"
#include "core/base/types.h"
#include "core/conv/direction.h"
#include "core/conv/epilogue.h"
#include "core/conv/layouts.h"

namespace gridwise {

constexpr std::optional<Direction> ParseDirection(std::string_view name) {
  for (Direction direction : kAllDirections) {
    if (name == Name(direction)) return direction;
  }
  return std::nullopt;
}

/// One spatial axis. Input pixel i, output pixel o and filter tap y meet if i = o * stride + y *
/// dilation - pad_begin.
struct Dim {
  int64_t in = 1;
  int64_t filter = 1;
  int64_t stride = 1;
  int64_t dilation = 1;
  int64_t pad_begin = 0;
  int64_t pad_end = 0;

  constexpr int64_t padded_in() const { return in + pad_begin + pad_end; }
  /// Input pixels from a filter's first tap to its last.
  constexpr int64_t dilated_filter() const { return dilation * (filter - 1) + 1; }
  /// Output pixels: positions of the dilated filter in the padded input, `stride` apart. 0 if it
  /// does not fit.
  constexpr int64_t out() const {
    return padded_in() < dilated_filter() ? 0 : (padded_in() - dilated_filter()) / stride + 1;
  }
  /// Maximum number of taps that reach one input pixel in backward-data: these are stride /
  /// gcd(stride, dilation) apart.
  constexpr int64_t max_taps_of_phase() const {
    return CeilDiv(filter, stride / Gcd(stride, dilation));
  }
  constexpr bool operator==(const Dim&) const = default;
};

/// Names of the spatial axes in the order of ConvProblem::dims.
inline constexpr const char* kAxisNames[3] = {"d", "h", "w"};

/// The tensors of a convolution; a gradient counts as the tensor that it is the gradient of.
enum class Tensor : unsigned char { kX, kW, kY };

/// Replaces operand t by scale * t + t1 in forward, computed in f32 and rounded to the operands'
/// type. t1 is a tensor of t's shape, layout and type.
struct OperandSum {
  bool adds = false;  ///< otherwise the operand is t
  double scale = 1;

  constexpr bool operator==(const OperandSum&) const = default;
};

/// A grouped convolution in one direction. Tensors are packed; where the layouts are the first
/// ones, innermost axis last:
///
///   x, dx [n][d][h][w][g][c/g]
///   w, dw [g][k/g][z][y][x][c/g]
///   y, dy [n][do][ho][wo][g][k/g]
///
///   y[n][o][g][k] = sum over taps t and channels c of
///                   x[n][o * stride + t * dilation - pad_begin][g][c] * w[g][k][t][c]
///
/// x is zero outside its extents, and these zeros are multiplied like other values: an infinity or
/// NaN in w (in dy, for backward-weight) makes NaN of each sum in which its tap meets padding. The
/// same holds in backward-data for dy, which is zero outside its extents where a tap leads there by
/// whole strides; positions between the strides are not terms. That is the rule on every target,
/// for every type and instance.
///
/// Validate() states the rules for a valid problem.
struct ConvProblem {
  Direction direction = Direction::kForward;
  DataType type = DataType::kF16;                   ///< of operands
  std::optional<DataType> out_type = std::nullopt;  ///< of the output, see output_type()
  int rank = 2;  ///< spatial axes: 1 (w), 2 (h, w) or 3 (d, h, w)
  int64_t groups = 1;
  int64_t batch = 1;  ///< images; 0: y and dx are empty, and dw is the epilogue of sums of 0
  int64_t c = 1;      ///< input channels of all groups together
  int64_t k = 1;      ///< output channels of all groups together
  /// d, h, w; the leading ones of ranks 1 and 2 stay at their defaults.
  std::array<Dim, 3> dims = {};
  Layout layout = Layout::kNHWGC;  ///< of x and y
  WeightLayout weight_layout = WeightLayout::kGKYXC;
  Epilogue epilogue = {};
  std::array<OperandSum, 2> operand_sums = {};  ///< of a and b
  /// Elements from one index to the next of x, w and y, if they are parts of larger tensors, see
  /// parts.h. All 0: packed, as in every user's problem.
  std::array<PerAxis, 3> strides = {};

  /// Type of the output: out_type if set, otherwise the type of the operands in memory, or of the
  /// sums for 8-bit operands.
  constexpr DataType output_type() const {
    return out_type.value_or(SizeOf(type) == 1 ? SumType(type) : StoredType(type));
  }

  constexpr bool sums_operands() const { return operand_sums[0].adds || operand_sums[1].adds; }

  constexpr int64_t c_per_group() const { return c / groups; }
  constexpr int64_t k_per_group() const { return k / groups; }
  constexpr int64_t in_pixels() const { return dims[0].in * dims[1].in * dims[2].in; }
  constexpr int64_t out_pixels() const { return dims[0].out() * dims[1].out() * dims[2].out(); }
  constexpr int64_t filter_taps() const { return dims[0].filter * dims[1].filter * dims[2].filter; }

  /// Sizes and strides of a tensor.
  constexpr TensorAxes AxesOf(Tensor tensor) const {
    const auto& [d, h, w] = dims;
    TensorAxes axes = {};
    switch (tensor) {
      case Tensor::kX:
        axes = PackedAxes({batch, d.in, h.in, w.in, groups, c_per_group()}, layout);
        break;
      case Tensor::kW:
        axes = PackedAxes({groups, k_per_group(), d.filter, h.filter, w.filter, c_per_group()},
                          weight_layout);
        break;
      case Tensor::kY:
        axes = PackedAxes({batch, d.out(), h.out(), w.out(), groups, k_per_group()}, layout);
        break;
    }
    const PerAxis& given = strides[static_cast<std::size_t>(tensor)];
    if (given != PerAxis{}) axes.stride = given;
    return axes;
  }
  /// The direction's operands and output, see below.
  constexpr Tensor a() const { return direction == Direction::kForward ? Tensor::kX : Tensor::kY; }
  constexpr Tensor b() const {
    return direction == Direction::kBackwardWeight ? Tensor::kX : Tensor::kW;
  }
  constexpr Tensor out() const {
    return direction == Direction::kForward        ? Tensor::kY
           : direction == Direction::kBackwardData ? Tensor::kX
                                                   : Tensor::kW;
  }

  /// Elements of x (and dx), w (and dw), y (and dy).
  constexpr int64_t x_elements() const { return batch * in_pixels() * c; }
  constexpr int64_t w_elements() const { return k * filter_taps() * c_per_group(); }
  constexpr int64_t y_elements() const { return batch * out_pixels() * k; }

  /// Elements of the direction's operands:
  /// forward a = x, b = w, out = y; backward-data a = dy, b = w, out = dx; backward-weight a = dy,
  /// b = x, out = dw.
  constexpr int64_t a_elements() const {
    return direction == Direction::kForward ? x_elements() : y_elements();
  }
  constexpr int64_t b_elements() const {
    return direction == Direction::kBackwardWeight ? x_elements() : w_elements();
  }
  constexpr int64_t out_elements() const {
    switch (direction) {
      case Direction::kForward:
        return y_elements();
      case Direction::kBackwardData:
        return x_elements();
      case Direction::kBackwardWeight:
        return w_elements();
    }
    return 0;
  }

  /// Maximum number of products that an element of the direction's output sums.
  constexpr int64_t reduction_length() const {
    switch (direction) {
      case Direction::kForward:
        return filter_taps() * c_per_group();
      case Direction::kBackwardData: {
        int64_t length = k_per_group();
        for (const Dim& dim : dims) length *= dim.max_taps_of_phase();
        return length;
      }
      case Direction::kBackwardWeight:
        return batch * out_pixels();
    }
    return 0;
  }

  /// Multiplications and additions, the same for every direction; taps that meet padding count too.
  constexpr double Flops() const {
    return 2.0 * static_cast<double>(y_elements()) *
           static_cast<double>(filter_taps() * c_per_group());
  }

  constexpr bool operator==(const ConvProblem&) const = default;
};

}  // namespace gridwise
