// SPDX-License-Identifier: MIT
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

/// Sets the problem's layouts to those with these strides; an axis of one index may have any
/// stride. A tensor whose strides are not given does not affect the choice. Returns
/// kInvalidArgument, naming the tensor, the axis and the required stride, if no kernel has such
/// strides: tensors with gaps or in other orders, and x and y of different layouts. Also returns
/// it, as Validate does, for a problem that is valid in no layout.
absl::Status SetLayouts(const TensorStrides& strides, ConvProblem& problem);

}  // namespace gridwise
