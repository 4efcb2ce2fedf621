// SPDX-License-Identifier: MIT
#include "hopper/phases/plan.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/base/math.h"
#include "core/conv/sub_gemms.h"
#include "core/launch/plan_epilogue.h"
#include "core/launch/sub_gemm_table.h"
#include "hopper/base/maps.h"
#include "hopper/fit/fit.h"

namespace gridwise::hopper {
namespace {

constexpr std::int64_t kKTile = 64;  // channels

int Int(std::int64_t value) { return static_cast<int>(value); }

/// The phases in the kernel's order, followed by the rows of any phase: as many pixels along an
/// axis as the phase with most has, of the source pixels of the phase with two taps.
std::vector<SubGemm> GemmsOf(const ConvProblem& problem) {
  const std::vector<SubGemm> phases = MakeSubGemms(problem);
  std::vector<SubGemm> gemms;
  for (const auto& [h, w] : kPhaseTaps) {
    gemms.push_back(*std::find_if(phases.begin(), phases.end(), [&](const SubGemm& gemm) {
      return gemm.axis[1].taps == h && gemm.axis[2].taps == w;
    }));
  }
  SubGemm joint = gemms[1];
  for (const SubGemm& gemm : gemms) {
    for (const std::size_t axis : {1u, 2u}) {
      joint.axis[axis].count = std::max(joint.axis[axis].count, gemm.axis[axis].count);
    }
  }
  joint.m = Int(problem.batch) * joint.axis[1].count * joint.axis[2].count;
  joint.by_count_h = MakeMagicDiv(static_cast<unsigned>(joint.axis[1].count));
  joint.by_count_w = MakeMagicDiv(static_cast<unsigned>(joint.axis[2].count));
  gemms.push_back(joint);
  return gemms;
}

/// Tiles of rows and of columns.
struct PhaseGrid {
  std::int64_t m_tiles, n_tiles;

