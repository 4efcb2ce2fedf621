#include "tile/plan_gather.h"

#include <algorithm>

#include "absl/strings/str_format.h"
#include "ck/conv/sub_gemms.h"

namespace gridwise::tile {
namespace {

/// Cells of the tensor that is written, and of the one that is gathered from.
std::int64_t OutputSize(Direction direction, const Dim& dim) {
  return direction == Direction::kForward ? dim.out() : dim.in;
}
std::int64_t SourceSize(Direction direction, const Dim& dim) {
  return direction == Direction::kForward ? dim.in : dim.out();
}

/// What a problem looks like to the kernels. Sizes are cells and channels of a group.
struct View {
  std::int64_t source_cells = 1, output_cells = 1;  // of an image
  std::int64_t k, n;                                // channels of a group
  std::int64_t source_pixel, output_pixel;          // bytes from one cell to the next
};

View ViewOf(const ConvProblem& problem) {
  const bool forward = problem.direction == Direction::kForward;
  const std::int64_t size = SizeOf(problem.type);
  View view = {.k = forward ? problem.c_per_group() : problem.k_per_group(),
               .n = forward ? problem.k_per_group() : problem.c_per_group(),
               .source_pixel = (forward ? problem.c : problem.k) * size,
               .output_pixel = (forward ? problem.k : problem.c) * size};
  for (const Dim& dim : problem.dims) {
    view.source_cells *= SourceSize(problem.direction, dim);
    view.output_cells *= OutputSize(problem.direction, dim);
  }
  return view;
}

/// The most images that the rows of one tile can touch.
std::int64_t ImagesOfTile(const TileConfig& config, const ConvProblem& problem) {
  // The smallest sub-GEMM of an image has this many rows.
  std::int64_t rows = 1;
  for (const Dim& dim : problem.dims) {
    const std::int64_t step = problem.direction == Direction::kForward ? 1 : dim.stride;
    rows *= std::max<std::int64_t>(1, OutputSize(problem.direction, dim) / step);
  }
  return std::min(problem.batch, (config.tile.m - 1) / rows + 2);
}

GatherArgs MakeArgs(const TileConfig& config, const ConvProblem& problem) {
  const View view = ViewOf(problem);
  const int size = SizeOf(problem.type);
  const bool forward = problem.direction == Direction::kForward;
  const int tap = static_cast<int>(problem.c_per_group()) * size;  // w[g][k][tap][c]
  const int row = static_cast<int>(problem.filter_taps()) * tap;
  GatherArgs args = {};
  args.source_image = view.source_cells * view.source_pixel;
  args.out_image = view.output_cells * view.output_pixel;
  args.source_group = view.k * size;
  args.out_group = view.n * size;
  args.w_group = problem.k_per_group() * row;
  args.k = static_cast<int>(view.k);
  args.n = static_cast<int>(view.n);
  args.w_tap = tap;
  args.w_k = forward ? size : row;
  args.w_n = forward ? row : size;
  args.n_tiles = CeilDiv(args.n, config.tile.n);
  args.by_n_tiles = MakeMagicDiv(static_cast<unsigned>(args.n_tiles));
  std::int64_t source_cell = view.source_pixel, out_cell = view.output_pixel;
  for (int i = 2; i >= 0; --i) {
    const Dim& dim = problem.dims[static_cast<size_t>(i)];
    args.source_cell[i] = static_cast<int>(source_cell);
    args.out_cell[i] = static_cast<int>(out_cell);
    args.source_size[i] = static_cast<int>(SourceSize(problem.direction, dim));
    args.filter[i] = static_cast<int>(dim.filter);
    args.steps[i] = MakeAxisMap(problem.direction, dim).steps;
    source_cell *= SourceSize(problem.direction, dim);
    out_cell *= OutputSize(problem.direction, dim);
  }
  return args;
}

}  // namespace

std::optional<std::string> RejectGather(const TileConfig& config, const ConvProblem& problem) {
  const bool forward = problem.direction == Direction::kForward;
  if (!forward && problem.direction != Direction::kBackwardData) {
    return absl::StrFormat("direction is %s; the row is for fwd and bwd_data",
                           gridwise::Name(problem.direction));
  }
  if (forward != (config.patch_b.n == 1)) {
    return absl::StrFormat("w is contiguous along %s; the row loads it along %s",
                           forward ? "k" : "n", forward ? "n" : "k");
  }
  if (problem.type != config.type) {
    return absl::StrFormat("type is %s; the row is for %s", gridwise::Name(problem.type),
                           gridwise::Name(config.type));
  }
  const View view = ViewOf(problem);
  const std::int64_t rows = problem.batch * view.output_cells;
  std::int64_t sub_gemms = 1;
  for (const Dim& dim : problem.dims) sub_gemms *= forward ? 1 : std::min(dim.stride, dim.in);
  const std::int64_t n_tiles = CeilDiv<std::int64_t>(view.n, config.tile.n);
  if (rows >= kOffsetLimit || (rows / config.tile.m + sub_gemms) * n_tiles >= kOffsetLimit) {
    return absl::StrFormat(
        "%s has %d pixels of %d channels a group; pixels and tiles must be fewer than 2^31",
        forward ? "y" : "dx", rows, view.n);
  }
  if (problem.groups > 65535)
    return absl::StrFormat("groups is %d; must be at most 65535", problem.groups);
  std::int64_t margin = 1;  // source cells that the taps' reach adds
  for (const Dim& dim : problem.dims) {
    const std::int64_t reach = dim.dilation * dim.filter;
    margin *= forward ? dim.padded_in() + reach : dim.out() + 2 * reach;
  }
  const std::int64_t images = ImagesOfTile(config, problem);
  const std::int64_t source_bytes = ((images - 1) * view.source_cells + margin) * view.source_pixel;
  const std::int64_t out_bytes = images * view.output_cells * view.output_pixel;
  const std::int64_t w_bytes =
      problem.k_per_group() * problem.c_per_group() * problem.filter_taps() * SizeOf(problem.type);
  if (source_bytes >= kOffsetLimit || out_bytes >= kOffsetLimit || w_bytes >= kOffsetLimit) {
    return absl::StrFormat(
        "a tile reaches over %d bytes of %s, %d of %s and %d of w; each must be below 2^31",
        source_bytes, forward ? "x" : "dy", out_bytes, forward ? "y" : "dx", w_bytes);
  }
  return std::nullopt;
}

GatherPlan PlanGather(const TileConfig& config, Gfx gfx, const ConvProblem& problem,
                      std::span<const SubGemm> sub_gemms) {
  GatherPlan plan = {};
  plan.args = MakeArgs(config, problem);
  plan.table.assign(sub_gemms.begin(), sub_gemms.end());
  int tiles = 0;
  double tile_steps = 0;
  for (SubGemm& gemm : plan.table) {
    const int gemm_tiles = CeilDiv(gemm.m, config.tile.m) * plan.args.n_tiles;
    gemm.first_tile = tiles;
    tiles += gemm_tiles;
    tile_steps += double{1} * gemm_tiles * Taps(gemm) * CeilDiv(plan.args.k, config.tile.k);
  }
  plan.args.sub_gemms = static_cast<int>(plan.table.size());
  if (plan.table.size() <= kInlineSubGemms) {
    std::copy(plan.table.begin(), plan.table.end(), plan.args.inline_table);
  } else {
    plan.workspace_bytes = static_cast<std::int64_t>(plan.table.size() * sizeof(SubGemm));
  }
  plan.workgroups[0] = static_cast<unsigned>(tiles);
  plan.workgroups[1] = static_cast<unsigned>(problem.groups);
  plan.workgroups[2] = 1;
  plan.threads = static_cast<unsigned>(config.threads());
  plan.cost = EstimateCost(config, TraitsOf(gfx), tiles * static_cast<double>(problem.groups),
                           tile_steps * static_cast<double>(problem.groups));
  return plan;
}

std::string GatherSymbol(int index) {
  return absl::StrFormat("_ZN8gridwise4tile6GatherILi%dEEEvNS0_10GatherArgsE", index);
}

}  // namespace gridwise::tile
