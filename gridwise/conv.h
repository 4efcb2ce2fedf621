// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "core/arch/device_facts.h"
#include "core/conv/problem.h"
#include "gridwise/executable.h"  // IWYU pragma: export
#include "gridwise/plan.h"        // IWYU pragma: export

/// The public API of convolutions. gemm.h is the API of matrix multiplications.
///
/// MakePlan turns a problem into a plan, on the host and without a device. Executable::Load turns a
/// plan into an executable on a device. An executable is launched on tensors any number of times,
/// without allocating.
///
///   absl::StatusOr<Plan> plan = MakePlan(problem, Gfx::k942);
///   if (!plan.ok()) return plan.status();
///   absl::StatusOr<Executable> conv = Executable::Load(*plan);
///   if (!conv.ok()) return conv.status();
///   return conv->Launch({.a = dy, .b = w, .out = dx}, workspace, plan->workspace_bytes(), stream);
///
/// Thread safety: any thread may call any function. Several threads may call const members of one
/// object at once.

namespace gridwise {

/// How a convolution is computed on a target. A value that is cheap to copy.
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

/// Returns the plan for `problem` on `device` that is predicted to be fastest. `device` is either
/// the DeviceFacts of a real device (core/runtime/device.h) or a target, which stands for its
/// product.
///
/// The plan of an empty batch has no instance. It accepts null operands and launches nothing,
/// except that backward-weight writes dw.
///
/// Errors:
///   kInvalidArgument    the problem is invalid, or the instance or family is unknown
///   kUnimplemented      no instance accepts the problem; the message has every instance's reason
///   kResourceExhausted  every instance needs more workspace than the options allow; the message
///                       has the smallest need
absl::StatusOr<Plan> MakePlan(const ConvProblem& problem, const DeviceFacts& device,
                              const PlanOptions& options = {});

/// Returns up to `n` plans, one per instance, fastest predicted first. A learned model ranks them
/// where it was validated to be better than the analytical estimates; elsewhere the estimates do.
/// Returns fewer plans if fewer instances accept the problem, but at least one.
///
/// Errors: those of MakePlan, and kInvalidArgument if n < 1.
absl::StatusOr<std::vector<Plan>> RankPlans(const ConvProblem& problem, const DeviceFacts& device,
                                            int n, const PlanOptions& options = {});

/// Checks `options` for plans of `problem`, which must be valid.
///
/// Errors: kInvalidArgument if the instance or family is unknown, or if no plan has so many splits.
absl::Status CheckOptions(const ConvProblem& problem, const DeviceFacts& device,
                          const PlanOptions& options);

/// Returns, for every instance of the problem's direction and type, its cost or the reason why it
/// cannot compute `problem`, which must be valid. `options.instance` and `options.family` narrow
/// the list. Requires that CheckOptions accepts `options`, or that they leave no instance.
std::vector<InstanceExplanation> ExplainInstances(const ConvProblem& problem,
                                                  const DeviceFacts& device,
                                                  const PlanOptions& options = {});

/// Returns what RankPlans ranks the problem's instances by, for people: "the model: 2026-11-23,
/// ..." or "the estimates: ...", with the reason.
std::string RankedBy(const ConvProblem& problem, const DeviceFacts& device,
                     const PlanOptions& options = {});

/// The tensors of a convolution (executable.h).
using ConvTensors = Tensors;

}  // namespace gridwise
