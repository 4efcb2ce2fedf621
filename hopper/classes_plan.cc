#include "hopper/classes_plan.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/strings/str_format.h"
#include "core/base/math.h"
#include "core/conv/sub_gemms.h"
#include "core/launch/plan_epilogue.h"
#include "core/launch/sub_gemm_table.h"
#include "hopper/fit.h"
#include "hopper/maps.h"

namespace gridwise::hopper {
namespace {

constexpr std::int64_t kSlab = 64;  // channels

int Int(std::int64_t value) { return static_cast<int>(value); }

/// The classes in the kernel's order, and behind them the rows of any class: as many cells along an
/// axis as the class with most, of the source cells of the one with two taps.
std::vector<SubGemm> GemmsOf(const ConvProblem& problem) {
  const std::vector<SubGemm> classes = MakeSubGemms(problem);
  std::vector<SubGemm> gemms;
  for (const auto& [h, w] : kClassTaps) {
    gemms.push_back(*std::find_if(classes.begin(), classes.end(), [&](const SubGemm& gemm) {
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
struct ClassGrid {
  std::int64_t m_tiles, n_tiles;

  std::int64_t tiles() const { return m_tiles * n_tiles; }
  /// All tiles of a workgroup have the same columns.
  std::int64_t WorkgroupsOf(const DeviceFacts& device) const {
    const std::int64_t workgroups = std::min<std::int64_t>(tiles(), device.compute_units);
    return std::max<std::int64_t>(workgroups / n_tiles, 1) * n_tiles;
  }
};
ClassGrid GridOf(const ConvProblem& problem) {
  const auto cells = [](const Dim& dim) { return CeilDiv<std::int64_t>(dim.in, 2); };
  const std::int64_t rows = problem.batch * cells(problem.dims[1]) * cells(problem.dims[2]);
  return {.m_tiles = CeilDiv<std::int64_t>(rows, ClassesConfig::kRows),
          .n_tiles = CeilDiv<std::int64_t>(problem.c, 64)};
}

/// Whether the copy engine stores the output: of classes of as many cells each, in multiples of 16
/// bytes, without tensors of the epilogue.
bool StoresBoxes(const ConvProblem& problem, const EpilogueArgs& epilogue) {
  const auto is_even = [](const Dim& dim) { return dim.in % 2 == 0; };
  const TensorAxes axes = problem.AxesOf(problem.out());
  const std::int64_t bytes = SizeOf(problem.type);
  return is_even(problem.dims[1]) && is_even(problem.dims[2]) && epilogue.tensors == 0 &&
         epilogue.adds == 0 && epilogue.out_type == static_cast<int>(problem.type) &&
         axes.size[5] * bytes % 16 == 0 && !RejectStrides("dx", axes, bytes);
}

/// Cells of a class of the output, 16 at a time: a warp's rows.
KernelLaunch::Map ClassMap(const ConvProblem& problem, const SubGemm& gemm, std::size_t index) {
  const TensorAxes axes = problem.AxesOf(problem.out());
  TensorMapSpec map = {.type = problem.type, .rank = 4, .swizzle_bytes = 128};
  map.is_im2col = true;
  map.channels = 64;
  map.cells = 16;
  std::int64_t first = 0;
  SetAxis(map, 0, axes.size[5], 1);
  for (const std::size_t axis : {1u, 2u}) {
    const std::int64_t stride = axes.stride[axis + 1];
    SetAxis(map, 3 - axis, gemm.axis[axis].count, 2 * stride);
    first += gemm.axis[axis].first_cell * stride;
  }
  SetAxis(map, 3, axes.size[0], axes.stride[0]);
  return {.at = offsetof(GatherArgs, source) + (kClassMaps + index) * sizeof(TensorMap),
          .place = {Memory::kOut, first * SizeOf(problem.type)},
          .spec = map};
}

}  // namespace

std::optional<std::string> RejectProblem(const ClassesConfig& config, const ConvProblem& problem) {
  if (problem.direction != Direction::kBackwardData || problem.type != config.type) {
    return absl::StrFormat("the problem is %s of %s; the instance is for bwd_data of %s",
                           Name(problem.direction), Name(problem.type), Name(config.type));
  }
  if (Is3d(problem) || problem.groups != 1) return "the instance is for one group and axes h and w";
  for (const std::size_t axis : {1u, 2u}) {
    const Dim& dim = problem.dims[axis];
    if (dim.filter != 3 || dim.stride != 2 || dim.dilation != 1 || dim.in < 2) {
      return absl::StrFormat(
          "along %c, %d cells meet %d taps, of stride %d and dilation %d; the instance is for two "
          "cells "
          "or more, three taps, stride 2 and dilation 1",
          "dhw"[axis], dim.in, dim.filter, dim.stride, dim.dilation);
    }
  }
  if (problem.k > config.kept * kSlab) {
    return absl::StrFormat("there are %d channels of dy; the instance keeps w of at most %d",
                           problem.k, config.kept * kSlab);
  }
  return RejectMaps(problem, /*lanes=*/false);
}

PartEstimate EstimateLaunch(const ClassesConfig& config, const PartRequest& request) {
  constexpr double kPairsPerCycle = 2048;
  // Cycles in which lanes store a tile, of class instances on an H200. Half of them are hidden
  // behind the other warpgroup's products, but for those of the last.
  constexpr double kLaneStores = 8000;
  const Fit& fit = TheFit();
  const ConvProblem& problem = request.problem;
  const ClassGrid grid = GridOf(problem);
  const std::int64_t workgroups = grid.WorkgroupsOf(request.device);
  const auto rounds = static_cast<double>(CeilDiv(grid.tiles(), workgroups));
  const auto slabs = static_cast<double>(CeilDiv(problem.k, kSlab));
  const auto n_tiles = static_cast<double>(grid.n_tiles);
  const double matrix = slabs * config.kTaps * 64 * 64 * 64 / kPairsPerCycle / fit.efficiency;
  const double loads = slabs * kProductsOfSlab * config.kBlockBytes / fit.l2;
  const double of_class = static_cast<double>(problem.c) / n_tiles * config.kRows;
  const double out_bytes = of_class * config.kClasses * SizeOf(problem.output_type());
  const double dy_bytes = slabs * config.kBlockBytes / n_tiles;
  const double memory =
      (out_bytes + dy_bytes) * static_cast<double>(workgroups) / DramBytesPerCycle(request.device);
  const bool boxes = StoresBoxes(problem, MakeEpilogue(problem, request.sharing));
  const double alone = boxes ? std::max(matrix, loads) + fit.turns_store * out_bytes / fit.store
                             : std::max(matrix, (matrix + kLaneStores) / 2);
  const double w = slabs * config.kTaps * config.kBlockBytes / fit.l2;
  // Half of w is loaded beside the first tile.
  const double fixed = fit.launch + w / 2 + fit.turns_first_slab * fit.first_slab +
                       (boxes ? 0 : (matrix + kLaneStores) / 2);
  return {.splits = std::max(request.sharing.splits, 1),
          .cost = WithCycles({.matrix_cycles = matrix,
                              .memory_cycles = std::max(loads, memory),
                              .alone_cycles = alone,
                              .fixed_cycles = fixed / rounds,
                              .workgroups = static_cast<double>(grid.tiles()),
                              .rounds = rounds,
                              .resident = 1})};
}

Plan<GatherArgs> PlanClasses(const ClassesConfig& config, const PartRequest& request) {
  const ConvProblem& problem = request.problem;
  const ClassGrid grid = GridOf(problem);
  const std::vector<SubGemm> gemms = GemmsOf(problem);
  Plan<GatherArgs> plan;
  GatherArgs& args = plan.args;
  std::copy(gemms.begin(), gemms.end(), args.gemm);
  for (std::size_t i = 0; i < 3; ++i) {
    args.strides[i] = MakeAxisStrides(problem.direction, problem.dims[i]);
  }
  SetFilter(problem.AxesOf(Tensor::kW).stride, args.filter);
  args.sub_gemms = ClassesConfig::kClasses;
  args.splits = std::max(request.sharing.splits, 1);
  args.groups = 1;
  args.order = MakeTileOrder(Int(grid.m_tiles), Int(grid.n_tiles), true, 0);
  args.tiles = Int(grid.tiles());
  args.k = Int(problem.k);
  args.n = Int(problem.c);
  args.slabs = Int(CeilDiv(problem.k, kSlab));
  args.epilogue = MakeEpilogue(problem, request.sharing);
  args.stores =
      StoresBoxes(problem, args.epilogue) ? Stores::kBoxes : LaneStoresOf(problem, args.epilogue);
  plan.maps = {{.at = offsetof(GatherArgs, source),
                .place = {Memory::kA},
                .spec = SourceMap(problem, gemms[kJointGemm], kSlab, ClassesConfig::kRows)},
               {.at = offsetof(GatherArgs, w),
                .place = {Memory::kB},
                .spec = WeightMap(problem, kSlab, 64)}};
  if (args.stores == Stores::kBoxes) {
    for (std::size_t i = 0; i < ClassesConfig::kClasses; ++i) {
      plan.maps.push_back(ClassMap(problem, gemms[i], i));
    }
  }
  const std::int64_t workgroups = args.splits * grid.WorkgroupsOf(request.device);
  plan.shape = {.workgroups = {static_cast<unsigned>(workgroups), 1, 1},
                .threads = {static_cast<unsigned>(config.threads()), 1, 1},
                .dynamic_lds_bytes = static_cast<unsigned>(config.shared_bytes())};
  return plan;
}

}  // namespace gridwise::hopper
