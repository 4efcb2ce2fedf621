#include "direct/plan.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "absl/strings/str_format.h"
#include "core/base/math.h"
#include "core/conv/sub_gemms.h"
#include "core/launch/choose_block_map.h"
#include "core/passes/plan_reduce.h"

namespace gridwise::direct {
namespace {

MagicDiv DivideBy(std::int64_t divisor) { return MakeMagicDiv(static_cast<unsigned>(divisor)); }

constexpr std::int64_t kMaxWaveSize = 64;

/// Threads of a workgroup.
unsigned GatherThreads(Gfx gfx) {
  return static_cast<unsigned>(kDirectGatherWaves * TraitsOf(gfx).wave_size);
}
unsigned WeightThreads(Gfx gfx) {
  return static_cast<unsigned>(kDirectWeightWaves * TraitsOf(gfx).wave_size);
}

/// x or y with elements of `size` bytes; see TensorAxes for the order of the axes.
DirectTensor MakeTensor(const ConvProblem& problem, Tensor which, std::int64_t size) {
  const TensorAxes axes = problem.AxesOf(which);
  DirectTensor tensor = {};
  tensor.image = axes.stride[0] * size;
  tensor.group = static_cast<int>(axes.stride[4] * size);
  for (size_t i = 0; i < 3; ++i) {
    tensor.cell[i] = static_cast<int>(axes.stride[1 + i] * size);
    tensor.size[i] = static_cast<int>(axes.size[1 + i]);
  }
  return tensor;
}

DirectWeights MakeWeights(const ConvProblem& problem, std::int64_t element_bytes) {
  const PerAxis stride = problem.AxesOf(Tensor::kW).stride;
  DirectWeights w = {};
  w.group = static_cast<int>(stride[0] * element_bytes);
  w.k = static_cast<int>(stride[1] * element_bytes);
  w.tap = static_cast<int>(stride[4] * element_bytes);  // of the last axis; others are multiples
  w.c = static_cast<int>(stride[5] * element_bytes);
  return w;
}

/// Bytes from an image's first element, of the first group, to behind the last of all groups.
std::int64_t ImageReach(const ConvProblem& problem, Tensor which) {
  const TensorAxes axes = problem.AxesOf(which);
  std::int64_t reach = 1;
  for (size_t i = 1; i < axes.size.size(); ++i) reach += (axes.size[i] - 1) * axes.stride[i];
  return reach * (which == problem.out() ? 4 : SizeOf(problem.type));  // sums may be f32
}

/// What lanes lie along: channels of the output, or pairs (k, c).
std::int64_t LaneItems(const ConvProblem& problem) {
  switch (problem.direction) {
    case Direction::kForward:
      return problem.k;
    case Direction::kBackwardData:
      return problem.c;
    case Direction::kBackwardWeight:
      return problem.k * problem.c_per_group();
  }
  return 0;
}

std::int64_t LaneTiles(const DirectConfig& config, Gfx gfx, const ConvProblem& problem) {
  return CeilDiv<std::int64_t>(LaneItems(problem),
                               std::int64_t{TraitsOf(gfx).wave_size} * config.channels);
}

/// Runs of output cells of a sub-GEMM.
std::int64_t Runs(const DirectConfig& config, const ConvProblem& problem, const SubGemm& gemm) {
  return problem.batch * gemm.axis[0].count * CeilDiv(gemm.axis[1].count, config.rows_of_lane()) *
         CeilDiv(gemm.axis[2].count, config.cells);
}

/// An upper bound of the workgroups that take runs, but for one of each sub-GEMM.
std::int64_t MostTiles(const DirectConfig& config, const ConvProblem& problem) {
  const PerAxis size = problem.AxesOf(problem.out()).size;
  const bool forward = problem.direction == Direction::kForward;
  const std::int64_t classes = forward ? 1 : std::min(problem.dims[2].stride, size[3]);
  const std::int64_t runs = size[0] * size[1] * size[2] * (size[3] / config.cells + classes);
  return runs / kDirectGatherWaves;
}

/// Constants of estimates, in cycles: fits to times of the simulator's clock on training problems
/// (tools/tune), of targets of 64 lanes and of 32.
struct WaveFit {
  double bytes;    // of a vector cache's share of L2, a cycle
  double latency;  // of a row's loads
  double scalar;   // of a row's scalar instructions
  double launch;   // of a workgroup
};
WaveFit FitOf(const TargetTraits& target, bool along_cells) {
  if (target.wave_size == 64) {
    return along_cells ? WaveFit{.bytes = 29, .latency = 860, .scalar = 37, .launch = 3500}
                       : WaveFit{.bytes = 17, .latency = 720, .scalar = 24, .launch = 4500};
  }
  return along_cells ? WaveFit{.bytes = 35, .latency = 510, .scalar = 78, .launch = 3600}
                     : WaveFit{.bytes = 15.5, .latency = 420, .scalar = 67, .launch = 1700};
}

/// What a wave does.
struct WaveWork {
  double rows;         // of taps along w, with the lane's cells
  double stores;       // of the output
  double groups;       // workgroups
  double waves;        // of a workgroup
  double loads;        // of a lane in such a row
  int products;        //
  double conversions;  // of operands to f32
  double pass_cycles = 0;
  int splits = 1;
  bool along_cells = false;  // sums of backward-weight
};

/// Vector instructions of all waves at the SIMDs' rate, or bytes at its vector caches' share of L2,
/// or a wave that waits for memory once a row.
Cost EstimateWaves(const DirectConfig& config, const DeviceFacts& device, const WaveWork& work) {
  const TargetTraits target = TraitsOf(device.gfx);
  const WaveFit fit = FitOf(target, work.along_cells);
  constexpr double kLeastBytes = 64;  // a load of a wave takes a cycle's bytes at least
  constexpr double kWavesPerSimd = 8;
  const double l2_bytes = fit.bytes * target.vector_caches;  // a cycle
  const double valu_cycles = target.wave_size == 64 ? 4 : 1;
  const double row_valu = (work.products * config.channels + work.conversions) * valu_cycles;
  const double waves_per_simd = std::max(1.0, work.waves / target.simds_per_unit);
  const double load_bytes =
      std::max(kLeastBytes, 1.0 * target.wave_size * config.channels * SizeOf(config.type));
  const double row_bytes = work.waves * work.loads * load_bytes;
  const double resident = std::max(1.0, std::floor(kWavesPerSimd / waves_per_simd));
  const double rounds = std::ceil(work.groups / device.compute_units);
  return WithCycles({.matrix_cycles = work.rows * (row_valu + fit.scalar) * waves_per_simd,
                     .memory_cycles = work.rows * row_bytes / l2_bytes,
                     .alone_cycles = work.rows * (row_valu + fit.scalar + fit.latency),
                     .fixed_cycles = fit.launch + work.waves * work.stores * load_bytes / l2_bytes,
                     .workgroups = work.groups,
                     .rounds = rounds,
                     .resident = std::min(resident, rounds),
                     .pass_cycles = work.pass_cycles,
                     .splits = static_cast<double>(work.splits)});
}

double Conversions(const DirectConfig& config, double loads) {
  return config.type == DataType::kF32 ? 0 : loads * config.channels;
}

/// Whether neighbouring channels of all groups are neighbours in memory.
bool IsCoalesced(const ConvProblem& problem) {
  return problem.groups == 1 || (problem.AxesOf(Tensor::kX).stride[4] == problem.c_per_group() &&
                                 problem.AxesOf(Tensor::kY).stride[4] == problem.k_per_group());
}

/// Why several taps, or rows, at a time do not suit the problem's axes.
std::optional<Refusal> RejectTaps(const DirectConfig& config, const ConvProblem& problem) {
  if (config.taps == 1) return std::nullopt;
  for (const std::size_t axis : {2u, 1u}) {
    if (axis == 1 && config.rows_of_lane() == 1) continue;
    const AxisStrides strides = MakeAxisStrides(problem.direction, problem.dims[axis]);
    if (strides.source_stride == config.stride && strides.tap_source_stride == 1) continue;
    return Refusal(RefusalCode::kFilter,
                   absl::StrFormat("along %s, cells of the output are %d and taps %d apart in the "
                                   "source; the row is for %d and 1",
                                   kAxisNames[axis], strides.source_stride,
                                   strides.tap_source_stride, config.stride));
  }
  return std::nullopt;
}

/// Workgroups of a split of backward-weight.
struct DirectTiles {
  std::int64_t workgroups[2];  // rows of taps, lanes
};

Cost EstimateSplits(const DirectConfig& config, const DeviceFacts& device,
                    const ConvProblem& problem, const DirectTiles& tiles, int splits) {
  const std::int64_t rows = problem.batch * problem.dims[0].out() * problem.dims[1].out();
  const std::int64_t cells = CeilDiv<std::int64_t>(problem.dims[2].out(), config.cells);
  const double loads = config.window() + config.cells;
  const auto elements = static_cast<double>(problem.w_elements());
  return EstimateWaves(
      config, device,
      {.rows = static_cast<double>(
           CeilDiv<std::int64_t>(rows, std::int64_t{kDirectWeightWaves} * splits) * cells),
       .stores = 1.0 * config.taps * config.channels,
       .groups = static_cast<double>(tiles.workgroups[0] * tiles.workgroups[1] * splits),
       .waves = kDirectWeightWaves,
       .loads = loads,
       .products = config.cells * config.taps,
       .conversions = Conversions(config, loads),
       .pass_cycles = splits == 1 ? 0 : ReduceCycles(device, elements, splits, SizeOf(config.type)),
       .splits = splits,
       .along_cells = true});
}

/// The number of splits whose estimate is least, a power of two.
int ChooseDirectSplits(const DirectConfig& config, const DeviceFacts& device,
                       const ConvProblem& problem, const DirectTiles& tiles) {
  const std::int64_t rows = problem.batch * problem.dims[0].out() * problem.dims[1].out();
  int best = 1;
  double least = EstimateSplits(config, device, problem, tiles, 1).cycles;
  for (int splits = 2; std::int64_t{splits} * kDirectWeightWaves <= rows && splits <= 256;
       splits *= 2) {
    const double cycles = EstimateSplits(config, device, problem, tiles, splits).cycles;
    if (cycles >= least) continue;
    least = cycles;
    best = splits;
  }
  return best;
}

}  // namespace

std::optional<Refusal> RejectDirect(const DirectConfig& config, const ConvProblem& problem,
                                    int splits) {
  if (problem.type != config.type) {
    return Refusal(RefusalCode::kType,
                   absl::StrFormat("type is %s; the row is for %s", gridwise::Name(problem.type),
                                   gridwise::Name(config.type)));
  }
  constexpr std::int64_t kMaxPairs = 64;  // more are the tile rows' work
  if (problem.c_per_group() * problem.k_per_group() > kMaxPairs) {
    return Refusal(
        RefusalCode::kChannels,
        absl::StrFormat("a group has c %d and k %d; the row is for groups of at most %d (c, k)",
                        problem.c_per_group(), problem.k_per_group(), kMaxPairs));
  }
  if (config.channels > 1 && (problem.c_per_group() != 1 || problem.k_per_group() != 1 ||
                              problem.groups % config.channels != 0)) {
    return Refusal(RefusalCode::kGroups,
                   absl::StrFormat("there are %d groups of c %d and k %d; the row is for multiples "
                                   "of %d groups of 1 and 1",
                                   problem.groups, problem.c_per_group(), problem.k_per_group(),
                                   config.channels));
  }
  if (config.channels > 1 && !IsCoalesced(problem)) {
    return Refusal(
        RefusalCode::kLayout,
        absl::StrFormat("layout is %s; the row is for channels of all groups side by side",
                        Name(problem.layout)));
  }
  if (problem.layout == Layout::kNGCHW) {
    return Refusal(RefusalCode::kLayout, "layout is ngchw; the row is for nhwgc and gnhwc");
  }
  if ((splits > 1 || problem.epilogue != Epilogue{}) && problem.out_elements() >= kOffsetLimit) {
    return Refusal(RefusalCode::kSize,
                   absl::StrFormat("the output has %d elements; with an epilogue or several "
                                   "splits, they must be fewer than "
                                   "2^31",
                                   problem.out_elements()));
  }
  if (auto reason = RejectTaps(config, problem)) return reason;
  constexpr std::int64_t kMaxLaneTiles = 65535;
  const std::int64_t lane_tiles = CeilDiv<std::int64_t>(LaneItems(problem), 32 * config.channels);
  if (lane_tiles > kMaxLaneTiles || LaneItems(problem) >= kOffsetLimit / 2) {
    return Refusal(RefusalCode::kSize,
                   absl::StrFormat("there are %d channels, or pairs of them; must be at most %d",
                                   LaneItems(problem), kMaxLaneTiles * 32 * config.channels));
  }
  return std::nullopt;
}

std::optional<Excess> TooLargeForDirect(const DirectConfig& config, const ConvProblem& problem,
                                        std::int64_t limit) {
  const PartAxis of_positions = problem.batch > 1 ? PartAxis::kImages : PartAxis::kCells;
  const std::int64_t cells = problem.batch * std::max(problem.in_cells(), problem.out_cells());
  if (cells >= kOffsetLimit / 2 || problem.filter_taps() >= kOffsetLimit) {
    return Excess{absl::StrFormat("there are %d cells and %d filter taps; must be fewer than 2^30",
                                  cells, problem.filter_taps()),
                  of_positions};
  }
  const std::int64_t sub_gemms = SubGemmCount(problem);
  if (sub_gemms > kMaxSubGemms) {
    return Excess{
        absl::StrFormat("there are %d sub-GEMMs; must be at most %d", sub_gemms, kMaxSubGemms),
        PartAxis::kCells};
  }
  if (problem.direction == Direction::kBackwardWeight) {
    constexpr std::int64_t kMost = kMaxWorkItems / (kDirectWeightWaves * kMaxWaveSize);
    if (problem.filter_taps() > kMost) {
      return Excess{absl::StrFormat("there are %d filter taps; a launch takes at most %d",
                                    problem.filter_taps(), kMost),
                    PartAxis::kTaps};
    }
  } else {
    constexpr std::int64_t kMost = kMaxWorkItems / (kDirectGatherWaves * kMaxWaveSize);
    const std::int64_t tiles = MostTiles(config, problem) + sub_gemms;
    if (tiles > kMost) {
      return Excess{
          absl::StrFormat("there are up to %d tiles; a launch takes at most %d", tiles, kMost),
          of_positions};
    }
  }
  const std::int64_t x_bytes = ImageReach(problem, Tensor::kX);
  const std::int64_t y_bytes = ImageReach(problem, Tensor::kY);
  const std::int64_t w_bytes = problem.w_elements() * 4;  // of dw, where K is split
  if (std::max({x_bytes, y_bytes, w_bytes}) >= limit) {
    return Excess{
        absl::StrFormat(
            "an image of x reaches over %d bytes, one of y over %d and w over %d; each must be "
            "below %d",
            x_bytes, y_bytes, w_bytes, limit),
        w_bytes >= limit ? PartAxis::kGroups : PartAxis::kCells};
  }
  return std::nullopt;
}

namespace {

/// The runs of a wave, of so many: weights are loaded once for all of them, as long as the device
/// has workgroups enough.
int RunsOfWave(std::int64_t runs, const DeviceFacts& device) {
  constexpr int kMost = 16, kWorkgroupsOfUnit = 8;
  const std::int64_t at_once =
      std::int64_t{kDirectGatherWaves} * kWorkgroupsOfUnit * device.compute_units;
  return static_cast<int>(std::clamp<std::int64_t>(runs / at_once, 1, kMost));
}

/// The launch of a forward or backward-data problem.
struct GatherGrid {
  std::vector<SubGemm> table;  // in runs of cells
  std::int64_t tiles = 0, lane_tiles = 0;
  int runs = 1;     // of a wave
  double rows = 0;  // of taps, of all waves

