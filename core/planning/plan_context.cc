// SPDX-License-Identifier: MIT
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

PlanContext::Canonical MakeCanonical(const ConvProblem& problem, const DeviceFacts& device,
                                     Pixels pixels) {
  const CanonicalForm canonical = CanonicalFormOf(problem, device, pixels);
  return {canonical.problem, canonical.pass_cycles, TensorCycles(canonical.problem, device),
          canonical.writes_sums, canonical.merged_groups};
}

}  // namespace

PlanContext::PlanContext(const ConvProblem& problem, const DeviceFacts& device,
                         const LaunchOptions& options)
    : problem_(problem),
      device_(device),
      options_(options),
      canonical_(MakeCanonical(problem, device, Pixels::kSpaced)) {}

const PlanContext::Canonical& PlanContext::canonical(Pixels pixels) {
  const bool apart = pixels == Pixels::kGroupsApart, taps = pixels == Pixels::kSpacedTaps;
  if (pixels == Pixels::kSpaced || (apart && !SpacesGroups(problem_, device_.gfx)))
    return canonical_;
  const bool converts = CopiedType(problem_, device_.gfx, pixels) != problem_.type;
  std::optional<Canonical>& other = taps                       ? taps_
                                    : pixels == Pixels::kParts ? parts_
                                    : apart                    ? groups_apart_
                                    : converts                 ? floats_
                                                               : as_they_are_;
  if (!other) other = MakeCanonical(problem_, device_, pixels);
  return *other;
}

std::span<const SubGemm> PlanContext::SubGemmsOf(const ConvProblem& part) {
  if (part != canonical_.problem) return of_part_ = MakeSubGemms(part);
  if (!sub_gemms_) sub_gemms_ = MakeSubGemms(part);
  return *sub_gemms_;
}

}  // namespace gridwise
