#include "hopper/plan.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numeric>

#include "absl/strings/str_format.h"
#include "core/base/math.h"
#include "core/conv/roofline.h"
#include "core/conv/sub_gemms.h"
#include "core/launch/plan_epilogue.h"
#include "core/launch/sub_gemm_table.h"
#include "core/passes/pass_cycles.h"
#include "hopper/fit.h"
#include "hopper/maps.h"

namespace gridwise::hopper {
namespace {

/// Tiles of a launch, without its splits.
struct Grid {
  std::int64_t of_group = 0, groups = 1;
  std::int64_t n_tiles = 1, m_tiles = 1;     // m_tiles of backward-weight
  double steps = 0;                          // of K, of all tiles
  double most_steps = 0, least_steps = 1e9;  // of a tile

  double tiles() const { return static_cast<double>(of_group * groups); }
};

std::int64_t SlabsOf(const Config& config, std::int64_t k) {
  return CeilDiv<std::int64_t>(k, config.slab);
}

/// Channels of a group of the tensor that is gathered from.
std::int64_t SourceChannels(const ConvProblem& problem) {
  return problem.AxesOf(GatheredTensor(problem)).size[5];
}

Grid GatherGrid(const Config& config, const ConvProblem& problem,
                std::span<const SubGemm> sub_gemms) {
  Grid grid = {.groups = problem.groups};
  const std::int64_t slabs = SlabsOf(config, SourceChannels(problem));
  grid.n_tiles = CeilDiv<std::int64_t>(problem.AxesOf(problem.out()).size[5], config.columns);
  for (const SubGemm& gemm : sub_gemms) {
    const std::int64_t tiles = CeilDiv<std::int64_t>(gemm.m, config.rows()) * grid.n_tiles;
    const auto steps = static_cast<double>(Taps(gemm) * slabs);
    grid.of_group += tiles;
    grid.steps += static_cast<double>(tiles * problem.groups) * steps;
    grid.most_steps = std::max(grid.most_steps, steps);
    grid.least_steps = std::min(grid.least_steps, steps);
  }
  return grid;
}

/// Blocks of 64 channels at a tap.
std::int64_t WeightBlocks(const ConvProblem& problem) {
  return problem.filter_taps() * CeilDiv<std::int64_t>(problem.c_per_group(), 64);
}

Grid WeightGrid(const Config& config, const ConvProblem& problem) {
  Grid grid = {.groups = problem.groups};
  grid.m_tiles = CeilDiv<std::int64_t>(problem.k_per_group(), config.rows());
  grid.n_tiles = CeilDiv<std::int64_t>(WeightBlocks(problem), config.columns / 64);
  grid.of_group = grid.m_tiles * grid.n_tiles;
  grid.most_steps = static_cast<double>(SlabsOf(config, problem.batch * problem.out_cells()));
  grid.least_steps = grid.most_steps;
  grid.steps = grid.tiles() * grid.most_steps;
  return grid;
}

Grid GridOf(const Config& config, const PartRequest& request) {
  return config.direction == Direction::kBackwardWeight
             ? WeightGrid(config, request.problem)
             : GatherGrid(config, request.problem, request.sub_gemms);
}

/// How many clusters of each size an H200 runs at once where each workgroup fills a multiprocessor,
/// as its driver says (cuOccupancyMaxActiveClusters).
constexpr std::array<double, kMostCluster + 1> kClustersAtOnce = {0,  132, 66, 39, 30,
                                                                  22, 17,  15, 15};

/// Rows of A and columns of B that a tile loads, on average: of backward-weight, not those of
/// blocks of 64 that there are not.
struct Loaded {
  double rows, columns;
};
Loaded LoadedOf(const Config& config, const ConvProblem& problem, const Grid& grid) {
  Loaded loaded = {1.0 * config.rows(), 1.0 * config.columns};
  if (config.direction != Direction::kBackwardWeight) return loaded;
  const auto rows = static_cast<double>(AlignUp<std::int64_t>(problem.k_per_group(), 64));
  const auto columns = static_cast<double>(WeightBlocks(problem) * 64);
  return {rows / static_cast<double>(grid.m_tiles), columns / static_cast<double>(grid.n_tiles)};
}

/// Of the lines of a tensor that are loaded, `of_line` channels each, those that channels fill a
/// part of.
double FilledPart(std::int64_t channels, std::int64_t of_line) {
  if (channels % of_line == 0) return 0;
  return 1.0 / static_cast<double>(CeilDiv(channels, of_line));
}

/// More cycles of a line of a tensor: where it begins within a sector of the cache, it is in one
/// more.
double UnalignedLine(const ConvProblem& problem, Tensor tensor) {
  constexpr std::int64_t kSector = 32;
  const TensorAxes axes = problem.AxesOf(tensor);
  const std::int64_t of_cell = axes.stride[3], of_group = axes.size[4] > 1 ? axes.stride[4] : 0;
  const std::int64_t bytes = SizeOf(problem.type);
  const bool is_aligned = of_cell * bytes % kSector == 0 && of_group * bytes % kSector == 0;
  return is_aligned ? 0 : TheFit().unaligned_line;
}

/// Cycles of the lines that a step loads, of A and of B. Those of backward-weight that reach into
/// another group are loaded as they are, and none of w is taken to be unaligned.
double LineCycles(const Config& config, const ConvProblem& problem, const Loaded& loaded) {
  const Fit& fit = TheFit();
  const std::int64_t channels = SourceChannels(problem);
  const double source = fit.line + UnalignedLine(problem, GatheredTensor(problem));
  if (config.direction != Direction::kBackwardWeight) {
    const double filled = FilledPart(channels, config.slab) * fit.filled_line;
    return loaded.rows * (source + filled) + loaded.columns * fit.line;
  }
  const bool has_neighbours = GroupsAreNeighbours(problem.AxesOf(Tensor::kY));
  const double filled_dy = has_neighbours ? 0 : FilledPart(problem.k_per_group(), 64);
  const double filled_x = problem.groups > 1 ? 0 : FilledPart(channels, 64);
  const double dy = fit.line + UnalignedLine(problem, Tensor::kY) + filled_dy * fit.filled_line;
  return (config.lanes ? 0 : loaded.rows * dy) +
         loaded.columns * (source + filled_x * fit.filled_x);
}

/// Of forward tiles behind the last column, lines of B that are filled up.
double HangingLines(const Config& config, const ConvProblem& problem, const Grid& grid) {
  if (config.direction != Direction::kForward) return 0;
  return static_cast<double>(grid.n_tiles * config.columns - problem.k_per_group());
}
/// The part of tiles that are such, of the workgroup that has most and is behind the others with
/// its next ones: a workgroup's tiles are as far apart as there are workgroups.
double HangingPart(const Grid& grid, int workgroups) {
  if (grid.tiles() <= workgroups) return 0;
  return static_cast<double>(std::gcd(grid.n_tiles, std::int64_t{workgroups})) /
         static_cast<double>(grid.n_tiles);
}

/// Of the matrix unit, next to that of most rows: where B stays, as measured, the more the more
/// columns a line of A is read for.
double EfficiencyOf(const Config& config) {
  return config.kept > 0 ? 1 + 0.04 * config.columns / 256 : 1;
}

/// Estimates of a row for a request, whatever the number of splits: what does not depend on it is
/// computed once. A multiprocessor multiplies 2048 pairs of f16 a cycle; the rest are fits to
/// measurements.
class Estimates {
 public:
  Estimates(const Config& config, const PartRequest& request, const Grid& grid)
      : config_(config), request_(request), grid_(grid) {
    const ConvProblem& problem = request.problem;
    efficiency_ = EfficiencyOf(config) / SlowedByPower();
    // A single warpgroup of few products waits for each slab, and short ones come one by one.
    const bool short_slabs = config.slab < 64 && config.direction == Direction::kBackwardData;
    waits_ = config.rows() * config.columns <= 4096 ? 1.2 : short_slabs ? 1.15 : 1;
    const Loaded loaded = LoadedOf(config, problem, grid);
    lines_ = LineCycles(config, problem, loaded);
    bytes_ =
        config.kept > 0 ? config.stage_bytes() : (loaded.rows + loaded.columns) * config.slab * 2;
    hanging_ = HangingLines(config, problem, grid) * fit_.filled_line;
    hanging_part_ = HangingPart(grid, request.device.compute_units);
    elements_ = static_cast<double>(problem.out_elements());
    operand_bytes_ = RooflineWorkOf(problem).bytes_read;
  }

