// SPDX-License-Identifier: MIT
#include "gridwise/gemm.h"

#include "absl/status/status.h"
#include "absl/strings/str_format.h"
#include "core/gemm/convolution.h"
#include "core/gemm/problem_io.h"
#include "core/gemm/validate.h"
#include "gridwise/planner.h"
#include "instances/ck/family.h"

namespace gridwise {
namespace {

/// Calls choose(choice) for the instances of a problem. Requires that C is row-major.
template <class Choose>
auto WithChoice(const GemmProblem& problem, const DeviceFacts& device, PlanOptions options,
                Choose choose) {
  options.model = false;  // the model was trained on convolutions
  // The sum of splits writes consecutive elements.
  if (options.splits == 0 && !problem.out_is_packed()) options.splits = 1;
  PlanContext context = MakePlanContext(AsConvolution(problem), device, options);
  const KernelFamily* const families[] = {&ck::Gemms()};
  const auto name = [&] { return ToString(problem); };
  return choose(Choice{context, families, options, name});
}

/// Returns whether the elements of a column of C, and not those of a row, are adjacent in memory.
/// If so, C^T is computed.
bool IsColumnMajor(const GemmProblem& problem) {
  return problem.c.column != 1 && problem.c.row == 1 && problem.n > 1;
}

/// Swaps the operands of a launch.
void ExchangeOperands(LaunchPlan& plan) {
  for (KernelLaunch& launch : plan.launches) {
    for (KernelLaunch::Address& address : launch.addresses) {
      Memory& memory = address.points_to.memory;
      memory = memory == Memory::kA ? Memory::kB : memory == Memory::kB ? Memory::kA : memory;
    }
  }
}

absl::Status CheckSplits(const GemmProblem& problem, const PlanOptions& options) {
  if (options.splits <= 1 || problem.out_is_packed()) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrFormat(
      "splits is %d and there are gaps between the elements of c; must be 0 or 1", options.splits));
}

}  // namespace

absl::Status CheckOptions(const GemmProblem& problem, const DeviceFacts& device,
                          const PlanOptions& options) {
  if (absl::Status status = CheckSplits(problem, options); !status.ok()) return status;
  return WithChoice(problem, device, options,
                    [](const Choice& choice) { return CheckOptions(choice); });
}

std::vector<InstanceExplanation> ExplainInstances(const GemmProblem& problem,
                                                  const DeviceFacts& device,
                                                  const PlanOptions& options) {
  return WithChoice(IsColumnMajor(problem) ? problem.Transposed() : problem, device, options,
                    [](const Choice& choice) { return ExplainEveryInstance(choice); });
}

absl::StatusOr<GemmPlan> MakePlan(const GemmProblem& problem, const DeviceFacts& device,
                                  const PlanOptions& options) {
  if (absl::Status status = Validate(problem); !status.ok()) return status;
  if (absl::Status status = CheckSplits(problem, options); !status.ok()) return status;
  const bool transposed = IsColumnMajor(problem);
  absl::StatusOr<std::vector<InstancePlan>> plans =
      WithChoice(transposed ? problem.Transposed() : problem, device, options,
                 [](const Choice& choice) { return ChooseInstances(choice, 1); });
  if (!plans.ok()) return plans.status();
  InstancePlan& plan = plans->front();
  if (!transposed) return GemmPlan(problem, std::move(plan));
  LaunchPlan launches = plan.launch_plan();
  ExchangeOperands(launches);
  return GemmPlan(problem, InstancePlan(plan.device(), plan.options(), std::move(launches)));
}

}  // namespace gridwise
