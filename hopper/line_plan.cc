#include "hopper/line_plan.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "absl/strings/str_format.h"
#include "core/base/math.h"
#include "core/conv/sub_gemms.h"
#include "core/launch/plan_epilogue.h"
#include "hopper/fit.h"
#include "hopper/halo_tiling.h"
#include "hopper/maps.h"

namespace gridwise::hopper {
namespace {

int Int(std::int64_t value) { return static_cast<int>(value); }

/// Elements of a filter line, and from one cell of a tile to the next.
std::int64_t RunOf(const ConvProblem& problem) { return problem.dims[2].filter * problem.c; }
/// Whether lines begin at an odd element of x.
std::int64_t LeadOf(const ConvProblem& problem) {
  return problem.dims[2].pad_begin * problem.c % 2;
}
std::int64_t StepOf(const ConvProblem& problem) { return problem.dims[2].stride * problem.c; }

/// Tiles, and cycles of a workgroup for all of its own.
struct Tiling {
  int tile_h = 0, tile_w = 0, box_lines = 0, stage_bytes = 0;
  std::int64_t tiles = 0, sharers = 1;
  double cycles = 0;
};

int SharedBytes(const LineConfig& config, const Tiling& tiling) {
  return config.stages * (tiling.stage_bytes + 16) + config.filter_bytes() + config.teams * 8192;
}

/// Cycles of a chunk of 64 cells: the matrix unit's, which is 32 for 64 columns, and the load of
/// its part of the patch, a line of 512 bytes, as the copy engine does.
double CyclesOf(const LineConfig& config, const Tiling& tiling) {
  constexpr double kChunk = 100, kTile = 400, kLine = 20;
  const double chunks = CeilDiv(tiling.tile_h * tiling.tile_w, 64);
  const double matrix = chunks * (config.steps() * config.columns / 2.0 + kChunk);
  return std::max(matrix, tiling.box_lines * kLine) + kTile;
}

/// The tiling with the least estimate: no tile fits where a cell's elements are too many.
std::optional<Tiling> TilingOf(const LineConfig& config, const ConvProblem& problem,
                               const DeviceFacts& device) {
  const auto [h, w] = std::array{problem.dims[1], problem.dims[2]};
  const int out_h = Int(h.out()), out_w = Int(w.out());
  const std::int64_t blocks = CeilDiv<std::int64_t>(problem.k, config.columns);
  std::optional<Tiling> best;
  for (int tile_w = 1; tile_w <= out_w; ++tile_w) {
    constexpr int kFurthest = 7;  // element of a line of the patch where a tile begins
    const std::int64_t last = kFurthest + (tile_w - 1) * StepOf(problem) + RunOf(problem);
    if (last > LineConfig::kElements) break;
    if (CeilDiv(out_w, CeilDiv(out_w, tile_w)) != tile_w) continue;
    for (int tile_h = 1; tile_h <= std::min(out_h, 1024 / tile_w); ++tile_h) {
      if (CeilDiv(out_h, CeilDiv(out_h, tile_h)) != tile_h)
        continue;  // as many tiles of fewer lines
      Tiling tiling = {.tile_h = tile_h, .tile_w = tile_w};
      tiling.box_lines = Int((tile_h - 1) * h.stride + h.filter);
      tiling.stage_bytes = AlignUp(tiling.box_lines * LineConfig::kLineBytes, 1024);
      if (tiling.box_lines > 256 || SharedBytes(config, tiling) > TraitsOf(Gfx::kSm90a).lds_bytes) {
        break;
      }
      tiling.tiles = problem.batch * CeilDiv(out_h, tile_h) * CeilDiv(out_w, tile_w);
      tiling.sharers = std::clamp<std::int64_t>(device.compute_units / blocks, 1, tiling.tiles);
      const auto rounds = static_cast<double>(CeilDiv(tiling.tiles, tiling.sharers));
      tiling.cycles = rounds * CyclesOf(config, tiling);
      if (!best || tiling.cycles < best->cycles) best = tiling;
    }
  }
  return best;
}

/// Lines of all images: element of a line, h, image.
TensorMapSpec LinesMap(const ConvProblem& problem, int lines) {
  const TensorAxes axes = problem.AxesOf(Tensor::kX);
  TensorMapSpec map = {.type = problem.type, .rank = 3};
  SetAxis(map, 0, axes.size[3] * axes.size[5], 1);
  SetAxis(map, 1, axes.size[2], axes.stride[2]);
  SetAxis(map, 2, axes.size[0], axes.stride[0]);
  map.box = {LineConfig::kElements, static_cast<unsigned>(lines), 1};
  return map;
}

}  // namespace

std::optional<std::string> RejectProblem(const LineConfig& config, const ConvProblem& problem) {
  if (problem.direction != Direction::kForward || problem.type != config.type) {
    return absl::StrFormat("the problem is %s of %s; the row is for fwd of %s",
                           Name(problem.direction), Name(problem.type), Name(config.type));
  }
  if (Is3d(problem) || problem.groups != 1) return "the row is for one group and axes h and w";
  const std::int64_t run = RunOf(problem), step = StepOf(problem);
  const std::int64_t lead = LeadOf(problem);
  if (problem.dims[1].filter != config.lines ||
      CeilDiv<std::int64_t>(run + lead, 8) != config.pieces) {
    return absl::StrFormat(
        "the filter has %d lines of %d elements, which begin at an %s one; the row is for %d of %d "
        "to %d with the one before",
        problem.dims[1].filter, run, lead == 0 ? "even" : "odd", config.lines,
        config.pieces * 8 - 7, config.pieces * 8);
  }
  if (problem.dims[1].dilation != 1 || problem.dims[2].dilation != 1 || step % 2 != 0) {
    return absl::StrFormat(
        "taps are %d and %d cells apart, and cells %d elements; the row is for neighbouring taps "
        "and an even number of elements",
        problem.dims[1].dilation, problem.dims[2].dilation, step);
  }
  const TensorAxes x = problem.AxesOf(Tensor::kX), w = problem.AxesOf(Tensor::kW);
  if (x.stride[5] != 1 || x.stride[3] != problem.c || w.stride[5] != 1 ||
      w.stride[4] != problem.c) {
    return "lines of x and w are not packed";
  }
  for (const std::size_t axis : {0u, 2u}) {
    if (x.size[axis] == 1 || x.stride[axis] * SizeOf(problem.type) % 16 == 0) continue;
    return absl::StrFormat("lines of x are %d bytes apart; tensor maps want multiples of 16 bytes",
                           x.stride[axis] * SizeOf(problem.type));
  }
  if (!TilingOf(config, problem, Gfx::kSm90a)) return "no tile fits in shared memory";
  return std::nullopt;
}

PartEstimate EstimateLaunch(const LineConfig& config, const PartRequest& request) {
  const ConvProblem& problem = request.problem;
  const Tiling tiling = *TilingOf(config, problem, request.device);
  const double traffic =
      static_cast<double>(problem.a_elements()) * SizeOf(problem.type) +
      static_cast<double>(problem.out_elements()) * SizeOf(problem.output_type());
  return {.splits = std::max(request.sharing.splits, 1),
          .cost = WithCycles({.matrix_cycles = tiling.cycles,
                              .memory_cycles = tiling.cycles,
                              .alone_cycles = tiling.cycles,
                              .fixed_cycles = TheFit().launch,
                              .rounds = 1,
                              .resident = 1,
                              .tensor_cycles = traffic / TheFit().dram})};
}

Plan<HaloArgs> PlanLine(const LineConfig& config, const PartRequest& request) {
  const ConvProblem& problem = request.problem;
  const Tiling tiling = *TilingOf(config, problem, request.device);
  const TensorAxes w = problem.AxesOf(Tensor::kW), out = problem.AxesOf(Tensor::kY);
  Plan<HaloArgs> plan;
  HaloArgs& args = plan.args;
  args.w_out = Int(w.stride[1]);
  args.w_y = Int(w.stride[3]);
  args.blocks = Int(CeilDiv<std::int64_t>(problem.k, config.columns));
  args.channels = Int(problem.k);
  args.sharers = Int(tiling.sharers);
  args.tiles_h = CeilDiv(Int(out.size[2]), tiling.tile_h);
  args.tiles_w = CeilDiv(Int(out.size[3]), tiling.tile_w);
  args.images = Int(problem.batch);
  args.by_tiles_h = MakeMagicDiv(static_cast<unsigned>(args.tiles_h));
  args.by_tiles_w = MakeMagicDiv(static_cast<unsigned>(args.tiles_w));
  args.tile_h = tiling.tile_h;
  args.tile_w = tiling.tile_w;
  args.pitch = tiling.tile_w;
  args.by_pitch = MakeMagicDiv(static_cast<unsigned>(args.pitch));
  args.run = Int(RunOf(problem));
  args.lead = Int(LeadOf(problem));
  args.source_step_h = Int(problem.dims[1].stride);
  args.source_step_w = Int(StepOf(problem));
  args.origin_h = -Int(problem.dims[1].pad_begin);
  args.origin_w = -Int(problem.dims[2].pad_begin * problem.c);
  args.out_h = Int(out.size[2]);
  args.out_w = Int(out.size[3]);
  args.box_bytes = tiling.box_lines * LineConfig::kLineBytes;
  args.stage_bytes = tiling.stage_bytes;
  args.filter_at = config.stages * args.stage_bytes;
  args.staging_at = args.filter_at + config.filter_bytes();
  args.barriers_at = args.staging_at + config.teams * 8192;
  args.epilogue = MakeEpilogue(problem, request.sharing);
  args.stores = LaneStoresOf(problem, args.epilogue);
  plan.maps = {{.at = offsetof(HaloArgs, source),
                .place = {Memory::kA},
                .spec = LinesMap(problem, tiling.box_lines)}};
  plan.addresses = {{offsetof(HaloArgs, other_data), {Memory::kB}}};
  const int splits = std::max(request.sharing.splits, 1);
  plan.shape = HaloLaunchShape(std::int64_t{splits} * args.sharers * args.blocks, config.threads(),
                               SharedBytes(config, tiling));
  return plan;
}

}  // namespace gridwise::hopper
