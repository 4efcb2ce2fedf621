/// The rules that a ConvProblem must obey.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "core/conv/problem.h"

namespace gridwise {

/// OK, or InvalidArgument with a sentence that names the first offending field, its value and the
/// rule: direction and type are listed enumerators; rank is 1, 2 or 3; counts, extents, strides and
/// dilations are >= 1 and pads >= 0; c and k are multiples of groups; padded inputs, strides and
/// dilations are <= kMaxAxisLength; the dilated filter fits in the padded input; axes that the rank
/// leaves out have their defaults; the limits of ValidateLimits() hold (ConvProblem's products do
/// not overflow); layouts are listed enumerators; the strides are not given; the epilogue has 0 to
/// 2 tensors, of the problem's type or f32, whose strides are >= 0 and whose elements are <=
/// kMaxTensorElements, factors that are finite in f32, a listed unary function, and bounds that are
/// numbers with low <= high; operands are sums of two tensors in forward alone, of f16, bf16 or
/// f32.
absl::Status Validate(const ConvProblem& problem);

/// The same of what an epilogue has beside tensors: factors, the unary function and bounds.
absl::Status ValidateNumbers(const Epilogue& epilogue);

/// The same of a factor: kernels take it as f32, where a larger one would be an infinity.
absl::Status ValidateFactor(const std::string& field, double value);

}  // namespace gridwise
