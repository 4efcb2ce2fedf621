/// Element-wise functions: types that kernels are compiled with, whose values launches pass.
///
/// That of an operand says how many tensors it is of, kTensors, and gives what is multiplied, from
/// an element of each. That of the sums is Combine.
#pragma once

#include "core/base/math.h"
#include "core/base/unary.h"

namespace gridwise::ck {

/// An operand as it is.
struct PassThrough {
  static constexpr int kTensors = 1;
};

/// scale * A0 + A1, "scaleadd".
struct ScaleAdd {
  static constexpr int kTensors = 2;
  float scale = 1;
  int adds = 1;  // else the operand is A0 alone, and what is given as A1 does not matter
  GRIDWISE_HD constexpr float operator()(float element, float added) const {
    return adds ? __builtin_fmaf(scale, element, added) : element;
  }
};

/// What becomes of a sum: clamp(unary(D1 op (D0 op (alpha * sum)))), where D op v is v + scale * D
/// or v * scale * D; see core/conv/epilogue.h. NaN stays NaN. Which operations there are is the
/// same in all lanes, so one type serves them all.
struct Combine {
  struct Tensor {
    float scale = 1;
    int multiplies = 0;
  };
  float alpha = 1;
  Tensor d[2];
  Unary unary = Unary::kNone;
  float unary_parameter = 1;
  float low = 0, high = 0;
  int clamps = 0;

  GRIDWISE_HD constexpr float Scaled(float sum) const { return alpha * sum; }
  /// `v` and the tensor's element.
  GRIDWISE_HD constexpr float WithTensor(int tensor, float v, float element) const {
    const float scaled = d[tensor].scale * element;
    return d[tensor].multiplies ? v * scaled : v + scaled;
  }
  GRIDWISE_HD constexpr float Clamped(float v) const {
    if (!clamps) return v;
    const float above = v < low ? low : v;
    return above > high ? high : above;
  }
};

/// The functions of a kernel: of A, B and C.
template <class OfA = PassThrough, class OfB = PassThrough, class OfC = Combine>
struct Functions {
  [[no_unique_address]] OfA a;
  [[no_unique_address]] OfB b;
  OfC c;
};

}  // namespace gridwise::ck
