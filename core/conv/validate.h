// SPDX-License-Identifier: MIT
/// The rules that a ConvProblem must obey.
#pragma once

#include <string_view>

#include "absl/status/status.h"
#include "core/conv/problem.h"

namespace gridwise {

/// OK, or InvalidArgument with a sentence that names the first offending field, its value and the
/// rule. The rules are:
///   - Direction, type, layouts and the unary function are listed enumerators; rank is 1, 2 or 3.
///   - Counts, extents, strides and dilations are >= 1, and pads >= 0; c and k are multiples of
///     groups.
///   - Padded inputs, strides and dilations are <= kMaxAxisLength; the dilated filter fits in the
///     padded input; axes that the rank leaves out have their defaults.
///   - The limits of ValidateLimits() hold, and ConvProblem's products do not overflow.
///   - The strides are not given.
///   - The epilogue has 0 to 2 tensors, of the problem's type or f32, whose strides are >= 0 and
///     whose elements are <= kMaxTensorElements. Its factors are finite in f32, and its bounds are
///     numbers with low <= high.
///   - Operands are sums of two tensors only in forward, in f16, bf16 or f32.
absl::Status Validate(const ConvProblem& problem);

/// The same for the epilogue without its tensors: factors, the unary function and bounds.
absl::Status ValidateNumbers(const Epilogue& epilogue);

/// The same for a factor: kernels take it as f32, where a larger one would be infinite.
absl::Status ValidateFactor(std::string_view field, double value);

}  // namespace gridwise
