// SPDX-License-Identifier: MIT
#include "hopper/halo_weight/plan.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <variant>

#include "core/base/math.h"
#include "core/cost/pass_cycles.h"
#include "core/launch/plan_epilogue.h"
#include "hopper/base/maps.h"
#include "hopper/gather/estimate.h"

namespace gridwise::hopper {
namespace {

int Int(std::int64_t value) { return static_cast<int>(value); }

/// Whether workgroups of an instance of backward-weight divide the slices of the filter.
bool DividesSlices(const ConvProblem& problem) {
  return problem.filter_taps() > HaloWeightConfig::kTaps;
}

std::variant<Refusal, Halo> HaloOf(const HaloWeightConfig& config, const ConvProblem& problem,
                                   const DeviceFacts& device, Wanted wanted = Wanted::kBest) {
  const bool divides = DividesSlices(problem);
  const int slices = divides ? Int(problem.dims[0].filter) : 1;
  const int taps = Int(problem.filter_taps()) / slices;
  return MakeHalo(problem, device,
                  {.max_taps = HaloWeightConfig::kTaps * slices,
                   .limits =
                       [&](const HaloShape&) {
                         return HaloLimits{
                             .pixels = 1024,
                             .multiple = 16,
                             .stages = config.stages,
                             .other_bytes = HaloWeightConfig::kGroups * 8192 + kBarrierBytes,
                             .dy = DyInStage::kByPitch,
                             .by_slice = divides};
                       },
                   .matrix =
                       [&](const HaloShape&, const HaloTiling& tiling) {
                         return taps * tiling.tile_h * tiling.pitch * 2.6;  // 2 at best
                       },
                   .window = taps,
                   .alone = 300},
                  wanted);
}

/// Measured on an H200 and on H100s; for one group, 1,444 times on an H200.
double EfficiencyOf(const HaloWeightConfig& config, const ConvProblem& problem) {
  return (problem.groups == 1 ? 1.23 : 1.16) * (config.merges_taps ? 1.01 : 1.0) *
         (config.stages > 3 ? 1.02 : 1.0);
}

/// Lines of a tile in a box of dy: all, if tiles end with the lines.
int DyLines(const ConvProblem& problem, const HaloTiling& tiling) {
  return problem.dims[2].out() % tiling.tile_w == 0 ? tiling.tile_h : 1;
}

/// dy as [image and d][h][tile][w][k]: w or tile has one element. A tile's lines are longer than
/// its pixels, and the rest becomes zeros.
TensorMapSpec DyMap(const ConvProblem& problem, const HaloTiling& tiling) {
  const int lines = DyLines(problem, tiling);
  const bool of_tiles = lines > 1;
  const TensorAxes axes = problem.AxesOf(Tensor::kY);
  const std::int64_t tile_w = of_tiles ? tiling.tile_w : axes.size[3];
  TensorMapSpec map = {.type = problem.type, .rank = 5, .swizzle_bytes = 128};
  SetAxis(map, 0, ChannelsOfPixel(axes), 1);
  SetAxis(map, 1, tile_w, axes.stride[3]);
  SetAxis(map, 2, axes.size[3] / tile_w, axes.stride[3] * tile_w);
  SetAxis(map, 3, axes.size[2], axes.stride[2]);
  SetAxis(map, 4, axes.size[0] * axes.size[1], axes.size[1] > 1 ? axes.stride[1] : axes.stride[0]);
  map.box = {kBlock, static_cast<unsigned>(of_tiles ? tiling.pitch : tiling.tile_w), 1,
             static_cast<unsigned>(lines), 1};
  return map;
}

}  // namespace

PartEstimate EstimateHaloWeight(const Halo& halo, const PartRequest& request, double efficiency) {
  constexpr double kLaunch = 14000, kSplit = 8000;
  const ConvProblem& problem = request.problem;
  const std::int64_t workgroups =
      std::max<std::int64_t>(WorkgroupsOf(problem, request.device, halo),
                             std::min<std::int64_t>(MinSplits(problem), halo.tiling.tiles));
  const int splits =
      request.split_k.splits > 0 ? request.split_k.splits : static_cast<int>(workgroups);
  Cost cost = HaloCost(halo, problem, request.device, splits, kLaunch, efficiency);
  cost.splits = splits;
  const auto elements = static_cast<double>(problem.out_elements());
  if (splits > 1) {
    cost.pass_cycles =
        kSplit + PassCycles(request.device, elements * (4 * splits + SizeOf(problem.type)));
  }
  return {.splits = splits, .cost = cost};
}

Plan<HaloArgs> PlanHaloWeight(const Halo& halo, const PartRequest& request, int splits,
                              const TensorMapSpec& dy) {
  const ConvProblem& problem = request.problem;
  SplitK split_k = request.split_k;
  split_k.splits = splits;
  if (splits > 1 && split_k.partial_elements == 0)
    split_k.partial_elements = problem.out_elements();
  Plan<HaloArgs> plan;
  plan.args = MakeHaloArgs(problem, halo, Tensor::kX, Tensor::kY);
  plan.args.workgroups = splits;
  plan.args.depth = halo.windows;
  plan.args.source_channels = plan.args.channels;
  if (problem.groups == 1) {
    plan.args.channels = static_cast<int>(problem.k);
    plan.args.dy_blocks = static_cast<int>(CeilDiv<std::int64_t>(problem.k, kBlock));
    plan.args.log_group = 30;  // more than there are channels
    plan.args.group_mask = (1 << 30) - 1;
  }
  plan.args.other_at = plan.args.planes * plan.args.plane_bytes;
  plan.args.epilogue = MakeEpilogue(problem, split_k);
  plan.args.stores = Stores::kElements;
  plan.maps = {{.at = offsetof(HaloArgs, source),
                .points_to = {Memory::kB},
                .spec = PixelsMap(problem, Tensor::kX, halo.tiling.lines, halo.tiling.pitch,
                                  halo.shape->step)},
               {.at = offsetof(HaloArgs, other), .points_to = {Memory::kA}, .spec = dy}};
  plan.addresses = {{offsetof(HaloArgs, source_data), {Memory::kB}},
                    {offsetof(HaloArgs, other_data), {Memory::kA}}};
  return plan;
}

std::optional<Refusal> RejectProblem(const HaloWeightConfig& config, const ConvProblem& problem) {
  if (auto reason = problem.groups > 1 ? RejectHalo(problem) : RejectPixels(problem)) return reason;
  const bool divides = DividesSlices(problem);
  const std::int64_t taps = problem.filter_taps() / (divides ? problem.dims[0].filter : 1);
  if ((problem.groups == 1 || divides) && taps * 2 < HaloWeightConfig::kTaps) {
    return Refuse<
        "%s has %d taps; the instance multiplies %d, and would waste more than half of them">(
        divides ? "a slice of the filter" : "the filter", taps, HaloWeightConfig::kTaps);
  }
  const TensorAxes dy = problem.AxesOf(Tensor::kY);
  if (dy.size[1] > 1 && dy.size[0] > 1 && dy.stride[0] != dy.size[1] * dy.stride[1]) {
    return Refuse<
        "images of dy are %d elements apart, and their slices %d; the instance loads "
        "both as one axis">(dy.stride[0], dy.stride[1]);
  }
  if (auto reason = RejectTiles(config, Direction::kBackwardWeight, problem,
                                [&] { return HaloOf(config, problem, Gfx::kSm90a, Wanted::kAny); }))
    return reason;
  const bool can_merge = (divides || problem.dims[0].filter == 1) && problem.dims[1].filter == 3 &&
                         problem.dims[2].filter == 3 && problem.dims[2].stride == 1;
  if (!config.merges_taps || can_merge) return std::nullopt;
  return Refuse<
      "the instance merges adjacent taps; the filter must be 3 x 3 with stride 1 along w">();
}

PartEstimate EstimateLaunch(const HaloWeightConfig& config, const PartRequest& request) {
  return EstimateHaloWeight(std::get<Halo>(HaloOf(config, request.problem, request.device)),
                            request, EfficiencyOf(config, request.problem));
}

Plan<HaloArgs> PlanHalo(const HaloWeightConfig& config, const PartRequest& request) {
  const ConvProblem& problem = request.problem;
  const Halo halo = std::get<Halo>(HaloOf(config, problem, request.device));
  const int splits = EstimateHaloWeight(halo, request, EfficiencyOf(config, problem)).splits;
  Plan<HaloArgs> plan = PlanHaloWeight(halo, request, splits, DyMap(problem, halo.tiling));
  HaloArgs& args = plan.args;
  args.dy_lines = DyLines(problem, halo.tiling);
  args.stores = LaneStoresOf(problem, args.epilogue);
  args.staging_at = config.stages * args.stage_bytes;
  args.barriers_at = args.staging_at + HaloWeightConfig::kGroups * 8192;
  plan.shape = HaloLaunchShape(std::int64_t{splits} * args.blocks * halo.windows, config.threads(),
                               halo.tiling.shared_bytes);
  return plan;
}

}  // namespace gridwise::hopper
