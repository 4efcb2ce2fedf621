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

/// Why the instance cannot merge the problem's groups. Returns nullopt if it can, or merges none.
std::optional<Refusal> RejectMerged(const TileConfig& config, const ConvProblem& problem) {
  const int groups = config.merge;
  const bool fills = config.fills_groups();
  if (groups == 1) return std::nullopt;
  const TensorAxes source = problem.AxesOf(problem.a()), output = problem.AxesOf(problem.out());
  const int max_k = config.k_of_group(), max_n = config.n_of_group();
  if (fills && (source.size[5] > max_k || output.size[5] > max_n)) {
    return Refusal(
        RefusalCode::kChannels,
        absl::StrFormat("a group has c %d and k %d; the instance has room for groups of %d "
                        "source channels and %d of the output",
                        problem.c / problem.groups, problem.k / problem.groups, max_k, max_n));
  }
  if (!fills && (source.size[5] != max_k || output.size[5] != max_n)) {
    return Refusal(
        RefusalCode::kChannels,
        absl::StrFormat(
            "a group has c %d and k %d; the instance merges groups of %d source channels "
            "and %d of the output",
            problem.c / problem.groups, problem.k / problem.groups, max_k, max_n));
  }
  if (!fills && problem.groups % groups != 0) {
    return Refusal(
        RefusalCode::kGroups,
        absl::StrFormat("there are %d groups; the instance merges %d", problem.groups, groups));
  }
  bool runs = source.stride[4] == source.size[5] && output.stride[4] == output.size[5];
  for (int i = 0; i < problem.epilogue.tensors; ++i) {
    const auto& stride = problem.epilogue.d[static_cast<std::size_t>(i)].stride;
    runs &= stride[4] == output.size[5] * stride[5];
  }
  if (!runs) {
    return Refusal(RefusalCode::kLayout,
                   "the channels of adjacent groups are not adjacent in all tensors");
  }
  return std::nullopt;
}

/// The strips of a phase of `rows` x `columns` pixels with the given taps along h and w and number
/// of images, for workgroups of `run` tiles. Their pitch is 0 if LDS cannot hold the pixels of a
/// single column.
Strips StripsOf(const TileConfig& config, int rows, int columns, int all_taps_h, int all_taps_w,
                int images, int run) {
  const int taps_h = std::max(config.reach_h(all_taps_h), 1);
  const int taps_w = std::max(config.reach_w(all_taps_w), 1);
  // Pixels of a tile: tile.m + (taps_h - 1) * pitch + taps_w - 1.
  const int spare = config.halo - config.tile.m - (taps_w - 1);
  const int most = taps_h > 1 ? spare / (taps_h - 1) - (taps_w - 1) : columns;
  if (most < 1 || spare < 0) return {};
  Strips strips = {};
  strips.count = CeilDiv(columns, most);
  strips.width = CeilDiv(columns, strips.count);
  strips.pitch = strips.width + taps_w - 1;
  strips.tiles = CeilDiv(rows * strips.pitch, config.tile.m);
  strips.all = images * strips.count * strips.tiles;
  strips.run = run;
  strips.by_pitch = MakeMagicDiv(static_cast<unsigned>(strips.pitch));
  strips.by_count = MakeMagicDiv(static_cast<unsigned>(strips.count));
  strips.by_tiles = MakeMagicDiv(static_cast<unsigned>(strips.tiles));
  return strips;
}
Strips StripsOf(const TileConfig& config, const SubGemm& gemm, int run) {
  const AxisPhase &h = gemm.axis[1], &w = gemm.axis[2];
  return StripsOf(config, h.count, w.count, h.taps, w.taps, gemm.m / (h.count * w.count), run);
}

/// Workgroups along m of a sub-GEMM: one per tile, or per `run` tiles with a halo.
int WorkgroupsAlongM(const TileConfig& config, const SubGemm& gemm, int run) {
  if (!config.has_halo()) return CeilDiv(gemm.m, config.tile.m);
  return CeilDiv(StripsOf(config, gemm, run).all, run);
}

/// Why K cannot run over pixels with that many channels and taps. Returns nullopt if it can.
std::optional<Refusal> RejectPixels(const TileConfig& config, std::int64_t channels,
                                    std::int64_t taps_w) {
  const int most = config.patch_a.k, least = most == config.pixel ? most : 1;
  if (channels < least || channels > most) {
    return Refusal(RefusalCode::kChannels,
                   absl::StrFormat("a group has %d source channels; the instance takes %d to %d",
                                   channels, least, most));
  }
  // Taps end within the last fragment. With one tap there is nothing to gain.
  const int max_taps = config.pixels_of_k_tile();
  const int min_taps = std::max(max_taps - config.fragment_k() / config.pixel + 1, 2);
  if (taps_w < min_taps || taps_w > max_taps) {
    return Refusal(RefusalCode::kFilter,
                   absl::StrFormat("the filter has %d taps along w; the instance takes %d to %d",
                                   taps_w, min_taps, max_taps));
  }
  return std::nullopt;
}

