// SPDX-License-Identifier: MIT
/// The function that a convolution applies to its sums before it writes them.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <limits>

#include "core/base/types.h"
#include "core/base/unary.h"
#include "core/conv/layouts.h"

namespace gridwise {

/// A tensor of the output's shape that the epilogue reads, at separate strides. A stride of 0
/// repeats it along an axis: a bias has 0 for all axes except the channels.
struct EpilogueTensor {
  enum class Op : unsigned char { kAdd, kMultiply };
  Op op = Op::kAdd;
  double scale = 1;
  DataType type = DataType::kF16;  ///< the output's, or f32
  PerAxis stride = {};             ///< elements, by the output's axes; none is negative

  constexpr bool operator==(const EpilogueTensor&) const = default;
};

/// out = clamp(unary(D1 op (D0 op (alpha * conv))), low, high), in f32 and rounded once, where for
/// each of the first `tensors` tensors D op v is v + scale * D or v * scale * D. NaN stays NaN.
///
///   bilinear  alpha * conv + beta * D     alpha, one tensor with scale beta
///   bias      conv + b[channel]           one tensor with strides 0 except for the channels
///   scale     conv * s[channel]           the same, multiplied
///   ReLU      max(v, 0)                   low = 0
///   SiLU      v / (1 + e^-v)              unary = kSwish
struct Epilogue {
  double alpha = 1;
  int tensors = 0;
  std::array<EpilogueTensor, 2> d = {};
  Unary unary = Unary::kNone;
  double unary_parameter = 1;  ///< a of core/base/unary.h
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();

  constexpr bool clamps() const {
    return low != -std::numeric_limits<double>::infinity() ||
           high != std::numeric_limits<double>::infinity();
  }
  constexpr bool operator==(const Epilogue&) const = default;
};

/// The unary function by its definition.
inline double Apply(Unary unary, double a, double v) {
  constexpr double kSqrt2OverPi = 0.79788456080286535588;
  switch (unary) {
    case Unary::kNone:
      break;
    case Unary::kAbs:
      return std::abs(v);
    case Unary::kLeakyRelu:
      return v < 0 ? a * v : v;
    case Unary::kElu:
      return v < 0 ? a * std::expm1(v) : v;
    case Unary::kSigmoid:
      return 1 / (1 + std::exp(-v));
    case Unary::kTanh:
      return std::tanh(v);
    case Unary::kSwish:
      return v / (1 + std::exp(-a * v));
    case Unary::kSoftplus:
      return (std::fmax(a * v, 0) + std::log1p(std::exp(-std::abs(a * v)))) / a;
    case Unary::kGelu:
      return v * (1 + std::tanh(kSqrt2OverPi * (v + 0.044715 * v * v * v))) / 2;
  }
  return v;
}

/// The value of an output element before rounding; `d` are its elements of the tensors.
inline double Apply(const Epilogue& epilogue, double sum, const std::array<double, 2>& d) {
  double v = epilogue.alpha * sum;
  for (int i = 0; i < epilogue.tensors; ++i) {
    const EpilogueTensor& tensor = epilogue.d[static_cast<std::size_t>(i)];
    const double scaled = tensor.scale * d[static_cast<std::size_t>(i)];
    v = tensor.op == EpilogueTensor::Op::kAdd ? v + scaled : v * scaled;
  }
  v = Apply(epilogue.unary, epilogue.unary_parameter, v);
  v = v < epilogue.low ? epilogue.low : v;
  return v > epilogue.high ? epilogue.high : v;
}

}  // namespace gridwise
