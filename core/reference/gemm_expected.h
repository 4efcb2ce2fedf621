// SPDX-License-Identifier: MIT
/// CPU matrix multiplication: the reference for kernels.
#pragma once

#include <array>
#include <span>

#include "absl/status/statusor.h"
#include "core/gemm/problem.h"
#include "core/reference/expected.h"

namespace gridwise {

/// C in memory, in double. Elements between its lines, which are not part of C, are NaN. Products
/// and sums are in double, each sum in a fixed order. `d` are the epilogue's tensors. Errors: an
/// invalid problem, or a span whose size is not the tensor's number of elements.
absl::StatusOr<Expected> ExpectedOutput(const GemmProblem& problem, std::span<const float> a,
                                        std::span<const float> b,
                                        const std::array<std::span<const float>, 2>& d = {});

}  // namespace gridwise
