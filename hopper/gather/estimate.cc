// SPDX-License-Identifier: MIT
#include "hopper/gather/estimate.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <span>
#include <utility>

#include "core/base/math.h"
#include "core/base/recent.h"
#include "core/conv/sub_gemms.h"
#include "core/cost/pass_cycles.h"
#include "core/cost/roofline.h"
#include "hopper/base/maps.h"
#include "hopper/operands/tma_operands.h"

namespace gridwise::hopper {
namespace {

Grid GatherGrid(const Config& config, const ConvProblem& problem,
                std::span<const SubGemm> sub_gemms) {
  Grid grid = {.groups = problem.groups};
  const std::int64_t k_tiles = KTilesOf(config, SourceChannels(problem));
  grid.n_tiles = CeilDiv<std::int64_t>(ChannelsOf(problem, problem.out()), config.channels());
  for (const SubGemm& gemm : sub_gemms) {
    const std::int64_t tiles = CeilDiv<std::int64_t>(gemm.m, config.pixels()) * grid.n_tiles;
    const auto steps = static_cast<double>(Taps(gemm) * k_tiles);
    grid.of_group += tiles;
    grid.steps += static_cast<double>(tiles * problem.groups) * steps;
    grid.max_steps = std::max(grid.max_steps, steps);
    grid.min_steps = std::min(grid.min_steps, steps);
  }
  return grid;
}

/// Number of blocks of channels at a tap.
std::int64_t WeightBlocks(const Config& config, const ConvProblem& problem) {
  const std::int64_t channels = problem.c_per_group() * GroupsOfTile(config, problem);
  return problem.filter_taps() * CeilDiv<std::int64_t>(channels, config.block_columns());
}

Grid WeightGrid(const Config& config, const ConvProblem& problem) {
  const std::int64_t groups = GroupsOfTile(config, problem);
  Grid grid = {.groups = problem.groups / groups};
  const std::int64_t k = problem.k_per_group() * groups;
  const std::int64_t x = WeightBlocks(config, problem) * config.block_columns();
  grid.m_tiles = CeilDiv<std::int64_t>(config.x_is_a ? x : k, config.rows());
  grid.n_tiles = CeilDiv<std::int64_t>(config.x_is_a ? k : x, config.columns);
  grid.of_group = grid.m_tiles * grid.n_tiles;
  grid.max_steps = static_cast<double>(KTilesOf(config, problem.batch * problem.out_pixels()));
  grid.min_steps = grid.max_steps;
  grid.steps = grid.tiles() * grid.max_steps;
  return grid;
}

/// Number of clusters of each size that an H200 runs at once if each workgroup fills an SM, from
/// its driver (cuOccupancyMaxActiveClusters).
constexpr std::array<double, kMaxCluster + 1> kClustersAtOnce = {0,  132, 66, 39, 30,
                                                                 22, 17,  15, 15};

/// Rows of A and columns of B that a tile loads, on average, without boxes that do not exist; in
/// forward and backward-data, pixels and channels.
struct Loaded {
  double rows, columns;
  // If w lies along K: a tile's boxes of channels beyond the first, on average, and the lines past
  // the last channel, which are filled up.
  double more_boxes = 0, hanging = 0;
};
Loaded LoadedOf(const Fit& fit, const Config& config, const ConvProblem& problem,
                const Grid& grid) {
  Loaded loaded = {1.0 * config.pixels(), 1.0 * config.w_channels()};
  if (config.w_runs_along_k()) {
    const std::int64_t columns = ChannelsOf(problem, problem.out());
    const int of_box = ColumnsOfBox(config, columns, fit);
    const auto all = AlignUp<std::int64_t>(columns, of_box);
    loaded.columns = static_cast<double>(all) / static_cast<double>(grid.n_tiles);
    loaded.more_boxes = loaded.columns / of_box - 1;
    loaded.hanging = static_cast<double>(all - columns);
  }
  if (config.direction != Direction::kBackwardWeight) return loaded;
  const std::int64_t k = problem.k_per_group() * GroupsOfTile(config, problem);
  auto rows = static_cast<double>(AlignUp<std::int64_t>(k, config.x_is_a ? 32 : 64));
  auto columns = static_cast<double>(WeightBlocks(config, problem) *
                                     AlignUp(config.block_columns(), config.box_columns()));
  if (config.x_is_a) std::swap(rows, columns);
  return {rows / static_cast<double>(grid.m_tiles), columns / static_cast<double>(grid.n_tiles)};
}

/// The part of a tensor's loaded lines, of `of_line` channels each, that channels fill only partly.
double FilledPart(std::int64_t channels, std::int64_t of_line) {
  if (channels % of_line == 0) return 0;
  return 1.0 / static_cast<double>(CeilDiv(channels, of_line));
}

/// Additional cycles of a tensor's line: if it begins within a sector of the cache, it is in one
/// more sector.
double UnalignedLine(const Fit& fit, const ConvProblem& problem, Tensor tensor) {
  constexpr std::int64_t kSector = 32;
  const TensorAxes axes = problem.AxesOf(tensor);
  const std::int64_t of_pixel = axes.stride[3], of_group = axes.size[4] > 1 ? axes.stride[4] : 0;
  const std::int64_t bytes = SizeOf(problem.type);
  const bool is_aligned = of_pixel * bytes % kSector == 0 && of_group * bytes % kSector == 0;
  return is_aligned ? 0 : fit.unaligned_line;
}

/// Additional cycles of a line, of w in backward-data or of the gathered tensor of tf32, where
/// lines are `bytes` apart: unless these are whole cache lines, all but a few lines are in two.
double SplitLine(const Fit& fit, std::int64_t bytes) {
  constexpr std::int64_t kCacheLine = 128;
  const auto whole = static_cast<double>(std::gcd(bytes, kCacheLine)) / kCacheLine;
  return (1 - whole) * fit.unaligned_line;
}

/// Whether an instance loads f32, and waits less for lines that are partly filled up: 3.84 cycles,
/// and in backward-weight for x 0.4 of Fit::filled_x (36 layers of tests/problems/channels.csv,
/// H200).
bool LoadsFloats(const Config& config) { return SizeOf(config.type) == 4; }
double PartialLine(const Fit& fit, const Config& config) {
  return LoadsFloats(config) ? 3.84 : fit.partial_line;
}

/// Cycles of the lines of A and of B that a step loads. Lines of backward-weight that reach into
/// another group, or into the next pixels, are loaded unchanged, and lines of w in forward count as
/// aligned.
double LineCycles(const Fit& fit, const Config& config, const ConvProblem& problem,
                  const Loaded& loaded) {
  const std::int64_t channels = SourceChannels(problem);
  const double source = fit.line + UnalignedLine(fit, problem, GatheredTensor(problem));
  const double partial = PartialLine(fit, config);
  if (config.direction != Direction::kBackwardWeight) {
    const double filled =
        KTilesOverlap(config, channels) ? 0 : partial * FilledPart(channels, config.k_tile);
    const bool is_split = !config.w_runs_along_k() && config.resident == 0;
    const bool fills_w = config.w_runs_along_k() && config.resident == 0 && !LoadsFloats(config);
    const auto split_line = [&](Tensor tensor, std::size_t axis) {
      return SplitLine(fit, problem.AxesOf(tensor).stride[axis] * SizeOf(problem.type));
    };
    const double w = fit.line + (is_split ? split_line(Tensor::kW, 4) : 0) + (fills_w ? filled : 0);
    const double split =
        config.type == DataType::kTF32 ? split_line(GatheredTensor(problem), 3) : 0;
    return loaded.rows * (source + split + filled) + loaded.columns * config.parts() * w +
           loaded.more_boxes * fit.box;
  }
  const bool groups_are_adjacent = PixelsHaveGroups(problem.AxesOf(Tensor::kY));
  const double filled_dy =
      groups_are_adjacent ? 0
                          : partial * FilledPart(problem.k_per_group(), config.x_is_a ? 32 : 64);
  const bool is_whole = problem.groups > 1 || RunsGoOn(problem);
  const double filled_x = is_whole ? 0
                                   : (LoadsFloats(config) ? 0.4 : 1) * fit.filled_x *
                                         FilledPart(channels, config.block_columns());
  const double dy = fit.line + UnalignedLine(fit, problem, Tensor::kY) + filled_dy;
  const double x = config.parts() * (source + filled_x);
  if (config.x_is_a) return loaded.rows * x + loaded.columns * dy;
  return (config.lanes ? 0 : loaded.rows * dy) + loaded.columns * x;
}

/// The part of tiles with hanging lines in the workgroup that has most of them, and which lags the
/// others with its next tiles. The distance of a workgroup's tiles is the number of workgroups.
double HangingPart(const Grid& grid, int workgroups) {
  if (grid.tiles() <= workgroups) return 0;
  return static_cast<double>(std::gcd(grid.n_tiles, std::int64_t{workgroups})) /
         static_cast<double>(grid.n_tiles);
}

/// Products of a whole k tile. Parts of f32 are multiplied a k tile at a time.
int ProductsOfKTile(const Config& config) {
  return config.has_parts() ? 1 : config.k_tile / WgmmaK(config.type);
}

/// The part of the products of k tiles that are computed.
double ProductsPart(const Config& config, const ConvProblem& problem) {
  if (config.direction == Direction::kBackwardWeight) return 1;
  const std::int64_t channels = SourceChannels(problem);
  const std::int64_t whole = WholeKTilesOf(config, channels), k_tiles = KTilesOf(config, channels);
  const Products of_last = ProductsOfLast(config, channels);
  const double part = 1.0 * (of_last.end - of_last.first) / ProductsOfKTile(config);
  return (static_cast<double>(whole) + part * static_cast<double>(k_tiles - whole)) /
         static_cast<double>(k_tiles);
}

/// Products of parts that add up to a product of f32 (hopper/kernel/multiply_parts.h).
constexpr double kProductsOfParts = 6;

/// The tensor core's cycles of a step over those of shared memory, 128 bytes a cycle, where B is
/// transposed: it is written by TMA, loaded and stored by lanes, and read by each product of 64
/// rows; A is written, and loaded by lanes.
double CyclesOverSharedMemory(const Config& config) {
  constexpr double kPairsOfCycle = 1024, kBytesOfCycle = 128;
  const double rows = config.rows(), columns = config.columns, bytes = config.k_tile_bytes();
  // With a single product of few columns, warps wait for each other in every k tile (fitted to
  // layers of channels.csv and RetinaNet, H200).
  constexpr double kWait = 120;
  const double shared =
      (2 * rows + 3 * config.b_columns() + rows / 64 * columns) * bytes / kBytesOfCycle +
      (config.x_is_a && config.reps == 1 ? kWait : 0);
  return rows * columns * config.k_tile / kPairsOfCycle / shared;
}

/// Efficiency of the tensor core relative to most instances. Measured for B that stays: it grows
/// with the number of columns for which a line of A is read. With parts, warps split A and add up
/// sums for as long as six products of 60 more columns take (RetinaNet's layers, H100). Where B is
/// transposed, a single warpgroup multiplies nothing while it transposes (52 layers of channels.csv
/// and RetinaNet, H200).
double EfficiencyOf(const Config& config) {
  if (config.has_parts()) return 1.69 * config.columns / (config.columns + 60.0);
  if (config.transposes_b()) {
    return (config.consumers == 1 ? 0.7 : 0.95) * CyclesOverSharedMemory(config);
  }
  // Of tiles with as many sums, in tf32 those with fewer gathered lines are faster.
  if (config.type == DataType::kTF32 && config.rows() > config.columns && !config.pingpong)
    return 0.98;
  return config.resident > 0 ? 1 + 0.04 * config.columns / 256 : 1;
}

/// Bytes of the gathered tensor that CountRooflineWork counts several times, because they belong to
/// several pixels.
double OverlappingBytes(const ConvProblem& problem) {
  if (!PixelsOverlap(problem)) return 0;
  const TensorAxes of = problem.AxesOf(GatheredTensor(problem));
  const std::int64_t pixels = of.size[0] * of.size[1] * of.size[2] * of.size[3];
  return static_cast<double>(pixels * (of.size[5] - of.stride[3]) * SizeOf(problem.type));
}

/// Bytes of the operands that are read, for all instances of a thread's last problems and their
/// parts.
double OperandBytesOf(const ConvProblem& problem) {
  static thread_local Recent<ConvProblem, double> recent;
  return recent.Get(
      problem, [&] { return CountRooflineWork(problem).bytes_read - OverlappingBytes(problem); });
}

double FourthPower(double x) { return x * x * (x * x); }

/// Estimates of an instance for a request, for any number of splits: terms that do not depend on it
/// are computed once. An SM multiplies 2048 pairs of f16 per cycle, and twice as many of i8; the
/// rest are fits to measurements of f16.
class Estimates {
 public:
  Estimates(const Config& config, const PartRequest& request, const Grid& grid)
      : fit_(FitOf(request)),
        config_(config),
        request_(request),
        grid_(grid),
        units_(request.device.compute_units),
        tiles_(grid.tiles()) {
    const ConvProblem& problem = request.problem;
    efficiency_ = EfficiencyOf(config) / SlowedByPower();
    // A single warpgroup with few products waits for each k tile, and short ones arrive one by one.
    const bool short_k_tiles =
        config.k_tile_bytes() < 128 && config.direction == Direction::kBackwardData;
    const bool is_small = config.rows() * config.columns <= 4096;
    waits_ = config.has_parts() ? 1 : is_small ? 1.2 : short_k_tiles ? 1.15 : 1;
    const Loaded loaded = LoadedOf(fit_, config, problem, grid);
    lines_ = LineCycles(fit_, config, problem, loaded);
    bytes_ = config.resident > 0 ? config.stage_bytes()
                                 : loaded.rows * config.k_tile_bytes() +
                                       loaded.columns * config.parts() * config.b_run_bytes();
    hanging_ = loaded.hanging * fit_.filled_line;
    hanging_part_ = HangingPart(grid, request.device.compute_units);
    products_part_ = ProductsPart(config, problem);
    elements_ = static_cast<double>(problem.out_elements());
    operand_bytes_ = OperandBytesOf(problem);
    min_steps_ = grid.steps / units_ * StepOf(/*busy=*/0).longer();
    step_of_all_ = StepOf(/*busy=*/1);
  }

