#pragma once

#include <cstdint>

#include "absl/status/status.h"
#include "core/gemm/problem.h"

namespace gridwise {

/// The most matrices, rows, columns and terms of a matrix multiplication.
inline constexpr std::int64_t kMaxGemmLength = std::int64_t{1} << 23;
/// The most elements from a tensor's first to its last.
inline constexpr std::int64_t kMaxGemmElements = std::int64_t{1} << 37;

/// OK, or InvalidArgument with a sentence that names the first field that breaks a rule, its value
/// and the rule: type and out_type fit together; batch, m, n and k are 1 to kMaxGemmLength, k less
/// of i8, so that no sum overflows; strides are >= 0, those of a
/// and b not all 0, and those of c such that no two elements are one; the epilogue has 0 to 2
/// tensors, of the output's type or f32.
absl::Status Validate(const GemmProblem& problem);

}  // namespace gridwise
