#include "hopper/halo_tiling.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

#include "absl/strings/str_format.h"
#include "core/base/math.h"
#include "core/conv/sub_gemms.h"
#include "hopper/maps.h"

namespace gridwise::hopper {
namespace {

constexpr std::int64_t kMostBox = 256;

int Int(std::int64_t value) { return static_cast<int>(value); }

int CellBytes(const ConvProblem& problem, int channels) { return channels * SizeOf(problem.type); }

/// Planes of a stage.
int PlanesOf(const HaloShape& shape, const HaloLimits& limits) {
  return Int(static_cast<std::int64_t>(shape.planes.size())) /
         (limits.by_slice ? shape.depth.taps : 1);
}

/// Appends the taps of a pair of classes that lie in one slice of the source.
void AddTaps(const std::array<AxisMap, 2>& maps, const std::array<const AxisClass*, 2>& of,
             int source_d, int z, HaloShape& shape) {
  for (int y = 0; y < of[0]->taps; ++y) {
    for (int x = 0; x < of[1]->taps; ++x) {
      HaloShape::Tap tap = {};
      std::array<int, 3> plane = {source_d, 0, 0};
      tap.source[0] = source_d;
      tap.filter[0] = z;
      for (std::size_t axis = 0; axis < 2; ++axis) {
        const int t = axis == 0 ? y : x;
        const int source = SourceCell(*of[axis], maps[axis].strides, 0, t) - shape.origin[axis];
        tap.filter[axis + 1] = gridwise::Tap(*of[axis], maps[axis].strides, t);
        tap.source[axis + 1] = source;
        plane[axis + 1] = source % shape.step[axis];
        tap.shift[axis] = source / shape.step[axis];
        shape.reach[axis] = std::max(shape.reach[axis], tap.shift[axis]);
      }
      const auto known = std::find(shape.planes.begin(), shape.planes.end(), plane);
      tap.plane = Int(known - shape.planes.begin());
      if (known == shape.planes.end()) shape.planes.push_back(plane);
      shape.taps.push_back(tap);
    }
  }
}

/// Of slices, which are of one residue class.
std::optional<std::string> MakeDepth(const AxisMap& map, HaloShape& shape) {
  const AxisClass& of = map.classes.front();
  if (map.classes.size() > 1 || of.taps == 0) {
    return absl::StrFormat("cells of dx along d are of %d residue classes; the instance is for 1",
                           map.classes.size());
  }
  shape.depth = {.taps = of.taps,
                 .origin = of.first_source,
                 .step = map.strides.source_stride,
                 .cells = of.count};
  return std::nullopt;
}

/// `up` residue classes along each axis. Or the reason why the instance cannot do it.
std::variant<std::string, HaloShape> MakeShape(const ConvProblem& problem, int up) {
  HaloShape shape;
  shape.taps.reserve(kMaxHaloTaps);
  shape.planes.reserve(kMaxHaloPlanes);
  const std::array<AxisMap, 2> maps = {MakeAxisMap(problem.direction, problem.dims[1]),
                                       MakeAxisMap(problem.direction, problem.dims[2])};
  std::array<std::vector<const AxisClass*>, 2> classes;  // by their first cell
  for (std::size_t axis = 0; axis < 2; ++axis) {
    shape.step[axis] = maps[axis].strides.source_stride;
    shape.origin[axis] = 1 << 30;
    classes[axis].resize(static_cast<std::size_t>(up));
    for (const AxisClass& of : maps[axis].classes) {
      if (of.taps == 0 || of.first_cell >= up || maps[axis].strides.cell_stride != up) {
        return absl::StrFormat(
            "cells of dx along %c are of %d residue classes; the instance is for %d", "hw"[axis],
            maps[axis].classes.size(), up);
      }
      classes[axis][static_cast<std::size_t>(of.first_cell)] = &of;
      shape.origin[axis] = std::min(shape.origin[axis], of.first_source);
      shape.cells[axis] = std::max(shape.cells[axis], of.count);
    }
    for (const AxisClass* of : classes[axis]) {
      if (of == nullptr) return "a residue class has no cells";
    }
    if (up == 2 && classes[axis][0]->taps > classes[axis][1]->taps) {
      std::swap(classes[axis][0], classes[axis][1]);
      shape.flip[axis] = 1;
    }
  }
  const AxisMap depth = MakeAxisMap(problem.direction, problem.dims[0]);
  if (auto reason = MakeDepth(depth, shape)) return *std::move(reason);
  const AxisClass& of_depth = depth.classes.front();
  for (const AxisClass* h : classes[0]) {
    for (const AxisClass* w : classes[1]) {
      for (int t = 0; t < of_depth.taps; ++t) {
        AddTaps(maps, {h, w}, SourceCell(of_depth, depth.strides, 0, t) - shape.depth.origin,
                gridwise::Tap(of_depth, depth.strides, t), shape);
      }
      shape.class_end.push_back(Int(static_cast<std::int64_t>(shape.taps.size())));
    }
  }
  if (shape.planes.size() > kMaxHaloPlanes) {
    return absl::StrFormat("patches are %d planes; the instance takes at most %d",
                           shape.planes.size(), kMaxHaloPlanes);
  }
  return shape;
}

/// Cells of a tile along an axis, and tiles.
struct Extent {
  int cells;
  int count;
};

/// The tiling whose tiles have `pitch` cells a line; nothing if it does not fit.
std::optional<HaloTiling> Tile(const HaloShape& shape, const ConvProblem& problem,
                               const HaloLimits& limits, Extent h, Extent w, int pitch) {
  HaloTiling tiling = {.tile_h = h.cells, .tile_w = w.cells, .pitch = pitch};
  tiling.lines = h.cells + shape.reach[0];
  const std::int64_t cells = std::int64_t{h.cells} * pitch;
  if (cells > limits.cells || std::max(h.cells, w.cells) * limits.up > kMostBox ||
      pitch * shape.step[1] > kMostBox || tiling.lines * shape.step[0] > kMostBox) {
    return std::nullopt;
  }
  const int cell_bytes = CellBytes(problem, limits.channels);
  tiling.box_bytes = tiling.lines * pitch * cell_bytes;
  tiling.plane_bytes = AlignUp(tiling.box_bytes, 1024);
  tiling.stage_bytes = PlanesOf(shape, limits) * tiling.plane_bytes;
  tiling.stage_bytes += limits.filter_bytes;
  if (limits.dy != DyInStage::kNone) {
    const int of_dy = limits.dy == DyInStage::kPacked ? h.cells * w.cells : Int(cells);
    tiling.stage_bytes += AlignUp(of_dy * cell_bytes, 1024);
  }
  tiling.shared_bytes = limits.stages * (tiling.stage_bytes + 16) + Int(limits.other_bytes);
  if (tiling.shared_bytes > TraitsOf(Gfx::kSm90a).lds_bytes) return std::nullopt;
  tiling.tiles = problem.batch * shape.depth.cells * h.count * w.count;
  return tiling;
}

struct TileWork {
  const ConvProblem& problem;
  const HaloShape& shape;
  const HaloInstance& row;
  const HaloLimits& limits;
  double bytes_per_cycle;  // of device memory, to a multiprocessor
};

TileCycles CyclesOf(const TileWork& of, const HaloTiling& tiling) {
  const double patch = 1.0 * PlanesOf(of.shape, of.limits) * tiling.box_bytes;
  // Cells that tiles share come from L2, and so do slices.
  const double tile =
      1.0 * tiling.tile_h * tiling.tile_w * CellBytes(of.problem, of.limits.channels);  // bytes
  const double planes = of.limits.by_slice
                            ? PlanesOf(of.shape, of.limits)
                            : static_cast<double>(of.shape.planes.size()) / of.shape.depth.taps *
                                  std::min(of.shape.depth.step, of.shape.depth.taps);
  const double memory = tile * (planes + of.row.cells_of_other) / of.bytes_per_cycle;
  const double l2 = (patch + tile * of.row.cells_of_other) / 40;
  return {.matrix = of.row.matrix(of.shape, tiling),
          .memory = std::max(memory, l2),
          .patch = patch / 40 + 20 * tiling.tile_h,
          .alone = of.row.alone};
}

/// Lines of a tile.
struct Height {
  Extent lines;
  int unit;  // that pitches are multiples of
};

/// Those that need be tried, up to `most`: without those of as many tiles with more lines, whose
/// pitch is no shorter.
std::vector<Height> Heights(const HaloShape& shape, const HaloLimits& limits, int most) {
  std::vector<Height> heights;
  heights.reserve(64);
  const int cells = shape.cells[0];
  most = std::min(most, cells + limits.multiple - 1);
  for (int lines = 1; lines <= most;) {
    const int count = CeilDiv(cells, lines);
    const int end = count == 1 ? most + 1 : std::min(CeilDiv(cells, count - 1), most + 1);
    int least = limits.multiple + 1;
    for (; lines < end && least > 1; ++lines) {
      const int unit = limits.multiple / std::gcd(lines, limits.multiple);
      if (unit < least) heights.push_back({.lines = {lines, count}, .unit = unit});
      least = std::min(least, unit);
    }
    lines = end;
  }
  return heights;
}

/// The widths up to `most` that waste nothing of the last of `cells`, but for what others would as
/// well.
std::vector<Extent> Widths(int cells, int most) {
  std::vector<Extent> widths;
  widths.reserve(64);
  for (int width = 1; width <= most;) {
    const int count = CeilDiv(cells, width);
    widths.push_back({width, count});
    if (count == 1) break;
    width = CeilDiv(cells, count - 1);
  }
  return widths;
}

std::optional<HaloTiling> ChooseTiling(const TileWork& of, Wanted wanted) {
  const HaloShape& shape = of.shape;
  const HaloLimits& limits = of.limits;
  if (std::max(shape.step[0], shape.step[1]) > 8) return std::nullopt;
  std::optional<HaloTiling> best;
  double least = 0;
  const int most_cells = Int(limits.cells);
  const std::vector<Height> heights = Heights(shape, limits, most_cells / (1 + shape.reach[1]));
  for (const Extent& width : Widths(shape.cells[1], most_cells - shape.reach[1])) {
    const int narrow = width.cells + shape.reach[1];
    int last_count = 0, last_pitch = 0;
    for (const Height& height : heights) {
      if (height.lines.cells * narrow > most_cells) break;
      const int pitch = AlignUp(narrow, height.unit);
      // As many tiles of fewer lines, which are no longer.
      if (height.lines.count == last_count && pitch >= last_pitch) continue;
      const std::optional<HaloTiling> tiling =
          Tile(shape, of.problem, limits, height.lines, width, pitch);
      if (!tiling) continue;
      if (wanted == Wanted::kAny) return tiling;
      last_count = height.lines.count;
      last_pitch = pitch;
      const double cycles = static_cast<double>(tiling->tiles) * CyclesOf(of, *tiling).both();
      if (best && cycles >= least) continue;
      best = tiling;
      least = cycles;
    }
  }
  return best;
}

CellStrides StridesOf(const TensorAxes& axes) {
  return {.image = axes.stride[0],
          .d = Int(axes.stride[1]),
          .h = Int(axes.stride[2]),
          .w = Int(axes.stride[3])};
}

/// Where a filter's weights are.
void SetWeights(const ConvProblem& problem, HaloArgs& args) {
  const TensorAxes w = problem.AxesOf(Tensor::kW);
  const bool forward = problem.direction == Direction::kForward;
  args.w_group = w.stride[0];
  args.w_out = Int(w.stride[forward ? 1 : 5]);
  args.w_source = Int(w.stride[forward ? 5 : 1]);
  args.w_z = Int(w.stride[2]);
  args.w_y = Int(w.stride[3]);
  args.w_x = Int(w.stride[4]);
}

/// The planes that a tile's source is cut into, and where in them taps meet it.
void SetPlanesAndTaps(const Halo& halo, int cell_bytes, HaloArgs& args) {
  const HaloShape& shape = halo.shape;
  const HaloTiling& tiling = halo.tiling;
  args.planes = PlanesOf(shape, halo.limits);
  for (std::size_t i = 0; i < shape.planes.size(); ++i) {
    args.plane_d[i] = static_cast<short>(shape.planes[i][0]);
    args.plane_h[i] = static_cast<short>(shape.planes[i][1]);
    args.plane_w[i] = static_cast<short>(shape.planes[i][2]);
  }
  for (std::size_t i = 0; i < shape.taps.size(); ++i) {
    const HaloShape::Tap& tap = shape.taps[i];
    args.tap[i] = {.at = tap.plane % args.planes * tiling.plane_bytes +
                         (tap.shift[0] * tiling.pitch + tap.shift[1]) * cell_bytes,
                   .d = static_cast<short>(tap.source[0]),
                   .h = static_cast<short>(tap.source[1]),
                   .w = static_cast<short>(tap.source[2]),
                   .z = static_cast<short>(tap.filter[0]),
                   .y = static_cast<short>(tap.filter[1]),
                   .x = static_cast<short>(tap.filter[2])};
  }
  std::copy(shape.class_end.begin(), shape.class_end.end(), args.class_end);
}

}  // namespace

std::variant<std::string, Halo> MakeHalo(const ConvProblem& problem, const DeviceFacts& device,
                                         const HaloInstance& row, Wanted wanted) {
  std::variant<std::string, HaloShape> made = MakeShape(problem, row.up);
  if (auto* reason = std::get_if<std::string>(&made)) return std::move(*reason);
  Halo halo = {
      .shape = std::get<HaloShape>(std::move(made)), .tiling = {}, .cycles = {}, .limits = {}};
  halo.limits = row.limits(halo.shape);
  const int taps = Int(static_cast<std::int64_t>(halo.shape.taps.size()));
  halo.windows = CeilDiv(taps, row.window);
  if (taps > row.most_taps) {
    return absl::StrFormat("the filter has %d taps; the instance takes at most %d", taps,
                           row.most_taps);
  }
  const TileWork of = {
      .problem = problem,
      .shape = halo.shape,
      .row = row,
      .limits = halo.limits,
      .bytes_per_cycle = device.memory_gb_per_s / device.clock_ghz / device.compute_units};
  const std::optional<HaloTiling> tiling = ChooseTiling(of, wanted);
  if (!tiling) return "no tile fits in shared memory";
  halo.tiling = *tiling;
  halo.cycles = CyclesOf(of, *tiling);
  return halo;
}

std::int64_t GroupPitch(const ConvProblem& problem) {
  const TensorAxes axes = problem.AxesOf(GatheredTensor(problem));
  return axes.size[4] == 1 ? axes.size[5] : axes.stride[4];
}

std::optional<std::string> RejectHalo(const ConvProblem& problem) {
  const std::int64_t c = problem.c_per_group(), k = problem.k_per_group();
  const std::int64_t pitch = GroupPitch(problem);
  const bool fit = problem.groups == 1 ? c == k : std::max(c, k) <= pitch;
  if (pitch > kBlock || (pitch & (pitch - 1)) != 0 || !fit) {
    return absl::StrFormat(
        "%d groups have %d input and %d output channels, %d apart; the instance takes groups that "
        "are "
        "as many apart, a power of two up to %d",
        problem.groups, c, k, pitch, kBlock);
  }
  const TensorAxes dy = problem.AxesOf(Tensor::kY);
  if (problem.direction == Direction::kBackwardWeight && dy.size[4] > 1 && dy.stride[4] != pitch) {
    return absl::StrFormat("groups of x are %d elements apart, and those of dy %d", pitch,
                           dy.stride[4]);
  }
  return RejectCells(problem);
}

std::optional<std::string> RejectCells(const ConvProblem& problem) {
  const std::int64_t bytes = SizeOf(problem.type);
  for (const Tensor tensor : {Tensor::kX, Tensor::kY}) {
    const TensorAxes axes = problem.AxesOf(tensor);
    if (tensor == problem.out()) continue;  // where boxes cannot store, lanes do
    if (auto reason = RejectStrides("x or y", axes, bytes, /*of_groups=*/false)) return reason;
  }
  return std::nullopt;
}

TensorMapSpec CellsMap(const ConvProblem& problem, Tensor tensor, int lines, int cells,
                       const std::array<int, 2>& step, int channels) {
  const TensorAxes axes = problem.AxesOf(tensor);
  TensorMapSpec map = {
      .type = problem.type, .rank = 5, .swizzle_bytes = CellBytes(problem, channels)};
  SetAxis(map, 0, ChannelsOfCell(axes), 1);
  SetAxis(map, 1, axes.size[3], axes.stride[3]);
  SetAxis(map, 2, axes.size[2], axes.stride[2]);
  SetAxis(map, 3, axes.size[1], axes.stride[1]);
  SetAxis(map, 4, axes.size[0], axes.stride[0]);
  map.box = {static_cast<unsigned>(channels), static_cast<unsigned>(cells * step[1]),
             static_cast<unsigned>(lines * step[0]), 1, 1};
  map.step = {1, static_cast<unsigned>(step[1]), static_cast<unsigned>(step[0]), 1, 1};
  return map;
}

HaloArgs MakeHaloArgs(const ConvProblem& problem, const Halo& halo, Tensor source, Tensor cells) {
  const HaloShape& shape = halo.shape;
  const HaloTiling& tiling = halo.tiling;
  const TensorAxes from = problem.AxesOf(source), of_cells = problem.AxesOf(cells);
  HaloArgs args = {};
  args.source_stride_of = StridesOf(from);
  args.other_stride_of = StridesOf(of_cells);
  SetWeights(problem, args);
  args.blocks = Int(BlocksOf(problem));
  args.channels = Int(problem.groups * GroupPitch(problem));
  while ((std::int64_t{1} << args.log_group) < GroupPitch(problem)) ++args.log_group;
  args.group_mask = (1 << args.log_group) - 1;
  args.of_group = Int(of_cells.size[5]);
  args.of_source_group = Int(from.size[5]);
  args.tiles_h = CeilDiv(shape.cells[0], tiling.tile_h);
  args.tiles_w = CeilDiv(shape.cells[1], tiling.tile_w);
  args.by_tiles_h = MakeMagicDiv(static_cast<unsigned>(args.tiles_h));
  args.by_tiles_w = MakeMagicDiv(static_cast<unsigned>(args.tiles_w));
  args.slices = Int(problem.batch * shape.depth.cells);
  args.out_d = shape.depth.cells;
  args.by_out_d = MakeMagicDiv(static_cast<unsigned>(args.out_d));
  args.tile_h = tiling.tile_h;
  args.tile_w = tiling.tile_w;
  args.pitch = tiling.pitch;
  args.by_pitch = MakeMagicDiv(static_cast<unsigned>(tiling.pitch));
  args.source_d = Int(from.size[1]);
  args.source_step_d = shape.depth.step;
  args.origin_d = shape.depth.origin;
  args.source_h = Int(from.size[2]);
  args.source_w = Int(from.size[3]);
  args.source_step_h = shape.step[0];
  args.source_step_w = shape.step[1];
  args.origin_h = shape.origin[0];
  args.origin_w = shape.origin[1];
  args.out_h = Int(of_cells.size[2]);
  args.out_w = Int(of_cells.size[3]);
  args.plane_bytes = tiling.plane_bytes;
  args.box_bytes = tiling.box_bytes;
  SetPlanesAndTaps(halo, CellBytes(problem, halo.limits.channels), args);
  args.flip_h = shape.flip[0];
  args.flip_w = shape.flip[1];
  args.stage_bytes = tiling.stage_bytes;
  return args;
}

std::int64_t BlocksOf(const ConvProblem& problem) {
  const std::int64_t of_x = CeilDiv<std::int64_t>(problem.groups * GroupPitch(problem), kBlock);
  const bool pairs = problem.groups == 1 && problem.direction == Direction::kBackwardWeight;
  return pairs ? of_x * CeilDiv<std::int64_t>(problem.k, kBlock) : of_x;
}

std::int64_t SharersOf(const ConvProblem& problem, const DeviceFacts& device, const Halo& halo) {
  return std::clamp<std::int64_t>(device.compute_units / (BlocksOf(problem) * halo.windows), 1,
                                  halo.tiling.tiles);
}

LaunchShape HaloLaunchShape(std::int64_t workgroups, int threads, std::int64_t shared_bytes) {
  return {.workgroups = {static_cast<unsigned>(workgroups), 1, 1},
          .threads = {static_cast<unsigned>(threads), 1, 1},
          .dynamic_lds_bytes = static_cast<unsigned>(shared_bytes)};
}

Cost HaloCost(const Halo& halo, const ConvProblem& problem, const DeviceFacts& device,
              std::int64_t sharers, double fixed, double efficiency) {
  const double tiles = static_cast<double>(CeilDiv<std::int64_t>(halo.tiling.tiles, sharers));
  const std::int64_t workgroups = sharers * BlocksOf(problem) * halo.windows;
  const double rounds =
      static_cast<double>(CeilDiv<std::int64_t>(workgroups, device.compute_units));
  return {.matrix_cycles = tiles * halo.cycles.matrix / efficiency,
          .memory_cycles = tiles * halo.cycles.memory / efficiency,
          .alone_cycles = tiles * halo.cycles.both() / efficiency,
          .fixed_cycles = fixed,
          .workgroups = static_cast<double>(workgroups),
          .rounds = rounds,
          .resident = 1};
}

}  // namespace gridwise::hopper