  struct Step {
    double matrix = 0, memory = 0;
    double longer() const { return std::max(matrix, memory); }
  };
  /// How splits divide the tiles, and what takes how many cycles.
  struct Division {
    int splits;
    bool in_cluster;
    int tensors;  // how many tensors of sums
    double tiles = 0, rounds = 0;
    double steps = 0;  // those of the workgroup that ends last, which may be the only one with the
                       // longest tile
    Step step = {};
    double outside_steps = 0;  // of a tile
    double of_tensors = 0, of_pass = 0;

    double alone() const { return steps * step.longer() + outside_steps; }
  };
  Division Divide(int splits, bool in_cluster) const {
    Division of = {.splits = splits,
                   .in_cluster = in_cluster,
                   .tensors = in_cluster ? 1 : splits,
                   .tiles = tiles_ * splits};
    const double at_once =
        in_cluster ? kClustersAtOnce[static_cast<std::size_t>(splits)] * splits : units_;
    of.rounds = std::ceil(of.tiles / at_once);
    of.steps = std::max(grid_.steps / of.tiles, grid_.max_steps / splits / of.rounds);
    of.step = of.tiles >= units_ ? step_of_all_ : StepOf(of.tiles / units_);
    of.outside_steps = CyclesOutsideSteps(of);
    of.of_tensors = TensorCycles(of);
    of.of_pass = PassCyclesOf(of.tensors);
    return of;
  }

