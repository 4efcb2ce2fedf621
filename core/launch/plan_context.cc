#include "core/launch/plan_context.h"

#include "core/conv/sub_gemms.h"
#include "core/passes/layout_passes.h"

namespace gridwise {

PlanContext::PlanContext(const ConvProblem& problem, const DeviceFacts& device,
                         const LaunchOptions& options)
    : problem_(problem),
      device_(device),
      options_(options),
      simple_problem_(SimpleProblem(problem, device.gfx)),
      pass_cycles_(LayoutPassCycles(problem, device)) {}

std::span<const SubGemm> PlanContext::SubGemmsOf(const ConvProblem& part) {
  if (part != simple_problem_) return of_part_ = MakeSubGemms(part);
  if (!sub_gemms_) sub_gemms_ = MakeSubGemms(part);
  return *sub_gemms_;
}

}  // namespace gridwise
