// SPDX-License-Identifier: MIT
#include "tile/plan/kernels.h"

#include <cstddef>
#include <utility>

#include "core/launch/plan_epilogue.h"
#include "core/passes/operand_form.h"
#include "core/text/fields_text.h"
#include "tile/lds_layout.h"
#include "tile/plan/bwd_weight.h"
#include "tile/plan/gather.h"

namespace gridwise::tile {
namespace {

/// Shared by both kinds of kernels.
class TileKernel : public PartKernel {
 public:
  TileKernel(const TileConfig& config, KernelCode code) : config_(config), code_(std::move(code)) {}

  std::string name() const override { return PrintFields(config_); }
  DataType type() const override { return config_.type; }
  const KernelCode& code() const override { return code_; }
  bool has_epilogue() const override { return true; }
  int max_fixup() const override { return config_.fixup; }
  InstanceShape shape() const override {
    const TileConfig& c = config_;
    return {.tile_m = c.tile.m,
            .tile_n = c.tile.n,
            .tile_k = c.tile.k,
            .waves = c.waves.m * c.waves.n,
            .load_waves = c.load_waves(),
            .occupancy = c.occupancy,
            .mma_m = c.mma.m,
            .mma_n = c.mma.n,
            .mma_k = c.mma.k,
            .vector_a = c.patch_a.k * c.patch_a.n,
            .vector_b = c.patch_b.k * c.patch_b.n,
            .transposes_a = c.patch_a.n > 1,
            .transposes_b = c.patch_b.n > 1,
            .lds_bytes = LdsLayout{c}.operand_bytes(),
            .k_tiles = c.k_tiles_in_flight(),
            .merged_groups = c.merge,
            .halo_pixels = c.halo};
  }
  // Pixels are loaded unchanged, instead of runs of them.
  const OperandForm* operands() const override {
    return config_.packs_pixels() ? &AsTheyAre() : nullptr;
  }

 protected:
  const TileConfig& config() const { return config_; }

  /// Why it does not add up the splits of the problem's tiles. Returns nullopt if it does, or has
  /// none.
  std::optional<Refusal> RejectFixup(const ConvProblem& problem, int splits) const {
    // With more tiles, a few of which fill a device, splitting K does not pay; and a long
    // computation does not notice a launch.
    constexpr std::int64_t kMaxTiles = 512;
    constexpr double kMaxFlops = 1e11;
    constexpr int kFewestSteps = 8;  // two splits with the minimum that ChooseSplitK gives each
    const Mnk& tile = config_.tile;
    if (!config_.has_fixup()) return std::nullopt;
    if (problem.Flops() > kMaxFlops) {
      return Refuse<
          "the problem has %.3g operations; the instance, which saves a "
          "launch, is for at most %.3g">(RefusalCode::kSize, problem.Flops(), kMaxFlops);
    }
    if (problem.reduction_length() < kFewestSteps * tile.k) {
      return Refuse<"K is %d, which is too short to be shared; the instance is for at least %d">(
          problem.reduction_length(), kFewestSteps * tile.k);
    }
    const std::int64_t tiles = problem.out_elements() / (tile.m * tile.n);
    if (tiles > kMaxTiles) {
      return Refuse<
          "the output has %d tiles; the instance, whose workgroups share "
          "tiles, is for at most %d">(RefusalCode::kSize, tiles, kMaxTiles);
    }
    if (splits > config_.fixup) {
      return Refuse<"there are to be %d splits; the instance adds up at most %d">(
          splits, config_.fixup.value);
    }
    return std::nullopt;
  }

  /// The launch's arguments for joining splits.
  static void AddFixup(std::size_t at, const FixupArgs& args, KernelLaunch& launch) {
    if (args.splits == 1) return;
    launch.addresses.push_back({at + offsetof(FixupArgs, workspace), {Memory::kWorkspace}});
    launch.number_at = at + offsetof(FixupArgs, launch);
  }

 private:
  const TileConfig config_;
  const KernelCode code_;
};

class GatherKernel final : public TileKernel {
 public:
  using TileKernel::TileKernel;

  std::optional<Refusal> Reject(const ConvProblem& problem, int splits) const override {
    if (config().has_resident_weights() && splits > 1) {
      return Refuse<"there are to be %d splits; the instance has all of K in LDS">(splits);
    }
    if (auto reason = RejectFixup(problem, splits)) return reason;
    return RejectGather(config(), problem);
  }
  std::optional<Excess> TooLarge(const ConvProblem& problem, std::int64_t limit) const override {
    return TooLargeForGather(config(), problem, limit);
  }
  PartEstimate Estimate(const PartRequest& request) const override {
    return EstimateGather(config(), request);
  }
  PartLaunch MakeLaunch(const PartRequest& request) const override {
    const GatherPlan plan = PlanGather(config(), request);
    PartLaunch part = {.launch = {.code = code(),
                                  .shape = plan.shape,
                                  .arguments = BytesOf(plan.args),
                                  .addresses = EpilogueAddresses(offsetof(GatherArgs, epilogue),
                                                                 plan.args.epilogue),
                                  .map = plan.args.map},
                       .table = {}};
    auto& addresses = part.launch.addresses;
    addresses.push_back({offsetof(GatherArgs, source), {Memory::kA}});
    addresses.push_back({offsetof(GatherArgs, w), {Memory::kB}});
    if (!plan.is_inline) {
      part.table = BytesOfTable<SubGemm>(plan.table);
      addresses.push_back({offsetof(GatherArgs, table), {Memory::kTable}});
    }
    AddFixup(offsetof(GatherArgs, fixup), plan.args.fixup, part.launch);
    return part;
  }
};

class BwdWeightKernel final : public TileKernel {
 public:
  using TileKernel::TileKernel;

  std::optional<Refusal> Reject(const ConvProblem& problem, int splits) const override {
    if (auto reason = RejectFixup(problem, splits)) return reason;
    return RejectBwdWeight(config(), problem);
  }
  std::optional<Excess> TooLarge(const ConvProblem& problem, std::int64_t limit) const override {
    return TooLargeForBwdWeight(config(), problem, limit);
  }
  PartEstimate Estimate(const PartRequest& request) const override {
    return EstimateBwdWeight(config(), request);
  }
  PartLaunch MakeLaunch(const PartRequest& request) const override {
    using Args = BwdWeightArgs;
    const BwdWeightPlan plan = PlanBwdWeight(config(), request);
    PartLaunch part = {
        .launch = {.code = code(),
                   .shape = plan.shape,
                   .arguments = BytesOf(plan.args),
                   .addresses = EpilogueAddresses(offsetof(Args, epilogue), plan.args.epilogue),
                   .map = plan.args.map},
        .table = {}};
    part.launch.addresses.push_back(
        {offsetof(Args, dy) + offsetof(PixelTensor, data), {Memory::kA}});
    part.launch.addresses.push_back(
        {offsetof(Args, x) + offsetof(PixelTensor, data), {Memory::kB}});
    AddFixup(offsetof(Args, fixup), plan.args.fixup, part.launch);
    return part;
  }
};

}  // namespace

std::shared_ptr<const PartKernel> MakeGatherKernel(const TileConfig& config, KernelCode code) {
  return std::make_shared<GatherKernel>(config, std::move(code));
}

std::shared_ptr<const PartKernel> MakeBwdWeightKernel(const TileConfig& config, KernelCode code) {
  return std::make_shared<BwdWeightKernel>(config, std::move(code));
}

}  // namespace gridwise::tile
