/// What a convolution does with its sums before it writes them.
#pragma once

#include <array>
#include <cstddef>
#include <limits>

#include "core/base/types.h"
#include "core/conv/layouts.h"

namespace gridwise {

/// A tensor of the output's shape that the epilogue reads, at strides of its own: 0 repeats it
/// along an axis, so that a bias has 0 for all axes but the channels.
struct EpilogueTensor {
  enum class Op : unsigned char { kAdd, kMultiply };
  Op op = Op::kAdd;
  double scale = 1;
  DataType type = DataType::kF16;  ///< the output's, or f32
  PerAxis stride = {};             ///< elements, by the output's axes; none is negative

  constexpr bool operator==(const EpilogueTensor&) const = default;
};

/// out = clamp(D1 op (D0 op (alpha * conv)), low, high), in f32 and rounded once, where for each of
/// the first `tensors` tensors D op v is v + scale * D or v * scale * D. NaN stays NaN.
///
///   bilinear  alpha * conv + beta * D     alpha, one tensor with scale beta
///   bias      conv + b[channel]           one tensor with strides 0 but for the channels
///   scale     conv * s[channel]           the same, multiplied
///   ReLU      max(v, 0)                   low = 0
struct Epilogue {
  double alpha = 1;
  int tensors = 0;
  std::array<EpilogueTensor, 2> d = {};
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();

  constexpr bool clamps() const {
    return low != -std::numeric_limits<double>::infinity() ||
           high != std::numeric_limits<double>::infinity();
  }
  constexpr bool operator==(const Epilogue&) const = default;
};

/// The value that an output element has before it is rounded; `d` are its elements of the tensors.
constexpr double Apply(const Epilogue& epilogue, double sum, const std::array<double, 2>& d) {
  double v = epilogue.alpha * sum;
  for (int i = 0; i < epilogue.tensors; ++i) {
    const EpilogueTensor& tensor = epilogue.d[static_cast<std::size_t>(i)];
    const double scaled = tensor.scale * d[static_cast<std::size_t>(i)];
    v = tensor.op == EpilogueTensor::Op::kAdd ? v + scaled : v * scaled;
  }
  v = v < epilogue.low ? epilogue.low : v;
  return v > epilogue.high ? epilogue.high : v;
}

}  // namespace gridwise
