#include "core/launch/plan_context.h"

#include "core/arch/machine_facts.h"
#include "core/conv/roofline.h"
#include "core/conv/sub_gemms.h"
#include "core/passes/layout_passes.h"

namespace gridwise {
namespace {

double TensorCycles(const ConvProblem& problem, const DeviceFacts& device) {
  const MachineFacts machine = MachineFactsOf(device.gfx);
  const RooflineWork work = RooflineWorkOf(problem);
  if (machine.mall_bytes == 0 || work.bytes_read + work.bytes_written <= machine.mall_bytes) {
    return 0;
  }
  return (work.bytes_read / machine.dram_read_gb_per_s +
          work.bytes_written / machine.dram_write_gb_per_s) *
         device.clock_ghz;
}

}  // namespace

PlanContext::PlanContext(const ConvProblem& problem, const DeviceFacts& device,
                         const LaunchOptions& options)
    : problem_(problem),
      device_(device),
      options_(options),
      simple_problem_(SimpleProblem(problem, device.gfx)),
      pass_cycles_(LayoutPassCycles(problem, device)),
      tensor_cycles_(TensorCycles(simple_problem_, device)) {}

std::span<const SubGemm> PlanContext::SubGemmsOf(const ConvProblem& part) {
  if (part != simple_problem_) return of_part_ = MakeSubGemms(part);
  if (!sub_gemms_) sub_gemms_ = MakeSubGemms(part);
  return *sub_gemms_;
}

}  // namespace gridwise
