// SPDX-License-Identifier: MIT
#include "hopper/depthwise/plan.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "core/base/math.h"
#include "core/cost/pass_cycles.h"
#include "core/launch/plan_epilogue.h"
#include "hopper/gather/estimate.h"

namespace gridwise::hopper {
namespace {

int Int(std::int64_t value) { return static_cast<int>(value); }

/// The units of a block of channels, and the blocks.
struct Units {
  std::int64_t of_image_h, of_image_w, all, blocks;
};
Units UnitsOf(const DepthwiseWeightConfig& config, const ConvProblem& problem) {
  const Dim &h = problem.dims[1], &w = problem.dims[2];
  // Odd rows of taps multiply rows of dy from the one before a unit on.
  const std::int64_t rows = h.out() + (h.filter > 1 ? 1 : 0);
  Units units = {.of_image_h = CeilDiv<std::int64_t>(rows, config.kRows),
                 .of_image_w = CeilDiv<std::int64_t>(w.out(), config.kColumns),
                 .all = 0,
                 .blocks = CeilDiv<std::int64_t>(problem.groups, config.kChannels)};
  units.all = problem.batch * units.of_image_h * units.of_image_w;
  return units;
}

DepthwiseTensor TensorOf(const ConvProblem& problem, Tensor tensor) {
  const TensorAxes axes = problem.AxesOf(tensor);
  const std::int64_t bytes = SizeOf(problem.type);
  return {.data = nullptr,
          .image = axes.stride[0] * bytes,
          .line = Int(axes.stride[2] * bytes),
          .pixel = Int(axes.stride[3] * bytes),
          .height = Int(axes.size[2]),
          .width = Int(axes.size[3])};
}

/// Why lanes cannot load pairs of channels of a tensor.
std::optional<Refusal> RejectTensor(const ConvProblem& problem, Tensor tensor) {
  const TensorAxes axes = problem.AxesOf(tensor);
  bool are_pairs = axes.size[4] % 2 == 0 && axes.stride[4] == 1;
  for (const std::size_t axis : {0u, 2u, 3u}) {
    are_pairs &= axes.size[axis] == 1 || axes.stride[axis] % 2 == 0;
  }
  if (!are_pairs) {
    return Refuse<
        "%d channels are %d elements apart, pixels %d; the instance loads pairs of adjacent ones">(
        axes.size[4], axes.stride[4], axes.stride[3]);
  }
  const std::int64_t image = axes.size[2] * axes.stride[2] * SizeOf(problem.type);
  if (image < kOffsetLimit) return std::nullopt;
  return Refuse<"an image is %d bytes; must be fewer than 2^31">(image);
}

/// Cycles of a unit: the instructions of four warps on each quarter of an SM, counted, and device
/// memory's answer under load, 1 us, since a unit's loads are in flight only while the one before
/// is multiplied.
double UnitCycles(const DepthwiseWeightConfig& config, const ConvProblem& problem) {
  constexpr double kOfLoads = 19, kOfProduct = 7, kOfColumns = 14, kOfUnit = 60, kMemory = 2000;
  const double columns = static_cast<double>(std::min<std::int64_t>(
      AlignUp<std::int64_t>(problem.dims[2].out(), config.kOfProduct), config.kColumns));
  const double warps = config.kChannels;
  const double loads =
      std::ceil((columns + config.kOfProduct) / warps) * 3 + std::ceil(columns / warps) * 2;
  const double products = columns / config.kOfProduct * (kOfColumns + config.rows * kOfProduct);
  return warps / 4 * (loads * kOfLoads + products + kOfUnit) + kMemory;
}

PartEstimate EstimateSplits(const DepthwiseWeightConfig& config, const PartRequest& request,
                            const Units& units, std::int64_t splits) {
  constexpr double kLaunch = 14000, kSplit = 8000;  // as of halo instances
  const ConvProblem& problem = request.problem;
  const auto workgroups = static_cast<double>(units.blocks * splits);
  const double rounds = std::ceil(workgroups / request.device.compute_units);
  const double unit = UnitCycles(config, problem);
  const auto of_split = static_cast<double>(CeilDiv(units.all, splits));
  Cost cost = {.matrix_cycles = unit * of_split,
               .memory_cycles = unit * of_split,
               .alone_cycles = unit * of_split,
               .fixed_cycles = kLaunch / rounds,
               .workgroups = workgroups,
               .rounds = rounds,
               .resident = 1,
               .splits = static_cast<double>(splits)};
  if (splits > 1) {
    const auto elements = static_cast<double>(problem.out_elements());
    cost.pass_cycles =
        kSplit + PassCycles(request.device,
                            elements * (4.0 * static_cast<double>(splits) + SizeOf(problem.type)));
  }
  return {.splits = Int(splits), .cost = WithCycles(cost)};
}

}  // namespace

std::optional<Refusal> RejectProblem(const DepthwiseWeightConfig& config,
                                     const ConvProblem& problem) {
  if (problem.direction != Direction::kBackwardWeight || problem.type != config.type) {
    return Refuse<"the problem is %s of %s; the instance is for bwd_weight of %s">(
        Name(problem.direction), Name(problem.type), Name(config.type));
  }
  if (problem.c != problem.groups || problem.k != problem.groups) {
    return Refuse<"%d groups have %d and %d channels; the instance is for 1 and 1">(
        problem.groups, problem.c_per_group(), problem.k_per_group());
  }
  const Dim &h = problem.dims[1], &w = problem.dims[2];
  if (problem.dims[0] != Dim{} || h.stride != 1 || w.stride != 1 || h.dilation != 1 ||
      w.dilation != 1) {
    return Refuse<"the instance is for two axes, without strides and dilation">();
  }
  // Fewer rows waste products.
  if (h.filter > config.rows || h.filter < config.rows - 1 || w.filter > config.kMaxFilter) {
    return Refuse<"the filter is %d x %d; the instance is for %d or %d x %d at most">(
        h.filter, w.filter, config.rows - 1, config.rows, config.kMaxFilter);
  }
  for (const Tensor tensor : {Tensor::kX, Tensor::kY}) {
    if (auto reason = RejectTensor(problem, tensor)) return reason;
  }
  return std::nullopt;
}

PartEstimate EstimateLaunch(const DepthwiseWeightConfig& config, const PartRequest& request) {
  const Units units = UnitsOf(config, request.problem);
  if (request.split_k.splits > 0) {
    return EstimateSplits(config, request, units, request.split_k.splits);
  }
  const std::int64_t least = std::min<std::int64_t>(MinSplits(request.problem), units.all);
  constexpr std::int64_t kRounds = 3;
  PartEstimate best = EstimateSplits(config, request, units, least);
  for (std::int64_t rounds = 1; rounds <= kRounds; ++rounds) {
    const std::int64_t splits = rounds * request.device.compute_units / units.blocks;
    if (splits <= least) continue;
    const PartEstimate other =
        EstimateSplits(config, request, units, std::min<std::int64_t>(splits, units.all));
    if (other.cost.cycles < best.cost.cycles) best = other;
  }
  return best;
}

Plan<DepthwiseWeightArgs> PlanDepthwise(const DepthwiseWeightConfig& config,
                                        const PartRequest& request) {
  const ConvProblem& problem = request.problem;
  const Units units = UnitsOf(config, problem);
  SplitK split_k = request.split_k;
  split_k.splits = EstimateLaunch(config, request).splits;
  if (split_k.splits > 1 && split_k.partial_elements == 0)
    split_k.partial_elements = problem.out_elements();
  Plan<DepthwiseWeightArgs> plan;
  DepthwiseWeightArgs& args = plan.args;
  args.dy = TensorOf(problem, Tensor::kY);
  args.x = TensorOf(problem, Tensor::kX);
  args.pad_h = Int(problem.dims[1].pad_begin);
  args.pad_w = Int(problem.dims[2].pad_begin);
  args.taps_h = Int(problem.dims[1].filter);
  args.taps_w = Int(problem.dims[2].filter);
  args.channels = Int(problem.groups);
  args.blocks = Int(units.blocks);
  args.units = Int(units.all / split_k.splits);
  args.longer = Int(units.all % split_k.splits);
  args.of_image_h = Int(units.of_image_h);
  args.of_image_w = Int(units.of_image_w);
  args.by_blocks = MakeMagicDiv(static_cast<unsigned>(args.blocks));
  args.by_of_image_h = MakeMagicDiv(static_cast<unsigned>(args.of_image_h));
  args.by_of_image_w = MakeMagicDiv(static_cast<unsigned>(args.of_image_w));
  args.epilogue = MakeEpilogue(problem, split_k);
  constexpr std::size_t kData = offsetof(DepthwiseTensor, data);
  plan.addresses = {{offsetof(DepthwiseWeightArgs, dy) + kData, {Memory::kA}},
                    {offsetof(DepthwiseWeightArgs, x) + kData, {Memory::kB}}};
  plan.shape = {.workgroups = {static_cast<unsigned>(units.blocks * split_k.splits), 1, 1},
                .threads = {static_cast<unsigned>(config.threads()), 1, 1},
                .dynamic_lds_bytes = static_cast<unsigned>(config.shared_bytes())};
  return plan;
}

}  // namespace gridwise::hopper
