// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "core/base/math.h"
#include "core/conv/sub_gemms.h"
#include "core/estimate/choose_block_map.h"
#include "core/passes/plan_reduce.h"
#include "direct/estimate.h"
#include "direct/lanes.h"
#include "direct/plan.h"

namespace gridwise::direct {
namespace {

unsigned Threads(Gfx gfx) {
  return static_cast<unsigned>(kDirectGatherWaves * TraitsOf(gfx).wave_size);
}

/// Number of images side by side in lanes: the fewest that leave the fewest lanes idle.
std::int64_t LaneImages(const DirectConfig& config, Gfx gfx, const ConvProblem& problem) {
  constexpr double kWorthIt = 0.97;  // more images must save that part of the waves
  const std::int64_t items = LaneItems(problem);
  const std::int64_t most =
      std::min(kMaxLaneImages, RoomForImages(problem, problem.a(), problem.out()));
  const std::int64_t lanes = std::int64_t{TraitsOf(gfx).wave_size} * config.channels;
  const auto waves = [&](std::int64_t images) {
    return static_cast<double>(CeilDiv(problem.batch, images) * CeilDiv(images * items, lanes));
  };
  std::int64_t best = 1;
  for (std::int64_t images = 2; images <= most; ++images) {
    if (waves(images) < kWorthIt * waves(best)) best = images;
  }
  return best;
}

/// Runs of output pixels of a sub-GEMM, of `images` images each.
std::int64_t Runs(const DirectConfig& config, const ConvProblem& problem, const SubGemm& gemm,
                  std::int64_t images) {
  return CeilDiv(problem.batch, images) * gemm.axis[0].count *
         CeilDiv(gemm.axis[1].count, config.rows_of_lane()) *
         CeilDiv(gemm.axis[2].count, config.pixels);
}

/// The runs per wave: weights are loaded once for all of them, as long as there are enough
/// workgroups for the device.
int RunsOfWave(std::int64_t runs, const DeviceFacts& device) {
  constexpr int kMax = 16, kWorkgroupsOfUnit = 8;
  const std::int64_t at_once =
      std::int64_t{kDirectGatherWaves} * kWorkgroupsOfUnit * device.compute_units;
  return static_cast<int>(std::clamp<std::int64_t>(runs / at_once, 1, kMax));
}

/// Sets DirectGatherArgs::block: rows along h; as many taps along d as fit, if these are all rows;
/// and as many groups along w, if those are all.
void SetBlock(const DirectConfig& config, std::span<const SubGemm> table, int (&block)[3]) {
  int taps[3] = {1, 1, 1};  // at most
  for (const SubGemm& gemm : table) {
    for (size_t i = 0; i < 3; ++i) taps[i] = std::max(taps[i], gemm.axis[i].taps);
  }
  const int rows = config.tap_rows();
  block[0] = block[2] = 1;
  block[1] = std::min(taps[1], rows);
  if (block[1] == taps[1]) block[0] = std::min(taps[0], rows / block[1]);
  if (block[0] == taps[0]) {
    block[2] = std::min(CeilDiv(taps[2], config.taps), rows / (block[0] * block[1]));
  }
}

/// The launch of a forward or backward-data problem.
struct GatherGrid {
  std::vector<SubGemm> table;  // in runs of pixels
  std::int64_t images;         // of lanes
  std::int64_t tiles = 0, lane_tiles = 0;
  int runs = 1;     // of a wave
  double rows = 0;  // rows of taps, in all waves