  /// That no number of splits is sooner done than, without the pass.
  double LeastCycles() const {
    const Step step = StepOf(/*busy=*/1);
    return grid_.steps / request_.device.compute_units * std::max(step.matrix, step.memory);
  }

  /// Of the launch that adds up sums.
  double PassOf(int splits) const {
    const double bytes = elements_ * (4 * splits + SizeOf(request_.problem.type));
    return fit_.split + PassCycles(request_.device, bytes);
  }

  Cost Of(int splits, bool in_cluster = false) const {
    const double tiles = grid_.tiles() * splits;
    const double units = request_.device.compute_units;
    const double at_once =
        in_cluster ? kClustersAtOnce[static_cast<std::size_t>(splits)] * splits : units;
    const double rounds = std::ceil(tiles / at_once);
    // Of the workgroup that ends last: one may have the longest tile, and no other.
    const double steps = std::max(grid_.steps / tiles, grid_.most_steps / splits / rounds);
    const Step step = StepOf(std::min(tiles, units) / units);
    const double matrix = steps * step.matrix, memory = steps * step.memory;
    const int tensors = in_cluster ? 1 : splits;  // of sums
    const bool partial = tensors > 1 || request_.sharing.partial_elements > 0;
    const double out_bytes = partial ? 4 : SizeOf(request_.problem.output_type());
    const double tile_elements = config_.rows() * config_.columns;
    const double exchange = in_cluster ? fit_.exchange + tile_elements * 4 / fit_.exchange_rate : 0;
    const double store = tile_elements * out_bytes / fit_.store / (in_cluster ? splits : 1);
    const double shown_store = !config_.take_turns ? fit_.shared_store
                               : rounds > 1        ? fit_.turns_store
                                                   : fit_.only_store;
    // Stores of a tile overlap with the loads of the next one, and with its products where
    // warpgroups take turns.
    const double alone = std::max(matrix, memory) + shown_store * store +
                         (config_.take_turns ? fit_.turns_first_slab : 1.0) * fit_.first_slab +
                         exchange;
    return WithCycles({.matrix_cycles = matrix,
                       .memory_cycles = memory,
                       .alone_cycles = alone,
                       .fixed_cycles = fit_.launch / rounds,
                       .workgroups = tiles,
                       .rounds = rounds,
                       .resident = 1,
                       .tensor_cycles = (operand_bytes_ + elements_ * out_bytes * tensors) /
                                        DramBytesPerCycle(request_.device),
                       .pass_cycles = tensors == 1 ? 0 : PassOf(splits),
                       .splits = 1.0 * splits});
  }

