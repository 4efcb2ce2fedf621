// SPDX-License-Identifier: MIT
#include "hopper/halo_plan.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <variant>
#include <vector>

#include "absl/strings/str_format.h"
#include "core/arch/mma_shape.h"
#include "core/base/math.h"
#include "core/conv/sub_gemms.h"
#include "core/launch/plan_epilogue.h"
#include "hopper/fit.h"
#include "hopper/halo_tiling.h"
#include "hopper/halo_weight_plan.h"
#include "hopper/maps.h"

namespace gridwise::hopper {
namespace {

int Int(std::int64_t value) { return static_cast<int>(value); }

int TapsOf(const HaloShape& shape) { return Int(static_cast<std::int64_t>(shape.taps.size())); }

constexpr std::int64_t kBarrierBytes = 64;

/// Number of output channels of a dense instance.
int ColumnsOf(const ConvProblem& problem) { return Int(problem.AxesOf(problem.out()).size[5]); }

/// Number of steps of K: k tiles of source channels at slices of the filter.
std::int64_t StepsOf(const HaloDenseConfig& config, const ConvProblem& problem) {
  const std::int64_t channels = problem.AxesOf(GatheredTensor(problem)).size[5];
  return CeilDiv<std::int64_t>(channels, config.k_tile) * problem.dims[0].filter;
}

/// Whether boxes can be stored: the epilogue has no tensors, the output has the operands' type, and
/// its channels fill multiples of 16 bytes, all of which TMA stores.
bool StoresBoxes(const ConvProblem& problem, const EpilogueArgs& epilogue) {
  const TensorAxes axes = problem.AxesOf(problem.out());
  const std::int64_t bytes = SizeOf(problem.type);
  return axes.size[4] * axes.size[5] * bytes % 16 == 0 && epilogue.tensors == 0 &&
         epilogue.adds == 0 && epilogue.out_type == static_cast<int>(problem.type) &&
         !RejectStrides("the output", axes, bytes, /*of_groups=*/false);
}

/// Whether the output's groups are as far apart as those of the source, and without gaps.
bool HasColumnsOfSource(const ConvProblem& problem) {
  const TensorAxes axes = problem.AxesOf(problem.out());
  const std::int64_t pitch = GroupPitch(problem);
  return axes.size[5] == pitch && (axes.size[4] == 1 || axes.stride[4] == pitch);
}

/// How an instance for groups stores.
Stores StoresOf(const ConvProblem& problem, const EpilogueArgs& epilogue) {
  if (!HasColumnsOfSource(problem)) return LaneStoresOf(problem, epilogue);
  if (StoresBoxes(problem, epilogue)) return Stores::kBoxes;
  ConvProblem as_one = problem;
  as_one.groups = 1;
  return LaneStoresOf(as_one, epilogue);
}

/// Additional cycles, relative to boxes or whole rows, when lanes store 64 x 64 sums while the
/// other team multiplies; measured on an H100.
double StoreCycles(const ConvProblem& problem) {
  constexpr double kElements = 8500, kGroups = 1700;
  if (StoresOf(problem, MakeEpilogue(problem, {})) == Stores::kElements) return kElements;
  return HasColumnsOfSource(problem) ? 0 : kGroups;
}

std::variant<std::string, Halo> HaloOf(const HaloConfig& config, const ConvProblem& problem,
                                       const DeviceFacts& device, Wanted wanted = Wanted::kBest) {
  // For a pixel's 64 channels at a tap: a product of 64 pixels reads 2 KB of them, and 32 bytes per
  // column, at 128 bytes per cycle.
  const double cycles = (2048 + config.channels * 32) / 128.0 * config.pixel_bytes() / 32 / 64;
  return MakeHalo(
      problem, device,
      {.up = config.up,
       .limits =
           [&](const HaloShape& shape) {
             return HaloLimits{.pixels = config.pixels(),
                               .up = config.up,
                               .stages = config.stages,
                               .other_bytes = config.filter_bytes(TapsOf(shape)) +
                                              config.teams * config.staging_bytes() +
                                              kBarrierBytes};
           },
       .matrix = [&](const HaloShape& shape,
                     const HaloTiling&) { return TapsOf(shape) * config.pixels() * cycles; },
       .alone = 1500 + StoreCycles(problem) * config.reps * config.phases(),
       .pixels_of_other =
           1.0 * config.phases() * SizeOf(problem.output_type()) / SizeOf(config.type)},
      wanted);
}

/// Whether workgroups of an instance of backward-weight divide the slices of the filter.
bool DividesSlices(const ConvProblem& problem) {
  return problem.filter_taps() > HaloWeightConfig::kTaps;
}

std::variant<std::string, Halo> HaloOf(const HaloWeightConfig& config, const ConvProblem& problem,
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

std::variant<std::string, Halo> HaloOf(const HaloDenseConfig& config, const ConvProblem& problem,
                                       const DeviceFacts& device, Wanted wanted = Wanted::kBest) {
  // Both operands of a product come from shared memory: 64 rows and the columns, with 16 channels.
  const double product = (64 + config.product_columns()) * 32 / TheFit().halo_dense;
  const double products =
      config.k_tile / 16.0 * config.tile_consumers() * config.reps / config.merged_taps();
  return MakeHalo(problem, device,
                  {.limits =
                       [&](const HaloShape&) {
                         const int filter = config.filter_bytes(ColumnsOf(problem));
                         return HaloLimits{.pixels = config.pixels(),
                                           .stages = config.stages,
                                           .other_bytes = config.resident * filter +
                                                          config.consumers * 8192 +
                                                          config.barrier_bytes(),
                                           .filter_bytes = config.resident > 0 ? 0 : filter,
                                           .channels = config.k_tile,
                                           .by_slice = true};
                       },
                   .matrix =
                       [&](const HaloShape& shape, const HaloTiling&) {
                         return TapsOf(shape) / shape.depth.taps * products * product;
                       }},
                  wanted);
}

template <class Config>
std::optional<std::string> RejectCommon(const Config& config, Direction direction,
                                        const ConvProblem& problem) {
  if (problem.direction != direction) {
    return absl::StrFormat("direction is %s; the instance is for %s", Name(problem.direction),
                           Name(direction));
  }
  if (problem.type != config.type) {
    return absl::StrFormat("type is %s; the instance is for %s", Name(problem.type),
                           Name(config.type));
  }
  std::variant<std::string, Halo> made = HaloOf(config, problem, Gfx::kSm90a, Wanted::kAny);
  if (auto* reason = std::get_if<std::string>(&made)) return std::move(*reason);
  return std::nullopt;
}

/// Above 1: teams hide each other's stores, the more so with stages to spare or if a warpgroup
/// waits for no other; and L2 delivers pixels that tiles share faster than estimated.
double EfficiencyOf(const HaloConfig& config) {
  const Fit& fit = TheFit();
  if (config.reps > 1) return config.consumers == 1 ? fit.halo_alone : fit.halo_large;
  constexpr double kLoopOverTaps = 0.87;  // from 35 depthwise problems
  if (config.stages >= 4) return fit.halo_stages;
  return (config.filter == 0 ? kLoopOverTaps : 1) * fit.halo;
}

/// Whether channels of groups are runs of 16 bytes that begin at multiples of 16.
bool HasRuns(const TensorAxes& axes, std::int64_t bytes) {
  const std::int64_t run = 16 / bytes;
  if (axes.stride[5] != 1 || axes.size[5] % run != 0) return false;
  for (std::size_t axis = 0; axis < 5; ++axis) {
    if (axes.size[axis] != 1 && axes.stride[axis] % run != 0) return false;
  }
  return true;
}

/// Measured on an H200 and on H100s.
double EfficiencyOf(const HaloWeightConfig& config, const ConvProblem& problem) {
  return (problem.groups == 1 ? 1.0 : 1.16) * (config.merges_taps ? 1.01 : 1.0) *
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

std::optional<std::string> RejectProblem(const HaloConfig& config, const ConvProblem& problem) {
  const std::int64_t pitch = GroupPitch(problem);
  if (std::max<std::int64_t>(pitch, WgmmaK(config.type)) != config.channels) {
    return absl::StrFormat("groups are %d channels apart; the instance is for products of %d",
                           pitch, config.channels);
  }
  for (const std::size_t axis : {1u, 2u}) {
    if (config.filter == 0 || problem.dims[axis].filter == config.filter) continue;
    return absl::StrFormat("the filter has %d taps along %c; the instance is for %d",
                           problem.dims[axis].filter, "dhw"[axis], config.filter);
  }
  if (config.filter > 0 && problem.dims[0].filter > 1) {
    return absl::StrFormat("the filter has %d taps along d; the instance is for 1",
                           problem.dims[0].filter);
  }
  // Gather instances take 0.83 to 0.87 times as long.
  if (problem.groups == 1 && problem.dims[0].filter > 1) {
    return absl::StrFormat(
        "the filter has %d taps along d, and there is one group; the instance is for "
        "several",
        problem.dims[0].filter);
  }
  if (auto reason = RejectHalo(problem)) return reason;
  return RejectCommon(config, config.direction, problem);
}

std::optional<std::string> RejectProblem(const HaloWeightConfig& config,
                                         const ConvProblem& problem) {
  if (auto reason = problem.groups > 1 ? RejectHalo(problem) : RejectPixels(problem)) return reason;
  const bool divides = DividesSlices(problem);
  const std::int64_t taps = problem.filter_taps() / (divides ? problem.dims[0].filter : 1);
  if ((problem.groups == 1 || divides) && taps * 2 < HaloWeightConfig::kTaps) {
    return absl::StrFormat(
        "%s has %d taps; the instance multiplies %d, and would waste more than half of them",
        divides ? "a slice of the filter" : "the filter", taps, HaloWeightConfig::kTaps);
  }
  const TensorAxes dy = problem.AxesOf(Tensor::kY);
  if (dy.size[1] > 1 && dy.size[0] > 1 && dy.stride[0] != dy.size[1] * dy.stride[1]) {
    return absl::StrFormat(
        "images of dy are %d elements apart, and their slices %d; the instance loads "
        "both as one axis",
        dy.stride[0], dy.stride[1]);
  }
  if (auto reason = RejectCommon(config, Direction::kBackwardWeight, problem)) return reason;
  const bool can_merge = (divides || problem.dims[0].filter == 1) && problem.dims[1].filter == 3 &&
                         problem.dims[2].filter == 3 && problem.dims[2].stride == 1;
  if (!config.merges_taps || can_merge) return std::nullopt;
  return "the instance merges adjacent taps; the filter must be 3 x 3 with stride 1 along w";
}

std::optional<std::string> RejectProblem(const HaloDenseConfig& config,
                                         const ConvProblem& problem) {
  const TensorAxes w = problem.AxesOf(Tensor::kW);
  const int columns = problem.groups == 1 ? ColumnsOf(problem) : 0;
  const bool is_exact = config.merges_taps && !config.is_forward();
  if (problem.groups != 1 || columns > config.columns || (is_exact && columns < config.columns) ||
      problem.dims[1].filter != config.filter || problem.dims[2].filter != config.filter ||
      w.stride[3] != config.filter * w.stride[4] ||
      (w.size[2] > 1 && w.stride[2] != config.filter * w.stride[3])) {
    return absl::StrFormat(
        "there are %d groups and %d output channels; the instance is for one group, %s %d output "
        "channels and a packed filter of %d x %d",
        problem.groups, problem.AxesOf(problem.out()).size[4] * columns,
        is_exact ? "exactly" : "at most", config.columns, config.filter, config.filter);
  }
  if (!config.is_forward() && w.stride[4] != columns) return "taps of w are not adjacent";
  if (const std::int64_t steps = StepsOf(config, problem);
      config.resident > 0 && steps > config.resident) {
    return absl::StrFormat("the filter has %d steps of %d channels; the instance keeps at most %d",
                           steps, config.k_tile, config.resident);
  }
  if (config.merges_taps && (problem.dims[2].stride != 1 || problem.dims[2].dilation != 1)) {
    return "the instance merges adjacent taps; stride and dilation along w must be 1";
  }
  const std::int64_t bytes = SizeOf(problem.type);
  const Tensor source = GatheredTensor(problem);
  if (auto reason = RejectStrides("x or dy", problem.AxesOf(source), bytes)) return reason;
  if (auto reason = RejectStrides("w", w, bytes)) return reason;
  return RejectCommon(config, config.direction, problem);
}

/// Measured on an H200, from 350 problems. With two stages, loads wait for products.
double EfficiencyOf(const HaloDenseConfig& config) {
  if (config.stages == 2) return 0.9;
  if (config.columns < 128) return 1;
  if (config.consumers > 2) return 0.8;
  return config.is_forward() ? 1.1 : 0.83;
}

/// Average cycles in which a step is loaded: TMA is slow to fill in the channels that the last k
/// tile lacks.
double LoadCyclesOf(const HaloDenseConfig& config, const ConvProblem& problem, const Halo& halo) {
  const Fit& fit = TheFit();
  const std::int64_t channels = problem.AxesOf(GatheredTensor(problem)).size[5];
  const auto k_tiles = static_cast<double>(CeilDiv<std::int64_t>(channels, config.k_tile));
  const double filled = channels % config.k_tile == 0 ? 0 : 1 / k_tiles;
  const double filter_lines =
      1.0 * halo.limits.filter_bytes / (config.is_forward() ? config.k_tile_bytes() : 128);
  const double pixels =
      1.0 * (halo.tiling.stage_bytes - halo.limits.filter_bytes) / config.k_tile_bytes();
  const double lines =
      fit.line * (pixels + filter_lines) +
      filled * (fit.filled_line - fit.line) * (pixels + (config.is_forward() ? filter_lines : 0));
  return std::max(lines, halo.tiling.stage_bytes / fit.l2);
}

PartEstimate EstimateLaunch(const HaloDenseConfig& config, const PartRequest& request) {
  const ConvProblem& problem = request.problem;
  const Halo halo = std::get<Halo>(HaloOf(config, problem, request.device));
  const auto steps = static_cast<double>(StepsOf(config, problem));
  const double rounds =
      static_cast<double>(CeilDiv<std::int64_t>(halo.tiling.tiles, request.device.compute_units));
  const double resident = config.resident * config.filter_bytes(ColumnsOf(problem));
  const double launch = TheFit().launch + resident / 2 / TheFit().l2;  // half of it hides behind
                                                                       // the first tile
  const double store = config.columns > 8 ? 1500 : 300;                // measured, in cycles
  const double step =
      std::max(halo.cycles.matrix, LoadCyclesOf(config, problem, halo)) / EfficiencyOf(config);
  return {.splits = std::max(request.split_k.splits, 1),
          .cost = WithCycles({.matrix_cycles = step * steps,
                              .memory_cycles = step * steps,
                              .alone_cycles = step * steps + store,
                              .fixed_cycles = launch / rounds,
                              .workgroups = static_cast<double>(halo.tiling.tiles),
                              .rounds = rounds,
                              .resident = 1})};
}

/// w as [tap][k][c]: boxes of a k tile of c, for all k and the taps of a slice, or for one. They
/// have only the existing columns: TMA is slow to fill in zeros.
TensorMapSpec FilterMap(const HaloDenseConfig& config, const ConvProblem& problem) {
  const TensorAxes w = problem.AxesOf(Tensor::kW);
  TensorMapSpec map = {.type = problem.type, .rank = 3, .swizzle_bytes = config.k_tile_bytes()};
  SetAxis(map, 0, w.size[5], 1);
  SetAxis(map, 1, w.size[1], w.stride[1]);
  SetAxis(map, 2, w.size[2] * w.size[3] * w.size[4], w.stride[4]);
  map.box = {static_cast<unsigned>(config.k_tile), static_cast<unsigned>(w.size[1]),
             config.merges_taps ? 1 : static_cast<unsigned>(config.filter * config.filter)};
  return map;
}

Plan<HaloArgs> PlanHalo(const HaloDenseConfig& config, const PartRequest& request) {
  const ConvProblem& problem = request.problem;
  const Halo halo = std::get<Halo>(HaloOf(config, problem, request.device));
  const Tensor source = GatheredTensor(problem);
  Plan<HaloArgs> plan;
  plan.args = MakeHaloArgs(problem, halo, source, problem.out());
  HaloArgs& args = plan.args;
  args.blocks = 1;
  args.channels = ColumnsOf(problem);
  args.k_tiles = Int(StepsOf(config, problem));
  args.depth = Int(problem.dims[0].filter);
  args.by_depth = MakeMagicDiv(static_cast<unsigned>(args.depth));
  args.splits = std::max(request.split_k.splits, 1);
  args.workgroups = Int(std::min<std::int64_t>(halo.tiling.tiles, request.device.compute_units));
  args.other_at = args.planes * args.plane_bytes;
  args.filter_at = config.stages * args.stage_bytes;
  args.k_tile_bytes = config.filter_bytes(args.channels);
  args.staging_at = args.filter_at + config.resident * args.k_tile_bytes;
  args.barriers_at = args.staging_at + config.consumers * 8192;
  args.epilogue = MakeEpilogue(problem, request.split_k);
  args.stores = LaneStoresOf(problem, args.epilogue);
  plan.maps = {{.at = offsetof(HaloArgs, source),
                .points_to = {Memory::kA},
                .spec = PixelsMap(problem, source, halo.tiling.lines, halo.tiling.pitch,
                                  halo.shape.step, config.k_tile)},
               {.at = offsetof(HaloArgs, other),
                .points_to = {Memory::kB},
                .spec = config.is_forward() ? FilterMap(config, problem)
                                            : WeightLinesMap(problem, config.k_tile)}};
  args.filter_pitch = config.filter_pitch(args.channels);
  // Rows after the tile's last are multiplied as well, whatever they hold.
  int furthest = 0;
  for (const HaloTap& tap : args.tap) furthest = std::max(furthest, tap.at);
  const int end = (config.stages - 1) * args.stage_bytes + furthest +
                  64 * config.tile_consumers() * config.reps * config.k_tile_bytes();
  plan.shape = HaloLaunchShape(std::int64_t{args.splits} * args.workgroups, config.threads(),
                               std::max(halo.tiling.shared_bytes, end));
  return plan;
}

PartEstimate EstimateLaunch(const HaloConfig& config, const PartRequest& request) {
  const ConvProblem& problem = request.problem;
  const Halo halo = std::get<Halo>(HaloOf(config, problem, request.device));
  const std::int64_t workgroups = WorkgroupsOf(problem, request.device, halo);
  constexpr double kLaunch = 10000;  // including the filter
  const int splits = std::max(request.split_k.splits, 1);
  return {.splits = splits,
          .cost = WithCycles(
              HaloCost(halo, problem, request.device, workgroups, kLaunch, EfficiencyOf(config)))};
}

PartEstimate EstimateLaunch(const HaloWeightConfig& config, const PartRequest& request) {
  return EstimateHaloWeight(std::get<Halo>(HaloOf(config, request.problem, request.device)),
                            request, EfficiencyOf(config, request.problem));
}

Plan<HaloArgs> PlanHalo(const HaloConfig& config, const PartRequest& request) {
  const ConvProblem& problem = request.problem;
  const Halo halo = std::get<Halo>(HaloOf(config, problem, request.device));
  const Tensor source = GatheredTensor(problem);
  Plan<HaloArgs> plan;
  plan.args = MakeHaloArgs(problem, halo, source, problem.out());
  HaloArgs& args = plan.args;
  args.mixes = args.of_source_group < config.channels || request.split_k.splits > 1;
  args.filter_runs = HasRuns(problem.AxesOf(Tensor::kW), SizeOf(problem.type));
  args.filter_at = config.stages * args.stage_bytes;
  args.staging_at =
      args.filter_at + config.filter_bytes(Int(static_cast<std::int64_t>(halo.shape.taps.size())));
  const int staging = config.teams * config.staging_bytes();
  const int second = halo.tiling.shared_bytes + staging <= TraitsOf(Gfx::kSm90a).lds_bytes;
  args.buffers = 1 + second;
  args.barriers_at = args.staging_at + args.buffers * staging;
  args.workgroups = Int(WorkgroupsOf(problem, request.device, halo));
  args.epilogue = MakeEpilogue(problem, request.split_k);
  args.stores = StoresOf(problem, args.epilogue);
  plan.maps.push_back(
      {.at = offsetof(HaloArgs, source),
       .points_to = {Memory::kA},
       .spec = PixelsMap(problem, source, halo.tiling.lines, halo.tiling.pitch, halo.shape.step)});
  if (args.stores == Stores::kBoxes) {
    plan.maps.push_back({.at = offsetof(HaloArgs, other),
                         .points_to = {Memory::kOut},
                         .spec = PixelsMap(problem, problem.out(), args.tile_h * config.up,
                                           args.tile_w * config.up, {1, 1})});
  }
  plan.addresses = {{offsetof(HaloArgs, source_data), {Memory::kA}},
                    {offsetof(HaloArgs, other_data), {Memory::kB}}};
  const int splits = std::max(request.split_k.splits, 1);
  plan.shape = HaloLaunchShape(std::int64_t{splits} * args.workgroups * args.blocks,
                               config.threads(), halo.tiling.shared_bytes + second * staging);
  return plan;
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
