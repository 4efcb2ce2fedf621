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

/// What a command computes: a convolution or a matrix multiplication. Functions below are those of
/// either.
using Problem = std::variant<ConvProblem, GemmProblem>;

/// A line for people.
std::string ToString(const Problem& problem);
/// "fwd", "bwd_data", "bwd_weight" or "gemm".
const char* KindOf(const Problem& problem);
double Flops(const Problem& problem);
DataType OutputType(const Problem& problem);
/// Which operands are sums of two tensors: none of matrices.
inline std::array<OperandSum, 2> OperandSumsOf(const ConvProblem& problem) {
  return problem.operand_sums;
}
inline std::array<OperandSum, 2> OperandSumsOf(const GemmProblem&) { return {}; }

absl::StatusOr<InstancePlan> MakePlan(const Problem& problem, const DeviceFacts& device,
                                      const PlanOptions& options);
std::vector<InstanceExplanation> ExplainInstances(const Problem& problem, const DeviceFacts& device,
                                                  const PlanOptions& options);

}  // namespace gridwise