  /// A lower bound for `of` and all larger numbers of splits, except in clusters.
  double LowerBoundFrom(const Division& of) const {
    return min_steps_ + of.rounds * of.outside_steps + fit_.launch + of.of_pass;
  }

  /// Cost::cycles of a division, but for rounding, and whether they are at least `cycles`.
  double CyclesOf(const Division& of) const {
    return std::sqrt(std::sqrt(MainToTheFourth(of))) + of.of_pass;
  }
  bool TakesAtLeast(const Division& of, double cycles) const {
    const double beside_pass = cycles - of.of_pass;
    return beside_pass <= 0 || MainToTheFourth(of) >= FourthPower(beside_pass);
  }

  Cost CostOf(const Division& of) const {
    return {.matrix_cycles = of.steps * of.step.matrix,
            .memory_cycles = of.steps * of.step.memory,
            .alone_cycles = of.alone(),
            .fixed_cycles = fit_.launch / of.rounds,
            .workgroups = of.tiles,
            .rounds = of.rounds,
            .resident = 1,
            .tensor_cycles = of.of_tensors,
            .pass_cycles = of.of_pass,
            .splits = 1.0 * of.splits};
  }

 private:
  double PairsPerCycle() const {
    return config_.has_parts() ? 2048 / kProductsOfParts : 4096.0 / SizeOf(config_.type);
  }

