#include "hopper/narrow_plan.h"

#include <algorithm>
#include <cstddef>
#include <variant>

#include "absl/strings/str_format.h"
#include "core/base/math.h"
#include "core/launch/plan_epilogue.h"
#include "core/passes/pass_cycles.h"
#include "hopper/halo_tiling.h"
#include "hopper/maps.h"

namespace gridwise::hopper {
namespace {

constexpr int kBarrierBytes = 64;
constexpr int kZeroBytes = 128;
constexpr double kMmaCycles = 6;  // of a product of a warp, on its quarter of a multiprocessor

int Int(std::int64_t value) { return static_cast<int>(value); }

/// Cycles of the warps of a tile that has `items` items of work, each of `products` of 16 x 8 x 16.
double CyclesOfItems(int items, int parts, int products) {
  return CeilDiv(items, parts) * parts * products * kMmaCycles;
}

std::variant<std::string, Halo> HaloOf(const NarrowConfig& config, const ConvProblem& problem,
                                       const DeviceFacts& device) {
  const int products = config.lines * config.filter * config.filter * config.channels / 8;
  return MakeHalo(problem, device,
                  {.up = config.up,
                   .limits =
                       [&](const HaloShape&) {
                         return HaloLimits{.cells = 4096,
                                           .up = config.up,
                                           .stages = config.stages,
                                           .other_bytes = kBarrierBytes,
                                           .run_w = 16,
                                           .run_h = config.lines};
                       },
                   .matrix =
                       [&](const HaloShape&, const HaloTiling& tiling) {
                         const int items =
                             CeilDiv(tiling.tile_w, 16) * CeilDiv(tiling.tile_h, config.lines);
                         return CyclesOfItems(items, config.parts(), products);
                       },
                   .alone = 300,
                   .cells_of_other = 1.0 * config.classes()});
}

std::variant<std::string, Halo> HaloOf(const NarrowWeightConfig& config, const ConvProblem& problem,
                                       const DeviceFacts& device) {
  const int products = config.taps() * config.channels / 8;
  return MakeHalo(problem, device,
                  {.limits =
                       [&](const HaloShape&) {
                         return HaloLimits{.cells = 4096,
                                           .stages = config.stages,
                                           .other_bytes = kZeroBytes + kBarrierBytes,
                                           .dy = DyInStage::kPacked};
                       },
                   .matrix =
                       [&](const HaloShape&, const HaloTiling& tiling) {
                         return CyclesOfItems(CeilDiv(tiling.tile_h * tiling.tile_w, 16),
                                              config.parts(), products);
                       },
                   .alone = 300});
}

/// Why no row of `channels` and `filter` can compute the problem.
std::optional<std::string> RejectNarrow(const ConvProblem& problem, int channels, int filter) {
  const std::int64_t of_group = problem.c_per_group();
  if (std::max<std::int64_t>(of_group, 16) != channels) {
    return absl::StrFormat("groups have %d channels; the row is for products of %d", of_group,
                           channels);
  }
  for (const std::size_t axis : {1u, 2u}) {
    if (problem.dims[axis].filter == filter) continue;
    return absl::StrFormat("the filter has %d taps along %c; the row is for %d",
                           problem.dims[axis].filter, "dhw"[axis], filter);
  }
  return RejectHalo(problem);
}

template <class Config>
std::optional<std::string> RejectTiles(const Config& config, Direction direction,
                                       const ConvProblem& problem) {
  if (problem.direction != direction || problem.type != config.type) {
    return absl::StrFormat("the problem is %s of %s; the row is for %s of %s",
                           Name(problem.direction), Name(problem.type), Name(direction),
                           Name(config.type));
  }
  if (auto reason = RejectNarrow(problem, config.channels, config.filter)) return reason;
  std::variant<std::string, Halo> made = HaloOf(config, problem, Gfx::kSm90a);
  if (auto* reason = std::get_if<std::string>(&made)) return std::move(*reason);
  return std::nullopt;
}

}  // namespace

std::optional<std::string> RejectProblem(const NarrowConfig& config, const ConvProblem& problem) {
  if (auto reason = RejectTiles(config, config.direction, problem)) return reason;
  for (const std::size_t axis : {1u, 2u}) {
    const Dim& dim = problem.dims[axis];
    const std::int64_t step = config.direction == Direction::kForward ? dim.stride : 1;
    if (step != config.step || (config.step * config.up == 1 && dim.dilation != 1)) {
      return absl::StrFormat(
          "along %c the stride is %d and the dilation %d; the row is for %d and 1", "dhw"[axis],
          dim.stride, dim.dilation, config.step);
    }
  }
  return std::nullopt;
}

std::optional<std::string> RejectProblem(const NarrowWeightConfig& config,
                                         const ConvProblem& problem) {
  return RejectTiles(config, Direction::kBackwardWeight, problem);
}

PartEstimate EstimateLaunch(const NarrowConfig& config, const PartRequest& request) {
  const Halo halo = std::get<Halo>(HaloOf(config, request.problem, request.device));
  const std::int64_t sharers = SharersOf(request.problem, request.device, halo.tiling.tiles);
  constexpr double kLaunch = 8000;  // and the filter
  return {.splits = std::max(request.sharing.splits, 1),
          .cost = WithCycles(HaloCost(halo, request.problem, request.device, sharers, kLaunch))};
}

PartEstimate EstimateLaunch(const NarrowWeightConfig& config, const PartRequest& request) {
  const ConvProblem& problem = request.problem;
  const Halo halo = std::get<Halo>(HaloOf(config, problem, request.device));
  const int splits = request.sharing.splits > 0
                         ? request.sharing.splits
                         : Int(SharersOf(problem, request.device, halo.tiling.tiles));
  constexpr double kLaunch = 8000, kSplit = 4000;
  Cost cost = HaloCost(halo, problem, request.device, splits, kLaunch);
  const auto elements = static_cast<double>(problem.out_elements());
  if (splits > 1) {
    cost.pass_cycles =
        kSplit + PassCycles(request.device, elements * (4 * splits + SizeOf(problem.type)));
  }
  return {.splits = splits, .cost = WithCycles(cost)};
}

Plan<HaloArgs> PlanNarrow(const NarrowConfig& config, const PartRequest& request) {
  const ConvProblem& problem = request.problem;
  const Halo halo = std::get<Halo>(HaloOf(config, problem, request.device));
  const Tensor source = GatheredTensor(problem);
  Plan<HaloArgs> plan;
  plan.args = MakeHaloArgs(problem, halo, source, problem.out());
  HaloArgs& args = plan.args;
  args.mixes = problem.c_per_group() < config.channels;
  args.barriers_at = config.stages * args.stage_bytes;
  args.sharers = Int(SharersOf(problem, request.device, halo.tiling.tiles));
  args.epilogue = MakeEpilogue(problem, request.sharing);
  args.stores = LaneStoresOf(problem, args.epilogue);
  plan.maps = {
      {.at = offsetof(HaloArgs, source),
       .place = {Memory::kA},
       .spec = CellsMap(problem, source, halo.tiling.lines, halo.tiling.pitch, halo.shape.step)}};
  plan.addresses = {{offsetof(HaloArgs, source_data), {Memory::kA}},
                    {offsetof(HaloArgs, other_data), {Memory::kB}}};
  const int splits = std::max(request.sharing.splits, 1);
  plan.shape = HaloLaunchShape(std::int64_t{splits} * args.sharers * args.blocks, config.threads(),
                               halo.tiling.shared_bytes);
  return plan;
}

Plan<HaloArgs> PlanNarrow(const NarrowWeightConfig& config, const PartRequest& request) {
  const ConvProblem& problem = request.problem;
  const Halo halo = std::get<Halo>(HaloOf(config, problem, request.device));
  Sharing sharing = request.sharing;
  sharing.splits = EstimateLaunch(config, request).splits;
  if (sharing.splits > 1 && sharing.partial_elements == 0) {
    sharing.partial_elements = problem.out_elements();
  }
  Plan<HaloArgs> plan;
  plan.args = MakeHaloArgs(problem, halo, Tensor::kX, Tensor::kY);
  HaloArgs& args = plan.args;
  args.sharers = sharing.splits;
  args.other_at = args.planes * args.plane_bytes;
  // The sums of parts of the warps take the place of the stages.
  const int of_parts = (config.parts() - 1) * config.part_bytes();
  args.filter_at = std::max(config.stages * args.stage_bytes, AlignUp(of_parts, 1024));
  args.barriers_at = args.filter_at + kZeroBytes;
  args.epilogue = MakeEpilogue(problem, sharing);
  args.stores = Stores::kElements;
  plan.maps = {{.at = offsetof(HaloArgs, source),
                .place = {Memory::kB},
                .spec = CellsMap(problem, Tensor::kX, halo.tiling.lines, halo.tiling.pitch,
                                 halo.shape.step)},
               {.at = offsetof(HaloArgs, other),
                .place = {Memory::kA},
                .spec = CellsMap(problem, Tensor::kY, args.tile_h, args.tile_w, {1, 1})}};
  plan.addresses = {{offsetof(HaloArgs, source_data), {Memory::kB}},
                    {offsetof(HaloArgs, other_data), {Memory::kA}}};
  plan.shape =
      HaloLaunchShape(std::int64_t{sharing.splits} * args.blocks, config.threads(),
                      std::max(halo.tiling.shared_bytes, args.barriers_at + config.stages * 16));
  return plan;
}

}  // namespace gridwise::hopper