  GatherGrid(const DirectConfig& config, const PartRequest& request)
      : table(request.sub_gemms.begin(), request.sub_gemms.end()),
        images(LaneImages(config, request.device.gfx, request.problem)),
        lane_tiles(LaneTiles(config, request.device.gfx, request.problem, images)) {
    const ConvProblem& problem = request.problem;
    const bool forward = problem.direction == Direction::kForward;
    const auto channels =
        static_cast<double>(forward ? problem.c_per_group() : problem.k_per_group());
    std::int64_t all = 0;
    for (const SubGemm& gemm : table) all += Runs(config, problem, gemm, images);
    if (config.has_resident_weights()) {
      runs = RunsOfWave(all * lane_tiles * std::max(request.split_k.splits, 1), request.device);
    }
    for (SubGemm& gemm : table) {
      gemm.first_tile = static_cast<int>(tiles);
      gemm.m = static_cast<int>(Runs(config, problem, gemm, images));
      gemm.by_count_w = DivideBy(CeilDiv(gemm.axis[2].count, config.pixels));
      gemm.by_count_h = DivideBy(CeilDiv(gemm.axis[1].count, config.rows_of_lane()));
      tiles += CeilDiv(gemm.m, kDirectGatherWaves * runs);
      rows += 1.0 * gemm.m * gemm.axis[0].taps * gemm.axis[1].taps *
              CeilDiv(gemm.axis[2].taps, config.taps) * channels;
    }
  }
};

DirectGatherArgs MakeGatherArgs(const DirectConfig& config, const PartRequest& request,
                                const GatherGrid& grid) {
  const ConvProblem& problem = request.problem;
  const auto& sub_gemms = request.sub_gemms;
  const SplitK& split_k = request.split_k;
  const bool forward = problem.direction == Direction::kForward;
  const bool is_partial = split_k.splits > 1 || split_k.partial_elements > 0;
  const DataType out_type = is_partial ? DataType::kF32 : problem.output_type();
  DirectGatherArgs args = {};
  args.out_type = static_cast<int>(out_type);
  args.out_element = SizeOf(out_type);
  args.runs = grid.runs;
  args.images = static_cast<int>(problem.batch);
  args.lane_images = static_cast<int>(grid.images);
  args.tiles = static_cast<int>(grid.tiles);
  args.lane_tiles = static_cast<int>(grid.lane_tiles);
  args.by_lane_tiles = DivideBy(grid.lane_tiles);
  if (config.has_resident_weights()) SetBlock(config, sub_gemms, args.block);
  args.splits = std::max(split_k.splits, 1);
  args.split_bytes =
      4 * (split_k.partial_elements > 0 ? split_k.partial_elements : problem.out_elements());
  args.source = MakeTensor(problem, problem.a(), SizeOf(problem.type));
  args.out = MakeTensor(problem, problem.out(), args.out_element);
  args.w = MakeWeights(problem, SizeOf(problem.type));
  args.w_source = forward ? args.w.c : args.w.k;
  args.w_out = forward ? args.w.k : args.w.c;
  args.source_channels = static_cast<int>(forward ? problem.c_per_group() : problem.k_per_group());
  args.out_of_group = static_cast<int>(forward ? problem.k_per_group() : problem.c_per_group());
  args.out_channels = static_cast<int>(LaneItems(problem));
  args.by_out_channels = DivideBy(args.out_channels);
  args.by_out_of_group = DivideBy(args.out_of_group);
  for (size_t i = 0; i < 3; ++i) {
    args.strides[i] = MakeAxisStrides(problem.direction, problem.dims[i]);
  }
  SetFilter(problem.AxesOf(Tensor::kW).stride, args.filter);
  return args;
}

}  // namespace

PartEstimate EstimateDirectGather(const DirectConfig& config, const PartRequest& request) {
  const GatherGrid grid(config, request);
  const int splits = std::max(request.split_k.splits, 1);
  const auto elements = static_cast<double>(request.problem.out_elements());
  const auto tiles = static_cast<double>(grid.tiles);
  const int lane_rows = config.rows_of_lane();
  // For each row of taps: rows of the source, which the rows of the output share.
  const double source_rows = 1 + 1.0 * (lane_rows - 1) * config.stride / config.taps;
  const double loads = config.window() * source_rows;
  const int weights = config.taps * (config.has_resident_weights() ? lane_rows : config.channels);
  // LDS has weights that are already converted.
  const bool has_factors =
      config.has_resident_weights() && KindOf(request.device.gfx) == TargetKind::kHopper;
  return {.splits = splits,
          .cost = EstimateWaves(
              config, request,
              {.rows = grid.rows / (tiles * kDirectGatherWaves) / splits,
               .stores = 1.0 * config.pixels * lane_rows * grid.runs,
               .groups = tiles * static_cast<double>(grid.lane_tiles) * splits,
               .waves = kDirectGatherWaves,
               .loads = config.has_resident_weights() ? loads : loads + weights,
               .products = config.pixels * config.taps * lane_rows,
               .conversions = Conversions(config, loads + (has_factors ? 0 : weights)),
               .runs = 1.0 * grid.runs,
               .pass_cycles = splits == 1 ? 0
                                          : ReduceCycles(request.device, elements, splits,
                                                         SizeOf(config.type))})};
}

DirectGatherPlan PlanDirectGather(const DirectConfig& config, const PartRequest& request) {
  GatherGrid grid(config, request);
  DirectGatherPlan plan = {
      .shape = {}, .args = MakeGatherArgs(config, request, grid), .table = std::move(grid.table)};
  plan.args.sub_gemms = static_cast<int>(plan.table.size());
  plan.is_inline = plan.table.size() <= kInlineSubGemms;
  if (plan.is_inline) std::copy(plan.table.begin(), plan.table.end(), plan.args.inline_table);
  plan.args.map = ChooseBlockMap(request.device, {.tiles = grid.tiles * grid.lane_tiles,
                                                  .rows = grid.tiles * grid.lane_tiles,
                                                  .columns = 1,
                                                  .row_elements = 1,
                                                  .column_elements = 1});
  plan.shape = {
      .workgroups = {static_cast<unsigned>(grid.tiles), static_cast<unsigned>(grid.lane_tiles),
                     static_cast<unsigned>(plan.args.splits)},
      .threads = {Threads(request.device.gfx), 1, 1}};
  return plan;
}

}  // namespace gridwise::direct