  /// The fourth power of the cycles of the main launch, which passes follow.
  double MainToTheFourth(const Division& of) const {
    return FourthPower(of.rounds * of.alone() + fit_.launch) + FourthPower(of.of_tensors);
  }
  double OutBytes(const Division& of) const {
    const bool partial = of.tensors > 1 || request_.split_k.partial_elements > 0;
    return partial ? 4 : SizeOf(request_.problem.output_type());
  }
  /// Cycles of a tile before its first step and after its last. Stores overlap with the loads of
  /// the next tile, and with its products if warpgroups take turns.
  double CyclesOutsideSteps(const Division& of) const {
    const double elements = config_.rows() * config_.columns;
    const double store = elements * OutBytes(of) / fit_.store / (of.in_cluster ? of.splits : 1);
    const double shown_store = !config_.pingpong ? SharedStore(of)
                               : of.rounds > 1   ? fit_.pingpong_store
                                                 : fit_.only_store;
    const double exchange = of.in_cluster ? fit_.exchange + elements * 4 / fit_.exchange_rate : 0;
    return shown_store * store +
           (config_.pingpong ? fit_.pingpong_first_k_tile : 1.0) * fit_.first_k_tile + exchange;
  }
  /// The part of the store of a shared tile that is not hidden. The next tile's products hide some
  /// of it where boxes of f32 are stored (fitted to 64 layers of RetinaNet, H200).
  double SharedStore(const Division& of) const {
    constexpr double kBoxes = 0.63;
    const bool has_f32_boxes =
        config_.stores_boxes() && SizeOf(config_.type) == 4 && of.tensors == 1 && !of.in_cluster;
    return fit_.shared_store * (has_f32_boxes ? kBoxes + (1 - kBoxes) / of.rounds : 1);
  }
  double TensorCycles(const Division& of) const {
    return (operand_bytes_ + elements_ * OutBytes(of) * of.tensors) /
           DramBytesPerCycle(request_.device, fit_);
  }
  /// Cycles of the launch that adds up sums, if there are several tensors of them.
  double PassCyclesOf(int tensors) const {
    if (tensors == 1) return 0;
    const double bytes = elements_ * (4 * tensors + SizeOf(request_.problem.type));
    return fit_.split + PassCycles(request_.device, bytes);
  }

