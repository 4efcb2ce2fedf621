#include "core/planning/plan_context.h"

#include "core/arch/infinity_cache.h"
#include "core/arch/machine_facts.h"
#include "core/conv/sub_gemms.h"
#include "core/cost/roofline.h"

namespace gridwise {
namespace {

double TensorCycles(const ConvProblem& problem, const DeviceFacts& device) {
  const MachineFacts machine = MachineFactsOf(device.gfx);
  if (machine.mall_bytes == 0) return 0;
  const RooflineWork work = RooflineWorkOf(problem);
  return MemoryNs(machine, work.bytes_read, work.bytes_written) * device.clock_ghz;
}

PlanContext::Simple MakeSimple(const ConvProblem& problem, const DeviceFacts& device, Cells cells) {
  const SimpleForm simple = SimpleFormOf(problem, device, cells);
  return {simple.problem, simple.pass_cycles, TensorCycles(simple.problem, device),
          simple.writes_sums, simple.merged_groups};
}

}  // namespace

PlanContext::PlanContext(const ConvProblem& problem, const DeviceFacts& device,
                         const LaunchOptions& options)
    : problem_(problem),
      device_(device),
      options_(options),
      simple_(MakeSimple(problem, device, Cells::kSpaced)) {}

const PlanContext::Simple& PlanContext::simple(Cells cells) {
  const bool apart = cells == Cells::kGroupsApart, taps = cells == Cells::kSpacedTaps;
  if (cells == Cells::kSpaced || (apart && !SpacesGroups(problem_, device_.gfx))) return simple_;
  const bool converts = CopiedType(problem_, device_.gfx, cells) != problem_.type;
  std::optional<Simple>& other = taps                     ? taps_
                                 : cells == Cells::kParts ? parts_
                                 : apart                  ? groups_apart_
                                 : converts               ? floats_
                                                          : as_they_are_;
  if (!other) other = MakeSimple(problem_, device_, cells);
  return *other;
}

std::span<const SubGemm> PlanContext::SubGemmsOf(const ConvProblem& part) {
  if (part != simple_.problem) return of_part_ = MakeSubGemms(part);
  if (!sub_gemms_) sub_gemms_ = MakeSubGemms(part);
  return *sub_gemms_;
}

}  // namespace gridwise
