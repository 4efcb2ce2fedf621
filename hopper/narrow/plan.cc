// SPDX-License-Identifier: MIT
#include "hopper/narrow/plan.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <variant>

#include "core/base/math.h"
#include "hopper/halo/tiling.h"
#include "hopper/halo_weight/plan.h"

namespace gridwise::hopper {
namespace {

constexpr int kZeroBytes = 128;
constexpr double kMmaCycles = 6;  // per product of a warp, on its quarter of an SM

/// Efficiency of memory and products, measured on an H200 on 780 problems; for windows, each of
/// which reads a tile once, on 35 depthwise ones.
double EfficiencyOf(const NarrowWeightConfig& config) {
  if (config.has_windows()) return 0.45;
  return config.channels > 16 ? 0.97 : 1.16;
}

/// Times 16 pixels that a part of the warps multiplies of a tile.
int StepsOfPart(const NarrowWeightConfig& config, const HaloTiling& tiling) {
  const int parts = config.parts();
  if (!config.walks_rows) return CeilDiv(CeilDiv(tiling.tile_h * tiling.tile_w, 16), parts);
  constexpr int kToBegin = 1;  // steps that take as long as an item takes to begin
  const int rows = ItemRows(tiling.tile_h, tiling.tile_w, parts);
  const int items = tiling.tile_w / config.kItemColumns * CeilDiv(tiling.tile_h, rows);
  return CeilDiv(items, parts) * (kToBegin + rows / 2);
}

std::variant<Refusal, Halo> HaloOf(const NarrowWeightConfig& config, const ConvProblem& problem,
                                   const DeviceFacts& device, Wanted wanted = Wanted::kBest) {
  const int products = config.window() * config.channels / 8;
  return MakeHalo(problem, device,
                  {.limits =
                       [&](const HaloShape&) {
                         return HaloLimits{.pixels = 4096,
                                           .unit_w = config.walks_rows ? config.kItemColumns : 1,
                                           .unit_h = config.walks_rows ? 2 : 1,
                                           .unit_pitch = config.walks_rows ? 4 : 1,
                                           .stages = config.stages,
                                           .other_bytes = kZeroBytes + kBarrierBytes,
                                           .dy = DyInStage::kPacked};
                       },
                   .matrix =
                       [&](const HaloShape&, const HaloTiling& tiling) {
                         return StepsOfPart(config, tiling) * config.parts() * products *
                                kMmaCycles;
                       },
                   .window = config.has_windows() ? config.window() : kMaxHaloTaps,
                   .alone = 300},
                  wanted);
}

}  // namespace

std::optional<Refusal> RejectProblem(const NarrowWeightConfig& config, const ConvProblem& problem) {
  if (problem.direction != Direction::kBackwardWeight || problem.type != config.type) {
    return Refuse<"the problem is %s of %s; the instance is for bwd_weight of %s">(
        Name(problem.direction), Name(problem.type), Name(config.type));
  }
  const std::int64_t pitch = GroupPitch(problem);
  if (std::max<std::int64_t>(pitch, 16) != config.channels) {
    return Refuse<"groups are %d channels apart; the instance is for products of %d">(
        pitch, config.channels);
  }
  for (const std::size_t axis : {1u, 2u}) {
    const Dim& dim = problem.dims[axis];
    if (config.walks_rows && (dim.stride != 1 || dim.dilation != 1)) {
      return Refuse<"stride and dilation along %c are %d and %d; the instance is for 1 and 1">(
          "dhw"[axis], dim.stride, dim.dilation);
    }
    if (config.has_windows() || problem.dims[axis].filter == config.filter) continue;
    return Refuse<"the filter has %d taps along %c; the instance is for %d">(
        problem.dims[axis].filter, "dhw"[axis], config.filter);
  }
  if (!config.has_windows() && problem.dims[0].filter > 1) {
    return Refuse<"the filter has %d taps along d; the instance is for 1">(problem.dims[0].filter);
  }
  if (config.has_windows() && problem.filter_taps() <= HaloWeightConfig::kTaps) {
    return Refuse<"the filter has %d taps; the instance is for more than %d">(
        problem.filter_taps(), HaloWeightConfig::kTaps);
  }
  if (auto reason = RejectHalo(problem)) return reason;
  std::variant<Refusal, Halo> made = HaloOf(config, problem, Gfx::kSm90a, Wanted::kAny);
  if (auto* reason = std::get_if<Refusal>(&made)) return std::move(*reason);
  return std::nullopt;
}

PartEstimate EstimateLaunch(const NarrowWeightConfig& config, const PartRequest& request) {
  return EstimateHaloWeight(std::get<Halo>(HaloOf(config, request.problem, request.device)),
                            request, EfficiencyOf(config));
}

Plan<HaloArgs> PlanNarrow(const NarrowWeightConfig& config, const PartRequest& request) {
  const Halo halo = std::get<Halo>(HaloOf(config, request.problem, request.device));
  const int splits = EstimateHaloWeight(halo, request, EfficiencyOf(config)).splits;
  Plan<HaloArgs> plan = PlanHaloWeight(
      halo, request, splits,
      PixelsMap(request.problem, Tensor::kY, halo.tiling.tile_h, halo.tiling.tile_w, {1, 1}));
  HaloArgs& args = plan.args;
  args.stores = LaneStoresOf(request.problem, args.epilogue);
  // Sums reuse the memory of the stages.
  args.filter_at = std::max(config.stages * args.stage_bytes, AlignUp(config.sum_bytes(), 1024));
  args.barriers_at = args.filter_at + kZeroBytes;
  plan.shape =
      HaloLaunchShape(std::int64_t{splits} * args.blocks * halo.windows, config.threads(),
                      std::max(halo.tiling.shared_bytes, args.barriers_at + config.stages * 16));
  return plan;
}

}  // namespace gridwise::hopper
