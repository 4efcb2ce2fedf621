// SPDX-License-Identifier: MIT
#include "direct/kernels.h"

#include <cstddef>
#include <utility>

#include "core/passes/operand_form.h"
#include "core/text/fields_text.h"
#include "direct/plan.h"

namespace gridwise::direct {
namespace {

// Offsets of the data address of a tensor among the arguments.
static_assert(offsetof(DirectTensor, data) == 0 && offsetof(DirectWeights, data) == 0);

/// Shared by both kinds of kernels.
class DirectKernel : public PartKernel {
 public:
  DirectKernel(const DirectConfig& config, Gfx gfx, KernelCode code)
      : config_(config), gfx_(gfx), code_(std::move(code)) {}

  std::string name() const override { return PrintFields(config_); }
  DataType type() const override { return config_.type; }
  const KernelCode& code() const override { return code_; }
  bool has_epilogue() const override { return false; }
  InstanceShape shape() const override {
    return {.lane_channels = config_.channels,
            .lane_pixels = config_.pixels,
            .lane_taps = config_.taps};
  }
  std::optional<Refusal> Reject(const ConvProblem& problem, int splits) const override {
    if (auto reason = RejectDirect(config_, problem, splits)) return reason;
    return RejectOnTarget(config_, gfx_, problem);
  }
  std::optional<Excess> TooLarge(const ConvProblem& problem, std::int64_t limit) const override {
    return TooLargeForDirect(config_, problem, limit);
  }

 protected:
  const DirectConfig& config() const { return config_; }
  Gfx gfx() const { return gfx_; }

 private:
  const DirectConfig config_;
  const Gfx gfx_;
  const KernelCode code_;
};

class GatherKernel final : public DirectKernel {
 public:
  using DirectKernel::DirectKernel;

  // On targets with TMA, lanes load pixels that TMA cannot.
  const OperandForm* operands() const override {
    if (KindOf(gfx()) != TargetKind::kHopper) return nullptr;
    return config().type == DataType::kI8 ? &AsTheyAre() : &Converted();
  }

  bool AppliesEpilogue(const ConvProblem& problem) const override {
    return BeginsWithBias(config(), gfx()) && HasOnlyBias(problem);
  }
  PartEstimate Estimate(const PartRequest& request) const override {
    return EstimateDirectGather(config(), request);
  }
  PartLaunch MakeLaunch(const PartRequest& request) const override {
    using Args = DirectGatherArgs;
    const DirectGatherPlan plan = PlanDirectGather(config(), request);
    PartLaunch part = {.launch = {.code = code(),
                                  .shape = plan.shape,
                                  .arguments = BytesOf(plan.args),
                                  .addresses = {{offsetof(Args, source), {Memory::kA}},
                                                {offsetof(Args, w), {Memory::kB}},
                                                {offsetof(Args, out), {Memory::kOut}}},
                                  .map = plan.args.map},
                       .table = {}};
    if (request.split_k.partial_elements == 0 && AppliesEpilogue(request.problem)) {
      part.launch.addresses.push_back({offsetof(Args, bias), {Memory::kD0}});
    }
    if (!plan.is_inline) {
      part.table = BytesOfTable<SubGemm>(plan.table);
      part.launch.addresses.push_back({offsetof(Args, table), {Memory::kTable}});
    }
    return part;
  }
};

class WeightKernel final : public DirectKernel {
 public:
  using DirectKernel::DirectKernel;

  // A lane has its taps, and does not need more channels of dy.
  const OperandForm* operands() const override { return &AsTheyAre(); }

  InstanceShape shape() const override {
    InstanceShape shape = DirectKernel::shape();
    shape.lane_taps *= config().rows_of_lane();
    return shape;
  }

  PartEstimate Estimate(const PartRequest& request) const override {
    return EstimateDirectWeight(config(), request);
  }
  PartLaunch MakeLaunch(const PartRequest& request) const override {
    using Args = DirectWeightArgs;
    const DirectWeightPlan plan = PlanDirectWeight(config(), request);
    return {.launch = {.code = code(),
                       .shape = plan.shape,
                       .arguments = BytesOf(plan.args),
                       .addresses = {{offsetof(Args, dy), {Memory::kA}},
                                     {offsetof(Args, x), {Memory::kB}},
                                     {offsetof(Args, dw), {Memory::kOut}}},
                       .map = {}},
            .table = {}};
  }
};

}  // namespace

std::shared_ptr<const PartKernel> MakeGatherKernel(const DirectConfig& config, Gfx gfx,
                                                   KernelCode code) {
  return std::make_shared<GatherKernel>(config, gfx, std::move(code));
}

std::shared_ptr<const PartKernel> MakeWeightKernel(const DirectConfig& config, Gfx gfx,
                                                   KernelCode code) {
  return std::make_shared<WeightKernel>(config, gfx, std::move(code));
}

}  // namespace gridwise::direct
