/// Element-wise functions: types that kernels are compiled with, and values that launches pass.
///
/// A kernel's Functions are a struct of plain numbers with
///
///   template <class T> T A(T element) const    what an element of A becomes before it is
///   multiplied template <class T> T B(T element) const    the same of B float C(float sum, const
///   float* d, int column) ...
///
/// and constants that say which of them do nothing.
#pragma once

#include "core/base/math.h"

namespace gridwise::ck {

/// What becomes of an element of an operand.
struct PassThrough {
  static constexpr bool kDoesNothing = true;
  GRIDWISE_HD constexpr float operator()(float element) const { return element; }
};
struct Scale {
  static constexpr bool kDoesNothing = false;
  float factor = 1;
  GRIDWISE_HD constexpr float operator()(float element) const { return factor * element; }
};

/// What becomes of a sum: clamp(D1 op (D0 op (alpha * sum))), where D op v is v + scale * D or
/// v * scale * D; see core/conv/epilogue.h. NaN stays NaN. Which operations there are is the same
/// in all lanes, so one type serves them all.
struct Combine {
  struct Tensor {
    float scale = 1;
    int multiplies = 0;
  };
  float alpha = 1;
  Tensor d[2];
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
