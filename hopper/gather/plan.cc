// SPDX-License-Identifier: MIT
#include "hopper/gather/plan.h"

#include <algorithm>
#include <cstddef>

#include "core/base/math.h"
#include "core/conv/sub_gemms.h"
#include "core/launch/plan_epilogue.h"
#include "core/launch/sub_gemm_table.h"
#include "hopper/base/maps.h"
#include "hopper/gather/estimate.h"
#include "hopper/gather/launch_parts.h"
#include "hopper/operands/tma_operands.h"

namespace gridwise::hopper {
namespace {

static_assert(kMaxMapsOfGroups == kMaxPhases);

/// If a k tile of channels reached into another group, it would multiply that group's infinities
/// (which integers do not have) by the zeros that fill up w, which makes NaN.
SourceGroups SourceGroupsOf(const Config& config, const ConvProblem& problem) {
  const std::int64_t channels = SourceChannels(problem);
  if (problem.groups == 1 || channels % config.k_tile == 0 || KTilesOverlap(config, channels) ||
      SumType(config.type) != DataType::kF32) {
    return SourceGroups::kWindows;
  }
  const bool has_maps = SubGemmCount(problem) * problem.groups <= kMaxPhases;
  return has_maps ? SourceGroups::kMaps : SourceGroups::kAxis;
}

/// Why B cannot stay in shared memory.
std::optional<Refusal> RejectResident(const Config& config, const ConvProblem& problem) {
  if (config.resident == 0) return std::nullopt;
  const std::int64_t steps = problem.filter_taps() * KTilesOf(config, SourceChannels(problem));
  if (problem.groups == 1 && steps <= config.resident && SubGemmCount(problem) == 1)
    return std::nullopt;
  return Refuse<
      "there are %d groups, %d sub-GEMMs and %d k tiles of w; the instance keeps those of one, at "
      "most %d">(problem.groups, SubGemmCount(problem), steps, config.resident);
}

/// Whether TMA boxes can store the output: rows of the GEMM are pixels in its order.
bool StoresBoxes(const Config& config, const ConvProblem& problem,
                 std::span<const SubGemm> sub_gemms, const EpilogueArgs& epilogue) {
  const TensorAxes axes = problem.AxesOf(problem.out());
  const std::int64_t bytes = SizeOf(problem.type);
  if (!config.stores_boxes() || epilogue.out_type != static_cast<int>(StoredType(problem.type)) ||
      !AddsVectors(problem, epilogue) || sub_gemms.size() != 1 || Taps(sub_gemms[0]) == 0 ||
      !PixelsAreEvenlySpaced(axes) || (axes.size[5] != 1 && axes.stride[5] != 1)) {
    return false;
  }
  // TMA stores multiples of 16 bytes, including bytes beyond the tensor.
  if (axes.size[5] * bytes % 16 != 0) return false;
  const std::int64_t pixels = axes.size[0] * axes.size[1] * axes.size[2] * axes.size[3];
  if (pixels != 1 && axes.stride[3] * bytes % 16 != 0) return false;
  if (axes.size[4] != 1 && axes.stride[4] * bytes % 16 != 0) return false;
  return Int(pixels) == sub_gemms[0].m;
}

/// Why an instance whose columns are pixels is not for a problem. It would store it slowly, by
/// elements.
std::optional<Refusal> RejectPixelsAsColumns(const ConvProblem& problem) {
  const std::int64_t columns = problem.AxesOf(problem.out()).size[5];
  if (problem.groups == 1 && SubGemmCount(problem) == 1 &&
      columns * SizeOf(problem.type) % 16 == 0 && problem.output_type() == problem.type &&
      problem.epilogue.tensors == 0) {
    return std::nullopt;
  }
  return Refuse<
      "there are %d groups, %d sub-GEMMs, %d output channels and %d tensors of the epilogue; the "
      "instance takes one group and one sub-GEMM, outputs of the operands' type that are multiples "
      "of 16 bytes, and no tensors">(problem.groups, SubGemmCount(problem), columns,
                                     problem.epilogue.tensors);
}

Stores StoresOf(const Config& config, const ConvProblem& problem,
                std::span<const SubGemm> sub_gemms, const EpilogueArgs& epilogue) {
  if (StoresBoxes(config, problem, sub_gemms, epilogue)) return Stores::kBoxes;
  return LaneStoresOf(problem, epilogue);
}

/// Bytes from row to row of the epilogue's last tensor if lanes can copy it, 16 bytes at a time, to
/// where boxes are staged (kernel/staged.h), and L2 does not hold it; else 0, as of a bias. On an
/// H200 staging took 0.87 of the time of a layer with 103 MB, as long with 51, and 1.1 with 26.
int StagedPitch(const PartRequest& request, const EpilogueArgs& epilogue, Stores stores) {
  if (stores != Stores::kBoxes || epilogue.tensors == 0) return 0;
  const ConvProblem& problem = request.problem;
  const EpilogueTensor& last = problem.epilogue.d[static_cast<std::size_t>(epilogue.tensors - 1)];
  const TensorAxes axes = {.size = problem.AxesOf(problem.out()).size, .stride = last.stride};
  const std::int64_t bytes = SizeOf(last.type), pitch = axes.stride[3] * bytes;
  const bool has_pieces = axes.size[4] == 1 || axes.stride[4] * bytes % 16 == 0;
  if (!PixelsAreEvenlySpaced(axes) || !has_pieces || pitch % 16 != 0) return 0;
  const double all = static_cast<double>(axes.Elements() * bytes);
  return all > request.device.machine.l2_bytes ? Int(pitch) : 0;
}

bool PhasesAlternate(std::span<const SubGemm> gemms) {
  const auto has_none = [](const SubGemm& gemm) { return Taps(gemm) == 0; };
  const auto is_other = [&](const SubGemm& gemm) { return gemm.m != gemms[0].m; };
  return std::any_of(gemms.begin(), gemms.end(), has_none) &&
         std::none_of(gemms.begin(), gemms.end(), is_other);
}

/// The sub-GEMMs, and the maps of the tensor that they gather from: one per sub-GEMM, or per
/// sub-GEMM and group.
void AddSubGemms(const Config& config, const PartRequest& request, Plan<GatherArgs>& plan) {
  const ConvProblem& problem = request.problem;
  GatherArgs& args = plan.args;
  int first_tile = 0;
  for (std::size_t i = 0; i < request.sub_gemms.size(); ++i) {
    args.gemm[i] = request.sub_gemms[i];
    args.gemm[i].first_tile = first_tile;
    first_tile += CeilDiv(args.gemm[i].m, config.pixels());
    args.steps[i] = Taps(args.gemm[i]) * args.k_tiles;
    args.whole[i] = Taps(args.gemm[i]) * WholeKTilesOf(config, args.k);
    if (Taps(args.gemm[i]) == 0) continue;
    const bool of_groups = args.source_groups == SourceGroups::kMaps;
    const std::size_t maps = of_groups ? static_cast<std::size_t>(problem.groups) : 1;
    for (std::size_t group = 0; group < maps; ++group) {
      const std::size_t at = i * maps + group;
      const std::int64_t offset = static_cast<std::int64_t>(group) * args.k * SizeOf(problem.type);
      plan.maps.push_back({.at = offsetof(GatherArgs, source) + at * sizeof(TensorMap),
                           .points_to = {Memory::kA, offset},
                           .spec = SourceMap(problem, args.gemm[i], config.k_tile, config.pixels(),
                                             args.source_groups)});
    }
  }
}

/// Where a tap's last k tile begins, and its products.
void SetLastKTile(const Config& config, GatherArgs& args) {
  args.of_partial = ProductsOfLast(config, args.k);
  args.last_channel = (args.k_tiles - 1) * config.k_tile;
  if (WholeKTilesOf(config, args.k) == args.k_tiles) return;
  args.channels_outside = true;  // all partial k tiles are the last ones
  if (KTilesOverlap(config, args.k)) args.last_channel = args.k - config.k_tile;
}

}  // namespace

std::optional<Refusal> RejectProblem(const Config& config, const ConvProblem& problem) {
  if (problem.direction != config.direction) {
    return Refuse<"direction is %s; the instance is for %s">(Name(problem.direction),
                                                             Name(config.direction));
  }
  if (problem.type != config.type) {
    return Refuse<"type is %s; the instance is for %s">(Name(problem.type), Name(config.type));
  }
  if (problem.direction != Direction::kBackwardWeight) {
    const std::int64_t channels = SourceChannels(problem);
    if (SourceGroupsOf(config, problem) == SourceGroups::kAxis && !HasAxisOfGroups(problem)) {
      return Refuse<
          "groups have %d source channels; with %d sub-GEMMs and groups in total, the instance "
          "takes multiples of %d, or filters of at most %d pixels along h and w">(
          channels, SubGemmCount(problem) * problem.groups, config.k_tile, kMaxPixelsBesideGroups);
    }
  }
  if (config.w_is_a) {
    if (auto reason = RejectPixelsAsColumns(problem)) return reason;
  }
  if (config.x_is_a && problem.groups > 1) {
    return Refuse<"there are %d groups; the instance is for one">(problem.groups);
  }
  if (auto reason = RejectResident(config, problem)) return reason;
  return RejectMaps(problem, config.lanes, GroupsOfTile(config, problem));
}

std::int64_t ImagesOfWholeRounds(const Config& config, const PartRequest& request) {
  // Later rounds overlap, and one of many is a small part of the whole.
  constexpr std::int64_t kMaxRounds = 3;
  if (config.direction == Direction::kBackwardWeight || request.sub_gemms.size() != 1) return 0;
  const std::int64_t units = request.device.compute_units;
  const auto tiles = static_cast<std::int64_t>(GridOf(config, request).tiles());
  const std::int64_t rounds = tiles / units, last = tiles % units;
  if (rounds < 1 || rounds > kMaxRounds || last * 2 > units) return 0;
  return request.problem.batch * rounds * units / tiles;
}

PartEstimate EstimateLaunch(const Config& config, const PartRequest& request) {
  const Shared shared = MinShared(config, request);
  return {.splits = SplitKOf(request, shared).splits, .cost = shared.cost};
}

Plan<GatherArgs> PlanGather(const Config& config, const PartRequest& request) {
  const ConvProblem& problem = request.problem;
  const Shared shared = MinShared(config, request);
  const SplitK split_k = SplitKOf(request, shared);
  const Grid grid = GridOf(config, request);
  Plan<GatherArgs> plan;
  GatherArgs& args = plan.args;
  args.epilogue = MakeEpilogue(problem, split_k);
  SetStrides(problem, args);
  SetFilter(problem.AxesOf(Tensor::kW).stride, args.filter);
  args.w_tap = Int(problem.AxesOf(Tensor::kW).stride[4]);
  args.w_group = Int(problem.AxesOf(Tensor::kW).stride[0]);
  args.sub_gemms = Int(static_cast<std::int64_t>(request.sub_gemms.size()));
  args.splits = shared.splits;
  args.in_cluster = shared.in_cluster;
  args.groups = Int(problem.groups);
  // If B stays, all tiles of a workgroup have the same columns.
  args.order = MakeTileOrder(Int(grid.of_group / grid.n_tiles), Int(grid.n_tiles), true,
                             config.resident > 0 ? 0 : request.device.compute_units);
  args.tiles = Int(grid.of_group * shared.splits);
  args.by_tiles = MakeMagicDiv(static_cast<unsigned>(args.tiles));
  args.by_splits = MakeMagicDiv(static_cast<unsigned>(args.splits));
  args.by_sub_gemms = MakeMagicDiv(static_cast<unsigned>(args.sub_gemms));
  args.phases_alternate = PhasesAlternate(request.sub_gemms);
  args.k = Int(SourceChannels(problem));
  args.n = Int(problem.AxesOf(problem.out()).size[5]);
  args.k_tiles = Int(KTilesOf(config, args.k));
  args.box_columns = ColumnsOfBox(config, args.n, FitOf(request));
  args.loaded_columns = AlignUp(args.n, args.box_columns);
  args.source_groups = SourceGroupsOf(config, problem);
  args.has_five_axes = Is3d(problem) || args.source_groups == SourceGroups::kAxis;
  // Tiles that run together read the source of a k tile of channels once per tap: from L2, if it
  // fits.
  constexpr double kL2Bytes = 30e6;
  const double rows =
      1.0 * config.pixels() * request.device.compute_units / static_cast<double>(grid.n_tiles);
  args.channels_outside = rows * args.k * SizeOf(problem.type) > kL2Bytes;
  SetLastKTile(config, args);
  // The map is the output's: splits store their sums elsewhere.
  const bool by_lanes = shared.in_cluster || split_k.partial_elements > 0;
  args.stores = by_lanes ? LaneStoresOf(problem, args.epilogue)
                         : StoresOf(config, problem, request.sub_gemms, args.epilogue);
  args.staged_pitch = StagedPitch(request, args.epilogue, args.stores);
  AddSubGemms(config, request, plan);
  AddMapsOfB(config, request, offsetof(GatherArgs, w),
             config.w_runs_along_k() ? WeightMap(problem, args.box_columns, config.k_tile)
                                     : WeightLinesMap(problem, config.k_tile),
             plan);
  SetExact(config, request, plan);
  if (args.stores == Stores::kBoxes) {
    plan.maps.push_back({.at = offsetof(GatherArgs, out),
                         .points_to = {Memory::kOut},
                         .spec = OutputMap(config, problem)});
  }
  plan.shape = ShapeOf(config, request.device, std::int64_t{args.tiles} * args.groups,
                       grid.n_tiles * args.splits, shared.cluster());
  return plan;
}

}  // namespace gridwise::hopper
