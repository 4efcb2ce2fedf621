// SPDX-License-Identifier: MIT
#include "hopper/kernels.h"

#include <cstddef>
#include <utility>
#include <vector>

#include "core/launch/plan_epilogue.h"
#include "core/passes/operand_form.h"
#include "core/text/fields_text.h"
#include "hopper/base/fetched.h"
#include "hopper/dense_halo/plan.h"
#include "hopper/depthwise/plan.h"
#include "hopper/gather/plan.h"
#include "hopper/halo/plan.h"
#include "hopper/halo_weight/plan.h"
#include "hopper/instance_shapes.h"
#include "hopper/line/plan.h"
#include "hopper/narrow/plan.h"
#include "hopper/operands/forms.h"
#include "hopper/phases/plan.h"
#include "hopper/simt/plan.h"
#include "hopper/weight/plan.h"

namespace gridwise::hopper {
namespace {

template <class Args>
PartLaunch LaunchOf(const KernelCode& code, const PartRequest& request, Plan<Args> plan) {
  if constexpr (requires { plan.args.fetched; }) SetFetched(request.problem, plan);
  std::vector<KernelLaunch::Address> addresses =
      EpilogueAddresses(offsetof(Args, epilogue), plan.args.epilogue);
  addresses.insert(addresses.end(), plan.addresses.begin(), plan.addresses.end());
  return {.launch = {.code = code,
                     .shape = plan.shape,
                     .arguments = BytesOf(plan.args),
                     .addresses = std::move(addresses),
                     .maps = std::move(plan.maps),
                     .map = {}},
          .table = {}};
}

PartLaunch LaunchOf(const KernelCode& code, const Config& config, const PartRequest& request) {
  return config.direction == Direction::kBackwardWeight
             ? LaunchOf(code, request, PlanWeight(config, request))
             : LaunchOf(code, request, PlanGather(config, request));
}
PartLaunch LaunchOf(const KernelCode& code, const PhasesConfig& config,
                    const PartRequest& request) {
  return LaunchOf(code, request, PlanPhases(config, request));
}
PartLaunch LaunchOf(const KernelCode& code, const SimtConfig& config, const PartRequest& request) {
  return LaunchOf(code, request, PlanSimt(config, request));
}
PartLaunch LaunchOf(const KernelCode& code, const LineConfig& config, const PartRequest& request) {
  return LaunchOf(code, request, PlanLine(config, request));
}
PartLaunch LaunchOf(const KernelCode& code, const DepthwiseWeightConfig& config,
                    const PartRequest& request) {
  return LaunchOf(code, request, PlanDepthwise(config, request));
}
PartLaunch LaunchOf(const KernelCode& code, const NarrowWeightConfig& config,
                    const PartRequest& request) {
  return LaunchOf(code, request, PlanNarrow(config, request));
}
template <class Halo>
PartLaunch LaunchOf(const KernelCode& code, const Halo& config, const PartRequest& request) {
  return LaunchOf(code, request, PlanHalo(config, request));
}

template <class Config>
std::int64_t WholeRoundsOf(const Config&, const PartRequest&) {
  return 0;
}
std::int64_t WholeRoundsOf(const Config& config, const PartRequest& request) {
  return ImagesOfWholeRounds(config, request);
}

template <class Config>
std::size_t MaxSubGemms(const Config&) {
  return kMaxSubGemms;
}
std::size_t MaxSubGemms(const Config&) { return kMaxPhases; }

template <class Config>
const OperandForm& OperandsFor(const Config&) {
  return Spaced();
}
const OperandForm& OperandsFor(const HaloDenseConfig&) { return SpacedPatches(); }
/// Halo, narrow and depthwise instances compute several groups at a time.
const OperandForm& OperandsFor(const HaloConfig&) { return SpacedGroups(); }
const OperandForm& OperandsFor(const HaloWeightConfig&) { return SpacedGroups(); }
const OperandForm& OperandsFor(const NarrowWeightConfig&) { return SpacedGroups(); }
const OperandForm& OperandsFor(const DepthwiseWeightConfig&) { return SpacedGroups(); }
/// Pixels may be at any address, which TMA boxes do not support, if lanes, lines of boxes or SIMT
/// instances load them. In f32, which no box loads, few channels are folded.
const OperandForm& OperandsFor(const Config& config) {
  if (config.has_parts()) return SpacedParts();
  return config.lanes ? AsTheyAre() : SpacedTaps();
}
const OperandForm& OperandsFor(const LineConfig&) { return Converted(); }
const OperandForm& OperandsFor(const SimtConfig& config) {
  return config.type == DataType::kF32 ? Spaced() : AsTheyAre();
}

template <class Config>
class Kernel final : public PartKernel {
 public:
  Kernel(const Config& config, KernelCode code) : config_(config), code_(std::move(code)) {}

