// SPDX-License-Identifier: MIT
#include "tools/gridwise/problem/problem.h"

#include "core/conv/problem_io.h"
#include "core/gemm/problem_io.h"
#include "gridwise/conv.h"
#include "gridwise/gemm.h"

namespace gridwise {

std::string ToString(const Problem& problem) {
  return std::visit([](const auto& p) { return ToString(p); }, problem);
}

const char* KindOf(const Problem& problem) {
  const auto* const conv = std::get_if<ConvProblem>(&problem);
  return conv == nullptr ? "gemm" : Name(conv->direction);
}

double Flops(const Problem& problem) {
  return std::visit([](const auto& p) { return p.Flops(); }, problem);
}

DataType OutputType(const Problem& problem) {
  return std::visit([](const auto& p) { return p.output_type(); }, problem);
}

absl::StatusOr<InstancePlan> MakePlan(const Problem& problem, const DeviceFacts& device,
                                      const PlanOptions& options) {
  return std::visit(
      [&](const auto& p) -> absl::StatusOr<InstancePlan> { return MakePlan(p, device, options); },
      problem);
}

std::vector<InstanceExplanation> ExplainInstances(const Problem& problem, const DeviceFacts& device,
                                                  const PlanOptions& options) {
  return std::visit([&](const auto& p) { return ExplainInstances(p, device, options); }, problem);
}

}  // namespace gridwise
