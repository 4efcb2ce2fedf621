// SPDX-License-Identifier: MIT
/// The expected output of a kernel, in memory order: the reference with the problem's layouts and
/// epilogue.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "core/conv/problem.h"
#include "core/conv/tensor_bytes.h"  // IWYU pragma: export

namespace gridwise {

/// The largest magnitude that the epilogue computes from `sum` before it clamps. Rounding errors
/// are relative to it.
double LargestValue(Epilogue epilogue, double sum, const std::array<double, 2>& d);

struct Expected {
  std::vector<double> out;
  /// SumRms() of the elements' LargestValue().
  double sum_rms = 0;
};

/// Computes the output for operands in the problem's layouts. `d` are the problem.epilogue.tensors
/// tensors of the epilogue, `added` those added to operands. Returns the errors of Reference().
absl::StatusOr<Expected> ExpectedOutput(const ConvProblem& problem, std::span<const float> a,
                                        std::span<const float> b,
                                        const std::array<std::span<const float>, 2>& d = {},
                                        const std::array<std::span<const float>, 2>& added = {});

}  // namespace gridwise
