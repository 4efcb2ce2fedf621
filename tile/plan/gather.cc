// SPDX-License-Identifier: MIT
#include "tile/plan/gather.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>

#include "absl/strings/str_format.h"
#include "core/conv/sub_gemms.h"
#include "core/estimate/choose_block_map.h"
#include "core/estimate/tap_window.h"
#include "core/launch/plan_epilogue.h"
#include "tile/plan/estimate.h"
#include "tile/plan/fixup.h"
#include "tile/plan/strips.h"

namespace gridwise::tile {
namespace {

/// Pixels of the tensor that is written, and of the one that is gathered.
std::int64_t OutputSize(Direction direction, const Dim& dim) {
  return direction == Direction::kForward ? dim.out() : dim.in;
}
std::int64_t SourceSize(Direction direction, const Dim& dim) {
  return direction == Direction::kForward ? dim.in : dim.out();
}

/// The problem as kernels see it. Sizes are pixels and channels per group, strides bytes.
struct View {
  explicit View(const ConvProblem& problem)
      : source(problem.AxesOf(problem.a())),
        weights(problem.AxesOf(Tensor::kW)),
        output(problem.AxesOf(problem.out())),
        k(source.size[5]),
        n(output.size[5]) {
    output_pixels = output.size[1] * output.size[2] * output.size[3];
    for (TensorAxes* axes : {&source, &weights}) {
      for (std::int64_t& stride : axes->stride) stride *= SizeOf(problem.type);
    }
    // The bytes of f32 sums, as if K is split.
    for (std::int64_t& stride : output.stride) stride *= 4;
  }

