#include "tile/plan_bwd_data.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_format.h"
#include "ck/conv/sub_gemms.h"

namespace gridwise::tile {
namespace {

constexpr std::int64_t kOffsetLimit = std::int64_t{1} << 31;  // of Buffer, bytes

/// The most images that the rows of one tile can touch.
std::int64_t ImagesOfTile(const TileConfig& config, const ConvProblem& problem) {
  // The smallest sub-GEMM of an image has this many rows.
  std::int64_t rows = 1;
  for (const Dim& dim : problem.dims) rows *= std::max<std::int64_t>(1, dim.in / dim.stride);
  return std::min(problem.batch, (config.tile.m - 1) / rows + 2);
}

/// Cycles of one matrix instruction of a wave. Source: AMD matrix instruction calculator, CDNA3.
double MatrixCycles(MmaShape mma) { return mma.m == 32 ? 32 : 16; }

Cost EstimateCost(const TileConfig& c, const TargetTraits& target, const ConvProblem& problem,
                  const BwdDataPlan& plan) {
  constexpr double kL2BytesPerCycle = 64;  // of one compute unit; measured on gfx942
  constexpr double kLatency = 700;         // from HBM; measured on gfx942: 500 to 800
  constexpr double kStepOverhead = 120;    // two barriers, and a fragment read that nothing hides
  constexpr double kLaunch = 3000;         // dispatch and index arithmetic of a workgroup
  double tiles = 0, tile_steps = 0;
  for (const SubGemm& gemm : plan.table) {
    const double gemm_tiles = static_cast<double>(CeilDiv(gemm.m, c.tile.m)) * plan.args.n_tiles;
    tiles += gemm_tiles;
    tile_steps += gemm_tiles * Taps(gemm) * CeilDiv(plan.args.k, c.tile.k);
  }
  const double steps = tile_steps / tiles;  // of a workgroup, on average
  tiles *= problem.groups;

  const double waves_per_simd =
      std::max(1.0, static_cast<double>(c.threads()) / kMfmaWave / target.simds_per_unit);
  const double fits = std::max(1.0, std::floor(c.occupancy / waves_per_simd));
  const double step_bytes = (c.tile.m + c.tile.n) * c.tile.k * 2;
  const double step_matrix =
      c.reps_m() * c.reps_n() * (c.tile.k / c.mma.k) * MatrixCycles(c.mma) * waves_per_simd;
  // A step of the main loop ends when the next slab has arrived, behind those of all other
  // workgroups.
  const double in_flight = std::min(tiles, target.compute_units * fits) * step_bytes;
  const double arrival = kLatency + in_flight / (target.compute_units * kL2BytesPerCycle);

  const double rounds = std::ceil(tiles / target.compute_units);
  return WithCycles({.matrix_cycles = steps * step_matrix,
                     .memory_cycles = steps * step_bytes / kL2BytesPerCycle,
                     .alone_cycles = steps * std::max(step_matrix + kStepOverhead, arrival),
                     .fixed_cycles = kLaunch + c.tile.m * c.tile.n * 2 / kL2BytesPerCycle,
                     .rounds = rounds,
                     .resident = std::min(fits, rounds)});
}

BwdDataArgs MakeArgs(const TileConfig& config, const ConvProblem& problem) {
  BwdDataArgs args = {};
  args.dy_image = problem.out_cells() * problem.k;
  args.dx_image = problem.in_cells() * problem.c;
  args.k = static_cast<int>(problem.k_per_group());
  args.c = static_cast<int>(problem.c_per_group());
  args.dy_pixel = static_cast<int>(problem.k);
  args.dx_pixel = static_cast<int>(problem.c);
  args.n_tiles = CeilDiv(args.c, config.tile.n);
  args.by_n_tiles = MakeMagicDiv(args.n_tiles);
  for (int i = 0; i < 3; ++i) {
    const Dim& dim = problem.dims[i];
    const AxisMap map = BwdDataAxisMap(dim);
    args.in[i] = static_cast<int>(dim.in);
    args.out[i] = static_cast<int>(dim.out());
    args.filter[i] = static_cast<int>(dim.filter);
    args.stride[i] = static_cast<int>(dim.stride);
    args.tap_step[i] = map.tap_step;
    args.out_step[i] = map.out_step;
  }
  return args;
}

}  // namespace

std::optional<std::string> Reject(const TileConfig& config, const ConvProblem& problem) {
  if (problem.direction != Direction::kBackwardData) {
    return absl::StrFormat("direction is %s; the row is for bwd_data",
                           gridwise::Name(problem.direction));
  }
  if (problem.type != config.type) {
    return absl::StrFormat("type is %s; the row is for %s", gridwise::Name(problem.type),
                           gridwise::Name(config.type));
  }
  const std::int64_t rows = problem.batch * problem.in_cells();
  std::int64_t sub_gemms = 1;
  for (const Dim& dim : problem.dims) sub_gemms *= std::min(dim.stride, dim.in);
  const std::int64_t n_tiles = CeilDiv<std::int64_t>(problem.c_per_group(), config.tile.n);
  if (rows >= kOffsetLimit || (rows / config.tile.m + sub_gemms) * n_tiles >= kOffsetLimit) {
    return absl::StrFormat(
        "dx has %d pixels of %d channels a group; pixels and tiles must be fewer than 2^31", rows,
        problem.c_per_group());
  }
  if (problem.groups > 65535)
    return absl::StrFormat("groups is %d; must be at most 65535", problem.groups);
  std::int64_t margin = 1;  // cells of dy that the taps' reach adds, times a pixel
  for (const Dim& dim : problem.dims) margin *= dim.out() + 2 * dim.dilation * dim.filter;
  const std::int64_t images = ImagesOfTile(config, problem);
  const std::int64_t dy_bytes = ((images - 1) * problem.out_cells() + margin) * problem.k * 2;
  const std::int64_t dx_bytes = images * problem.in_cells() * problem.c * 2;
  const std::int64_t w_bytes =
      problem.k_per_group() * problem.c_per_group() * problem.filter_taps() * 2;
  if (dy_bytes >= kOffsetLimit || dx_bytes >= kOffsetLimit || w_bytes >= kOffsetLimit) {
    return absl::StrFormat(
        "a tile reaches over %d bytes of dy, %d of dx and %d of w; each must be below 2^31",
        dy_bytes, dx_bytes, w_bytes);
  }
  return std::nullopt;
}

BwdDataPlan PlanBwdData(const TileConfig& config, Gfx gfx, const ConvProblem& problem,
                        std::span<const SubGemm> sub_gemms) {
  BwdDataPlan plan = {};
  plan.args = MakeArgs(config, problem);
  plan.table.assign(sub_gemms.begin(), sub_gemms.end());
  int tiles = 0;
  for (SubGemm& gemm : plan.table) {
    gemm.first_tile = tiles;
    tiles += CeilDiv(gemm.m, config.tile.m) * plan.args.n_tiles;
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
  plan.cost = EstimateCost(config, TraitsOf(gfx), problem, plan);
  return plan;
}

std::string BwdDataSymbol(int index) {
  return absl::StrFormat("_ZN8gridwise4tile7BwdDataILi%dEEEvNS0_11BwdDataArgsE", index);
}

}  // namespace gridwise::tile