 private:
  static constexpr double kPairsPerCycle = 2048;

  struct Step {
    double matrix, memory;
  };
  /// Of products in long launches, next to those of tiles that load little.
  double SlowedByPower() const {
    constexpr double kLongSeconds = 180e-6, kLittle = (128 + 256) * 2.0 / (128 * 256);
    const double pairs = 1.0 * config_.rows() * config_.columns * config_.slab;
    const double cycles = grid_.steps * pairs / kPairsPerCycle / request_.device.compute_units;
    if (cycles < kLongSeconds * request_.device.clock_ghz * 1e9) return 1;
    return 1 + fit_.power_of_loads * std::max(config_.stage_bytes() / pairs / kLittle - 1, 0.0);
  }
  /// A tile's, where a part `busy` of all multiprocessors has tiles.
  Step StepOf(double busy) const {
    const double efficiency =
        std::min(fit_.efficiency, fit_.efficiency_of_all / busy) * efficiency_;
    const double l2_bytes_per_cycle = std::min(fit_.l2, fit_.l2_of_all / busy);
    const double matrix =
        config_.rows() * config_.columns * config_.slab / kPairsPerCycle / efficiency;
    const double memory = std::max(bytes_ / l2_bytes_per_cycle, lines_) * waits_;
    const double most = std::max(matrix, memory);
    const double slower = hanging_part_ * std::max(lines_ + hanging_ - most, 0.0);
    return {.matrix = matrix + slower, .memory = memory + slower};
  }

