// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/conv/problem.h"

namespace gridwise {

/// Elements from the first of the epilogue's tensor `index` to its last.
constexpr std::int64_t EpilogueElements(const ConvProblem& problem, int index) {
  if (problem.out_elements() == 0) return 0;
  const PerAxis size = problem.AxesOf(problem.out()).size;
  const PerAxis& stride = problem.epilogue.d[static_cast<std::size_t>(index)].stride;
  std::int64_t last = 0;
  for (std::size_t axis = 0; axis < size.size(); ++axis) last += (size[axis] - 1) * stride[axis];
  return last + 1;
}

/// Bytes of all tensors that a caller passes: operands, their addends, the epilogue's tensors, and
/// the output.
constexpr std::int64_t TensorBytes(const ConvProblem& problem) {
  const auto operand = [&](std::size_t i, std::int64_t elements) {
    return elements * SizeOf(problem.type) * (problem.operand_sums[i].adds ? 2 : 1);
  };
  std::int64_t bytes = operand(0, problem.a_elements()) + operand(1, problem.b_elements()) +
                       problem.out_elements() * SizeOf(problem.output_type());
  for (int i = 0; i < problem.epilogue.tensors; ++i) {
    bytes +=
        EpilogueElements(problem, i) * SizeOf(problem.epilogue.d[static_cast<std::size_t>(i)].type);
  }
  return bytes;
}

}  // namespace gridwise
