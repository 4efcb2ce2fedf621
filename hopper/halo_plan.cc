#include "hopper/halo_plan.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <variant>
#include <vector>

#include "absl/strings/str_format.h"
#include "core/base/math.h"
#include "core/conv/sub_gemms.h"
#include "core/launch/plan_epilogue.h"
#include "core/passes/pass_cycles.h"
#include "hopper/maps.h"

namespace gridwise::hopper {
namespace {

constexpr int kBlock = 64;  // channels
constexpr std::int64_t kMostBox = 256;

int Int(std::int64_t value) { return static_cast<int>(value); }

/// What a row does with a problem, whatever the size of its tiles.
struct HaloShape {
  struct Tap {
    int plane;
    std::array<int, 2> shift;   // of cells in the plane
    std::array<int, 2> source;  // cells from the patch's corner
    std::array<int, 2> filter;  // h, w
  };
  std::vector<Tap> taps;                   // class by class
  std::vector<int> class_end;              //
  std::vector<std::array<int, 2>> planes;  // source cells from the patch's corner
  std::array<int, 2> origin = {};          // source cell of the patch of the first tile
  std::array<int, 2> step = {};            // source cells from one cell of a tile to the next
  std::array<int, 2> reach = {};           // the furthest shift
  std::array<int, 2> cells = {};           // of the largest class
  std::array<int, 2> flip = {};            // 1: an axis' first class is of odd cells
};

/// Tiles of a row, and the shared memory that they take.
struct HaloTiling {
  int tile_h = 0, tile_w = 0, pitch = 0, lines = 0;
  int box_bytes = 0, plane_bytes = 0, stage_bytes = 0, shared_bytes = 0;
  std::int64_t tiles = 0;  // of a block of channels
};

/// Appends the taps of a pair of classes.
void AddTaps(const std::array<AxisMap, 2>& maps, const std::array<const AxisClass*, 2>& of,
             HaloShape& shape) {
  for (int y = 0; y < of[0]->taps; ++y) {
    for (int x = 0; x < of[1]->taps; ++x) {
      HaloShape::Tap tap = {};
      std::array<int, 2> plane;
      for (std::size_t axis = 0; axis < 2; ++axis) {
        const int t = axis == 0 ? y : x;
        tap.filter[axis] = gridwise::Tap(*of[axis], maps[axis].strides, t);
        tap.source[axis] = SourceCell(*of[axis], maps[axis].strides, 0, t) - shape.origin[axis];
        plane[axis] = tap.source[axis] % shape.step[axis];
        tap.shift[axis] = tap.source[axis] / shape.step[axis];
        shape.reach[axis] = std::max(shape.reach[axis], tap.shift[axis]);
      }
      const auto known = std::find(shape.planes.begin(), shape.planes.end(), plane);
      tap.plane = Int(known - shape.planes.begin());
      if (known == shape.planes.end()) shape.planes.push_back(plane);
      shape.taps.push_back(tap);
    }
  }
  shape.class_end.push_back(Int(static_cast<std::int64_t>(shape.taps.size())));
}

/// `up` residue classes along each axis. Or the reason why the row cannot do it.
std::variant<std::string, HaloShape> MakeShape(const ConvProblem& problem, int up) {
  HaloShape shape;
  const std::array<AxisMap, 2> maps = {MakeAxisMap(problem.direction, problem.dims[1]),
                                       MakeAxisMap(problem.direction, problem.dims[2])};
  std::array<std::vector<const AxisClass*>, 2> classes;  // by their first cell
  for (std::size_t axis = 0; axis < 2; ++axis) {
    shape.step[axis] = maps[axis].strides.source_stride;
    shape.origin[axis] = 1 << 30;
    classes[axis].resize(static_cast<std::size_t>(up));
    for (const AxisClass& of : maps[axis].classes) {
      if (of.taps == 0 || of.first_cell >= up || maps[axis].strides.cell_stride != up) {
        return absl::StrFormat("cells of dx along %c are of %d residue classes; the row is for %d",
                               "hw"[axis], maps[axis].classes.size(), up);
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
  for (const AxisClass* h : classes[0]) {
    for (const AxisClass* w : classes[1]) AddTaps(maps, {h, w}, shape);
  }
  if (shape.planes.size() > kMaxHaloPlanes) {
    return absl::StrFormat("patches are %d planes; the row takes at most %d", shape.planes.size(),
                           kMaxHaloPlanes);
  }
  return shape;
}

/// Why halo rows cannot compute the problem, whatever they are.
std::optional<std::string> RejectHalo(const ConvProblem& problem) {
  if (Is3d(problem)) return "the row is for axes h and w";
  const std::int64_t c = problem.c_per_group(), k = problem.k_per_group();
  if (c != k || c > kBlock || (c & (c - 1)) != 0) {
    return absl::StrFormat(
        "groups have %d input and %d output channels; the row takes as many of both, a power of "
        "two up to %d",
        c, k, kBlock);
  }
  const std::int64_t bytes = SizeOf(problem.type);
  for (const Tensor tensor : {Tensor::kX, Tensor::kY}) {
    const TensorAxes axes = problem.AxesOf(tensor);
    if (axes.size[4] != 1 && axes.stride[4] != axes.size[5]) {
      return absl::StrFormat("groups are %d elements apart; the row wants neighbours",
                             axes.stride[4]);
    }
    if (auto reason = RejectStrides("x or y", axes, bytes, /*of_groups=*/false)) return reason;
  }
  return std::nullopt;
}

/// What tiles of a row must keep.
struct Limits {
  std::int64_t cells;  // of a tile, by pitch
  int up = 1;          // lines of the output are so much longer
  int multiple = 1;    // of a tile's cells, by pitch
  int stages = 0;
  std::int64_t other_bytes = 0;  // of shared memory, but for stages
  int filter_bytes = 0;          // in a stage
  bool has_dy = false;           // in the stages
};

/// The tiling whose tiles have `pitch` cells a line; nothing if it does not fit.
std::optional<HaloTiling> Tile(const HaloShape& shape, const ConvProblem& problem,
                               const Limits& limits, int tile_h, int tile_w, int pitch) {
  HaloTiling tiling = {.tile_h = tile_h, .tile_w = tile_w, .pitch = pitch};
  tiling.lines = tile_h + shape.reach[0];
  const std::int64_t cells = std::int64_t{tile_h} * pitch;
  if (cells > limits.cells || cells % limits.multiple != 0 || tile_w * limits.up > kMostBox ||
      pitch * shape.step[1] > kMostBox || std::max(shape.step[0], shape.step[1]) > 8 ||
      tiling.lines * shape.step[0] > kMostBox) {
    return std::nullopt;
  }
  tiling.box_bytes = tiling.lines * pitch * kBlock * 2;
  tiling.plane_bytes = AlignUp(tiling.box_bytes, 1024);
  tiling.stage_bytes = Int(static_cast<std::int64_t>(shape.planes.size())) * tiling.plane_bytes;
  tiling.stage_bytes += limits.filter_bytes;
  if (limits.has_dy) tiling.stage_bytes += AlignUp(Int(cells) * kBlock * 2, 1024);
  tiling.shared_bytes = limits.stages * (tiling.stage_bytes + 16) + Int(limits.other_bytes);
  if (tiling.shared_bytes > TraitsOf(Gfx::kSm90a).lds_bytes) return std::nullopt;
  tiling.tiles = problem.batch * CeilDiv(shape.cells[0], tile_h) * CeilDiv(shape.cells[1], tile_w);
  return tiling;
}

/// Cycles of a workgroup for a tile.
struct TileCycles {
  double matrix, memory;
  double patch;  // its part of memory
  // The constant, by measurement: from the patch's arrival to the first product, and the stores.
  double both() const { return std::max(matrix, memory) + 0.25 * patch + 1500; }
};

struct TileWork {
  const ConvProblem& problem;
  const DeviceFacts& device;
  const HaloShape& shape;
  double matrix_of_cell;  // cycles of a tap and a cell
  double bytes_of_cell;   // of the other tensor, for a cell of a class
};

TileCycles CyclesOf(const TileWork& of, const HaloTiling& tiling, double cells) {
  const double bytes_per_cycle =
      of.device.memory_gb_per_s / of.device.clock_ghz / of.device.compute_units;
  const double patch = static_cast<double>(of.shape.planes.size()) * tiling.box_bytes;
  // Cells that tiles share come from L2.
  const double tile = tiling.tile_h * tiling.tile_w;
  const double memory = tile * kBlock * 2 *
                        (static_cast<double>(of.shape.planes.size()) + of.bytes_of_cell) /
                        bytes_per_cycle;
  const double l2 = (patch + tile * kBlock * 2 * of.bytes_of_cell) / 40;
  const double taps = static_cast<double>(of.shape.taps.size());
  return {.matrix = taps * cells * of.matrix_of_cell,
          .memory = std::max(memory, l2),
          .patch = patch / 40 + 20 * tiling.tile_h};
}

/// Of the tilings that fit, the one with the least estimate.
std::optional<HaloTiling> ChooseTiling(const TileWork& of, const Limits& limits) {
  std::optional<HaloTiling> best;
  double least = 0;
  const HaloShape& shape = of.shape;
  const int most_w = std::min<int>(shape.cells[1], Int(limits.cells) - shape.reach[1]);
  for (int tile_w = 1; tile_w <= most_w; ++tile_w) {
    // Widths that waste nothing of the last tile, but for what others would as well.
    if (CeilDiv(shape.cells[1], CeilDiv(shape.cells[1], tile_w)) != tile_w) continue;
    const int narrow = tile_w + shape.reach[1];
    for (int pitch = narrow; pitch < narrow + limits.multiple; ++pitch) {
      const int most_h = std::min(shape.cells[0], Int(limits.cells) / pitch);
      int last = 0;
      for (int tile_h = 1; tile_h <= most_h + limits.multiple; ++tile_h) {
        const int count = CeilDiv(shape.cells[0], tile_h);
        if (limits.multiple == 1 && count == last) continue;
        const std::optional<HaloTiling> tiling =
            Tile(shape, of.problem, limits, tile_h, tile_w, pitch);
        if (!tiling) continue;
        last = count;
        const double cells = limits.has_dy ? tile_h * pitch : static_cast<double>(limits.cells);
        const double cycles =
            static_cast<double>(tiling->tiles) * CyclesOf(of, *tiling, cells).both();
        if (best && cycles >= least) continue;
        best = tiling;
        least = cycles;
      }
    }
  }
  return best;
}

/// What is the same in all directions.
struct Halo {
  HaloShape shape;
  HaloTiling tiling;
  TileCycles cycles;
};

std::variant<std::string, Halo> MakeHalo(const ConvProblem& problem, const DeviceFacts& device,
                                         int up, int most_taps, auto limits_of,
                                         double matrix_of_cell) {
  std::variant<std::string, HaloShape> made = MakeShape(problem, up);
  if (auto* reason = std::get_if<std::string>(&made)) return std::move(*reason);
  Halo halo = {.shape = std::get<HaloShape>(std::move(made)), .tiling = {}, .cycles = {}};
  const int taps = Int(static_cast<std::int64_t>(halo.shape.taps.size()));
  if (taps > most_taps) {
    return absl::StrFormat("the filter has %d taps; the row takes at most %d", taps, most_taps);
  }
  const Limits limits = limits_of(taps);
  const TileWork of = {problem, device, halo.shape, matrix_of_cell, limits.has_dy ? 1.0 : up * up};
  const std::optional<HaloTiling> tiling = ChooseTiling(of, limits);
  if (!tiling) return "no tile fits in shared memory";
  halo.tiling = *tiling;
  halo.cycles =
      CyclesOf(of, *tiling,
               limits.has_dy ? tiling->tile_h * tiling->pitch : static_cast<double>(limits.cells));
  return halo;
}

constexpr std::int64_t kBarrierBytes = 64;

std::variant<std::string, Halo> MakeHalo(const HaloConfig& config, const ConvProblem& problem,
                                         const DeviceFacts& device) {
  const auto limits = [&](int taps) {
    return Limits{.cells = config.cells(),
                  .up = config.up,
                  .stages = config.stages,
                  .other_bytes = config.filter_bytes(taps) + config.teams * config.staging_bytes() +
                                 kBarrierBytes};
  };
  // 64 rows of 16 channels: 2 KB, at 128 bytes a cycle; 64 columns take twice that.
  const double cycles = 4.0 * 16 * (config.channels == 64 ? 2 : 1) / 64;
  return MakeHalo(problem, device, config.up, kMaxHaloTaps, limits, cycles);
}

std::variant<std::string, Halo> MakeHalo(const HaloWeightConfig& config, const ConvProblem& problem,
                                         const DeviceFacts& device) {
  const auto limits = [&](int) {
    return Limits{.cells = 1024,
                  .multiple = 16,
                  .stages = config.stages,
                  .other_bytes = HaloWeightConfig::kGroups * 8192 + kBarrierBytes,
                  .has_dy = true};
  };
  return MakeHalo(problem, device, /*up=*/1, HaloWeightConfig::kTaps, limits, 32.0 / 16);
}

std::variant<std::string, Halo> MakeHalo(const HaloDenseConfig& config, const ConvProblem& problem,
                                         const DeviceFacts& device) {
  const auto limits = [&](int) {
    return Limits{.cells = config.cells(),
                  .stages = config.stages,
                  .other_bytes = config.sharers * 8192 + kBarrierBytes,
                  .filter_bytes = config.filter_bytes()};
  };
  // 64 rows of 64 channels: 8 KB, at 128 bytes a cycle.
  return MakeHalo(problem, device, /*up=*/1, kMaxHaloTaps, limits, 64.0 / 64);
}

template <class Config>
std::optional<std::string> RejectCommon(const Config& config, Direction direction,
                                        const ConvProblem& problem) {
  if (problem.direction != direction) {
    return absl::StrFormat("direction is %s; the row is for %s", Name(problem.direction),
                           Name(direction));
  }
  if (problem.type != config.type) {
    return absl::StrFormat("type is %s; the row is for %s", Name(problem.type), Name(config.type));
  }
  std::variant<std::string, Halo> made = MakeHalo(config, problem, Gfx::kSm90a);
  if (auto* reason = std::get_if<std::string>(&made)) return std::move(*reason);
  return std::nullopt;
}

/// 64 channels of boxes of cells of x or y, of every `step`-th.
TensorMapSpec CellsMap(const ConvProblem& problem, Tensor tensor, int lines, int cells,
                       const std::array<int, 2>& step) {
  const TensorAxes axes = problem.AxesOf(tensor);
  TensorMapSpec map = {.type = problem.type, .rank = 4, .swizzle_bytes = 128};
  SetAxis(map, 0, axes.size[4] * axes.size[5], 1);
  SetAxis(map, 1, axes.size[3], axes.stride[3]);
  SetAxis(map, 2, axes.size[2], axes.stride[2]);
  SetAxis(map, 3, axes.size[0], axes.stride[0]);
  map.box = {kBlock, static_cast<unsigned>(cells * step[1]), static_cast<unsigned>(lines * step[0]),
             1};
  map.step = {1, static_cast<unsigned>(step[1]), static_cast<unsigned>(step[0]), 1, 1};
  return map;
}

CellStrides StridesOf(const TensorAxes& axes) {
  return {.image = axes.stride[0], .h = Int(axes.stride[2]), .w = Int(axes.stride[3])};
}

/// The arguments that say what and how, but for where the rest of shared memory is.
HaloArgs MakeArgs(const ConvProblem& problem, const Halo& halo, Tensor source, Tensor cells) {
  const auto& [shape, tiling, cycles] = halo;
  const TensorAxes from = problem.AxesOf(source), of_cells = problem.AxesOf(cells);
  const TensorAxes w = problem.AxesOf(Tensor::kW);
  HaloArgs args = {};
  args.source_stride_of = StridesOf(from);
  args.other_stride_of = StridesOf(of_cells);
  const bool forward = problem.direction == Direction::kForward;
  args.w_group = w.stride[0];
  args.w_out = Int(w.stride[forward ? 1 : 5]);
  args.w_source = Int(w.stride[forward ? 5 : 1]);
  args.w_y = Int(w.stride[3]);
  args.w_x = Int(w.stride[4]);
  args.blocks = Int(CeilDiv<std::int64_t>(problem.c, kBlock));
  args.channels = Int(problem.c);
  while ((std::int64_t{1} << args.log_group) < problem.c_per_group()) ++args.log_group;
  args.tiles_h = CeilDiv(shape.cells[0], tiling.tile_h);
  args.tiles_w = CeilDiv(shape.cells[1], tiling.tile_w);
  args.images = Int(problem.batch);
  args.tile_h = tiling.tile_h;
  args.tile_w = tiling.tile_w;
  args.pitch = tiling.pitch;
  args.source_h = Int(from.size[2]);
  args.source_w = Int(from.size[3]);
  args.source_step_h = shape.step[0];
  args.source_step_w = shape.step[1];
  args.origin_h = shape.origin[0];
  args.origin_w = shape.origin[1];
  args.out_h = Int(of_cells.size[2]);
  args.out_w = Int(of_cells.size[3]);
  args.planes = Int(static_cast<std::int64_t>(shape.planes.size()));
  args.plane_bytes = tiling.plane_bytes;
  args.box_bytes = tiling.box_bytes;
  for (std::size_t i = 0; i < shape.planes.size(); ++i) {
    args.plane_h[i] = static_cast<short>(shape.planes[i][0]);
    args.plane_w[i] = static_cast<short>(shape.planes[i][1]);
  }
  for (std::size_t i = 0; i < shape.taps.size(); ++i) {
    const HaloShape::Tap& tap = shape.taps[i];
    args.tap[i] = {.at = tap.plane * tiling.plane_bytes +
                         (tap.shift[0] * tiling.pitch + tap.shift[1]) * kBlock * 2,
                   .h = static_cast<short>(tap.source[0]),
                   .w = static_cast<short>(tap.source[1]),
                   .y = static_cast<short>(tap.filter[0]),
                   .x = static_cast<short>(tap.filter[1])};
  }
  std::copy(shape.class_end.begin(), shape.class_end.end(), args.class_end);
  args.flip_h = shape.flip[0];
  args.flip_w = shape.flip[1];
  args.stage_bytes = tiling.stage_bytes;
  return args;
}

std::int64_t BlocksOf(const ConvProblem& problem) {
  return CeilDiv<std::int64_t>(problem.c, kBlock);
}

/// Workgroups that share the tiles of a block of channels.
std::int64_t SharersOf(const ConvProblem& problem, const DeviceFacts& device, std::int64_t tiles) {
  return std::clamp<std::int64_t>(device.compute_units / BlocksOf(problem), 1, tiles);
}

LaunchShape ShapeOf(std::int64_t workgroups, int threads, std::int64_t shared_bytes) {
  return {.workgroups = {static_cast<unsigned>(workgroups), 1, 1},
          .threads = {static_cast<unsigned>(threads), 1, 1},
          .dynamic_lds_bytes = static_cast<unsigned>(shared_bytes)};
}

/// Where boxes store: the epilogue has no tensors, and the output the operands' type.
bool StoresBoxes(const ConvProblem& problem, const EpilogueArgs& epilogue) {
  return epilogue.tensors == 0 && epilogue.adds == 0 &&
         epilogue.out_type == static_cast<int>(problem.type);
}

Cost CostOf(const Halo& halo, const ConvProblem& problem, const DeviceFacts& device,
            std::int64_t sharers, double fixed) {
  const double tiles = static_cast<double>(CeilDiv<std::int64_t>(halo.tiling.tiles, sharers));
  const double rounds =
      static_cast<double>(CeilDiv<std::int64_t>(sharers * BlocksOf(problem), device.compute_units));
  constexpr double kEfficiency = 0.75;  // of memory and matrix unit, by measurement
  return {.matrix_cycles = tiles * halo.cycles.matrix / kEfficiency,
          .memory_cycles = tiles * halo.cycles.memory / kEfficiency,
          .alone_cycles = tiles * halo.cycles.both() / kEfficiency,
          .fixed_cycles = fixed,
          .rounds = rounds,
          .resident = 1};
}

}  // namespace

std::optional<std::string> RejectProblem(const HaloConfig& config, const ConvProblem& problem) {
  const std::int64_t of_group = problem.c_per_group();
  if (std::max<std::int64_t>(of_group, 16) != config.channels) {
    return absl::StrFormat("groups have %d channels; the row is for products of %d", of_group,
                           config.channels);
  }
  for (const std::size_t axis : {1u, 2u}) {
    if (config.filter == 0 || problem.dims[axis].filter == config.filter) continue;
    return absl::StrFormat("the filter has %d taps along %c; the row is for %d",
                           problem.dims[axis].filter, "dhw"[axis], config.filter);
  }
  if (auto reason = RejectHalo(problem)) return reason;
  return RejectCommon(config, config.direction, problem);
}

std::optional<std::string> RejectProblem(const HaloWeightConfig& config,
                                         const ConvProblem& problem) {
  if (auto reason = RejectHalo(problem)) return reason;
  return RejectCommon(config, Direction::kBackwardWeight, problem);
}

std::optional<std::string> RejectProblem(const HaloDenseConfig& config,
                                         const ConvProblem& problem) {
  const TensorAxes w = problem.AxesOf(Tensor::kW);
  if (Is3d(problem) || problem.groups != 1 || problem.k > config.columns ||
      problem.dims[1].filter != config.filter || problem.dims[2].filter != config.filter ||
      w.stride[3] != config.filter * w.stride[4]) {
    return absl::StrFormat(
        "the row is for one group, at most %d output channels and a packed filter of %d x %d",
        config.columns, config.filter, config.filter);
  }
  const std::int64_t bytes = SizeOf(problem.type);
  if (auto reason = RejectStrides("x", problem.AxesOf(Tensor::kX), bytes)) return reason;
  if (auto reason = RejectStrides("w", w, bytes)) return reason;
  return RejectCommon(config, Direction::kForward, problem);
}

PartEstimate EstimateLaunch(const HaloDenseConfig& config, const PartRequest& request) {
  const ConvProblem& problem = request.problem;
  const Halo halo = std::get<Halo>(MakeHalo(config, problem, request.device));
  const auto slabs = static_cast<double>(CeilDiv<std::int64_t>(problem.c, kBlock));
  const double rounds =
      static_cast<double>(CeilDiv<std::int64_t>(halo.tiling.tiles, request.device.compute_units));
  constexpr double kLaunch = 8000;
  const double slab = std::max(halo.cycles.matrix, halo.tiling.stage_bytes / 40.0) / 0.45;
  return {.splits = std::max(request.sharing.splits, 1),
          .cost = WithCycles({.matrix_cycles = slab * slabs,
                              .memory_cycles = slab * slabs,
                              .alone_cycles = slab * slabs + 2000,
                              .fixed_cycles = kLaunch / rounds,
                              .rounds = rounds,
                              .resident = 1})};
}

Plan<HaloArgs> PlanHalo(const HaloDenseConfig& config, const PartRequest& request) {
  const ConvProblem& problem = request.problem;
  const Halo halo = std::get<Halo>(MakeHalo(config, problem, request.device));
  Plan<HaloArgs> plan;
  plan.args = MakeArgs(problem, halo, Tensor::kX, Tensor::kY);
  HaloArgs& args = plan.args;
  args.blocks = 1;
  args.channels = Int(problem.k);
  args.slabs = Int(CeilDiv<std::int64_t>(problem.c, kBlock));
  args.splits = std::max(request.sharing.splits, 1);
  args.sharers = Int(std::min<std::int64_t>(halo.tiling.tiles, request.device.compute_units));
  args.other_at = args.planes * args.plane_bytes;
  args.staging_at = config.stages * args.stage_bytes;
  args.barriers_at = args.staging_at + config.sharers * 8192;
  args.epilogue = MakeEpilogue(problem, request.sharing);
  args.stores = LaneStoresOf(problem, args.epilogue);
  plan.maps = {{.at = offsetof(HaloArgs, source),
                .place = {Memory::kA},
                .spec = CellsMap(problem, Tensor::kX, halo.tiling.lines, halo.tiling.pitch,
                                 halo.shape.step)},
               {.at = offsetof(HaloArgs, other), .place = {Memory::kB}, .spec = {}}};
  const TensorAxes w = problem.AxesOf(Tensor::kW);
  TensorMapSpec& filter = plan.maps.back().spec;
  filter = {.type = problem.type, .rank = 3, .swizzle_bytes = 128};
  SetAxis(filter, 0, w.size[5], 1);
  SetAxis(filter, 1, w.size[1], w.stride[1]);
  SetAxis(filter, 2, w.size[3] * w.size[4], w.stride[4]);
  filter.box = {kBlock, static_cast<unsigned>(config.columns),
                static_cast<unsigned>(config.filter * config.filter)};
  plan.shape =
      ShapeOf(std::int64_t{args.splits} * args.sharers, config.threads(), halo.tiling.shared_bytes);
  return plan;
}

PartEstimate EstimateLaunch(const HaloConfig& config, const PartRequest& request) {
  const ConvProblem& problem = request.problem;
  const Halo halo = std::get<Halo>(MakeHalo(config, problem, request.device));
  const std::int64_t sharers = SharersOf(problem, request.device, halo.tiling.tiles);
  constexpr double kLaunch = 10000;  // and the filter
  const int splits = std::max(request.sharing.splits, 1);
  return {.splits = splits,
          .cost = WithCycles(CostOf(halo, problem, request.device, sharers, kLaunch))};
}

PartEstimate EstimateLaunch(const HaloWeightConfig& config, const PartRequest& request) {
  const ConvProblem& problem = request.problem;
  const Halo halo = std::get<Halo>(MakeHalo(config, problem, request.device));
  const int splits = request.sharing.splits > 0
                         ? request.sharing.splits
                         : Int(SharersOf(problem, request.device, halo.tiling.tiles));
  constexpr double kLaunch = 8000, kSplit = 4000;
  Cost cost = CostOf(halo, problem, request.device, splits, kLaunch);
  const auto elements = static_cast<double>(problem.out_elements());
  if (splits > 1) {
    cost.pass_cycles =
        kSplit + PassCycles(request.device, elements * (4 * splits + SizeOf(problem.type)));
  }
  return {.splits = splits, .cost = WithCycles(cost)};
}

Plan<HaloArgs> PlanHalo(const HaloConfig& config, const PartRequest& request) {
  const ConvProblem& problem = request.problem;
  const Halo halo = std::get<Halo>(MakeHalo(config, problem, request.device));
  const Tensor source = GatheredTensor(problem);
  Plan<HaloArgs> plan;
  plan.args = MakeArgs(problem, halo, source, problem.out());
  HaloArgs& args = plan.args;
  args.mixes = problem.c_per_group() < config.channels;
  args.filter_at = config.stages * args.stage_bytes;
  args.staging_at =
      args.filter_at + config.filter_bytes(Int(static_cast<std::int64_t>(halo.shape.taps.size())));
  args.barriers_at = args.staging_at + config.teams * config.staging_bytes();
  args.sharers = Int(SharersOf(problem, request.device, halo.tiling.tiles));
  args.epilogue = MakeEpilogue(problem, request.sharing);
  args.stores = StoresBoxes(problem, args.epilogue) ? Stores::kBoxes : Stores::kElements;
  plan.maps.push_back(
      {.at = offsetof(HaloArgs, source),
       .place = {Memory::kA},
       .spec = CellsMap(problem, source, halo.tiling.lines, halo.tiling.pitch, halo.shape.step)});
  if (args.stores == Stores::kBoxes) {
    plan.maps.push_back(
        {.at = offsetof(HaloArgs, other),
         .place = {Memory::kOut},
         .spec = CellsMap(problem, problem.out(), 1, args.tile_w * config.up, {1, 1})});
  }
  plan.addresses = {{offsetof(HaloArgs, source_data), {Memory::kA}},
                    {offsetof(HaloArgs, other_data), {Memory::kB}}};
  const int splits = std::max(request.sharing.splits, 1);
  plan.shape = ShapeOf(std::int64_t{splits} * args.sharers * args.blocks, config.threads(),
                       halo.tiling.shared_bytes);
  return plan;
}

Plan<HaloArgs> PlanHalo(const HaloWeightConfig& config, const PartRequest& request) {
  const ConvProblem& problem = request.problem;
  const Halo halo = std::get<Halo>(MakeHalo(config, problem, request.device));
  Sharing sharing = request.sharing;
  sharing.splits = EstimateLaunch(config, request).splits;
  if (sharing.splits > 1 && sharing.partial_elements == 0) {
    sharing.partial_elements = problem.out_elements();
  }
  Plan<HaloArgs> plan;
  plan.args = MakeArgs(problem, halo, Tensor::kX, Tensor::kY);
  HaloArgs& args = plan.args;
  args.sharers = sharing.splits;
  args.other_at = args.planes * args.plane_bytes;
  args.staging_at = config.stages * args.stage_bytes;
  args.barriers_at = args.staging_at + HaloWeightConfig::kGroups * 8192;
  args.epilogue = MakeEpilogue(problem, sharing);
  args.stores = Stores::kElements;
  plan.maps = {{.at = offsetof(HaloArgs, source),
                .place = {Memory::kB},
                .spec = CellsMap(problem, Tensor::kX, halo.tiling.lines, halo.tiling.pitch,
                                 halo.shape.step)},
               {.at = offsetof(HaloArgs, other),
                .place = {Memory::kA},
                .spec = CellsMap(problem, Tensor::kY, 1, args.tile_w, {1, 1})}};
  plan.addresses = {{offsetof(HaloArgs, source_data), {Memory::kB}},
                    {offsetof(HaloArgs, other_data), {Memory::kA}}};
  plan.shape = ShapeOf(std::int64_t{sharing.splits} * args.blocks, config.threads(),
                       halo.tiling.shared_bytes);
  return plan;
}

}  // namespace gridwise::hopper