  std::int64_t tiles() const { return m_tiles * n_tiles; }
  /// All tiles of a workgroup have the same columns.
  std::int64_t WorkgroupsOf(const DeviceFacts& device) const {
    const std::int64_t workgroups = std::min<std::int64_t>(tiles(), device.compute_units);
    return std::max<std::int64_t>(workgroups / n_tiles, 1) * n_tiles;
  }
};
PhaseGrid GridOf(const ConvProblem& problem) {
  const auto pixels = [](const Dim& dim) { return CeilDiv<std::int64_t>(dim.in, 2); };
  const std::int64_t rows = problem.batch * pixels(problem.dims[1]) * pixels(problem.dims[2]);
  return {.m_tiles = CeilDiv<std::int64_t>(rows, PhasesConfig::kRows),
          .n_tiles = CeilDiv<std::int64_t>(problem.c, 64)};
}

/// Whether TMA stores the output: phases must have equal numbers of pixels, in multiples of 16
/// bytes, and the epilogue no tensors.
bool StoresBoxes(const ConvProblem& problem, const EpilogueArgs& epilogue) {
  const auto is_even = [](const Dim& dim) { return dim.in % 2 == 0; };
  const TensorAxes axes = problem.AxesOf(problem.out());
  const std::int64_t bytes = SizeOf(problem.type);
  return is_even(problem.dims[1]) && is_even(problem.dims[2]) && epilogue.tensors == 0 &&
         epilogue.adds == 0 && epilogue.out_type == static_cast<int>(problem.type) &&
         axes.size[5] * bytes % 16 == 0 && !RejectStrides("dx", axes, bytes);
}

/// Pixels of a phase of the output, 16 at a time: a warp's rows.
KernelLaunch::Map PhaseMap(const ConvProblem& problem, const SubGemm& gemm, std::size_t index) {
  const TensorAxes axes = problem.AxesOf(problem.out());
  TensorMapSpec map = {.type = problem.type, .rank = 4, .swizzle_bytes = 128};
  map.is_im2col = true;
  map.channels = 64;
  map.pixels = 16;
  std::int64_t first = 0;
  SetAxis(map, 0, axes.size[5], 1);
  for (const std::size_t axis : {1u, 2u}) {
    const std::int64_t stride = axes.stride[axis + 1];
    SetAxis(map, 3 - axis, gemm.axis[axis].count, 2 * stride);
    first += gemm.axis[axis].first_pixel * stride;
  }
  SetAxis(map, 3, axes.size[0], axes.stride[0]);
  return {.at = offsetof(GatherArgs, source) + (kPhaseMaps + index) * sizeof(TensorMap),
          .points_to = {Memory::kOut, first * SizeOf(problem.type)},
          .spec = map};
}

}  // namespace

std::optional<Refusal> RejectProblem(const PhasesConfig& config, const ConvProblem& problem) {
  if (problem.direction != Direction::kBackwardData || problem.type != config.type) {
    return Refuse<"the problem is %s of %s; the instance is for bwd_data of %s">(
        Name(problem.direction), Name(problem.type), Name(config.type));
  }
  if (Is3d(problem) || problem.groups != 1)
    return Refuse<"the instance is for one group and axes h and w">();
  for (const std::size_t axis : {1u, 2u}) {
    const Dim& dim = problem.dims[axis];
    if (dim.filter != 3 || dim.stride != 2 || dim.dilation != 1 || dim.in < 2) {
      return Refuse<
          "along %c, %d pixels meet %d taps, with stride %d and dilation %d; the instance is for "
          "two or more pixels, three taps, stride 2 and dilation 1">(
          "dhw"[axis], dim.in, dim.filter, dim.stride, dim.dilation);
    }
  }
  if (problem.k > config.resident * kKTile) {
    return Refuse<"there are %d channels of dy; the instance keeps w of at most %d">(
        problem.k, config.resident * kKTile);
  }
  return RejectMaps(problem, /*lanes=*/false);
}

PartEstimate EstimateLaunch(const PhasesConfig& config, const PartRequest& request) {
  constexpr double kPairsPerCycle = 2048;
  // Cycles in which lanes store a tile of phase instances on an H200. Half of them hide behind the
  // other warpgroup's products, except in the last tile.
  constexpr double kLaneStores = 8000;
  const Fit& fit = FitOf(request);
  const ConvProblem& problem = request.problem;
  const PhaseGrid grid = GridOf(problem);
  const std::int64_t workgroups = grid.WorkgroupsOf(request.device);
  const auto rounds = static_cast<double>(CeilDiv(grid.tiles(), workgroups));
  const auto k_tiles = static_cast<double>(CeilDiv(problem.k, kKTile));
  const auto n_tiles = static_cast<double>(grid.n_tiles);
  const double matrix = k_tiles * config.kTaps * 64 * 64 * 64 / kPairsPerCycle / fit.efficiency;
  const double loads = k_tiles * kProductsOfKTile * config.kBlockBytes / fit.l2;
  const double of_phase = static_cast<double>(problem.c) / n_tiles * config.kRows;
  const double out_bytes = of_phase * config.kPhases * SizeOf(problem.output_type());
  const double dy_bytes = k_tiles * config.kBlockBytes / n_tiles;
  const double memory = (out_bytes + dy_bytes) * static_cast<double>(workgroups) /
                        DramBytesPerCycle(request.device, fit);
  const bool boxes = StoresBoxes(problem, MakeEpilogue(problem, request.split_k));
  const double alone = boxes ? std::max(matrix, loads) + fit.pingpong_store * out_bytes / fit.store
                             : std::max(matrix, (matrix + kLaneStores) / 2);
  const double w = k_tiles * config.kTaps * config.kBlockBytes / fit.l2;
  // Half of w is loaded during the first tile.
  const double fixed = fit.launch + w / 2 + fit.pingpong_first_k_tile * fit.first_k_tile +
                       (boxes ? 0 : (matrix + kLaneStores) / 2);
  return {.splits = std::max(request.split_k.splits, 1),
          .cost = {.matrix_cycles = matrix,
                   .memory_cycles = std::max(loads, memory),
                   .alone_cycles = alone,
                   .fixed_cycles = fixed / rounds,
                   .workgroups = static_cast<double>(grid.tiles()),
                   .rounds = rounds,
                   .resident = 1}};
}

Plan<GatherArgs> PlanPhases(const PhasesConfig& config, const PartRequest& request) {
  const ConvProblem& problem = request.problem;
  const PhaseGrid grid = GridOf(problem);
  const std::vector<SubGemm> gemms = GemmsOf(problem);
  Plan<GatherArgs> plan;
  GatherArgs& args = plan.args;
  std::copy(gemms.begin(), gemms.end(), args.gemm);
  for (std::size_t i = 0; i < 3; ++i) {
    args.strides[i] = MakeAxisStrides(problem.direction, problem.dims[i]);
  }
  SetFilter(problem.AxesOf(Tensor::kW).stride, args.filter);
  args.sub_gemms = PhasesConfig::kPhases;
  args.splits = std::max(request.split_k.splits, 1);
  args.groups = 1;
  args.order = MakeTileOrder(Int(grid.m_tiles), Int(grid.n_tiles), true, 0);
  args.tiles = Int(grid.tiles());
  args.k = Int(problem.k);
  args.n = Int(problem.c);
  args.k_tiles = Int(CeilDiv(problem.k, kKTile));
  args.epilogue = MakeEpilogue(problem, request.split_k);
  args.stores =
      StoresBoxes(problem, args.epilogue) ? Stores::kBoxes : LaneStoresOf(problem, args.epilogue);
  plan.maps = {{.at = offsetof(GatherArgs, source),
                .points_to = {Memory::kA},
                .spec = SourceMap(problem, gemms[kJointGemm], kKTile, PhasesConfig::kRows)},
               {.at = offsetof(GatherArgs, w),
                .points_to = {Memory::kB},
                .spec = WeightMap(problem, kKTile, 64)}};
  if (args.stores == Stores::kBoxes) {
    for (std::size_t i = 0; i < PhasesConfig::kPhases; ++i) {
      plan.maps.push_back(PhaseMap(problem, gemms[i], i));
    }
  }
  const std::int64_t workgroups = args.splits * grid.WorkgroupsOf(request.device);
  plan.shape = {.workgroups = {static_cast<unsigned>(workgroups), 1, 1},
                .threads = {static_cast<unsigned>(config.threads()), 1, 1},
                .dynamic_lds_bytes = static_cast<unsigned>(config.shared_bytes())};
  return plan;
}

}  // namespace gridwise::hopper