  std::string name() const override { return PrintFields(config_); }
  DataType type() const override { return config_.type; }
  InstanceShape shape() const override { return ShapeOf(config_); }
  const KernelCode& code() const override { return code_; }
  bool has_epilogue() const override { return true; }
  const OperandForm* operands() const override { return &OperandsFor(config_); }
  std::optional<Refusal> Reject(const ConvProblem& problem, int /*splits*/) const override {
    return RejectProblem(config_, problem);
  }
  std::size_t max_sub_gemms() const override { return MaxSubGemms(config_); }
  std::optional<Excess> TooLarge(const ConvProblem& problem,
                                 std::int64_t /*limit*/) const override {
    return TooLargeForLaunch(problem);
  }
  std::int64_t ImagesOfWholeRounds(const PartRequest& request) const override {
    return WholeRoundsOf(config_, request);
  }
  PartEstimate Estimate(const PartRequest& request) const override {
    return EstimateLaunch(config_, request);
  }
  PartLaunch MakeLaunch(const PartRequest& request) const override {
    return LaunchOf(code_, config_, request);
  }

 private:
  const Config config_;
  const KernelCode code_;
};

}  // namespace

std::shared_ptr<const PartKernel> MakeKernel(const Config& config, KernelCode code) {
  return std::make_shared<Kernel<Config>>(config, std::move(code));
}
std::shared_ptr<const PartKernel> MakeKernel(const PhasesConfig& config, KernelCode code) {
  return std::make_shared<Kernel<PhasesConfig>>(config, std::move(code));
}
std::shared_ptr<const PartKernel> MakeKernel(const HaloConfig& config, KernelCode code) {
  return std::make_shared<Kernel<HaloConfig>>(config, std::move(code));
}
std::shared_ptr<const PartKernel> MakeKernel(const HaloWeightConfig& config, KernelCode code) {
  return std::make_shared<Kernel<HaloWeightConfig>>(config, std::move(code));
}
std::shared_ptr<const PartKernel> MakeKernel(const HaloDenseConfig& config, KernelCode code) {
  return std::make_shared<Kernel<HaloDenseConfig>>(config, std::move(code));
}
std::shared_ptr<const PartKernel> MakeKernel(const DepthwiseWeightConfig& config, KernelCode code) {
  return std::make_shared<Kernel<DepthwiseWeightConfig>>(config, std::move(code));
}
std::shared_ptr<const PartKernel> MakeKernel(const LineConfig& config, KernelCode code) {
  return std::make_shared<Kernel<LineConfig>>(config, std::move(code));
}
std::shared_ptr<const PartKernel> MakeKernel(const NarrowWeightConfig& config, KernelCode code) {
  return std::make_shared<Kernel<NarrowWeightConfig>>(config, std::move(code));
}
std::shared_ptr<const PartKernel> MakeKernel(const SimtConfig& config, KernelCode code) {
  return std::make_shared<Kernel<SimtConfig>>(config, std::move(code));
}

}  // namespace gridwise::hopper