  /// Slowdown of products in long launches, relative to those of tiles that load little.
  double SlowedByPower() const {
    constexpr double kLongSeconds = 180e-6;
    const double little = (128.0 + 256) * SizeOf(config_.type) / (128 * 256);
    const double pairs = 1.0 * config_.rows() * config_.columns * config_.k_tile;
    const double cycles = grid_.steps * pairs / PairsPerCycle() / request_.device.compute_units;
    if (cycles < kLongSeconds * request_.device.clock_ghz * 1e9) return 1;
    return 1 + fit_.power_of_loads * std::max(config_.stage_bytes() / pairs / little - 1, 0.0);
  }
  /// A step of a tile, when a part `busy` of all SMs has tiles.
  Step StepOf(double busy) const {
    const double efficiency =
        std::min(fit_.efficiency, fit_.efficiency_of_all / busy) * efficiency_;
    const double l2_bytes_per_cycle = std::min(fit_.l2, fit_.l2_of_all / busy);
    const double products = config_.rows() * config_.columns * config_.k_tile * products_part_;
    const double matrix = products / PairsPerCycle() / efficiency;
    const double memory = std::max(bytes_ / l2_bytes_per_cycle, lines_) * waits_;
    const double most = std::max(matrix, memory);
    const double slower = hanging_part_ * std::max(lines_ + hanging_ - most, 0.0);
    return {.matrix = matrix + slower, .memory = memory + slower};
  }

