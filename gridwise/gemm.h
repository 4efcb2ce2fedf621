#pragma once

#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "core/arch/device_facts.h"
#include "core/gemm/problem.h"
#include "gridwise/executable.h"  // IWYU pragma: export
#include "gridwise/plan.h"        // IWYU pragma: export

/// The public API of batched matrix multiplications, as conv.h is that of convolutions:
///
///   GemmProblem problem = MakeGemm(DataType::kF16, batch, m, n, k, MatrixOrder::kRow,
///                                  MatrixOrder::kColumn);
///   ASSIGN_OR_RETURN(GemmPlan plan, MakePlan(problem, Gfx::k942));
///   ASSIGN_OR_RETURN(Executable gemm, Executable::Load(plan));
///   RETURN_IF_ERROR(gemm.Launch({.a = a, .b = b, .out = c}, workspace, plan.workspace_bytes(),
///   stream));

namespace gridwise {

/// How a matrix multiplication is computed on a target.
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

/// Plans `problem` for `device`, as its namesake of conv.h. Where C is column-major, the transposed
/// problem C^T = B^T A^T is computed. A and C of more than 2 GiB are computed in parts; of B, a
/// matrix is at most that. K is shared among workgroups only where C is packed.
absl::StatusOr<GemmPlan> MakePlan(const GemmProblem& problem, const DeviceFacts& device,
                                  const PlanOptions& options = {});

/// What every instance of the problem's type says to a valid problem.
std::vector<InstanceExplanation> ExplainInstances(const GemmProblem& problem,
                                                  const DeviceFacts& device,
                                                  const PlanOptions& options = {});

}  // namespace gridwise