/// Why the instance cannot load the problem's pixels once for all taps. Returns nullopt if it can,
/// or has no halo.
std::optional<Refusal> RejectHalo(const TileConfig& config, const ConvProblem& problem) {
  if (!config.has_halo()) return std::nullopt;
  const bool forward = problem.direction == Direction::kForward;
  const std::int64_t channels = problem.AxesOf(problem.a()).size[5] * config.merge;
  const bool walks = config.has_taps_in_lds(), merges = config.merge > 1;
  const int at_a_time = std::max(config.patch_a.k, config.patch_b.k);
  if (config.packs_pixels()) {
    const auto reason = RejectPixels(config, channels, problem.dims[2].filter);  // forward
    if (reason) return reason;
  } else if (channels % at_a_time != 0) {
    return Refusal(
        RefusalCode::kChannels,
        absl::StrFormat("a tile's groups have %d source channels; the instance loads %d at "
                        "a time",
                        channels, at_a_time));
  } else if (!walks && !merges && channels > config.tile.k) {
    return Refusal(RefusalCode::kChannels,
                   absl::StrFormat("a group has %d source channels; the instance has room for %d",
                                   channels, config.tile.k));
  }
  const std::int64_t columns = problem.AxesOf(problem.out()).size[5];
  if (columns % config.patch_b.n != 0) {
    return Refusal(
        RefusalCode::kChannels,
        absl::StrFormat("a group has %d output channels; the instance loads %d at a time", columns,
                        config.patch_b.n));
  }
  std::int64_t taps[3];
  for (std::size_t i = 0; i < 3; ++i) {
    const Dim& dim = problem.dims[i];
    const AxisStrides strides = MakeAxisStrides(problem.direction, dim);
    taps[i] = forward ? dim.filter : dim.max_taps_of_phase();
    const int stride = i == 0 ? 1 : config.stride;
    if (strides.source_stride != stride || (taps[i] > 1 && strides.tap_source_stride != 1)) {
      return Refusal(RefusalCode::kFilter,
                     absl::StrFormat("along %s, the filter has stride %d and dilation %d; the "
                                     "instance needs adjacent source pixels at stride %d",
                                     kAxisNames[i], dim.stride, dim.dilation, stride));
    }
  }
  // Tiles of more columns take less time where there are more, which estimates don't tell.
  constexpr int kMaxKTiles = 16;
  if (walks && channels > kMaxKTiles * config.tile.k) {
    return Refusal(RefusalCode::kChannels,
                   absl::StrFormat("a group has %d source channels; the instance is for at most %d",
                                   channels, kMaxKTiles * config.tile.k));
  }
  const int taps_of_row = config.taps_in_lds;
  if (walks && (taps[2] != taps_of_row || problem.dims[1].stride * problem.dims[2].stride != 1)) {
    return Refusal(
        RefusalCode::kFilter,
        absl::StrFormat("the filter has %d taps along w and the strides are %d and %d; "
                        "the instance takes %d taps along w, of stride 1",
                        taps[2], problem.dims[1].stride, problem.dims[2].stride, taps_of_row));
  }
  // Products with a row must fit a 24-bit multiplication.
  constexpr std::int64_t kMaxRows = 1 << 24;
  if (problem.dims[1].in >= kMaxRows || problem.dims[1].out() >= kMaxRows) {
    return Refusal(
        RefusalCode::kOther,
        absl::StrFormat("the problem has %d and %d rows; the instance takes fewer than %d",
                        problem.dims[1].in, problem.dims[1].out(), kMaxRows));
  }
  if (problem.dims[0].in != 1 || problem.dims[0].out() != 1 || problem.dims[0].filter != 1) {
    return Refusal(RefusalCode::kOther,
                   "the problem has three axes; the instance takes one or two");
  }
  const std::int64_t resident = taps[1] * (config.packs_pixels() ? 1 : taps[2]);
  if (resident > config.max_taps() || SubGemmCount(problem) > kInlineSubGemms) {
    return Refusal(
        RefusalCode::kFilter,
        absl::StrFormat("%d x %d taps and %d sub-GEMMs; the instance has at most %d%s and %d",
                        taps[1], taps[2], SubGemmCount(problem), config.max_taps(),
                        config.packs_pixels() ? " rows of taps" : "", kInlineSubGemms));
  }
  const Strips least = StripsOf(config, /*rows=*/1, /*columns=*/1, static_cast<int>(taps[1]),
                                static_cast<int>(taps[2]), /*images=*/1, /*run=*/1);
  if (least.pitch == 0) {
    return Refusal(RefusalCode::kFilter,
                   absl::StrFormat("%d x %d taps reach over more pixels than the row's %d", taps[1],
                                   taps[2], config.halo.value));
  }
  return std::nullopt;
}

}  // namespace