  TensorAxes source, weights, output;
  std::int64_t k, n;
  std::int64_t output_pixels;
};

/// Maximum number of images that the rows of one tile can touch.
std::int64_t ImagesOfTile(const TileConfig& config, const ConvProblem& problem) {
  // The smallest sub-GEMM of an image has this many rows.
  std::int64_t rows = 1;
  for (const Dim& dim : problem.dims) {
    const std::int64_t step = problem.direction == Direction::kForward ? 1 : dim.stride;
    rows *= std::max<std::int64_t>(1, OutputSize(problem.direction, dim) / step);
  }
  return std::min(problem.batch, (config.tile.m - 1) / rows + 2);
}

/// Pixels of the source along an axis that offsets span: from the first pixel that a tap of an
/// output pixel meets, or the tensor's first, to the last one.
std::int64_t SourceReach(Direction direction, const Dim& dim) {
  const std::int64_t tap_reach = (dim.filter - 1) * dim.dilation;
  if (direction == Direction::kForward) {
    return (dim.out() - 1) * dim.stride + tap_reach + std::max<std::int64_t>(0, -dim.pad_begin) + 1;
  }
  const std::int64_t before = std::max<std::int64_t>(0, tap_reach - dim.pad_begin);
  const std::int64_t after = std::max<std::int64_t>(0, dim.in - 1 + dim.pad_begin);
  return before / dim.stride + after / dim.stride + 1;
}

/// Bytes of w per group that offsets span. In backward-data, k is the source's channels: lanes load
/// runs of up to 8 of them, the last of which may not exist.
std::int64_t WeightReach(const View& view) {
  constexpr std::int64_t kRun = 8;
  const auto& [size, stride] = view.weights;
  std::int64_t bytes = AlignUp(size[1], kRun) * stride[1] + stride[5];
  for (const std::size_t axis : {2u, 3u, 4u, 5u}) bytes += (size[axis] - 1) * stride[axis];
  return bytes;
}

GatherArgs MakeArgs(const TileConfig& config, const ConvProblem& problem, const SplitK& split_k) {
  const int splits = split_k.splits;
  const View view(problem);
  const bool forward = problem.direction == Direction::kForward;
  GatherArgs args = {};
  args.source_image = view.source.stride[0];
  args.source_group = view.source.stride[4];
  args.w_group = view.weights.stride[0];
  const int together = config.fills_groups() ? 1 : config.merge;
  args.k = static_cast<int>(view.k) * together;
  args.n = static_cast<int>(view.n) * together;
  args.groups = static_cast<int>(problem.groups);
  const int by_k = static_cast<int>(view.weights.stride[1]);  // output channels in forward
  const int by_c = static_cast<int>(view.weights.stride[5]);
  args.w_k = forward ? by_c : by_k;
  args.w_n = forward ? by_k : by_c;
  args.n_tiles = CeilDiv(args.n, config.tile.n);
  for (int i = 0; i < 3; ++i) {
    const auto axis = static_cast<std::size_t>(i);
    const Dim& dim = problem.dims[axis];
    args.source_pixel[i] = static_cast<int>(view.source.stride[axis + 1]);
    args.w_tap[i] = static_cast<int>(view.weights.stride[axis + 2]);
    args.source_size[i] = static_cast<int>(SourceSize(problem.direction, dim));
    args.strides[i] = MakeAxisStrides(problem.direction, dim);
  }
  args.splits = splits;
  args.by_splits = MakeMagicDiv(static_cast<unsigned>(splits));
  args.k_tiles = CeilDiv(args.k, config.step_k());
  args.by_k_tiles = MakeMagicDiv(static_cast<unsigned>(args.k_tiles));
  args.epilogue = MakeEpilogue(problem, split_k);
  return args;
}

/// Whether offsets within a tile exceed `limit` bytes of a tensor, if they count over `images`.
std::optional<Excess> TileReachesFurther(const TileConfig& config, const ConvProblem& problem,
                                         std::int64_t images, std::int64_t limit) {
  const bool forward = problem.direction == Direction::kForward;
  const View view(problem);
  std::int64_t source_bytes = view.source.stride[3], out_bytes = view.output.stride[3];
  for (std::size_t i = 0; i < 3; ++i) {
    source_bytes +=
        (SourceReach(problem.direction, problem.dims[i]) - 1) * view.source.stride[i + 1];
    out_bytes += (view.output.size[i + 1] - 1) * view.output.stride[i + 1];
  }
  const bool of_image = std::max(source_bytes, out_bytes) >= limit;
  source_bytes += (images - 1) * view.source.stride[0];
  out_bytes += (images - 1) * view.output.stride[0];
  const std::int64_t w_bytes = WeightReach(view) + (config.merge - 1) * view.weights.stride[0];
  if (std::max({source_bytes, out_bytes, w_bytes}) >= limit) {
    return Excess{
        absl::StrFormat(
            "a tile reaches over %d bytes of %s, %d of %s and %d of w; each must be below %d",
            source_bytes, forward ? "x" : "dy", out_bytes, forward ? "y" : "dx", w_bytes, limit),
        w_bytes >= limit ? PartAxis::kK
        : of_image       ? PartAxis::kPixels
                         : PartAxis::kImages};
  }
  return TooLargeForEpilogue(problem, images, config.merge);
}

PlainGrid MakePlainGrid(const TileConfig& config, const ConvProblem& problem,
                        const GatherArgs& args) {
  const BlockMap& map = args.map;
  const bool fits = !TileReachesFurther(config, problem, problem.batch, kOffsetLimit).has_value();
  return {.kind = !fits                                    ? PlainGrid::kCountsImages
                  : map.groups == 1 && args.sub_gemms == 1 ? PlainGrid::kPlain
                                                           : PlainGrid::kSections,
          .n_tiles = args.n_tiles,
          .splits = args.splits,
          .by_splits = args.by_splits,
          .tiles = map.tiles,
          .of_launch = map.of_launch,
          .slots_of_xcd = map.slots_of_xcd,
          .xcds_with_more = map.xcds_with_more,
          .log2_band = map.log2_band,
          .by_columns = map.by_columns,
          .by_band = map.by_band};
}

/// Bytes by which taps of some sub-GEMM reach before the source's first pixel.
int SourceBias(const GatherArgs& args, std::span<const SubGemm> gemms) {
  int most = 0;
  for (const SubGemm& gemm : gemms) {
    int bias = 0;
    for (int a = 0; a < 3; ++a) {
      bias += std::max(0, -gemm.axis[a].first_source) * args.source_pixel[a];
    }
    most = std::max(most, bias);
  }
  return most;
}

/// Workgroups along m of a sub-GEMM: one per tile, or per `run` tiles with a halo.
int WorkgroupsAlongM(const TileConfig& config, const SubGemm& gemm, int run) {
  if (!config.has_halo()) return CeilDiv(gemm.m, config.tile.m);
  return CeilDiv(DivideIntoStrips(config, gemm, run).all, run);
}

}  // namespace

std::optional<Excess> TooLargeForGather(const TileConfig& config, const ConvProblem& problem,
                                        std::int64_t limit) {
  const bool forward = problem.direction == Direction::kForward;
  const View view(problem);
  const std::int64_t rows = problem.batch * view.output_pixels;
  const std::int64_t sub_gemms = SubGemmCount(problem);
  const std::int64_t n_tiles = CeilDiv<std::int64_t>(view.n, config.tile.n);
  // Tiles of the launch, whose number of work-items HIP bounds, too.
  const std::int64_t tiles = (rows / config.tile.m + sub_gemms) * n_tiles;
  const std::int64_t max_tiles = kMaxWorkItems / config.threads();
  const PartAxis of_positions = problem.batch > 1 ? PartAxis::kImages : PartAxis::kPixels;
  if (sub_gemms > kMaxSubGemms) {
    return Excess{
        absl::StrFormat("there are %d sub-GEMMs; must be at most %d", sub_gemms, kMaxSubGemms),
        PartAxis::kPixels};
  }
  if (rows >= kOffsetLimit || tiles > max_tiles) {
    return Excess{absl::StrFormat("%s has %d pixels of %d channels per group, in %d tiles; pixels "
                                  "must be fewer than 2^31 and tiles at most %d",
                                  forward ? "y" : "dx", rows, view.n, tiles, max_tiles),
                  of_positions};
  }
  const auto groups = CeilDiv<std::int64_t>(problem.groups, config.merge);
  if (tiles * groups >= kOffsetLimit) {
    return Excess{
        absl::StrFormat("%d groups have %d tiles each; all must be fewer than 2^31", groups, tiles),
        PartAxis::kGroups};
  }
  return TileReachesFurther(config, problem, ImagesOfTile(config, problem), limit);
}

namespace {

/// Tiles per workgroup that loads weights once, if `at_once` workgroups run at once. With fewer
/// rounds less is loaded, and sometimes the last round leaves fewer workgroups idle. `columns`
/// counts workgroups of all groups and columns.
int TilesOfWorkgroup(const TileConfig& config, std::span<const SubGemm> gemms, double columns,
                     double at_once) {
  constexpr int kMaxRounds = 4;
  constexpr int kFixedTiles = 2;  // they take as long as everything before the first tile
  const auto workgroups = [&](int run) {
    double sum = 0;
    for (const SubGemm& gemm : gemms) sum += WorkgroupsAlongM(config, gemm, run) * columns;
    return sum;
  };
  int most = 0;  // tiles of a sub-GEMM
  for (const SubGemm& gemm : gemms) most = std::max(most, WorkgroupsAlongM(config, gemm, 1));
  int best = 1;
  double least = std::numeric_limits<double>::infinity();
  for (int rounds = 1; rounds <= kMaxRounds; ++rounds) {
    const double of_gemm =
        std::floor(rounds * at_once / (static_cast<double>(gemms.size()) * columns));
    const int run = CeilDiv(most, std::max(1, static_cast<int>(of_gemm)));
    const double time = std::ceil(workgroups(run) / at_once) * (run + kFixedTiles);
    if (time >= least) continue;
    least = time;
    best = run;
  }
  return best;
}

/// The workgroups of a problem, per group, and their work.
struct Tiles {
  int n_tiles = 0;          // along n
  int m_tiles = 0;          // workgroups along m, in the largest sub-GEMM
  std::int64_t groups = 0;  // of tiles
  int count = 0;            // of workgroups
  int run = 1;              // maximum tiles per workgroup, with a halo
  Work work;

