/// Tensors that users describe by strides.
#pragma once

#include "absl/status/status.h"
#include "core/conv/layouts.h"
#include "core/conv/problem.h"

namespace gridwise {

/// Elements from one index to the next of x, w and y and their gradients, by their axes (PerAxis).
/// All 0: not given.
struct TensorStrides {
  PerAxis x = {}, w = {}, y = {};
  bool operator==(const TensorStrides&) const = default;
};

/// Sets the problem's layouts to those that have these strides; axes of one index may have any. A
/// tensor whose strides are not given takes part in no choice. kInvalidArgument, naming the tensor,
/// the axis and what its stride must be, where kernels cannot: tensors with gaps or of other
/// orders, and x and y of two layouts; and, as Validate, for a problem that is valid in no layout.
absl::Status SetLayouts(const TensorStrides& strides, ConvProblem& problem);

}  // namespace gridwise