  GatherGrid(const DirectConfig& config, const PartRequest& request)
      : table(request.sub_gemms.begin(), request.sub_gemms.end()),
        lane_tiles(LaneTiles(config, request.device.gfx, request.problem)) {
    const ConvProblem& problem = request.problem;
    const bool forward = problem.direction == Direction::kForward;
    const auto channels =
        static_cast<double>(forward ? problem.c_per_group() : problem.k_per_group());
    std::int64_t all = 0;
    for (const SubGemm& gemm : table) all += Runs(config, problem, gemm);
    if (config.keeps_weights()) {
      runs = RunsOfWave(all * lane_tiles * std::max(request.sharing.splits, 1), request.device);
    }
    for (SubGemm& gemm : table) {
      gemm.first_tile = static_cast<int>(tiles);
      gemm.m = static_cast<int>(Runs(config, problem, gemm));
      gemm.by_count_w = DivideBy(CeilDiv(gemm.axis[2].count, config.cells));
      gemm.by_count_h = DivideBy(CeilDiv(gemm.axis[1].count, config.rows_of_lane()));
      tiles += CeilDiv(gemm.m, kDirectGatherWaves * runs);
      rows += 1.0 * gemm.m * gemm.axis[0].taps * gemm.axis[1].taps *
              CeilDiv(gemm.axis[2].taps, config.taps) * channels;
    }
  }
};

DirectGatherArgs MakeGatherArgs(const PartRequest& request, int runs) {
  const auto& [device, problem, sub_gemms, sharing, enough_cycles, needs] = request;
  const bool forward = problem.direction == Direction::kForward;
  const bool is_partial = sharing.splits > 1 || sharing.partial_elements > 0;
  const DataType out_type = is_partial ? DataType::kF32 : problem.output_type();
  DirectGatherArgs args = {};
  args.out_type = static_cast<int>(out_type);
  args.out_element = SizeOf(out_type);
  args.runs = runs;
  args.splits = std::max(sharing.splits, 1);
  args.split_bytes =
      4 * (sharing.partial_elements > 0 ? sharing.partial_elements : problem.out_elements());
  args.source = MakeTensor(problem, problem.a(), SizeOf(problem.type));
  args.out = MakeTensor(problem, problem.out(), args.out_element);
  args.w = MakeWeights(problem, SizeOf(problem.type));
  args.w_source = forward ? args.w.c : args.w.k;
  args.w_out = forward ? args.w.k : args.w.c;
  args.source_channels = static_cast<int>(forward ? problem.c_per_group() : problem.k_per_group());
  args.out_of_group = static_cast<int>(forward ? problem.k_per_group() : problem.c_per_group());
  args.out_channels = static_cast<int>(LaneItems(problem));
  args.by_out_channels = DivideBy(args.out_of_group);
  for (size_t i = 0; i < 3; ++i) {
    args.strides[i] = MakeAxisStrides(problem.direction, problem.dims[i]);
  }
  SetFilter(problem.AxesOf(Tensor::kW).stride, args.filter);
  return args;
}

DirectTiles WeightTiles(const DirectConfig& config, const PartRequest& request) {
  const auto& [d, h, w] = request.problem.dims;
  return {.workgroups = {d.filter * h.filter * CeilDiv<std::int64_t>(w.filter, config.taps),
                         LaneTiles(config, request.device.gfx, request.problem)}};
}

}  // namespace

PartEstimate EstimateDirectGather(const DirectConfig& config, const PartRequest& request) {
  const GatherGrid grid(config, request);
  const int splits = std::max(request.sharing.splits, 1);
  const auto elements = static_cast<double>(request.problem.out_elements());
  const auto tiles = static_cast<double>(grid.tiles);
  const int lane_rows = config.rows_of_lane();
  // For each row of taps, rows of the source, which those of the output share.
  const double source_rows = 1 + 1.0 * (lane_rows - 1) * config.stride / config.taps;
  const double loads = config.window() * source_rows;
  const int weights = config.taps * (config.keeps_weights() ? lane_rows : config.channels);
  return {.splits = splits,
          .cost = EstimateWaves(
              config, request.device,
              {.rows = grid.rows / (tiles * kDirectGatherWaves) / splits,
               .stores = 1.0 * config.cells * lane_rows * grid.runs,
               .groups = tiles * static_cast<double>(grid.lane_tiles) * splits,
               .waves = kDirectGatherWaves,
               .loads = config.keeps_weights() ? loads : loads + weights,
               .products = config.cells * config.taps * lane_rows,
               .conversions = Conversions(config, loads + weights),
               .pass_cycles = splits == 1 ? 0
                                          : ReduceCycles(request.device, elements, splits,
                                                         SizeOf(config.type))})};
}

DirectGatherPlan PlanDirectGather(const DirectConfig& config, const PartRequest& request) {
  GatherGrid grid(config, request);
  DirectGatherPlan plan = {
      .shape = {}, .args = MakeGatherArgs(request, grid.runs), .table = std::move(grid.table)};
  plan.args.sub_gemms = static_cast<int>(plan.table.size());
  plan.is_inline = plan.table.size() <= kInlineSubGemms;
  if (plan.is_inline) std::copy(plan.table.begin(), plan.table.end(), plan.args.inline_table);
  plan.args.map = ChooseBlockMap(request.device, {.tiles = grid.tiles,
                                                  .rows = grid.tiles,
                                                  .columns = 1,
                                                  .row_elements = 1,
                                                  .column_elements = 1});
  plan.shape = {
      .workgroups = {static_cast<unsigned>(grid.tiles), static_cast<unsigned>(grid.lane_tiles),
                     static_cast<unsigned>(plan.args.splits)},
      .threads = {GatherThreads(request.device.gfx), 1, 1}};
  return plan;
}

PartEstimate EstimateDirectWeight(const DirectConfig& config, const PartRequest& request) {
  const DirectTiles tiles = WeightTiles(config, request);
  const int splits = request.sharing.splits > 0
                         ? request.sharing.splits
                         : ChooseDirectSplits(config, request.device, request.problem, tiles);
  return {.splits = splits,
          .cost = EstimateSplits(config, request.device, request.problem, tiles, splits)};
}

DirectWeightPlan PlanDirectWeight(const DirectConfig& config, const PartRequest& request) {
  const auto& [device, problem, sub_gemms, sharing, enough_cycles, needs] = request;
  DirectWeightPlan plan = {};
  DirectWeightArgs& args = plan.args;
  args.dy = MakeTensor(problem, Tensor::kY, SizeOf(problem.type));
  args.x = MakeTensor(problem, Tensor::kX, SizeOf(problem.type));
  args.pairs = static_cast<int>(LaneItems(problem));
  args.c = static_cast<int>(problem.c_per_group());
  args.k = static_cast<int>(problem.k_per_group());
  args.by_c = DivideBy(args.c);
  args.by_k = DivideBy(args.k);
  for (size_t i = 0; i < 3; ++i) {
    const Dim& dim = problem.dims[i];
    args.filter[i] = static_cast<int>(dim.filter);
    args.stride[i] = static_cast<int>(dim.stride);
    args.dilation[i] = static_cast<int>(dim.dilation);
    args.pad[i] = static_cast<int>(dim.pad_begin);
  }
  args.by_filter_h = DivideBy(args.filter[1]);
  args.tap_groups = CeilDiv(args.filter[2], config.taps);
  args.by_tap_groups = DivideBy(args.tap_groups);
  args.rows = static_cast<int>(problem.batch * problem.dims[0].out() * problem.dims[1].out());
  args.by_out_h = DivideBy(problem.dims[1].out());
  args.by_out_d = DivideBy(problem.dims[0].out());

  const DirectTiles tiles = WeightTiles(config, request);
  args.splits = EstimateDirectWeight(config, request).splits;
  plan.shape = {.workgroups = {static_cast<unsigned>(tiles.workgroups[0]),
                               static_cast<unsigned>(tiles.workgroups[1]),
                               static_cast<unsigned>(args.splits)},
                .threads = {WeightThreads(device.gfx), 1, 1}};
  const bool is_partial = args.splits > 1 || sharing.partial_elements > 0;
  const std::int64_t all_elements =
      sharing.partial_elements > 0 ? sharing.partial_elements : problem.w_elements();
  const DataType out_type = is_partial ? DataType::kF32 : problem.output_type();
  args.dw = MakeWeights(problem, SizeOf(out_type));
  args.out_type = static_cast<int>(out_type);
  args.split_bytes = all_elements * 4;
  return plan;
}

}  // namespace gridwise::direct
