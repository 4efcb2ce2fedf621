// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <cstdint>

#include "core/base/math.h"
#include "core/passes/plan_reduce.h"
#include "direct/estimate.h"
#include "direct/lanes.h"
#include "direct/plan.h"

namespace gridwise::direct {
namespace {

unsigned Threads(Gfx gfx) {
  return static_cast<unsigned>(kDirectWeightWaves * TraitsOf(gfx).wave_size);
}

/// How the launch of a backward-weight problem is divided.
struct WeightGrid {
  std::int64_t taps_h, taps_w, lanes;  // groups of taps, and of lanes
  std::int64_t images;                 // of lanes
  std::int64_t steps, others, lines;   // see DirectWeightArgs

  WeightGrid(const DirectConfig& config, Gfx gfx, const ConvProblem& problem);

  std::int64_t workgroups(const ConvProblem& problem) const {
    return problem.dims[0].filter * taps_h * taps_w * lanes;
  }
  std::int64_t wave_steps(int splits) const {
    return CeilDiv(lines * steps, std::int64_t{kDirectWeightWaves} * splits);
  }
};

/// As many images as fit side by side in lanes, if a wave has more lanes than pairs.
std::int64_t LaneImages(const DirectConfig& config, Gfx gfx, const ConvProblem& problem) {
  const std::int64_t of_lanes =
      std::int64_t{TraitsOf(gfx).wave_size} * config.channels / LaneItems(problem);
  const std::int64_t most =
      std::clamp<std::int64_t>(of_lanes, 1, RoomForImages(problem, Tensor::kX, Tensor::kY));
  return CeilDiv(problem.batch, CeilDiv(problem.batch, most));  // the same in all waves
}

WeightGrid::WeightGrid(const DirectConfig& config, Gfx gfx, const ConvProblem& problem)
    : taps_h(CeilDiv<std::int64_t>(problem.dims[1].filter, config.rows_of_lane())),
      taps_w(CeilDiv<std::int64_t>(problem.dims[2].filter, config.taps)),
      lanes(LaneTiles(config, gfx, problem)),
      images(LaneImages(config, gfx, problem)) {
  const std::int64_t runs = CeilDiv<std::int64_t>(problem.dims[2].out(), config.pixels);
  const std::int64_t out_h = problem.dims[1].out();
  const bool along_h = config.rows_of_lane() > 1;
  steps = along_h ? out_h + config.rows_of_lane() - 1 : runs;
  others = along_h ? runs : out_h;
  lines = CeilDiv(problem.batch, images) * problem.dims[0].out() * others;
}

Cost EstimateSplits(const DirectConfig& config, const PartRequest& request, const WeightGrid& grid,
                    int splits) {
  const ConvProblem& problem = request.problem;
  const double loads = config.window() + config.pixels;
  const auto elements = static_cast<double>(problem.w_elements());
  const auto steps = static_cast<double>(grid.wave_steps(splits));
  // If it begins within a line, a wave loads the previous rows of dy, which costs half a step each.
  const double begins = 1 + std::floor(steps / static_cast<double>(grid.steps));
  const double dy_rows = begins * (config.rows_of_lane() - 1) / 2;
  return EstimateWaves(
      config, request,
      {.rows = steps + dy_rows,
       .stores = 1.0 * config.taps * config.channels * config.rows_of_lane(),
       .groups = static_cast<double>(grid.workgroups(problem) * splits),
       .waves = kDirectWeightWaves,
       .loads = loads,
       .products = config.pixels * config.taps * config.rows_of_lane(),
       .conversions = Conversions(config, loads),
       .pass_cycles =
           splits == 1 ? 0 : ReduceCycles(request.device, elements, splits, SizeOf(config.type)),
       .splits = splits,
       .along_pixels = true});
}

/// The number of splits with the least estimate: a power of two, or as many as fill rounds of the
/// device.
int ChooseDirectSplits(const DirectConfig& config, const PartRequest& request,
                       const WeightGrid& grid) {
  constexpr std::int64_t kMaxSplits = 512;
  const std::int64_t workgroups = grid.workgroups(request.problem);
  const std::int64_t most = std::min({kMaxSplits, grid.lines * grid.steps / kDirectWeightWaves,
                                      kMaxWorkItems / (workgroups * Threads(request.device.gfx))});
  int best = 1;
  double least = EstimateSplits(config, request, grid, 1).cycles;
  const auto try_splits = [&](std::int64_t splits) {
    if (splits < 2 || splits > most) return;
    const double cycles = EstimateSplits(config, request, grid, static_cast<int>(splits)).cycles;
    if (cycles >= least) return;
    least = cycles;
    best = static_cast<int>(splits);
  };
  for (int splits = 2; splits <= most; splits *= 2) try_splits(splits);
  for (int round = 1; round <= 6; ++round) {
    try_splits(round * request.device.compute_units / workgroups);
  }
  return best;
}

int SplitsOf(const DirectConfig& config, const PartRequest& request, const WeightGrid& grid) {
  const int splits = request.split_k.splits;
  return splits > 0 ? splits : ChooseDirectSplits(config, request, grid);
}

}  // namespace

PartEstimate EstimateDirectWeight(const DirectConfig& config, const PartRequest& request) {
  const WeightGrid grid(config, request.device.gfx, request.problem);
  const int splits = SplitsOf(config, request, grid);
  return {.splits = splits, .cost = EstimateSplits(config, request, grid, splits)};
}

DirectWeightPlan PlanDirectWeight(const DirectConfig& config, const PartRequest& request) {
  const DeviceFacts& device = request.device;
  const ConvProblem& problem = request.problem;
  const SplitK& split_k = request.split_k;
  DirectWeightPlan plan = {};
  DirectWeightArgs& args = plan.args;
  args.dy = MakeTensor(problem, Tensor::kY, SizeOf(problem.type));
  args.x = MakeTensor(problem, Tensor::kX, SizeOf(problem.type));
  args.pairs = static_cast<int>(LaneItems(problem));
  args.c = static_cast<int>(problem.c_per_group());
  args.k = static_cast<int>(problem.k_per_group());
  args.by_c = DivideBy(args.c);
  args.by_k = DivideBy(args.k);
  args.by_pairs = DivideBy(args.pairs);
  for (size_t i = 0; i < 3; ++i) {
    const Dim& dim = problem.dims[i];
    args.filter[i] = static_cast<int>(dim.filter);
    args.stride[i] = static_cast<int>(dim.stride);
    args.dilation[i] = static_cast<int>(dim.dilation);
    args.pad[i] = static_cast<int>(dim.pad_begin);
  }
  const WeightGrid grid(config, device.gfx, problem);
  args.images = static_cast<int>(problem.batch);
  args.lane_images = static_cast<int>(grid.images);
  args.by_tap_groups_h = DivideBy(grid.taps_h);
  args.tap_groups_w = static_cast<int>(grid.taps_w);
  args.by_tap_groups_w = DivideBy(grid.taps_w);
  args.steps = static_cast<int>(grid.steps);
  args.by_steps = DivideBy(grid.steps);
  args.lines = static_cast<int>(grid.lines);
  args.others = static_cast<int>(grid.others);
  args.by_others = DivideBy(grid.others);
  args.by_out_d = DivideBy(problem.dims[0].out());
  args.splits = SplitsOf(config, request, grid);
  args.wave_steps = static_cast<int>(grid.wave_steps(args.splits));
  args.tap_groups = static_cast<int>(grid.workgroups(problem) / grid.lanes);
  args.lane_tiles = static_cast<int>(grid.lanes);
  args.by_tap_groups = DivideBy(args.tap_groups);
  args.by_lane_tiles = DivideBy(args.lane_tiles);
  args.workgroups = args.tap_groups * args.lane_tiles * args.splits;
  args.xcds = MakeXcdRuns(args.workgroups >= 2 * device.xcds ? device.xcds : 1);
  plan.shape = {.workgroups = {static_cast<unsigned>(args.workgroups), 1, 1},
                .threads = {Threads(device.gfx), 1, 1}};
  const bool is_partial = args.splits > 1 || split_k.partial_elements > 0;
  const std::int64_t all_elements =
      split_k.partial_elements > 0 ? split_k.partial_elements : problem.w_elements();
  const DataType out_type = is_partial ? DataType::kF32 : problem.output_type();
  args.dw = MakeWeights(problem, SizeOf(out_type));
  args.out_type = static_cast<int>(out_type);
  args.split_bytes = all_elements * 4;
  return plan;
}

}  // namespace gridwise::direct
