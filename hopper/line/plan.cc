// SPDX-License-Identifier: MIT
#include "hopper/line/plan.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "core/base/math.h"
#include "core/conv/sub_gemms.h"
#include "core/launch/plan_epilogue.h"
#include "hopper/base/maps.h"
#include "hopper/fit/fit.h"
#include "hopper/halo/tiling.h"

namespace gridwise::hopper {
namespace {

int Int(std::int64_t value) { return static_cast<int>(value); }

bool IsForward(const ConvProblem& problem) { return problem.direction == Direction::kForward; }
TensorAxes SourceOf(const ConvProblem& problem) { return problem.AxesOf(GatheredTensor(problem)); }
std::int64_t ChannelsOf(const ConvProblem& problem) { return SourceOf(problem).size[5]; }
std::int64_t ColumnsOf(const ConvProblem& problem) { return problem.AxesOf(problem.out()).size[5]; }

/// Distance from the first tap of the first output pixel to the source's first pixel.
std::int64_t PadOf(const ConvProblem& problem, std::size_t axis) {
  const Dim& dim = problem.dims[axis];
  return IsForward(problem) ? dim.pad_begin : dim.filter - 1 - dim.pad_begin;
}
std::int64_t StrideOf(const ConvProblem& problem, std::size_t axis) {
  return IsForward(problem) ? problem.dims[axis].stride : 1;
}

/// Elements of a filter line, and from one pixel of a tile to the next.
std::int64_t RunOf(const ConvProblem& problem) {
  return problem.dims[2].filter * ChannelsOf(problem);
}
std::int64_t StepOf(const ConvProblem& problem) {
  return StrideOf(problem, 2) * ChannelsOf(problem);
}
/// Whether lines begin at an odd element of the source.
std::int64_t LeadOf(const ConvProblem& problem) {
  return std::abs(PadOf(problem, 2) * ChannelsOf(problem) % 2);
}

/// Tiles, and cycles of a workgroup for all its tiles.
struct Tiling {
  int tile_h = 0, tile_w = 0, box_lines = 0, stage_bytes = 0;
  std::int64_t tiles = 0, workgroups = 1;
  double cycles = 0;
};

int SharedBytes(const LineConfig& config, const Tiling& tiling) {
  constexpr int kFilterBarrier = 16;
  return config.stages * (tiling.stage_bytes + 16) + config.filter_bytes() + config.teams * 8192 +
         kFilterBarrier;
}

/// Cycles of 64 pixels: the tensor core's, 32 for 64 columns, and those in which lanes load their
/// operand. Both need shared memory; measurements on an H200 show that they add up.
double CyclesOfBlock(const LineConfig& config) {
  constexpr double kLoad = 48;  // per step of K
  return config.steps() * (config.columns / 2.0 + kLoad);
}
/// Cycles to load a patch: lines of which TMA loads 512 bytes, or lanes as many in pieces of 8
/// bytes.
double CyclesOfPatch(const LineConfig& config, const Tiling& tiling) {
  return tiling.box_lines * (config.loads_by_lanes() ? 25.0 * config.elements / 128 : 20.0);
}
/// Cycles of all tiles of a workgroup.
double CyclesOf(const LineConfig& config, const Tiling& tiling, std::int64_t tiles) {
  constexpr double kTile = 200;
  const double blocks = CeilDiv(tiling.tile_h * tiling.tile_w, 64);
  const double patch = CyclesOfPatch(config, tiling);
  const double of_tile = std::max(blocks * CyclesOfBlock(config), patch) + kTile;
  return static_cast<double>(tiles) * of_tile + patch + CyclesOfBlock(config);
}

/// The last element of a patch's line that a tile of a width may need.
std::int64_t LastElementOf(const ConvProblem& problem, int tile_w) {
  constexpr int kFurthest = 7;  // last element at which a tile may begin
  return kFurthest + (tile_w - 1) * StepOf(problem) + RunOf(problem);
}

/// Fills in the lines and the memory of a tiling. Returns whether it fits.
bool SetBytes(const LineConfig& config, const ConvProblem& problem, Tiling& tiling) {
  tiling.box_lines = Int((tiling.tile_h - 1) * StrideOf(problem, 1) + problem.dims[1].filter);
  tiling.stage_bytes = AlignUp(tiling.box_lines * config.line_bytes(), 1024);
  return tiling.box_lines <= 256 && SharedBytes(config, tiling) <= TraitsOf(Gfx::kSm90a).lds_bytes;
}

/// Whether some tile fits: a pixel may have too many elements.
bool SomeTileFits(const LineConfig& config, const ConvProblem& problem) {
  Tiling tiling = {.tile_h = 1, .tile_w = 1};
  return LastElementOf(problem, 1) <= config.elements && SetBytes(config, problem, tiling);
}

/// The tiling with the least estimate. Requires that some tile fits.
Tiling TilingOf(const LineConfig& config, const ConvProblem& problem, const DeviceFacts& device) {
  const TensorAxes out = problem.AxesOf(problem.out());
  const std::int64_t blocks = CeilDiv<std::int64_t>(ColumnsOf(problem), config.columns);
  const auto heights = ExtentsUpTo(Int(out.size[2]), 1024);
  const std::int64_t room = config.elements - LastElementOf(problem, 1);
  std::optional<Tiling> best;
  for (const Extent& width : ExtentsUpTo(Int(out.size[3]), Int(room / StepOf(problem)) + 1)) {
    for (const Extent& height : heights) {
      Tiling tiling = {.tile_h = height.pixels, .tile_w = width.pixels};
      if (tiling.tile_h * tiling.tile_w > 1024 || !SetBytes(config, problem, tiling)) break;
      tiling.tiles = problem.batch * height.count * width.count;
      tiling.workgroups = std::clamp<std::int64_t>(device.compute_units / blocks, 1, tiling.tiles);
      tiling.cycles = CyclesOf(config, tiling, CeilDiv(tiling.tiles, tiling.workgroups));
      if (!best || tiling.cycles < best->cycles) best = tiling;
    }
  }
  return *best;
}

/// Lines of all images: element of a line, h, image.
TensorMapSpec LinesMap(const LineConfig& config, const ConvProblem& problem, int lines) {
  if (config.loads_by_lanes()) return ElementsMap(problem, GatheredTensor(problem));
  const TensorAxes axes = SourceOf(problem);
  TensorMapSpec map = {.type = problem.type, .rank = 3};
  SetAxis(map, 0, axes.size[3] * axes.size[5], 1);
  SetAxis(map, 1, axes.size[2], axes.stride[2]);
  SetAxis(map, 2, axes.size[0], axes.stride[0]);
  map.box = {static_cast<unsigned>(config.elements), static_cast<unsigned>(lines), 1};
  return map;
}

/// Why a patch's lines cannot be loaded.
std::optional<Refusal> RejectLines(const LineConfig& config, const ConvProblem& problem) {
  const TensorAxes source = SourceOf(problem), w = problem.AxesOf(Tensor::kW);
  if (source.stride[5] != 1 || source.stride[3] != source.size[5] || w.stride[5] != 1 ||
      w.stride[4] != problem.c || (!IsForward(problem) && w.stride[3] != w.size[4] * problem.c)) {
    return Refuse<"lines of the source and of w are not packed">();
  }
  const std::int64_t multiple = config.loads_by_lanes() ? 8 : 16;
  for (const std::size_t axis : {0u, 2u, 3u}) {
    const std::int64_t bytes = source.stride[axis] * SizeOf(problem.type);
    if (source.size[axis] == 1 || bytes % multiple == 0) continue;
    if (axis == 3 && !config.loads_by_lanes()) continue;
    return Refuse<"lines or pixels of the source are %d bytes apart; must be multiples of %d">(
        bytes, multiple);
  }
  if (config.has_lines_per_k()) return RejectStrides("w", w, SizeOf(problem.type));
  return std::nullopt;
}

}  // namespace

std::optional<Refusal> RejectProblem(const LineConfig& config, const ConvProblem& problem) {
  if (problem.direction != config.direction || problem.type != config.type) {
    return Refuse<"the problem is %s of %s; the instance is for %s of %s">(
        Name(problem.direction), Name(problem.type), Name(config.direction), Name(config.type));
  }
  if (Is3d(problem) || problem.groups != 1)
    return Refuse<"the instance is for one group and axes h and w">();
  const std::int64_t run = RunOf(problem), step = StepOf(problem);
  const std::int64_t lead = LeadOf(problem);
  if (problem.dims[1].filter != config.lines ||
      CeilDiv<std::int64_t>(run + lead, 8) != config.pieces) {
    return Refuse<
        "the filter has %d lines of %d elements, which begin at an %s element; the instance is for "
        "%d lines of %d to %d elements, counting one before an odd one">(
        problem.dims[1].filter, run, lead == 0 ? "even" : "odd", config.lines,
        config.pieces * 8 - 7, config.pieces * 8);
  }
  const auto [h, w] = std::array{problem.dims[1], problem.dims[2]};
  if (!IsForward(problem) && (h.stride != 1 || w.stride != 1)) {
    return Refuse<"strides are %d and %d; the instance is for 1">(h.stride, w.stride);
  }
  if (h.dilation != 1 || w.dilation != 1 || step % 2 != 0) {
    return Refuse<
        "taps are %d and %d pixels apart, and pixels %d elements; the instance is for adjacent "
        "taps and an even number of elements">(h.dilation, w.dilation, step);
  }
  if (auto reason = RejectLines(config, problem)) return reason;
  if (!SomeTileFits(config, problem)) return Refuse<"no tile fits in shared memory">();
  return std::nullopt;
}

PartEstimate EstimateLaunch(const LineConfig& config, const PartRequest& request) {
  const ConvProblem& problem = request.problem;
  const Fit& fit = FitOf(request);
  const Tiling tiling = TilingOf(config, problem, request.device);
  const double traffic =
      static_cast<double>(problem.a_elements()) * SizeOf(problem.type) +
      static_cast<double>(problem.out_elements()) * SizeOf(problem.output_type());
  return {.splits = std::max(request.split_k.splits, 1),
          .cost = {.matrix_cycles = tiling.cycles,
                   .memory_cycles = tiling.cycles,
                   .alone_cycles = tiling.cycles,
                   .fixed_cycles = fit.launch,
                   .workgroups = static_cast<double>(tiling.tiles),
                   .rounds = 1,
                   .resident = 1,
                   .tensor_cycles = traffic / DramBytesPerCycle(request.device, fit)}};
}

Plan<HaloArgs> PlanLine(const LineConfig& config, const PartRequest& request) {
  const ConvProblem& problem = request.problem;
  const Tiling tiling = TilingOf(config, problem, request.device);
  const TensorAxes source = SourceOf(problem), w = problem.AxesOf(Tensor::kW);
  const TensorAxes out = problem.AxesOf(problem.out());
  Plan<HaloArgs> plan;
  HaloArgs& args = plan.args;
  args.w_out = Int(w.stride[1]);
  args.w_y = Int(w.stride[3]);
  args.blocks = Int(CeilDiv<std::int64_t>(ColumnsOf(problem), config.columns));
  args.channels = Int(ColumnsOf(problem));
  args.source_channels = Int(ChannelsOf(problem));
  args.source_h = Int(source.size[2]);
  args.source_w = Int(source.size[3] * source.size[5]);
  args.source_stride_of = {.image = source.stride[0], .d = 0, .h = Int(source.stride[2]), .w = 1};
  args.workgroups = Int(tiling.workgroups);
  args.tiles_h = CeilDiv(Int(out.size[2]), tiling.tile_h);
  args.tiles_w = CeilDiv(Int(out.size[3]), tiling.tile_w);
  args.slices = Int(problem.batch);
  args.out_d = 1;
  args.by_out_d = MakeMagicDiv(1);
  args.by_tiles_h = MakeMagicDiv(static_cast<unsigned>(args.tiles_h));
  args.by_tiles_w = MakeMagicDiv(static_cast<unsigned>(args.tiles_w));
  args.tile_h = tiling.tile_h;
  args.tile_w = tiling.tile_w;
  args.pitch = tiling.tile_w;
  args.by_pitch = MakeMagicDiv(static_cast<unsigned>(args.pitch));
  args.run = Int(RunOf(problem));
  args.lead = Int(LeadOf(problem));
  args.source_step_h = Int(StrideOf(problem, 1));
  args.source_step_w = Int(StepOf(problem));
  args.origin_h = -Int(PadOf(problem, 1));
  args.origin_w = -Int(PadOf(problem, 2) * ChannelsOf(problem));
  args.out_h = Int(out.size[2]);
  args.out_w = Int(out.size[3]);
  args.box_bytes = tiling.box_lines * config.line_bytes();
  args.stage_bytes = tiling.stage_bytes;
  args.filter_at = config.stages * args.stage_bytes;
  args.staging_at = args.filter_at + config.filter_bytes();
  args.barriers_at = args.staging_at + config.teams * 8192;
  args.epilogue = MakeEpilogue(problem, request.split_k);
  args.stores = LaneStoresOf(problem, args.epilogue);
  plan.maps = {{.at = offsetof(HaloArgs, source),
                .points_to = {Memory::kA},
                .spec = LinesMap(config, problem, tiling.box_lines)}};
  if (config.has_lines_per_k()) {
    plan.maps.push_back({.at = offsetof(HaloArgs, other),
                         .points_to = {Memory::kB},
                         .spec = WeightMap(problem, args.source_channels, 64)});
  }
  plan.addresses = {{offsetof(HaloArgs, source_data), {Memory::kA}},
                    {offsetof(HaloArgs, other_data), {Memory::kB}}};
  const int splits = std::max(request.split_k.splits, 1);
  plan.shape = HaloLaunchShape(std::int64_t{splits} * args.workgroups * args.blocks,
                               config.threads(), SharedBytes(config, tiling));
  return plan;
}

}  // namespace gridwise::hopper
