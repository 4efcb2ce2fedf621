// SPDX-License-Identifier: MIT
#include "tile/plan/bwd_weight.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#include "absl/strings/str_format.h"
#include "core/base/math.h"
#include "core/estimate/choose_block_map.h"
#include "core/launch/plan_epilogue.h"
#include "tile/block_sums.h"
#include "tile/plan/estimate.h"
#include "tile/plan/fixup.h"

namespace gridwise::tile {
namespace {

/// The arrangement of the pixels of a main-loop step: some images, rows along h of each, and runs
/// of patch.k pixels along w of each row; and the steps that cover the output pixels of all images.
struct StepShape {
  int log2_images = 0, log2_rows = 0, log2_runs = 0;
  std::int64_t steps_n = 0, steps_h = 0, steps_w = 0;
  // The time that beginning runs takes beyond that of the best steps of one image, in steps.
  double more_runs = 0;

  std::int64_t rows() const { return std::int64_t{1} << log2_rows; }
  std::int64_t pixels_w(const TileConfig& config) const {
    return std::int64_t{config.patch_a.k} << log2_runs;
  }
  std::int64_t steps() const { return steps_n * steps_h * steps_w; }
};

/// The steps along an axis. Those in which every tap meets a pixel are one run, the others are runs
/// of their own.
struct StepsAlong {
  std::int64_t steps = 1, inside_begin = 0, inside_end = 0;
  std::int64_t runs() const {
    return steps - (inside_end - inside_begin) + (inside_end > inside_begin);
  }
};

/// The steps along images, d, h and w.
std::array<StepsAlong, 4> StepsOfAxes(const TileConfig& config, const ConvProblem& problem,
                                      const StepShape& shape) {
  const auto along = [&](std::size_t axis, std::int64_t steps, std::int64_t pixels) {
    const Dim& dim = problem.dims[axis];
    const std::int64_t begin =
        CeilDiv(std::max<std::int64_t>(0, dim.pad_begin), dim.stride * pixels);
    const std::int64_t last = dim.in - dim.dilated_filter() + dim.pad_begin;  // for the first tap
    const std::int64_t outs = last < 0 ? 0 : std::min(dim.out(), last / dim.stride + 1);
    return StepsAlong{steps, begin, std::max(begin, outs / pixels)};
  };
  return {StepsAlong{shape.steps_n, 0, shape.steps_n}, along(0, problem.dims[0].out(), 1),
          along(1, shape.steps_h, shape.rows()), along(2, shape.steps_w, shape.pixels_w(config))};
}

/// The axis along which all steps make the fewest runs; of several, the innermost one.
std::size_t AxisOfRuns(const std::array<StepsAlong, 4>& axes) {
  std::size_t first = 3;
  for (const std::size_t axis : {2u, 1u, 0u}) {
    if (axes[axis].runs() * axes[first].steps < axes[first].runs() * axes[axis].steps) first = axis;
  }
  return first;
}

/// Bytes that a step's images may reach over in x and dy: a part of what offsets can.
constexpr std::int64_t kMaxImageBytes = 1 << 28;

/// The largest log2 of the images that a step of 2^`log2_patches` patches may have.
int Log2ImagesOfStep(const TileConfig& config, const ConvProblem& problem, int log2_patches) {
  if (!config.steps_over_images()) return 0;
  const std::int64_t image =
      std::max(problem.AxesOf(Tensor::kX).stride[0], problem.AxesOf(Tensor::kY).stride[0]) *
      SizeOf(problem.type);
  int log2 = 0;
  while (log2 < log2_patches && problem.batch % (2 << log2) == 0 &&
         image << (log2 + 1) <= kMaxImageBytes) {
    ++log2;
  }
  return log2;
}

/// The time that beginning the runs of all steps along h, w and images takes, in steps.
double TimeOfRuns(const TileConfig& config, const ConvProblem& problem, const StepShape& shape) {
  constexpr double kBeginRun = 1;  // as long as a step
  const std::array<StepsAlong, 4> axes = StepsOfAxes(config, problem, shape);
  const StepsAlong& run = axes[AxisOfRuns(axes)];
  const double part = static_cast<double>(run.runs()) / static_cast<double>(run.steps);
  return static_cast<double>(shape.steps()) * kBeginRun * part;
}

/// The shape that covers the output pixels in the least time; of equal ones, that of the fewest
/// images, whose pixels are closer together. With one image, in the fewest steps; of equal ones,
/// the longest along w.
StepShape ChooseStepShape(const TileConfig& config, const ConvProblem& problem) {
  const int log2_patches =
      std::countr_zero(static_cast<unsigned>(config.tile.k / config.patch_a.k));
  const std::int64_t runs = CeilDiv<std::int64_t>(problem.dims[2].out(), config.patch_a.k);
  const std::int64_t outs_h = problem.dims[1].out();
  const auto parts = [](std::int64_t n, int log2) { return (n + (1 << log2) - 1) >> log2; };
  const auto shape_of = [&](int log2_images, int log2_runs) {
    const int log2_rows = log2_patches - log2_images - log2_runs;
    return StepShape{.log2_images = log2_images,
                     .log2_rows = log2_rows,
                     .log2_runs = log2_runs,
                     .steps_n = problem.batch >> log2_images,
                     .steps_h = parts(outs_h, log2_rows),
                     .steps_w = parts(runs, log2_runs)};
  };
  StepShape best;
  for (int log2_runs = 0; log2_runs <= log2_patches; ++log2_runs) {
    const StepShape shape = shape_of(0, log2_runs);
    if (best.steps() == 0 || shape.steps() <= best.steps()) best = shape;
  }
  const int max_log2_images = Log2ImagesOfStep(config, problem, log2_patches);
  const std::int64_t pixels = problem.batch * outs_h * problem.dims[2].out();
  if (max_log2_images == 0 || best.steps() * config.tile.k == pixels) return best;
  const double runs_of_one = TimeOfRuns(config, problem, best);
  auto least = static_cast<double>(best.steps());
  for (int log2_images = 1; log2_images <= max_log2_images; ++log2_images) {
    for (int log2_runs = log2_patches - log2_images; log2_runs >= 0; --log2_runs) {
      StepShape shape = shape_of(log2_images, log2_runs);
      const auto steps = static_cast<double>(shape.steps());
      if (steps >= least + runs_of_one) continue;
      shape.more_runs = TimeOfRuns(config, problem, shape) - runs_of_one;
      const double time = steps + shape.more_runs;
      if (time >= least) continue;
      least = time;
      best = shape;
    }
  }
  return best;
}

/// With a halo: positions of a row of pixels; of all images, preceded by those of the padding that
/// the first pixels of dy meet; and the number that a step meets in addition to its own.
/// the padding that the first pixels of dy meet; and how many a step meets besides its own.
std::int64_t Pitch(const ConvProblem& problem) { return problem.dims[2].out() + 1; }
std::int64_t Positions(const ConvProblem& problem) {
  return (problem.batch * (problem.dims[1].out() + 1) + 1) * Pitch(problem) + 1;
}
std::int64_t Reach(const TileConfig& config, const ConvProblem& problem) {
  return BlockSums{config}.adjacent_pixels() * (Pitch(problem) + 1);
}

std::int64_t Steps(const TileConfig& config, const ConvProblem& problem, const StepShape& shape) {
  if (config.has_halo()) return CeilDiv<std::int64_t>(Positions(problem), config.tile.k);
  return problem.dims[0].out() * shape.steps();
}

std::int64_t Terms(const ConvProblem& problem) {
  return problem.filter_taps() * problem.c_per_group();
}

/// Number of tiles per group, or per set of groups that a tile combines; and the number of such
/// sets.
std::int64_t Tiles(const TileConfig& config, const ConvProblem& problem) {
  if (config.has_halo()) return 1;
  return CeilDiv<std::int64_t>(problem.k_per_group(), config.tile.m) *
         CeilDiv<std::int64_t>(Terms(problem), config.tile.n);
}

std::int64_t Groups(const TileConfig& config, const ConvProblem& problem) {
  return CeilDiv<std::int64_t>(problem.groups, config.merge);
}

/// The bytes of x, or dy, that offsets reach over: the pixels of all steps and taps of a step's
/// images. With a halo, those of all images.
std::int64_t Reach(const TileConfig& config, const ConvProblem& problem, const StepShape& shape,
                   Tensor tensor) {
  const PerAxis stride = problem.AxesOf(tensor).stride;
  if (config.has_halo()) return problem.batch * stride[0] * SizeOf(problem.type);
  const std::int64_t pixels[3] = {problem.dims[0].out(), shape.steps_h * shape.rows(),
                                  shape.steps_w * shape.pixels_w(config)};
  std::int64_t elements = stride[3] + ((std::int64_t{1} << shape.log2_images) - 1) * stride[0];
  for (size_t i = 0; i < 3; ++i) {
    const Dim& dim = problem.dims[i];
    const std::int64_t last = pixels[i] - 1;
    const std::int64_t last_x =
        std::max<std::int64_t>(0, -dim.pad_begin) + last * dim.stride + dim.dilated_filter() - 1;
    elements += stride[i + 1] * (tensor == Tensor::kX ? last_x : last);
  }
  return elements * SizeOf(problem.type);
}

/// Whether the taps of one output pixel reach further in x than the output pixels of one tap.
bool TapsReachFurther(const ConvProblem& problem) {
  const PerAxis stride = problem.AxesOf(Tensor::kX).stride;
  std::int64_t taps = 0, pixels = 0;
  for (size_t i = 0; i < 3; ++i) {
    const Dim& dim = problem.dims[i];
    taps += (dim.filter - 1) * dim.dilation * stride[i + 1];
    pixels += (dim.out() - 1) * dim.stride * stride[i + 1];
  }
  return taps > pixels;
}

/// The bytes of a group of dw that offsets reach over, in f32 as if K is split; columns of a tile
/// may lie past the last. With a halo, those of all groups.
std::int64_t WeightReach(const TileConfig& config, const ConvProblem& problem) {
  const auto& [size, stride] = problem.AxesOf(Tensor::kW);
  std::int64_t elements = config.tile.n;
  if (config.has_halo()) elements += (size[0] - 1) * stride[0];
  for (const std::size_t axis : {1u, 2u, 3u, 4u, 5u}) elements += (size[axis] - 1) * stride[axis];
  return 4 * elements;
}

PixelTensor MakePixels(const ConvProblem& problem, Tensor tensor) {
  const TensorAxes axes = problem.AxesOf(tensor);
  const std::int64_t element = SizeOf(problem.type);
  PixelTensor pixels = {};
  for (size_t i = 0; i < 3; ++i) {
    pixels.pixel[i] = static_cast<int>(axes.stride[i + 1] * element);
    pixels.size[i] = static_cast<int>(axes.size[i + 1]);
    pixels.stride[i] = 1;
  }
  pixels.image = axes.stride[0] * element;
  pixels.group = axes.stride[4] * element;
  pixels.channels = static_cast<int>(axes.size[5]);
  return pixels;
}

/// The order with the fewest runs.
StepOrder OrderOf(const TileConfig& config, const ConvProblem& problem, const StepShape& shape) {
  const std::array<StepsAlong, 4> axes = StepsOfAxes(config, problem, shape);
  const std::size_t first = AxisOfRuns(axes);
  const auto divide_by = [](std::int64_t by) { return MakeMagicDiv(static_cast<unsigned>(by)); };
  StepOrder order = {.run_axis = static_cast<int>(first),
                     .run_steps = static_cast<int>(axes[first].steps),
                     .inside_begin = static_cast<int>(axes[first].inside_begin),
                     .inside_end = static_cast<int>(axes[first].inside_end),
                     .others = {},
                     .by_run_steps = divide_by(axes[first].steps),
                     .by_others = {}};
  for (std::size_t axis = 0; axis < 4; ++axis) {
    const std::int64_t steps = axis == first ? 1 : axes[axis].steps;
    order.others[axis] = static_cast<int>(steps);
    order.by_others[axis] = divide_by(steps);
  }
  return order;
}

BwdWeightArgs MakeArgs(const TileConfig& config, const ConvProblem& problem, const StepShape& shape,
                       const SplitK& split_k) {
  const auto divide_by = [](int divisor) { return MakeMagicDiv(static_cast<unsigned>(divisor)); };
  BwdWeightArgs args = {};
  args.dy = MakePixels(problem, Tensor::kY);
  args.x = MakePixels(problem, Tensor::kX);
  for (size_t i = 0; i < 3; ++i) {
    const Dim& dim = problem.dims[i];
    args.x.first[i] = -static_cast<int>(dim.pad_begin);
    args.x.stride[i] = static_cast<int>(dim.stride);
    args.x.tap_stride[i] = static_cast<int>(dim.dilation);
    args.out[i] = static_cast<int>(dim.out());
  }
  for (PixelTensor* tensor : {&args.dy, &args.x}) {
    for (int i = 0; i < 3; ++i) {
      // For an axis with one output pixel, which takes no step, any value will do.
      tensor->out_pixel[i] = static_cast<int>(std::int64_t{tensor->stride[i]} * tensor->pixel[i]);
      tensor->by_stride[i] = divide_by(tensor->stride[i]);
    }
  }
  args.terms = static_cast<int>(Terms(problem));
  args.filter_h = static_cast<int>(problem.dims[1].filter);
  args.filter_w = static_cast<int>(problem.dims[2].filter);
  args.by_channels = divide_by(args.x.channels);
  args.by_filter_w = divide_by(args.filter_w);
  args.by_filter_h = divide_by(args.filter_h);
  args.m_tiles = CeilDiv(args.dy.channels, config.tile.m);
  args.n_tiles = CeilDiv(args.terms, config.tile.n);
  args.step_rows = static_cast<int>(shape.rows());
  args.log2_step_runs = shape.log2_runs;
  args.images = {.log2_images = shape.log2_images, .log2_rows = shape.log2_rows};
  args.order = OrderOf(config, problem, shape);
  args.steps = static_cast<int>(Steps(config, problem, shape));
  args.split_steps = CeilDiv(args.steps, split_k.splits);
  args.epilogue = MakeEpilogue(problem, split_k);
  if (config.has_halo()) {
    const int pitch = static_cast<int>(Pitch(problem)), rows = args.dy.size[1] + 1;
    args.positions = {.pitch = pitch,
                      .rows = rows,
                      .images = static_cast<int>(problem.batch),
                      .lead = CeilDiv(3 * (pitch + 1) + 2 * config.tile.k, pitch * rows),
                      .groups = static_cast<int>(problem.groups),
                      .by_pitch = divide_by(pitch),
                      .by_rows = divide_by(rows)};
  }
  return args;
}

/// Why an instance with a halo cannot compute the problem. Returns nullopt if it can, or has no
/// halo.
std::optional<Refusal> RejectHalo(const TileConfig& config, const ConvProblem& problem) {
  if (!config.has_halo()) return std::nullopt;
  const std::int64_t k = problem.k_per_group(), c = problem.c_per_group();
  const int room = BlockSums{config}.room_of_group();
  if (const std::int64_t most = std::max(k, c); most > room || 2 * most <= room) {
    return Refuse<
        "a group has k %d and c %d; the instance takes up to %d of each, and "
        "more than %d of one">(RefusalCode::kChannels, k, c, room, room / 2);
  }
  for (std::size_t i = 0; i < 3; ++i) {
    const Dim& dim = problem.dims[i];
    const std::int64_t stride = config.stride;
    // After the last pixel of a row of x there is no pixel, so taps meet none of the next row.
    const bool meets = dim.filter == 3 && dim.stride == stride && dim.dilation == 1 &&
                       dim.pad_begin == 1 && dim.out() >= CeilDiv(dim.in, stride);
    if (i == 0 ? dim != Dim{} : !meets) {
      return Refuse<
          "along %s the instance needs a filter of 3 with stride %d and padding 1 "
          "whose output meets all of the input, or, along d, a single pixel">(kAxisNames[i],
                                                                              stride);
    }
  }
  const std::int64_t needed = Reach(config, problem) + config.tile.k;
  if (needed > config.halo) {
    return Refuse<"a step meets %d pixels of rows of %d; the instance has LDS for %d">(
        needed, problem.dims[2].out(), config.halo.value);
  }
  const PerAxis x = problem.AxesOf(Tensor::kX).stride, y = problem.AxesOf(Tensor::kY).stride;
  if (x[4] != c || y[4] != k) {
    return Refuse<"groups of a pixel of x or dy do not follow each other">(RefusalCode::kLayout);
  }
  return std::nullopt;
}

}  // namespace

std::optional<Refusal> RejectBwdWeight(const TileConfig& config, const ConvProblem& problem) {
  if (problem.direction != Direction::kBackwardWeight) {
    return Refuse<"direction is %s; the instance is for bwd_weight">(
        RefusalCode::kDirection, gridwise::Name(problem.direction));
  }
  if (problem.type != config.type) {
    return Refuse<"type is %s; the instance is for %s">(
        RefusalCode::kType, gridwise::Name(problem.type), gridwise::Name(config.type));
  }
  if (problem.layout == Layout::kNGCHW) {
    return Refuse<"layout is %s; the instance loads adjacent channels">(
        RefusalCode::kLayout, gridwise::Name(problem.layout));
  }
  // Loads straight to LDS take whole words, from any word of memory: the last piece of k ends with
  // the last element. Source: CDNA3 ISA, chapter 9: buffer loads of words need addresses of whole
  // words.
  const bool goes_to_lds = config.loads_to_lds() && problem.k_per_group() >= config.patch_a.n;
  const int k_at_a_time = goes_to_lds ? 4 / SizeOf(config.type) : config.patch_a.n;
  if (problem.k_per_group() % k_at_a_time != 0 || problem.c_per_group() % config.patch_b.n != 0) {
    return Refuse<"a group has k %d and c %d; the instance loads %d and %d at a time">(
        RefusalCode::kChannels, problem.k_per_group(), problem.c_per_group(), k_at_a_time,
        config.patch_b.n);
  }
  return RejectHalo(config, problem);
}

std::optional<Excess> TooLargeForBwdWeight(const TileConfig& config, const ConvProblem& problem,
                                           std::int64_t limit) {
  const StepShape shape = ChooseStepShape(config, problem);
  const std::int64_t tiles = Tiles(config, problem), steps = Steps(config, problem, shape);
  const std::int64_t max_tiles = kMaxWorkItems / config.threads();  // per launch
  if (tiles > max_tiles || steps >= kOffsetLimit) {
    return Excess{
        absl::StrFormat("dw has %d tiles of %d steps; tiles must be at most %d, and steps fewer "
                        "than 2^31",
                        tiles, steps, max_tiles),
        tiles > max_tiles   ? PartAxis::kK
        : problem.batch > 1 ? PartAxis::kImages
                            : PartAxis::kPixels};
  }
  if (tiles * Groups(config, problem) >= kOffsetLimit) {
    return Excess{absl::StrFormat("%d groups have %d tiles each; all must be fewer than 2^31",
                                  problem.groups, tiles),
                  PartAxis::kGroups};
  }
  const std::int64_t dy_bytes = Reach(config, problem, shape, Tensor::kY);
  const std::int64_t x_bytes = Reach(config, problem, shape, Tensor::kX);
  const std::int64_t dw_bytes = WeightReach(config, problem);
  if (std::max({dy_bytes, x_bytes, dw_bytes}) >= limit) {
    return Excess{
        absl::StrFormat("offsets reach over %d bytes of an image of dy, %d of one of x and "
                        "%d of a group of dw; each must be below %d",
                        dy_bytes, x_bytes, dw_bytes, limit),
        config.has_halo()       ? (dw_bytes >= limit ? PartAxis::kGroups : PartAxis::kImages)
        : dw_bytes >= limit     ? PartAxis::kK
        : shape.log2_images > 0 ? PartAxis::kImages
        : x_bytes >= limit && TapsReachFurther(problem) ? PartAxis::kTaps
                                                        : PartAxis::kPixels};
  }
  return TooLargeForEpilogue(problem, /*images=*/1);
}

namespace {

Work WorkOf(const TileConfig& config, const ConvProblem& problem) {
  const auto tiles = static_cast<double>(Tiles(config, problem) * Groups(config, problem));
  const StepShape shape = ChooseStepShape(config, problem);
  const double steps = static_cast<double>(Steps(config, problem, shape)) +
                       static_cast<double>(problem.dims[0].out()) * shape.more_runs;
  return {.tiles = tiles,
          .steps = tiles * steps,
          .out_elements = static_cast<double>(problem.w_elements())};
}

/// The work of workgroups; with a halo, also before their first step.
TileSteps StepsOf(const TileConfig& config, const PartRequest& request) {
  constexpr double kLineBytes = 128;
  TileSteps steps = MakeTileSteps(config, request, {.along_pixels = true});
  const auto channel_bytes =
      static_cast<double>(request.problem.c_per_group() * SizeOf(config.type));
  // L2 delivers whole lines, of which a group of few channels has a part.
  if (config.steps_over_images() && channel_bytes < kLineBytes)
    steps.line_bytes += config.lds_b().bytes() * (kLineBytes / channel_bytes - 1);
  if (config.has_halo()) {
    const auto before = CeilDiv<std::int64_t>(Reach(config, request.problem), config.tile.k);
    steps.prologue_cycles = static_cast<double>(before) * steps.lane_cycles / 2;
  }
  return steps;
}

FixupPlan FixupPlanOf(const TileConfig& config, const ConvProblem& problem, int splits) {
  return PlanFixup(config, Tiles(config, problem) * Groups(config, problem), splits);
}

}  // namespace

PartEstimate EstimateBwdWeight(const TileConfig& config, const PartRequest& request) {
  const Work work = WorkOf(config, request.problem);
  const TileEstimate estimate = EstimateTiles(request, config.type, StepsOf(config, request), work);
  const int splits = estimate.split_k.splits;
  return {.splits = splits,
          .cost = estimate.cost,
          .fixup_bytes = FixupPlanOf(config, request.problem, splits).workspace_bytes};
}

BwdWeightPlan PlanBwdWeight(const TileConfig& config, const PartRequest& request) {
  const ConvProblem& problem = request.problem;
  const SplitK split_k =
      EstimateTiles(request, config.type, StepsOf(config, request), WorkOf(config, problem))
          .split_k;
  BwdWeightPlan plan = {
      .shape = {.workgroups = {static_cast<unsigned>(Tiles(config, problem)),
                               static_cast<unsigned>(Groups(config, problem)),
                               static_cast<unsigned>(split_k.splits)},
                .threads = {static_cast<unsigned>(config.threads()), 1, 1}},
      .args = MakeArgs(config, problem, ChooseStepShape(config, problem), split_k)};
  plan.args.fixup = FixupPlanOf(config, problem, split_k.splits).args;
  const int joined = plan.args.fixup.splits;
  plan.args.split_order = {.is_by_tile = request.device.xcds > 1 && joined > 1,
                           .by_splits = MakeMagicDiv(static_cast<unsigned>(joined))};
  const std::int64_t group_stride =
      std::min(problem.AxesOf(Tensor::kX).stride[4], problem.AxesOf(Tensor::kY).stride[4]);
  plan.args.map = ChooseBlockMap(request.device,
                                 {.tiles = Tiles(config, problem),
                                  .rows = plan.args.m_tiles,
                                  .columns = plan.args.n_tiles,
                                  .row_elements = config.tile.m,
                                  .column_elements = config.tile.n,
                                  .resident = ResidentWorkgroups(config, request),
                                  .groups = Groups(config, problem),
                                  .splits = split_k.splits,
                                  .group_bytes = group_stride * SizeOf(config.type) * config.merge,
                                  .channels = problem.c_per_group() * config.merge});
  return plan;
}

}  // namespace gridwise::tile