  const Fit& fit_ = TheFit();
  const Config& config_;
  const PartRequest& request_;
  const Grid& grid_;
  double efficiency_, waits_, bytes_, lines_, hanging_, hanging_part_, elements_, operand_bytes_;
};

int Int(std::int64_t value) { return static_cast<int>(value); }

/// Whether a slab of channels could reach into another group: whose infinities, times the zeros
/// that w is filled up with, are NaN.
bool HasMapsOfGroups(const Config& config, const ConvProblem& problem) {
  return problem.groups > 1 && SourceChannels(problem) % config.slab != 0;
}

/// Why B cannot stay in shared memory.
std::optional<std::string> RejectKept(const Config& config, const ConvProblem& problem) {
  if (config.kept == 0) return std::nullopt;
  const std::int64_t steps = problem.filter_taps() * SlabsOf(config, SourceChannels(problem));
  if (problem.groups == 1 && steps <= config.kept && SubGemmCount(problem) == 1)
    return std::nullopt;
  return absl::StrFormat(
      "there are %d groups, %d sub-GEMMs and %d slabs of w; the row keeps those of one, at most %d",
      problem.groups, SubGemmCount(problem), steps, config.kept);
}

/// Where boxes of the copy engine store the output: rows of the GEMM are cells in their order.
bool StoresBoxes(const ConvProblem& problem, std::span<const SubGemm> sub_gemms,
                 const EpilogueArgs& epilogue) {
  const TensorAxes axes = problem.AxesOf(problem.out());
  const std::int64_t bytes = SizeOf(problem.type);
  if (epilogue.out_type != static_cast<int>(problem.type) || epilogue.tensors > 0 ||
      sub_gemms.size() != 1 || Taps(sub_gemms[0]) == 0 || !CellsAreEvenlySpaced(axes) ||
      (axes.size[5] != 1 && axes.stride[5] != 1)) {
    return false;
  }
  // The copy engine stores multiples of 16 bytes, what is beyond the tensor included.
  if (axes.size[5] * bytes % 16 != 0) return false;
  const std::int64_t cells = axes.size[0] * axes.size[1] * axes.size[2] * axes.size[3];
  if (cells != 1 && axes.stride[3] * bytes % 16 != 0) return false;
  if (axes.size[4] != 1 && axes.stride[4] * bytes % 16 != 0) return false;
  return Int(cells) == sub_gemms[0].m;
}

Stores StoresOf(const ConvProblem& problem, std::span<const SubGemm> sub_gemms,
                const EpilogueArgs& epilogue) {
  if (StoresBoxes(problem, sub_gemms, epilogue)) return Stores::kBoxes;
  return LaneStoresOf(problem, epilogue);
}

/// `of_columns`: tiles that follow each other and have columns or splits of their own. Where B
/// stays, all tiles of a workgroup have the same.
LaunchShape ShapeOf(const Config& config, const DeviceFacts& device, std::int64_t tiles,
                    std::int64_t of_columns, int cluster) {
  std::int64_t workgroups = std::min<std::int64_t>(tiles, device.compute_units);
  if (config.kept > 0) workgroups = std::max<std::int64_t>(workgroups / of_columns, 1) * of_columns;
  if (cluster > 1) workgroups = tiles;
  return {.workgroups = {static_cast<unsigned>(workgroups), 1, 1},
          .threads = {static_cast<unsigned>(config.threads()), 1, 1},
          .dynamic_lds_bytes = static_cast<unsigned>(config.shared_bytes()),
          .cluster = static_cast<unsigned>(cluster)};
}

/// How workgroups share the K of a tile: splits, whose sums a pass adds up or the cluster that they
/// are.
struct Shared {
  int splits = 1;
  bool in_cluster = false;
  Cost cost = {};

