// SPDX-License-Identifier: MIT
#pragma once

#include <optional>

#include "core/conv/problem.h"

namespace gridwise {

/// Returns `problem` with f32 sums as its output, in the first layouts and without epilogue, for a
/// pass to finish. Returns nullopt unless it has one group, packed tensors that are not NGCHW, and
/// f32 sums of operands that have at least `operand_bytes` bytes and are not sums themselves,
/// because such passes look into operands.
inline std::optional<ConvProblem> PlainSums(const ConvProblem& problem, int operand_bytes = 1) {
  if (problem.groups != 1 || problem.layout == Layout::kNGCHW ||
      problem.strides != ConvProblem{}.strides || SumType(problem.type) != DataType::kF32 ||
      SizeOf(problem.type) < operand_bytes || problem.operand_sums[0].adds ||
      problem.operand_sums[1].adds) {
    return std::nullopt;
  }
  ConvProblem sums = problem;
  sums.layout = Layout::kNHWGC;
  sums.weight_layout = WeightLayout::kGKYXC;
  sums.out_type = DataType::kF32;
  sums.epilogue = {};
  return sums;
}

}  // namespace gridwise
