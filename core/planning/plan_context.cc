// SPDX-License-Identifier: MIT
#include "core/planning/plan_context.h"

#include <tuple>

#include "core/arch/device_facts.h"
#include "core/arch/infinity_cache.h"
#include "core/conv/sub_gemms.h"
#include "core/cost/roofline.h"

namespace gridwise {
namespace {

double TensorCycles(const ConvProblem& problem, const DeviceFacts& device) {
  const MachineFacts& machine = device.machine;
  if (machine.mall_bytes == 0) return 0;
  const RooflineWork work = CountRooflineWork(problem);
  return MemoryNs(machine, work.bytes_read, work.bytes_written) * device.clock_ghz;
}

PlanContext::Canonical MakeCanonical(const ConvProblem& problem, const DeviceFacts& device,
                                     const OperandForm& form) {
  const CanonicalForm canonical = MakeCanonicalForm(problem, device, form);
  return {{.problem = canonical.problem},
          canonical.pass_cycles,
          TensorCycles(canonical.problem, device),
          canonical.writes_sums,
          canonical.merged_groups};
}

}  // namespace

PlanContext::PlanContext(const ConvProblem& problem, const DeviceFacts& device,
                         const LaunchOptions& options, const OperandForm& usual)
    : problem_(problem),
      device_(device),
      options_(options),
      usual_(usual),
      canonical_(MakeCanonical(problem, device, usual)) {}

const PlanContext::Canonical& PlanContext::canonical(const OperandForm& form) {
  const OperandForm* const simplest = &form.Simplest(problem_, device_.gfx);
  if (simplest == &usual_) return canonical_;
  for (const auto& [known, canonical] : others_) {
    if (known == simplest) return canonical;
  }
  return others_.emplace_back(simplest, MakeCanonical(problem_, device_, *simplest)).second;
}

std::span<const SubGemm> PlanContext::FindSubGemms(const ConvProblem& part) {
  return sub_gemms_.Get(std::tie(part.direction, part.batch, part.dims),
                        [&] { return MakeSubGemms(part); });
}

const std::vector<ConvPart>& PlanContext::FindCut(const ConvPart& part, std::int64_t images) {
  return cuts_.Get(std::tie(images, part), [&] { return CutImages(part, images); });
}

}  // namespace gridwise