  int cluster() const { return in_cluster ? splits : 1; }
};

Shared LeastShared(const Config& config, const PartRequest& request) {
  const Grid grid = GridOf(config, request);
  const int asked = request.sharing.splits;
  const Estimates estimates(config, request, grid);
  if (asked > 1) return {.splits = asked, .cost = estimates.Of(asked)};
  Shared best = {.cost = estimates.Of(1)};
  const auto consider = [&](int splits, bool in_cluster) {
    const Cost cost = estimates.Of(splits, in_cluster);
    if (cost.cycles < best.cost.cycles) best = {splits, in_cluster, cost};
  };
  constexpr double kLeastSteps = 4;
  const int most = asked == 1 ? 1 : 128;  // a cluster's sums are one tensor
  const double least = estimates.LeastCycles();
  for (int splits = 2; splits <= most && grid.most_steps / splits >= kLeastSteps; ++splits) {
    if (grid.tiles() * (splits - 1) > 3.0 * request.device.compute_units) break;
    const double enough = std::min(best.cost.cycles, request.enough_cycles);
    if (least + estimates.PassOf(splits) >= enough) break;  // as of more splits
    consider(splits, false);
  }
  if (!config.has_clusters() || request.device.compute_units < kClustersAtOnce[1]) return best;
  for (int splits = 2; splits <= kMostCluster && grid.least_steps / splits >= 2; ++splits) {
    if (grid.tiles() > 2 * kClustersAtOnce[static_cast<std::size_t>(splits)]) break;
    consider(splits, true);
  }
  return best;
}

/// The request with as many splits as they are tensors of sums.
Sharing SharingOf(const PartRequest& request, const Shared& shared) {
  Sharing sharing = request.sharing;
  sharing.splits = shared.in_cluster ? 1 : shared.splits;
  if (sharing.splits > 1 && sharing.partial_elements == 0) {
    sharing.partial_elements = request.problem.out_elements();
  }
  return sharing;
}

bool ClassesAlternate(std::span<const SubGemm> gemms) {
  const auto has_none = [](const SubGemm& gemm) { return Taps(gemm) == 0; };
  const auto is_other = [&](const SubGemm& gemm) { return gemm.m != gemms[0].m; };
  return std::any_of(gemms.begin(), gemms.end(), has_none) &&
         std::none_of(gemms.begin(), gemms.end(), is_other);
}

template <class Args>
void SetStrides(const ConvProblem& problem, Args& args) {
  for (std::size_t i = 0; i < 3; ++i) {
    args.strides[i] = MakeAxisStrides(problem.direction, problem.dims[i]);
  }
  args.is_3d = Is3d(problem);
}

/// The sub-GEMMs, and maps of what they gather from: one each, or one of each and each group.
void AddSubGemms(const Config& config, const PartRequest& request, Plan<GatherArgs>& plan) {
  const ConvProblem& problem = request.problem;
  GatherArgs& args = plan.args;
  int first_tile = 0;
  for (std::size_t i = 0; i < request.sub_gemms.size(); ++i) {
    args.gemm[i] = request.sub_gemms[i];
    args.gemm[i].first_tile = first_tile;
    first_tile += CeilDiv(args.gemm[i].m, config.rows());
    args.steps[i] = Taps(args.gemm[i]) * args.slabs;
    if (Taps(args.gemm[i]) == 0) continue;
    const bool of_groups = args.maps_of_groups != 0;
    const std::size_t maps = of_groups ? static_cast<std::size_t>(problem.groups) : 1;
    for (std::size_t group = 0; group < maps; ++group) {
      const std::size_t at = i * maps + group;
      const std::int64_t offset = static_cast<std::int64_t>(group) * args.k * SizeOf(problem.type);
      plan.maps.push_back(
          {.at = offsetof(GatherArgs, source) + at * sizeof(TensorMap),
           .place = {Memory::kA, offset},
           .spec = SourceMap(problem, args.gemm[i], config.slab, config.rows(), of_groups)});
    }
  }
}

}  // namespace

Stores LaneStoresOf(const ConvProblem& problem, const EpilogueArgs& epilogue) {
  const TensorAxes axes = problem.AxesOf(problem.out());
  const bool is_known = epilogue.out_type == static_cast<int>(DataType::kF32) ||
                        epilogue.out_type == static_cast<int>(problem.type);
  if (!is_known || epilogue.tensors > 0 || epilogue.adds != 0 || axes.stride[5] != 1) {
    return Stores::kElements;
  }
  for (std::size_t axis = 0; axis < 5; ++axis) {
    if (axes.size[axis] != 1 && axes.stride[axis] % 4 != 0) return Stores::kElements;
  }
  return axes.size[5] % 4 == 0 ? Stores::kVectors : Stores::kElements;
}

std::optional<std::string> RejectProblem(const Config& config, const ConvProblem& problem) {
  if (problem.direction != config.direction) {
    return absl::StrFormat("direction is %s; the row is for %s", Name(problem.direction),
                           Name(config.direction));
  }
  if (problem.type != config.type) {
    return absl::StrFormat("type is %s; the row is for %s", Name(problem.type), Name(config.type));
  }
  if (problem.direction != Direction::kBackwardWeight) {
    const std::int64_t channels = SourceChannels(problem);
    const std::int64_t classes = SubGemmCount(problem);
    if (classes > kMaxClasses) {
      return absl::StrFormat("there are %d sub-GEMMs; the row takes at most %d", classes,
                             kMaxClasses);
    }
    if (HasMapsOfGroups(config, problem) && classes * problem.groups > kMaxClasses) {
      return absl::StrFormat(
          "groups have %d source channels; of %d sub-GEMMs and groups in all the row takes "
          "multiples of %d",
          channels, classes * problem.groups, config.slab);
    }
  }
  if (auto reason = RejectKept(config, problem)) return reason;
  return RejectMaps(problem, config.lanes);
}

std::optional<Excess> TooLargeForLaunch(const ConvProblem& problem) {
  const std::int64_t cells = problem.batch * std::max(problem.in_cells(), problem.out_cells());
  const PartAxis of_cells = problem.batch > 1 ? PartAxis::kImages : PartAxis::kCells;
  if (cells >= kOffsetLimit / 2) {
    return Excess{absl::StrFormat("there are %d cells; must be fewer than 2^30", cells), of_cells};
  }
  const TensorAxes axes = problem.AxesOf(problem.out());
  for (const std::size_t axis : {1u, 2u, 3u, 4u}) {
    const std::int64_t bytes = axes.stride[axis] * SizeOf(DataType::kF32);
    if (bytes >= kOffsetLimit) {
      return Excess{absl::StrFormat("elements of the output are %d bytes apart; must be fewer than "
                                    "2^31",
                                    bytes),
                    of_cells};
    }
  }
  return TooLargeForEpilogue(problem, 1);
}

std::int64_t ImagesOfWholeRounds(const Config& config, const PartRequest& request) {
  // Later rounds overlap, and one of several is little of the whole.
  constexpr std::int64_t kMostRounds = 3;
  if (config.direction == Direction::kBackwardWeight || request.sub_gemms.size() != 1) return 0;
  const std::int64_t units = request.device.compute_units;
  const auto tiles = static_cast<std::int64_t>(GridOf(config, request).tiles());
  const std::int64_t rounds = tiles / units, last = tiles % units;
  if (rounds < 1 || rounds > kMostRounds || last * 2 > units) return 0;
  return request.problem.batch * rounds * units / tiles;
}

PartEstimate EstimateLaunch(const Config& config, const PartRequest& request) {
  const Shared shared = LeastShared(config, request);
  return {.splits = SharingOf(request, shared).splits, .cost = shared.cost};
}

Plan<GatherArgs> PlanGather(const Config& config, const PartRequest& request) {
  const ConvProblem& problem = request.problem;
  const Shared shared = LeastShared(config, request);
  const Sharing sharing = SharingOf(request, shared);
  const Grid grid = GridOf(config, request);
  Plan<GatherArgs> plan;
  GatherArgs& args = plan.args;
  args.epilogue = MakeEpilogue(problem, sharing);
  SetStrides(problem, args);
  SetFilter(problem.AxesOf(Tensor::kW).stride, args.filter);
  args.sub_gemms = Int(static_cast<std::int64_t>(request.sub_gemms.size()));
  args.splits = shared.splits;
  args.in_cluster = shared.in_cluster;
  args.groups = Int(problem.groups);
  // Where B stays, all tiles of a workgroup have the same columns.
  args.order = MakeTileOrder(Int(grid.of_group / grid.n_tiles), Int(grid.n_tiles), true,
                             config.kept > 0 ? 0 : request.device.compute_units);
  args.tiles = Int(grid.of_group * shared.splits);
  args.by_tiles = MakeMagicDiv(static_cast<unsigned>(args.tiles));
  args.by_splits = MakeMagicDiv(static_cast<unsigned>(args.splits));
  args.by_sub_gemms = MakeMagicDiv(static_cast<unsigned>(args.sub_gemms));
  args.classes_alternate = ClassesAlternate(request.sub_gemms);
  args.k = Int(SourceChannels(problem));
  args.n = Int(problem.AxesOf(problem.out()).size[5]);
  args.slabs = Int(SlabsOf(config, args.k));
  args.maps_of_groups = HasMapsOfGroups(config, problem);
  // Tiles that run together read the source of a slab of channels once per tap: from L2, if it
  // fits.
  constexpr double kL2Bytes = 30e6;
  const double rows =
      1.0 * config.rows() * request.device.compute_units / static_cast<double>(grid.n_tiles);
  args.channels_outside = rows * args.k * SizeOf(problem.type) > kL2Bytes;
  args.stores = shared.in_cluster ? LaneStoresOf(problem, args.epilogue)
                                  : StoresOf(problem, request.sub_gemms, args.epilogue);
  AddSubGemms(config, request, plan);
  const bool forward = config.direction == Direction::kForward;
  plan.maps.push_back({.at = offsetof(GatherArgs, w),
                       .place = {Memory::kB},
                       .spec = forward ? WeightMap(problem, config.columns, config.slab)
                                       : WeightMap(problem, config.slab, 64)});
  if (args.stores == Stores::kBoxes) {
    plan.maps.push_back({.at = offsetof(GatherArgs, out),
                         .place = {Memory::kOut},
                         .spec = OutputMap(config, problem)});
  }
  plan.shape = ShapeOf(config, request.device, std::int64_t{args.tiles} * args.groups,
                       grid.n_tiles * args.splits, shared.cluster());
  return plan;
}

Plan<WeightArgs> PlanWeight(const Config& config, const PartRequest& request) {
  const ConvProblem& problem = request.problem;
  const Shared shared = LeastShared(config, request);
  const Sharing sharing = SharingOf(request, shared);
  const Grid grid = GridOf(config, request);
  Plan<WeightArgs> plan;
  WeightArgs& args = plan.args;
  args.epilogue = MakeEpilogue(problem, sharing);
  SetStrides(problem, args);
  args.gemm = MakeSubGemms(problem).front();
  args.splits = shared.splits;
  args.in_cluster = shared.in_cluster;
  args.groups = Int(problem.groups);
  // Tiles that follow each other read the same cells of the larger tensor.
  args.order =
      MakeTileOrder(Int(grid.m_tiles), Int(grid.n_tiles),
                    problem.k_per_group() > problem.c_per_group(), request.device.compute_units);
  args.tiles = Int(grid.of_group * shared.splits);
  args.neighbours = shared.in_cluster ? shared.splits : Int(grid.of_group);
  args.by_tiles = MakeMagicDiv(static_cast<unsigned>(args.tiles));
  args.by_neighbours = MakeMagicDiv(static_cast<unsigned>(args.neighbours));
  args.k = Int(problem.k_per_group());
  args.c = Int(problem.c_per_group());
  args.dy_channels = GroupsAreNeighbours(problem.AxesOf(Tensor::kY)) ? args.k : 0;
  args.c_blocks = Int(CeilDiv<std::int64_t>(args.c, 64));
  args.by_c_blocks = MakeMagicDiv(static_cast<unsigned>(args.c_blocks));
  for (const std::size_t i : {0u, 1u}) {
    args.by_taps[i] = MakeMagicDiv(static_cast<unsigned>(args.gemm.axis[i + 1].taps));
  }
  args.dy_pitch = Int(problem.AxesOf(Tensor::kY).stride[3] * SizeOf(problem.type));
  args.dy_cells = Int(problem.batch * problem.out_cells());
  const int slabs = Int(SlabsOf(config, args.dy_cells));
  args.slabs = slabs / shared.splits;
  args.longer = slabs % shared.splits;
  args.stores = StoresOf(problem, {}, args.epilogue);
  plan.addresses = {{offsetof(WeightArgs, dy_data), {Memory::kA}}};
  plan.maps = {{.at = offsetof(WeightArgs, dy),
                .place = {Memory::kA},
                .spec = config.lanes ? ElementsMap(problem, Tensor::kY) : CellMap(problem)},
               {.at = offsetof(WeightArgs, x),
                .place = {Memory::kB},
                .spec = SourceMap(problem, args.gemm, 64, config.slab)}};
  plan.shape =
      ShapeOf(config, request.device, std::int64_t{args.tiles} * args.groups, 1, shared.cluster());
  return plan;
}

}  // namespace gridwise::hopper