std::optional<Refusal> RejectGather(const TileConfig& config, const ConvProblem& problem) {
  const bool forward = problem.direction == Direction::kForward;
  if (!forward && problem.direction != Direction::kBackwardData) {
    return Refusal(RefusalCode::kDirection,
                   absl::StrFormat("direction is %s; the instance is for fwd and bwd_data",
                                   gridwise::Name(problem.direction)));
  }
  if (forward != (config.patch_b.n == 1)) {
    return Refusal(RefusalCode::kDirection,
                   absl::StrFormat("w is contiguous along %s; the instance loads it along %s",
                                   forward ? "k" : "n", forward ? "n" : "k"));
  }
  if (problem.type != config.type) {
    return Refusal(RefusalCode::kType,
                   absl::StrFormat("type is %s; the instance is for %s",
                                   gridwise::Name(problem.type), gridwise::Name(config.type)));
  }
  const std::int64_t channels = problem.AxesOf(problem.a()).size[5];
  for (const TileConfig::Patch patch : {config.patch_a, config.patch_b}) {
    if (patch.n == 1 && !config.packs_pixels() && channels % config.ragged(patch) != 0) {
      return Refusal(
          RefusalCode::kChannels,
          absl::StrFormat("a group has %d source channels; the instance loads %d at a time",
                          channels, config.ragged(patch)));
    }
  }
  if (config.k_tiles_of_step() > 1 && channels % config.step_k() != 0) {
    return Refusal(RefusalCode::kChannels,
                   absl::StrFormat("a group has %d source channels; the instance loads %d together",
                                   channels, config.step_k()));
  }
  const std::int64_t columns = problem.AxesOf(problem.out()).size[5];
  const bool transposes = config.reads_transposed(config.patch_b);
  // Only instances that load ragged k tiles have loads for a single column (LoadWeightsPatches).
  const bool needs_pair =
      config.patch_b.n == 2 && config.merge == 1 && !config.has_ragged_k_tiles();
  if ((transposes && columns % config.patch_b.n != 0) || (needs_pair && columns == 1)) {
    return Refusal(
        RefusalCode::kChannels,
        absl::StrFormat("a group has %d output channels; the instance loads %d at a time", columns,
                        config.patch_b.n));
  }
  if (auto reason = RejectMerged(config, problem)) return reason;
  if (auto reason = RejectHalo(config, problem)) return reason;
  if (problem.layout == Layout::kNGCHW) {
    return Refusal(RefusalCode::kLayout,
                   absl::StrFormat("layout is %s; the instance loads adjacent channels",
                                   gridwise::Name(problem.layout)));
  }
  return std::nullopt;
}

std::optional<Excess> TooLargeForGather(const TileConfig& config, const ConvProblem& problem,
                                        std::int64_t limit) {
  const bool forward = problem.direction == Direction::kForward;
  const View view(problem);
  const std::int64_t rows = problem.batch * view.output_pixels;
  const std::int64_t sub_gemms = SubGemmCount(problem);
  const std::int64_t n_tiles = CeilDiv<std::int64_t>(view.n, config.tile.n);
  // Of the launch; HIP bounds its work-items, too.
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
  std::int64_t source_bytes = view.source.stride[3], out_bytes = view.output.stride[3];
  for (std::size_t i = 0; i < 3; ++i) {
    source_bytes +=
        (SourceReach(problem.direction, problem.dims[i]) - 1) * view.source.stride[i + 1];
    out_bytes += (view.output.size[i + 1] - 1) * view.output.stride[i + 1];
  }
  const bool of_image = std::max(source_bytes, out_bytes) >= limit;
  const std::int64_t images = ImagesOfTile(config, problem);
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
  TileSteps steps = TileStepsOf(
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
    plan.args.strips[i] = StripsOf(config, gemm, tiles.run);
    gemm.m = rows * config.tile.m;
  }
  plan.args.sub_gemms = static_cast<int>(plan.table.size());
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
  plan.args.fixup = PlanFixup(config, tiles.groups * tiles.count, split_k.splits).args;
  plan.shape = {
      .workgroups = {static_cast<unsigned>(tiles.count), static_cast<unsigned>(tiles.groups),
                     static_cast<unsigned>(split_k.splits)},
      .threads = {static_cast<unsigned>(config.threads()), 1, 1}};
  return plan;
}

}  // namespace gridwise::tile