  Tiles(const TileConfig& config, const PartRequest& request) {
    const ConvProblem& problem = request.problem;
    const TensorAxes output = problem.AxesOf(problem.out());
    const std::int64_t channels = problem.AxesOf(problem.a()).size[5];
    groups = CeilDiv<std::int64_t>(problem.groups, config.merge);
    n_tiles = static_cast<int>(CeilDiv<std::int64_t>(output.size[5] * config.merge, config.tile.n));
    const auto k_tiles = static_cast<double>(CeilDiv<std::int64_t>(channels, config.k_of_group()));
    work = {.tiles = 0, .steps = 0, .out_elements = static_cast<double>(output.Elements())};
    for (const SubGemm& gemm : request.sub_gemms) {
      const double of_sub_gemm =
          WorkgroupsAlongM(config, gemm, /*run=*/1) * static_cast<double>(n_tiles * groups);
      const int taps = config.packs_pixels() ? gemm.axis[1].taps : Taps(gemm);
      work.tap_steps += of_sub_gemm * taps;
      work.steps += of_sub_gemm * taps * k_tiles;
      work.max_steps = std::max(work.max_steps, taps * k_tiles);
    }
    // A step is a row of taps in this case.
    if (config.has_taps_in_lds()) {
      work.steps /= config.taps_in_lds;
      work.max_steps /= config.taps_in_lds;
    }
    if (config.has_ragged_k_tiles() && channels % config.vector() != 0) {
      work.ragged_steps = work.tap_steps;
    }
    if (config.has_resident_weights()) {
      const double at_once = request.device.compute_units * ResidentWorkgroups(config, request);
      run = TilesOfWorkgroup(config, request.sub_gemms, static_cast<double>(n_tiles * groups),
                             at_once);
    }
    for (const SubGemm& gemm : request.sub_gemms) {
      const int rows = WorkgroupsAlongM(config, gemm, run);
      m_tiles = std::max(m_tiles, rows);
      count += rows * n_tiles;
    }
    work.tiles = static_cast<double>(groups) * count;
    work.max_steps *= run;
  }
};

TileEstimate EstimateOf(const TileConfig& config, PartRequest request, const Tiles& tiles) {
  if (config.has_resident_weights()) request.split_k.splits = 1;
  const ConvProblem& problem = request.problem;
  TileSteps steps = MakeTileSteps(
      config, request, {.channels = problem.AxesOf(problem.a()).size[5], .run = tiles.run});
  if (problem.filter_taps() > 1 && config.merge == 1 && !config.has_halo()) {
    SetTapWindow(request,
                 {.rows = 1.0 * config.tile.m,
                  .columns = 1.0 * tiles.n_tiles,
                  .terms = 1.0 * config.k_of_group(),
                  .part = 1.0 * config.lds_a().bytes() / config.k_tile_bytes()},
                 steps);
  }
  return EstimateTiles(request, config.type, steps, tiles.work);
}

}  // namespace

PartEstimate EstimateGather(const TileConfig& config, const PartRequest& request) {
  const Tiles tiles(config, request);
  const TileEstimate estimate = EstimateOf(config, request, tiles);
  const int splits = estimate.split_k.splits;
  return {.splits = splits,
          .cost = estimate.cost,
          .fixup_bytes = PlanFixup(config, tiles.groups * tiles.count, splits).workspace_bytes};
}

GatherPlan PlanGather(const TileConfig& config, const PartRequest& request) {
  const Tiles tiles(config, request);
  const SplitK split_k = EstimateOf(config, request, tiles).split_k;
  GatherPlan plan = {.shape = {},
                     .args = MakeArgs(config, request.problem, split_k),
                     .table = {request.sub_gemms.begin(), request.sub_gemms.end()}};
  int first_tile = 0;
  for (std::size_t i = 0; i < plan.table.size(); ++i) {
    SubGemm& gemm = plan.table[i];
    gemm.first_tile = first_tile;
    const int rows = WorkgroupsAlongM(config, gemm, tiles.run);
    first_tile += rows * tiles.n_tiles;
    if (!config.has_halo()) continue;
    plan.args.strips[i] = DivideIntoStrips(config, gemm, tiles.run);
    gemm.m = rows * config.tile.m;
  }
  plan.args.sub_gemms = static_cast<int>(plan.table.size());
  plan.args.source_bias = SourceBias(plan.args, plan.table);
  plan.is_inline = plan.table.size() <= kInlineSubGemms;
  if (plan.is_inline) std::copy(plan.table.begin(), plan.table.end(), plan.args.inline_table);
  const PerAxis stride = request.problem.AxesOf(request.problem.a()).stride;
  const std::int64_t group_bytes = stride[4] * SizeOf(config.type);
  const std::int64_t pixel_bytes = stride[3] * SizeOf(config.type);
  plan.args.map = ChooseBlockMap(request.device, {.tiles = tiles.count,
                                                  .rows = tiles.m_tiles,
                                                  .columns = tiles.n_tiles,
                                                  .row_elements = config.tile.m,
                                                  .column_elements = config.tile.n,
                                                  .resident = ResidentWorkgroups(config, request),
                                                  .groups = tiles.groups,
                                                  .splits = split_k.splits,
                                                  .group_bytes = group_bytes * config.merge,
                                                  .pixel_bytes = pixel_bytes,
                                                  .taps = request.problem.filter_taps(),
                                                  .sections = plan.args.sub_gemms});
  plan.args.grid = MakePlainGrid(config, request.problem, plan.args);
  plan.args.fixup = PlanFixup(config, tiles.groups * tiles.count, split_k.splits).args;
  plan.shape = {
      .workgroups = {static_cast<unsigned>(tiles.count), static_cast<unsigned>(tiles.groups),
                     static_cast<unsigned>(split_k.splits)},
      .threads = {static_cast<unsigned>(config.threads()), 1, 1}};
  return plan;
}

}  // namespace gridwise::tile
