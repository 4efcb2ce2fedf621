// SPDX-License-Identifier: MIT
/// CPU convolution: the reference for kernels. Written from the definition of the convolution (see
/// ConvProblem), not from the GEMM maps that kernels use.
#pragma once

#include <span>

#include "absl/status/status.h"
#include "core/conv/problem.h"

namespace gridwise {

/// Computes problem.direction with products and sums in double: out = y from a = x and b = w
/// (forward), dx from dy and w (backward-data), or dw from dy and x (backward-weight). Writes every
/// element of `out`. Tensors are in the first layouts, whatever the problem's. The problem's type
/// and epilogue are ignored: see ExpectedOutput in expected.h. Padding is multiplied as zeros; see
/// ConvProblem.
///
/// Runs on `threads` threads; 0 means one per core. Each output element is summed by one thread in
/// a fixed order, so the result does not depend on the number of threads. Errors: an invalid
/// problem, or a span whose size is not the operand's number of elements.
absl::Status Reference(const ConvProblem& problem, std::span<const float> a,
                       std::span<const float> b, std::span<double> out, int threads = 0);

}  // namespace gridwise
