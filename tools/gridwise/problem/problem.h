// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <string>
#include <variant>
#include <vector>

#include "absl/status/statusor.h"
#include "core/arch/device_facts.h"
#include "core/conv/problem.h"
#include "core/gemm/problem.h"
#include "gridwise/plan.h"

namespace gridwise {

/// A convolution or a matrix multiplication. The functions below call the function of the same name
/// for either.
using Problem = std::variant<ConvProblem, GemmProblem>;

/// Returns a line for people.
std::string ToString(const Problem& problem);
/// Returns "fwd", "bwd_data", "bwd_weight" or "gemm".
const char* KindOf(const Problem& problem);
double Flops(const Problem& problem);
DataType OutputType(const Problem& problem);
/// Returns which operands are sums of two tensors. Operands of matrix multiplications never are.
inline std::array<OperandSum, 2> OperandSumsOf(const ConvProblem& problem) {
  return problem.operand_sums;
}
inline std::array<OperandSum, 2> OperandSumsOf(const GemmProblem&) { return {}; }

absl::StatusOr<InstancePlan> MakePlan(const Problem& problem, const DeviceFacts& device,
                                      const PlanOptions& options);
std::vector<InstanceExplanation> ExplainInstances(const Problem& problem, const DeviceFacts& device,
                                                  const PlanOptions& options);

}  // namespace gridwise
