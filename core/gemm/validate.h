// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "absl/status/status.h"
#include "core/gemm/problem.h"

namespace gridwise {

/// Maximum number of matrices, rows, columns and terms of a matrix multiplication.
inline constexpr std::int64_t kMaxGemmLength = std::int64_t{1} << 23;
/// Maximum number of elements from a tensor's first to its last.
inline constexpr std::int64_t kMaxGemmElements = std::int64_t{1} << 37;

/// OK, or InvalidArgument with a sentence that names the first field that breaks a rule, its value
/// and the rule. type and out_type must fit together. batch, m, n and k are 1 to kMaxGemmLength;
/// for i8, k is smaller, so that no sum overflows. Strides are >= 0; those of a and b are not all
/// 0, and those of c give no two elements the same address. The epilogue has 0 to 2 tensors, of the
/// output's type or f32.
absl::Status Validate(const GemmProblem& problem);

}  // namespace gridwise
