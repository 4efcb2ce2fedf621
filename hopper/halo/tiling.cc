// SPDX-License-Identifier: MIT
#include "hopper/halo/tiling.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <numeric>
#include <ranges>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "core/base/math.h"
#include "core/base/recent.h"
#include "core/conv/sub_gemms.h"
#include "hopper/base/maps.h"

namespace gridwise::hopper {
namespace {

constexpr std::int64_t kMaxBox = 256;

int Int(std::int64_t value) { return static_cast<int>(value); }

int PixelBytes(const ConvProblem& problem, int channels) { return channels * SizeOf(problem.type); }

/// Planes of a stage.
int PlanesOf(const HaloShape& shape, const HaloLimits& limits) {
  return Int(static_cast<std::int64_t>(shape.planes.size())) /
         (limits.by_slice ? shape.depth.taps : 1);
}

/// Appends the taps of a pair of phases that lie in one slice of the source.
void AddTaps(const std::array<AxisMap, 2>& maps, const std::array<const AxisPhase*, 2>& of,
             int source_d, int z, HaloShape& shape) {
  for (int y = 0; y < of[0]->taps; ++y) {
    for (int x = 0; x < of[1]->taps; ++x) {
      HaloShape::Tap tap = {};
      std::array<int, 3> plane = {source_d, 0, 0};
      tap.source[0] = source_d;
      tap.filter[0] = z;
      for (std::size_t axis = 0; axis < 2; ++axis) {
        const int t = axis == 0 ? y : x;
        const int source = SourcePixel(*of[axis], maps[axis].strides, 0, t) - shape.origin[axis];
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

/// Sets the slices, which belong to one phase.
std::optional<Refusal> MakeDepth(const AxisMap& map, HaloShape& shape) {
  const AxisPhase& of = map.phases.front();
  if (map.phases.size() > 1 || of.taps == 0) {
    return Refuse<"pixels of dx along d are of %d phases; the instance is for 1">(
        map.phases.size());
  }
  shape.depth = {.taps = of.taps,
                 .origin = of.first_source,
                 .step = map.strides.source_stride,
                 .pixels = of.count};
  return std::nullopt;
}

/// The shape with `up` phases along each axis, or the reason why the instance cannot compute it.
std::variant<Refusal, HaloShape> MakeShape(const ConvProblem& problem, int up) {
  HaloShape shape;
  shape.taps.reserve(
      static_cast<std::size_t>(std::min<std::int64_t>(problem.filter_taps(), kMaxHaloTaps)));
  shape.planes.reserve(kMaxHaloPlanes);
  const std::array<AxisMap, 2> maps = {MakeAxisMap(problem.direction, problem.dims[1]),
                                       MakeAxisMap(problem.direction, problem.dims[2])};
  std::array<absl::InlinedVector<const AxisPhase*, 2>, 2> phases;  // by their first pixel
  for (std::size_t axis = 0; axis < 2; ++axis) {
    shape.step[axis] = maps[axis].strides.source_stride;
    shape.origin[axis] = 1 << 30;
    phases[axis].resize(static_cast<std::size_t>(up));
    for (const AxisPhase& of : maps[axis].phases) {
      if (of.taps == 0 || of.first_pixel >= up || maps[axis].strides.pixel_stride != up) {
        return Refuse<"pixels of dx along %c are of %d phases; the instance is for %d">(
            "hw"[axis], maps[axis].phases.size(), up);
      }
      phases[axis][static_cast<std::size_t>(of.first_pixel)] = &of;
      shape.origin[axis] = std::min(shape.origin[axis], of.first_source);
      shape.pixels[axis] = std::max(shape.pixels[axis], of.count);
    }
    for (const AxisPhase* of : phases[axis]) {
      if (of == nullptr) return Refuse<"a phase has no pixels">();
    }
    if (up == 2 && phases[axis][0]->taps > phases[axis][1]->taps) {
      std::swap(phases[axis][0], phases[axis][1]);
      shape.flip[axis] = 1;
    }
  }
  const AxisMap depth = MakeAxisMap(problem.direction, problem.dims[0]);
  if (auto reason = MakeDepth(depth, shape)) return *std::move(reason);
  const AxisPhase& of_depth = depth.phases.front();
  for (const AxisPhase* h : phases[0]) {
    for (const AxisPhase* w : phases[1]) {
      for (int t = 0; t < of_depth.taps; ++t) {
        AddTaps(maps, {h, w}, SourcePixel(of_depth, depth.strides, 0, t) - shape.depth.origin,
                gridwise::Tap(of_depth, depth.strides, t), shape);
      }
      shape.phase_end.push_back(Int(static_cast<std::int64_t>(shape.taps.size())));
    }
  }
  if (shape.planes.size() > kMaxHaloPlanes) {
    return Refuse<"patches are %d planes; the instance takes at most %d">(shape.planes.size(),
                                                                          kMaxHaloPlanes);
  }
  return shape;
}

/// MakeShape of one of a thread's last problems: most instances ask about the same one.
std::variant<Refusal, std::shared_ptr<const HaloShape>> FindShape(const ConvProblem& problem,
                                                                  int up) {
  using Shape = std::shared_ptr<const HaloShape>;  // null: there is none
  using Key = std::tuple<Direction, std::array<Dim, 3>, int>;
  static thread_local Recent<Key, Shape> shapes;
  const Shape& shape = shapes.Get(std::tie(problem.direction, problem.dims, up), [&]() -> Shape {
    std::variant<Refusal, HaloShape> made = MakeShape(problem, up);
    if (std::holds_alternative<Refusal>(made)) return nullptr;
    return std::make_shared<const HaloShape>(std::get<HaloShape>(std::move(made)));
  });
  if (shape == nullptr) return std::get<Refusal>(MakeShape(problem, up));
  return shape;
}

/// Fills in the box of pixels that a tile loads.
void SetBox(const HaloShape& shape, const ConvProblem& problem, const HaloLimits& limits,
            HaloTiling& tiling) {
  tiling.lines = tiling.tile_h + shape.reach[0];
  tiling.box_bytes = tiling.lines * tiling.pitch * PixelBytes(problem, limits.channels);
}

/// Fills in the box and the shared memory of a tiling. Returns whether it fits.
bool SetBytes(const HaloShape& shape, const ConvProblem& problem, const HaloLimits& limits,
              HaloTiling& tiling) {
  SetBox(shape, problem, limits, tiling);
  const std::int64_t pixels = std::int64_t{tiling.tile_h} * tiling.pitch;
  if (pixels > limits.pixels || std::max(tiling.tile_h, tiling.tile_w) * limits.up > kMaxBox ||
      tiling.pitch * shape.step[1] > kMaxBox || tiling.lines * shape.step[0] > kMaxBox) {
    return false;
  }
  tiling.plane_bytes = AlignUp(tiling.box_bytes, 1024);
  tiling.stage_bytes = PlanesOf(shape, limits) * tiling.plane_bytes;
  tiling.stage_bytes += limits.filter_bytes;
  if (limits.dy != DyInStage::kNone) {
    const int of_dy = limits.dy == DyInStage::kPacked ? tiling.tile_h * tiling.tile_w : Int(pixels);
    tiling.stage_bytes += AlignUp(of_dy * PixelBytes(problem, limits.channels), 1024);
  }
  tiling.shared_bytes = limits.stages * (tiling.stage_bytes + 16) + Int(limits.other_bytes);
  return tiling.shared_bytes <= TraitsOf(Gfx::kSm90a).lds_bytes;
}

struct TileWork {
  const ConvProblem& problem;
  const HaloShape& shape;
  const HaloInstance& row;
  const HaloLimits& limits;
  double bytes_per_cycle;  // from device memory to an SM
};

TileCycles CyclesOf(const TileWork& of, const HaloTiling& tiling) {
  const double patch = 1.0 * PlanesOf(of.shape, of.limits) * tiling.box_bytes;
  // Pixels that tiles share come from L2, and so do slices.
  const double tile =
      1.0 * tiling.tile_h * tiling.tile_w * PixelBytes(of.problem, of.limits.channels);  // bytes
  const double planes = of.limits.by_slice
                            ? PlanesOf(of.shape, of.limits)
                            : static_cast<double>(of.shape.planes.size()) / of.shape.depth.taps *
                                  std::min(of.shape.depth.step, of.shape.depth.taps);
  const double memory = tile * (planes + of.row.pixels_of_other) / of.bytes_per_cycle;
  const double l2 = (patch + tile * of.row.pixels_of_other) / 40;
  return {.matrix = of.row.matrix(of.shape, tiling),
          .memory = std::max(memory, l2),
          .patch = patch / 40 + 20 * tiling.tile_h,
          .alone = of.row.alone};
}

/// Lower bounds of the cycles of all tiles of a width.
class Bounds {
 public:
  /// `line` is a tile of one line, which takes `of_line` cycles at least.
  Bounds(const TileWork& of, double strips, HaloTiling line, double of_line)
      : strips_(strips), alone_(of.row.alone), tile_(of_line) {
    constexpr int kMaxLines = 4096;  // the bytes of more may not fit in an int
    HaloTiling tiling = line;
    tiling.tile_h = std::min(of.shape.pixels[0], kMaxLines);
    SetBox(of.shape, of.problem, of.limits, tiling);
    strip_ = CyclesOf(of, tiling).both() - alone_;
  }

  /// Of `tiles` tiles or more: none takes less than one of a single line, and those of a strip
  /// together take no less than one that has all its lines, besides what each takes alone.
  double From(double tiles) const {
    constexpr double kRounding = 1 - 1e-9;
    return std::max(tiles * tile_, (strips_ * strip_ + tiles * alone_) * kRounding);
  }

 private:
  double strips_, alone_, tile_, strip_;
};

/// Lines of a tile.
struct Height {
  Extent lines;
  int unit;  // pitches are multiples of it
};

/// Pitches of tiles with `lines` lines are multiples of it.
int UnitOf(int lines, const HaloLimits& limits) {
  return limits.multiple / std::gcd(lines, limits.multiple);
}

/// Tiles of `pixels` pixels along an axis of `of`, rounded up to a multiple of `unit`.
Extent RoundUp(int pixels, int unit, int of) {
  const int rounded = AlignUp(pixels, unit);
  return {.pixels = rounded, .count = CeilDiv(of, rounded)};
}

/// The heights to try, up to `most`: without those with more lines and as many tiles, whose pitch
/// is no shorter.
absl::InlinedVector<Height, 64> Heights(const HaloShape& shape, const HaloLimits& limits,
                                        int most) {
  absl::InlinedVector<Height, 64> heights;
  absl::InlinedVector<int, 16> units;  // by the lines that remain beside a multiple
  for (int lines = 0; lines < limits.multiple; ++lines) units.push_back(UnitOf(lines, limits));
  const int pixels = shape.pixels[0];
  most = std::min(most, pixels + limits.multiple - 1);
  for (int lines = 1; lines <= most;) {
    const int count = CeilDiv(pixels, lines);
    const int end = count == 1 ? most + 1 : std::min(CeilDiv(pixels, count - 1), most + 1);
    int least = limits.multiple + 1;
    for (; lines < end && least > 1; ++lines) {
      const int unit = units[static_cast<std::size_t>(lines % limits.multiple)];
      const Extent rounded = RoundUp(lines, limits.unit_h, pixels);
      const bool is_known = !heights.empty() && heights.back().lines.pixels == rounded.pixels &&
                            heights.back().unit == unit;
      if (unit < least && !is_known) heights.push_back({.lines = rounded, .unit = unit});
      least = std::min(least, unit);
    }
    lines = end;
  }
  return heights;
}

/// What shared memory has room for, if a stage has nothing but planes, and dy if that is by pitch.
class Room {
 public:
  explicit Room(const TileWork& of)
      : planes_(PlanesOf(of.shape, of.limits)),
        of_line_(planes_ + (of.limits.dy == DyInStage::kByPitch ? 1 : 0)),
        reach_(of.shape.reach[0]),
        pixels_(Int((TraitsOf(Gfx::kSm90a).lds_bytes - of.limits.other_bytes) / of.limits.stages /
                    PixelBytes(of.problem, of.limits.channels))) {}

  /// The most pixels of a tile, by pitch.
  int pixels() const { return pixels_ / of_line_; }
  /// The most lines of a tile of a pitch.
  int LinesOf(int pitch) const { return (pixels_ / pitch - planes_ * reach_) / of_line_; }

 private:
  int planes_, of_line_, reach_, pixels_;
};

/// Whether the tiles of some tiling fit. More lines than the pitch needs to be shortest only take
/// more memory.
bool SomeTileFits(const TileWork& of) {
  const int width = of.limits.unit_w, narrow = width + of.shape.reach[1];
  const int most = std::min(
      {of.limits.multiple, of.shape.pixels[0] + of.limits.multiple - 1, Room(of).LinesOf(narrow)});
  for (int lines = 1; lines <= most; ++lines) {
    HaloTiling tiling = {
        .tile_h = AlignUp(lines, of.limits.unit_h),
        .tile_w = width,
        .pitch = AlignUp(AlignUp(narrow, UnitOf(lines, of.limits)), of.limits.unit_pitch)};
    if (SetBytes(of.shape, of.problem, of.limits, tiling)) return true;
  }
  return false;
}

/// Whether lines and pixels of a box are as far apart as TMA can load.
bool StepsAreShort(const HaloShape& shape) { return std::max(shape.step[0], shape.step[1]) <= 8; }

std::optional<HaloTiling> ChooseTiling(const TileWork& of) {
  const HaloShape& shape = of.shape;
  const HaloLimits& limits = of.limits;
  const HaloInstance& row = of.row;
  std::optional<HaloTiling> best;
  double least = 0;
  const Room room(of);
  const int max_pixels = std::min(Int(limits.pixels), room.pixels());
  const auto heights = Heights(shape, limits, max_pixels / (1 + shape.reach[1]));
  const auto widths = ExtentsUpTo(shape.pixels[1], max_pixels - shape.reach[1]);
  // The largest tiles first: they rule out most of the others, which are more. Of equal tilings
  // the narrowest is chosen, and of those the one with the fewest lines.
  int wider = 0;  // the width tried last: several may be the same when rounded
  for (const Extent& extent : std::views::reverse(widths)) {
    const Extent width = RoundUp(extent.pixels, limits.unit_w, shape.pixels[1]);
    if (width.pixels == wider) continue;
    wider = width.pixels;
    const int narrow = width.pixels + shape.reach[1];
    const int max_lines = std::min(max_pixels / narrow, room.LinesOf(narrow));
    if (max_lines < 1) continue;
    const std::int64_t strips = of.problem.batch * shape.depth.pixels * width.count;
    const std::int64_t fewest = strips * CeilDiv(shape.pixels[0], max_lines);
    const HaloTiling line = {.tile_h = 1, .tile_w = width.pixels, .pitch = narrow};
    const double of_line = row.matrix(shape, line) + row.alone;
    if (best && static_cast<double>(fewest) * of_line > least) continue;
    const Bounds bounds(of, static_cast<double>(strips), line, of_line);
    for (const Height& height : std::views::reverse(heights)) {
      if (height.lines.pixels > max_lines) continue;
      HaloTiling tiling = {.tile_h = height.lines.pixels,
                           .tile_w = width.pixels,
                           .pitch = AlignUp(AlignUp(narrow, height.unit), limits.unit_pitch),
                           .tiles = strips * height.lines.count};
      const auto tiles = static_cast<double>(tiling.tiles);
      if (best && bounds.From(tiles) > least) break;
      if (best && tiles * (row.matrix(shape, tiling) + row.alone) > least) continue;
      if (!SetBytes(shape, of.problem, limits, tiling)) continue;
      const double cycles = tiles * CyclesOf(of, tiling).both();
      if (best && cycles > least) continue;
      best = tiling;
      least = cycles;
    }
  }
  return best;
}

PixelStrides StridesOf(const TensorAxes& axes) {
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

/// The planes into which a tile's source is cut, and the offsets in them where taps meet it.
void SetPlanesAndTaps(const Halo& halo, int pixel_bytes, HaloArgs& args) {
  const HaloShape& shape = *halo.shape;
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
                         (tap.shift[0] * tiling.pitch + tap.shift[1]) * pixel_bytes,
                   .d = static_cast<short>(tap.source[0]),
                   .h = static_cast<short>(tap.source[1]),
                   .w = static_cast<short>(tap.source[2]),
                   .z = static_cast<short>(tap.filter[0]),
                   .y = static_cast<short>(tap.filter[1]),
                   .x = static_cast<short>(tap.filter[2])};
  }
  std::copy(shape.phase_end.begin(), shape.phase_end.end(), args.phase_end);
}

}  // namespace

absl::InlinedVector<Extent, 64> ExtentsUpTo(int pixels, int most) {
  absl::InlinedVector<Extent, 64> extents;
  for (int extent = 1; extent <= most;) {
    const int count = CeilDiv(pixels, extent);
    extents.push_back({extent, count});
    if (count == 1) break;
    extent = CeilDiv(pixels, count - 1);
  }
  return extents;
}

std::variant<Refusal, Halo> MakeHalo(const ConvProblem& problem, const DeviceFacts& device,
                                     const HaloInstance& row, Wanted wanted) {
  std::variant<Refusal, std::shared_ptr<const HaloShape>> found = FindShape(problem, row.up);
  if (auto* reason = std::get_if<Refusal>(&found)) return std::move(*reason);
  Halo halo = {.shape = std::get<std::shared_ptr<const HaloShape>>(std::move(found)),
               .tiling = {},
               .cycles = {},
               .limits = {}};
  const HaloShape& shape = *halo.shape;
  halo.limits = row.limits(shape);
  halo.windows = CeilDiv(shape.tap_count(), row.window);
  if (shape.tap_count() > row.max_taps) {
    return Refuse<"the filter has %d taps; the instance takes at most %d">(shape.tap_count(),
                                                                           row.max_taps);
  }
  const TileWork of = {
      .problem = problem,
      .shape = shape,
      .row = row,
      .limits = halo.limits,
      .bytes_per_cycle = device.memory_gb_per_s / device.clock_ghz / device.compute_units};
  if (!StepsAreShort(shape) || !SomeTileFits(of)) return Refuse<"no tile fits in shared memory">();
  if (wanted == Wanted::kAny) return halo;
  halo.tiling = *ChooseTiling(of);
  halo.cycles = CyclesOf(of, halo.tiling);
  return halo;
}

std::int64_t GroupPitch(const ConvProblem& problem) {
  const TensorAxes axes = problem.AxesOf(GatheredTensor(problem));
  return axes.size[4] == 1 ? axes.size[5] : axes.stride[4];
}

std::optional<Refusal> RejectHalo(const ConvProblem& problem) {
  const std::int64_t c = problem.c_per_group(), k = problem.k_per_group();
  const std::int64_t pitch = GroupPitch(problem);
  const bool fit = problem.groups == 1 ? c == k : std::max(c, k) <= pitch;
  const int block = BlockOf(problem.type);
  if (pitch > block || (pitch & (pitch - 1)) != 0 || !fit) {
    return Refuse<
        "%d groups have %d input and %d output channels, %d apart; the instance takes groups that "
        "are as many apart, a power of two up to %d">(problem.groups, c, k, pitch, block);
  }
  const TensorAxes dy = problem.AxesOf(Tensor::kY);
  if (problem.direction == Direction::kBackwardWeight && dy.size[4] > 1 && dy.stride[4] != pitch) {
    return Refuse<"groups of x are %d elements apart, and those of dy %d">(pitch, dy.stride[4]);
  }
  return RejectPixels(problem);
}

std::optional<Refusal> RejectPixels(const ConvProblem& problem) {
  const std::int64_t bytes = SizeOf(problem.type);
  for (const Tensor tensor : {Tensor::kX, Tensor::kY}) {
    const TensorAxes axes = problem.AxesOf(tensor);
    if (tensor == problem.out()) continue;  // if boxes cannot store, lanes do
    if (auto reason = RejectStrides("x or y", axes, bytes, /*of_groups=*/false)) return reason;
  }
  return std::nullopt;
}

TensorMapSpec PixelsMap(const ConvProblem& problem, Tensor tensor, int lines, int pixels,
                        const std::array<int, 2>& step, int channels) {
  const TensorAxes axes = problem.AxesOf(tensor);
  TensorMapSpec map = {.type = tensor == problem.out() ? StoredType(problem.type) : problem.type,
                       .rank = 5,
                       .swizzle_bytes = PixelBytes(problem, channels)};
  SetAxis(map, 0, ChannelsOfPixel(axes), 1);
  SetAxis(map, 1, axes.size[3], axes.stride[3]);
  SetAxis(map, 2, axes.size[2], axes.stride[2]);
  SetAxis(map, 3, axes.size[1], axes.stride[1]);
  SetAxis(map, 4, axes.size[0], axes.stride[0]);
  map.box = {static_cast<unsigned>(channels), static_cast<unsigned>(pixels * step[1]),
             static_cast<unsigned>(lines * step[0]), 1, 1};
  map.step = {1, static_cast<unsigned>(step[1]), static_cast<unsigned>(step[0]), 1, 1};
  return map;
}

HaloArgs MakeHaloArgs(const ConvProblem& problem, const Halo& halo, Tensor source, Tensor pixels) {
  const HaloShape& shape = *halo.shape;
  const HaloTiling& tiling = halo.tiling;
  const TensorAxes from = problem.AxesOf(source), of_pixels = problem.AxesOf(pixels);
  HaloArgs args = {};
  args.source_stride_of = StridesOf(from);
  args.other_stride_of = StridesOf(of_pixels);
  SetWeights(problem, args);
  args.blocks = Int(BlocksOf(problem));
  args.channels = Int(problem.groups * GroupPitch(problem));
  while ((std::int64_t{1} << args.log_group) < GroupPitch(problem)) ++args.log_group;
  args.group_mask = (1 << args.log_group) - 1;
  args.of_group = Int(of_pixels.size[5]);
  args.of_source_group = Int(from.size[5]);
  args.tiles_h = CeilDiv(shape.pixels[0], tiling.tile_h);
  args.tiles_w = CeilDiv(shape.pixels[1], tiling.tile_w);
  args.by_tiles_h = MakeMagicDiv(static_cast<unsigned>(args.tiles_h));
  args.by_tiles_w = MakeMagicDiv(static_cast<unsigned>(args.tiles_w));
  args.slices = Int(problem.batch * shape.depth.pixels);
  args.out_d = shape.depth.pixels;
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
  args.out_h = Int(of_pixels.size[2]);
  args.out_w = Int(of_pixels.size[3]);
  args.plane_bytes = tiling.plane_bytes;
  args.box_bytes = tiling.box_bytes;
  SetPlanesAndTaps(halo, PixelBytes(problem, halo.limits.channels), args);
  args.flip_h = shape.flip[0];
  args.flip_w = shape.flip[1];
  args.stage_bytes = tiling.stage_bytes;
  return args;
}

std::int64_t BlocksOf(const ConvProblem& problem) {
  const std::int64_t of_x =
      CeilDiv<std::int64_t>(problem.groups * GroupPitch(problem), BlockOf(problem.type));
  const bool pairs = problem.groups == 1 && problem.direction == Direction::kBackwardWeight;
  return pairs ? of_x * CeilDiv<std::int64_t>(problem.k, kBlock) : of_x;
}

std::int64_t WorkgroupsOf(const ConvProblem& problem, const DeviceFacts& device, const Halo& halo) {
  return std::clamp<std::int64_t>(device.compute_units / (BlocksOf(problem) * halo.windows), 1,
                                  halo.tiling.tiles);
}

LaunchShape HaloLaunchShape(std::int64_t workgroups, int threads, std::int64_t shared_bytes) {
  return {.workgroups = {static_cast<unsigned>(workgroups), 1, 1},
          .threads = {static_cast<unsigned>(threads), 1, 1},
          .dynamic_lds_bytes = static_cast<unsigned>(shared_bytes)};
}

Cost HaloCost(const Halo& halo, const ConvProblem& problem, const DeviceFacts& device,
              std::int64_t sharing_workgroups, double fixed, double efficiency) {
  const double tiles =
      static_cast<double>(CeilDiv<std::int64_t>(halo.tiling.tiles, sharing_workgroups));
  const std::int64_t workgroups = sharing_workgroups * BlocksOf(problem) * halo.windows;
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
