// SPDX-License-Identifier: MIT
#pragma once

#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/arch/device_facts.h"
#include "core/gemm/problem.h"
#include "gridwise/executable.h"  // IWYU pragma: export
#include "gridwise/plan.h"        // IWYU pragma: export

/// The public API of batched matrix multiplications, on AMD targets. conv.h is the API of
/// convolutions.
///
///   GemmProblem problem = MakeGemm(DataType::kF16, batch, m, n, k, MatrixOrder::kRow,
///                                  MatrixOrder::kColumn);
///   absl::StatusOr<GemmPlan> plan = MakePlan(problem, Gfx::k942);
///   if (!plan.ok()) return plan.status();
///   absl::StatusOr<Executable> gemm = Executable::Load(*plan);
///   if (!gemm.ok()) return gemm.status();
///   return gemm->Launch({.a = a, .b = b, .out = c}, workspace, plan->workspace_bytes(), stream);

namespace gridwise {

/// How a matrix multiplication is computed on a target. A value that is cheap to copy.
class GemmPlan : public InstancePlan {
 public:
  const GemmProblem& problem() const { return problem_; }

 private:
  friend absl::StatusOr<GemmPlan> MakePlan(const GemmProblem&, const DeviceFacts&,
                                           const PlanOptions&);

  GemmPlan(const GemmProblem& problem, InstancePlan plan)
      : InstancePlan(std::move(plan)), problem_(problem) {}

  GemmProblem problem_;
};

/// Returns the plan for `problem` on `device` that is predicted to be fastest. Parameters and
/// errors are those of MakePlan in conv.h.
///
/// If C is column-major, the plan computes the transposed problem C^T = B^T A^T. If A or C exceeds
/// 2 GiB, it computes the problem in parts. A matrix of B has at most 2 GiB. Split-K requires a
/// packed C.
absl::StatusOr<GemmPlan> MakePlan(const GemmProblem& problem, const DeviceFacts& device,
                                  const PlanOptions& options = {});

/// Checks `options` for plans of `problem`, which must be valid.
///
/// Errors: kInvalidArgument if the instance or family is unknown, if no plan has so many splits, or
/// if there are splits and gaps between the elements of C.
absl::Status CheckOptions(const GemmProblem& problem, const DeviceFacts& device,
                          const PlanOptions& options);

/// Returns, for every instance of the problem's type, its cost or the reason why it cannot compute
/// `problem`, which must be valid. Requires that CheckOptions accepts `options`, or that they leave
/// no instance.
std::vector<InstanceExplanation> ExplainInstances(const GemmProblem& problem,
                                                  const DeviceFacts& device,
                                                  const PlanOptions& options = {});

}  // namespace gridwise