  const Fit& fit_;
  const Config& config_;
  const PartRequest& request_;
  const Grid& grid_;
  const double units_, tiles_;
  double efficiency_, waits_, bytes_, lines_, hanging_, hanging_part_, products_part_, elements_,
      operand_bytes_;
  double min_steps_;  // of an SM
  Step step_of_all_;  // when all SMs have tiles
};

constexpr int kMaxSplits = 128;

/// Bounds are exact except for rounding.
constexpr double kSlack = 1 + 1e-9;

/// Maximum number of splits per tile to consider: shorter ones are not worth a workgroup, and with
/// more rounds little of the last one is wasted.
int MaxSplits(const Grid& grid, const DeviceFacts& device) {
  constexpr double kMinSteps = 4, kMaxRounds = 3, kMax = kMaxSplits;
  const double by_rounds = kMaxRounds * device.compute_units / grid.tiles() + 1;
  return static_cast<int>(std::min({grid.max_steps / kMinSteps, by_rounds, kMax}));
}

}  // namespace

std::int64_t KTilesOf(const Config& config, std::int64_t k) {
  return CeilDiv<std::int64_t>(k, config.k_tile);
}

int ColumnsOfBox(const Config& config, std::int64_t columns, const Fit& fit) {
  // Sums of parts are looked at whether they exist or not.
  const int channels = config.channels();
  if (config.has_parts()) return channels;
  const auto cycles = [&](int of_box) {
    const std::int64_t boxes = CeilDiv<std::int64_t>(columns, of_box);
    return static_cast<double>(boxes) * fit.box +
           static_cast<double>(boxes * of_box - columns) * fit.filled_line;
  };
  int best = channels;
  if (columns % best == 0) return best;
  double least = cycles(best);
  for (int of_box = channels / 16 * 8; of_box > 0; of_box -= 8) {
    // Smaller boxes are more of them.
    if (static_cast<double>(columns) * fit.box >= least * of_box) break;
    if (channels % of_box != 0 || cycles(of_box) >= least) continue;
    best = of_box;
    least = cycles(best);
  }
  return best;
}

bool KTilesOverlap(const Config& config, std::int64_t channels) {
  return config.direction != Direction::kBackwardWeight && !config.has_parts() &&
         channels > config.k_tile && channels % config.k_tile != 0 &&
         channels % WgmmaK(config.type) == 0;
}

Products ProductsOfLast(const Config& config, std::int64_t channels) {
  const std::int64_t k_tiles = KTilesOf(config, channels);
  const int end = ProductsOfKTile(config);
  if (k_tiles == 1 || config.has_parts()) return {0, end};
  const std::int64_t missing = k_tiles * config.k_tile - channels;
  const auto left_out = static_cast<int>(missing / WgmmaK(config.type));
  return KTilesOverlap(config, channels) ? Products{left_out, end} : Products{0, end - left_out};
}

std::int64_t WholeKTilesOf(const Config& config, std::int64_t channels) {
  const Products of_last = ProductsOfLast(config, channels);
  const bool is_whole = of_last.end - of_last.first == ProductsOfKTile(config);
  return KTilesOf(config, channels) - (is_whole ? 0 : 1);
}

std::int64_t SourceChannels(const ConvProblem& problem) {
  return ChannelsOf(problem, GatheredTensor(problem));
}

std::int64_t GroupsOfTile(const Config& config, const ConvProblem& problem) {
  if (!config.merges_groups()) return 1;
  const TensorAxes x = problem.AxesOf(Tensor::kX), dy = problem.AxesOf(Tensor::kY);
  const bool are_adjacent = x.stride[4] == x.size[5] && dy.stride[4] == dy.size[5];
  return are_adjacent ? GroupsMultiplied(problem) : 1;
}

Grid GridOf(const Config& config, const PartRequest& request) {
  return config.direction == Direction::kBackwardWeight
             ? WeightGrid(config, request.problem)
             : GatherGrid(config, request.problem, request.sub_gemms);
}

int MinSplits(const ConvProblem& problem) {
  // Products of a split. An instruction for tf32 adds half as many products as one for f16.
  const double max_of_root = problem.type == DataType::kTF32 ? 80 : 160;
  constexpr std::int64_t kMaxOfFloats = 16384;
  if (SumType(problem.type) != DataType::kF32) return 1;
  if (problem.type == DataType::kF32) {
    if (problem.direction != Direction::kBackwardWeight) return 1;
    const std::int64_t splits = CeilDiv(problem.reduction_length(), kMaxOfFloats);
    return static_cast<int>(std::min<std::int64_t>(splits, kMaxSplits));
  }
  return static_cast<int>(
      std::ceil(std::sqrt(static_cast<double>(problem.reduction_length())) / max_of_root));
}

Shared MinShared(const Config& config, const PartRequest& request) {
  const Grid grid = GridOf(config, request);
  const int asked = request.split_k.splits;
  const Estimates estimates(config, request, grid);
  using Division = Estimates::Division;
  const auto shared = [&](const Division& of) {
    return Shared{.splits = of.splits, .in_cluster = of.in_cluster, .cost = estimates.CostOf(of)};
  };
  if (asked > 1) return shared(estimates.Divide(asked, false));
  const int least = MinSplits(request.problem);
  Division best = estimates.Divide(asked == 0 ? least : 1, false);
  // Partial sums are f32, which are stored slowly where w is A.
  if (SumType(config.type) != DataType::kF32 || config.w_is_a) return shared(best);
  double cycles = estimates.CyclesOf(best);
  const int first = std::max(least, 2);
  const auto consider = [&](const Division& of) {
    const bool is_exact = best.splits >= least;  // if one tensor is requested, clusters may do
    if (is_exact && estimates.TakesAtLeast(of, cycles)) return;
    best = of;
    cycles = estimates.CyclesOf(of);
  };
  if (asked == 0) {  // a cluster's sums are one tensor
    const int most = MaxSplits(grid, request.device);
    // First the numbers that fill rounds of the device: they rule out most of the others.
    for (const double rounds : {1, 2, 3}) {
      const double splits = rounds * request.device.compute_units / grid.tiles();
      if (splits >= first && splits <= most) {
        consider(estimates.Divide(static_cast<int>(splits), false));
      }
    }
    for (int splits = first; splits <= most; ++splits) {
      const Division of = estimates.Divide(splits, false);
      const double enough = std::min(cycles, request.enough_cycles);
      if (estimates.LowerBoundFrom(of) >= enough * kSlack) break;
      consider(of);
    }
  }
  if (config.has_clusters() && request.device.compute_units >= kClustersAtOnce[1]) {
    for (int splits = first; splits <= kMaxCluster && grid.min_steps / splits >= 2; ++splits) {
      if (grid.tiles() > 2 * kClustersAtOnce[static_cast<std::size_t>(splits)]) break;
      consider(estimates.Divide(splits, true));
    }
  }
  return shared(best);
}

SplitK SplitKOf(const PartRequest& request, const Shared& shared) {
  SplitK split_k = request.split_k;
  split_k.splits = shared.in_cluster ? 1 : shared.splits;
  if (split_k.splits > 1 && split_k.partial_elements == 0) {
    split_k.partial_elements = request.problem.out_elements();
  }
  return split_k;
}

}  // namespace gridwise::hopper
