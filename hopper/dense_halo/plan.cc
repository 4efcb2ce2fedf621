// SPDX-License-Identifier: MIT
#include "hopper/dense_halo/plan.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <variant>

#include "core/base/math.h"
#include "core/launch/plan_epilogue.h"
#include "hopper/base/maps.h"
#include "hopper/fit/fit.h"
#include "hopper/halo/tiling.h"

namespace gridwise::hopper {
namespace {

int Int(std::int64_t value) { return static_cast<int>(value); }

/// Number of output channels of a dense instance.
int ColumnsOf(const ConvProblem& problem) { return Int(ChannelsOf(problem, problem.out())); }

/// Columns of a tap of w: the output channels, or, if they are adjacent, those of a copy, which may
/// be more.
int FilterColumnsOf(const HaloDenseConfig& config, const ConvProblem& problem) {
  return config.b_runs_along_k() ? ColumnsOf(problem) : Int(problem.AxesOf(Tensor::kW).stride[4]);
}

/// Number of steps of K: k tiles of source channels at slices of the filter.
std::int64_t StepsOf(const HaloDenseConfig& config, const ConvProblem& problem) {
  const std::int64_t channels = ChannelsOf(problem, GatheredTensor(problem));
  return CeilDiv<std::int64_t>(channels, config.k_tile) * problem.dims[0].filter;
}

/// Bytes per cycle at which products read operands. In tf32 products of a single tap are faster
/// (26 layers of channels.csv, H200).
double BytesPerCycle(const HaloDenseConfig& config, const Fit& fit) {
  return config.type == DataType::kTF32 && !config.merges_taps ? 1.1 * fit.halo_dense
                                                               : fit.halo_dense;
}

std::variant<Refusal, Halo> HaloOf(const HaloDenseConfig& config, const ConvProblem& problem,
                                   const DeviceFacts& device, const Fit& fit,
                                   Wanted wanted = Wanted::kBest) {
  // Both operands of a product come from shared memory: 32 bytes of 64 rows and of the columns.
  const double product = (64 + config.product_columns()) * 32 / BytesPerCycle(config, fit);
  const double products =
      config.k_tile_bytes() / 32.0 * config.tile_consumers() * config.reps / config.merged_taps();
  return MakeHalo(problem, device,
                  {.limits =
                       [&](const HaloShape&) {
                         const int filter = config.filter_bytes(FilterColumnsOf(config, problem));
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
                         return shape.tap_count() / shape.depth.taps * products * product;
                       }},
                  wanted);
}

/// Measured on an H200, from 350 problems. With two stages, loads wait for products.
double EfficiencyOf(const HaloDenseConfig& config, const ConvProblem& problem) {
  if (config.type == DataType::kTF32) {  // from 26 layers
    const bool is_strided = problem.dims[1].stride > 1 || problem.dims[2].stride > 1;
    return is_strided ? 0.65 : config.stages == 2 ? 0.9 : 1;
  }
  if (config.stages == 2) return 0.9;
  if (config.columns < 128) return 1;
  if (config.consumers > 2) return 0.8;
  return config.is_forward() ? 1.1 : 0.83;
}

/// Average cycles in which a step is loaded: TMA is slow to fill in the channels that the last k
/// tile lacks.
double LoadCyclesOf(const HaloDenseConfig& config, const ConvProblem& problem, const Halo& halo,
                    const Fit& fit) {
  const std::int64_t channels = ChannelsOf(problem, GatheredTensor(problem));
  const auto k_tiles = static_cast<double>(CeilDiv<std::int64_t>(channels, config.k_tile));
  const double filled = channels % config.k_tile == 0 ? 0 : 1 / k_tiles;
  const double filter_lines =
      1.0 * halo.limits.filter_bytes / (config.b_runs_along_k() ? config.k_tile_bytes() : 128);
  const double pixels =
      1.0 * (halo.tiling.stage_bytes - halo.limits.filter_bytes) / config.k_tile_bytes();
  const double lines = fit.line * (pixels + filter_lines) +
                       filled * (fit.filled_line - fit.line) *
                           (pixels + (config.b_runs_along_k() ? filter_lines : 0));
  return std::max(lines, halo.tiling.stage_bytes / fit.l2);
}

/// w with the source channels as its last axis: it lies along K.
TensorAxes AlongK(const HaloDenseConfig& config, TensorAxes w) {
  if (config.is_forward() || !config.b_runs_along_k()) return w;
  std::swap(w.size[1], w.size[5]);
  std::swap(w.stride[1], w.stride[5]);
  return w;
}

/// w as [tap][column][source channel]: boxes of a k tile of channels, for all columns and the taps
/// of a slice, or for one. They have only the existing columns: TMA is slow to fill in zeros.
TensorMapSpec FilterMap(const HaloDenseConfig& config, const ConvProblem& problem) {
  const TensorAxes w = AlongK(config, problem.AxesOf(Tensor::kW));
  TensorMapSpec map = {.type = problem.type, .rank = 3, .swizzle_bytes = config.k_tile_bytes()};
  SetAxis(map, 0, w.size[5], 1);
  SetAxis(map, 1, w.size[1], w.stride[1]);
  SetAxis(map, 2, w.size[2] * w.size[3] * w.size[4], w.stride[4]);
  map.box = {static_cast<unsigned>(config.k_tile), static_cast<unsigned>(w.size[1]),
             config.merges_taps ? 1 : static_cast<unsigned>(config.filter * config.filter)};
  return map;
}

}  // namespace

std::optional<Refusal> RejectProblem(const HaloDenseConfig& config, const ConvProblem& problem) {
  const TensorAxes w = problem.AxesOf(Tensor::kW);
  const int columns = problem.groups == 1 ? ColumnsOf(problem) : 0;
  const bool is_exact = config.merges_taps && !config.b_runs_along_k();
  const std::int64_t of_tap = w.stride[4];
  if (problem.groups != 1 || columns > config.columns || (is_exact && of_tap != config.columns) ||
      problem.dims[1].filter != config.filter || problem.dims[2].filter != config.filter ||
      w.stride[3] != config.filter * w.stride[4] ||
      (w.size[2] > 1 && w.stride[2] != config.filter * w.stride[3])) {
    return Refuse<
        "there are %d groups and %d output channels, and taps of w are %d elements apart; the "
        "instance is for one group, at most %d output channels%s, and a packed filter of %d x %d">(
        problem.groups, problem.groups * columns, of_tap, config.columns,
        is_exact ? " as far apart" : "", config.filter, config.filter);
  }
  if (!config.b_runs_along_k() && of_tap < columns) return Refuse<"taps of w overlap">();
  if (const std::int64_t steps = StepsOf(config, problem);
      config.resident > 0 && steps > config.resident) {
    return Refuse<"the filter has %d steps of %d channels; the instance keeps at most %d">(
        steps, config.k_tile, config.resident);
  }
  if (config.merges_taps && (problem.dims[2].stride != 1 || problem.dims[2].dilation != 1)) {
    return Refuse<"the instance merges adjacent taps; stride and dilation along w must be 1">();
  }
  const std::int64_t bytes = SizeOf(problem.type);
  const Tensor source = GatheredTensor(problem);
  if (auto reason = RejectStrides("x or dy", problem.AxesOf(source), bytes)) return reason;
  if (auto reason = RejectStrides("w", AlongK(config, w), bytes)) return reason;
  return RejectTiles(config, config.direction, problem, [&] {
    return HaloOf(config, problem, Gfx::kSm90a, kFits.along_channels, Wanted::kAny);
  });
}

PartEstimate EstimateLaunch(const HaloDenseConfig& config, const PartRequest& request) {
  const Fit& fit = FitOf(request);
  const ConvProblem& problem = request.problem;
  const Halo halo = std::get<Halo>(HaloOf(config, problem, request.device, FitOf(request)));
  const auto steps = static_cast<double>(StepsOf(config, problem));
  const double rounds =
      static_cast<double>(CeilDiv<std::int64_t>(halo.tiling.tiles, request.device.compute_units));
  const double resident = config.resident * config.filter_bytes(FilterColumnsOf(config, problem));
  const double launch = fit.launch + resident / 2 / fit.l2;  // half of it hides behind
                                                             // the first tile
  // Measured, in cycles.
  const double store = (config.columns > 8 ? 1500 : 300) * (SizeOf(config.type) == 4 ? 1.5 : 1);
  const double step = std::max(halo.cycles.matrix, LoadCyclesOf(config, problem, halo, fit)) /
                      EfficiencyOf(config, problem);
  return {.splits = std::max(request.split_k.splits, 1),
          .cost = {.matrix_cycles = step * steps,
                   .memory_cycles = step * steps,
                   .alone_cycles = step * steps + store,
                   .fixed_cycles = launch / rounds,
                   .workgroups = static_cast<double>(halo.tiling.tiles),
                   .rounds = rounds,
                   .resident = 1}};
}

Plan<HaloArgs> PlanHalo(const HaloDenseConfig& config, const PartRequest& request) {
  const ConvProblem& problem = request.problem;
  const Halo halo = std::get<Halo>(HaloOf(config, problem, request.device, FitOf(request)));
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
  args.filter_columns = FilterColumnsOf(config, problem);
  args.k_tile_bytes = config.filter_bytes(args.filter_columns);
  args.staging_at = args.filter_at + config.resident * args.k_tile_bytes;
  args.barriers_at = args.staging_at + config.consumers * 8192;
  args.epilogue = MakeEpilogue(problem, request.split_k);
  args.stores = LaneStoresOf(problem, args.epilogue);
  plan.maps = {{.at = offsetof(HaloArgs, source),
                .points_to = {Memory::kA},
                .spec = PixelsMap(problem, source, halo.tiling.lines, halo.tiling.pitch,
                                  halo.shape->step, config.k_tile)},
               {.at = offsetof(HaloArgs, other),
                .points_to = {Memory::kB},
                .spec = config.b_runs_along_k() ? FilterMap(config, problem)
                                                : WeightLinesMap(problem, config.k_tile)}};
  args.filter_pitch = config.filter_pitch(args.filter_columns);
  // Rows after the tile's last are multiplied as well, whatever they hold.
  int furthest = 0;
  for (const HaloTap& tap : args.tap) furthest = std::max(furthest, tap.at);
  const int end = (config.stages - 1) * args.stage_bytes + furthest +
                  64 * config.tile_consumers() * config.reps * config.k_tile_bytes();
  plan.shape = HaloLaunchShape(std::int64_t{args.splits} * args.workgroups, config.threads(),
                               std::max(halo.tiling.shared_bytes, end));
  return plan;
}

}  // namespace gridwise::hopper
