#pragma once

#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "core/arch/device_facts.h"
#include "core/conv/problem.h"
#include "gridwise/executable.h"  // IWYU pragma: export
#include "gridwise/plan.h"        // IWYU pragma: export

/// The public API of convolutions; gemm.h has that of matrix multiplications. A problem becomes a
/// plan on the host, without a device; a plan becomes an executable on a device; an executable is
/// launched on tensors, any number of times, without allocating.
///
///   ASSIGN_OR_RETURN(Plan plan, MakePlan(problem, Gfx::k942));
///   ASSIGN_OR_RETURN(Executable conv, Executable::Load(plan));
///   RETURN_IF_ERROR(conv.Launch({.a = dy, .b = w, .out = dx}, workspace, plan.workspace_bytes(),
///   stream));
///
/// Threads: all functions may be called from any thread, and const members of one object from
/// several at once.

namespace gridwise {

/// How a convolution is computed on a target.
class Plan : public InstancePlan {
 public:
  const ConvProblem& problem() const { return problem_; }

 private:
  friend absl::StatusOr<std::vector<Plan>> RankPlans(const ConvProblem&, const DeviceFacts&, int,
                                                     const PlanOptions&);

  Plan(const ConvProblem& problem, InstancePlan plan)
      : InstancePlan(std::move(plan)), problem_(problem) {}

  ConvProblem problem_;
};

/// Plans `problem` for `device`: DeviceFacts of a real one (core/runtime/device.h), or a target,
/// which stands for its product. Errors: kInvalidArgument for an invalid problem, an unknown
/// instance or family; kUnimplemented, with every instance's reason, when no instance accepts it;
/// and kResourceExhausted, with the least that one needs, when all need more workspace than the
/// options allow. An empty batch has a plan without an instance, whose operands may be null: it
/// launches nothing, but of backward-weight what writes dw.
absl::StatusOr<Plan> MakePlan(const ConvProblem& problem, const DeviceFacts& device,
                              const PlanOptions& options = {});

/// The first `n` plans, by an instance each, those first that a model of instances' times says are
/// faster, or their estimates where it was not validated to be the better judge: fewer, but at
/// least one, where fewer instances accept the problem. MakePlan's errors, and kInvalidArgument for
/// n < 1.
absl::StatusOr<std::vector<Plan>> RankPlans(const ConvProblem& problem, const DeviceFacts& device,
                                            int n, const PlanOptions& options = {});

/// Whether plans of a valid problem can be asked for with `options`: kInvalidArgument for an
/// unknown instance or family, and for splits that no plan has.
absl::Status CheckOptions(const ConvProblem& problem, const DeviceFacts& device,
                          const PlanOptions& options);

/// What every instance of the problem's direction and type says to a valid problem; `options`,
/// which CheckOptions accepts or which leave no instance, narrow them by `instance` and `family`.
std::vector<InstanceExplanation> ExplainInstances(const ConvProblem& problem,
                                                  const DeviceFacts& device,
                                                  const PlanOptions& options = {});

/// What RankPlans ranks the problem's instances by, for people: "the model: 2026-11-23, ..." or
/// "the estimates: ...", with the reason.
std::string RankedBy(const ConvProblem& problem, const DeviceFacts& device,
                     const PlanOptions& options = {});

using ConvTensors = Tensors;

}  // namespace gridwise
