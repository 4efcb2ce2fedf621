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

}  // namespace

std::optional<std::string> RejectProblem(const NarrowWeightConfig& config,
                                         const ConvProblem& problem) {
  if (problem.direction != Direction::kBackwardWeight || problem.type != config.type) {
    return absl::StrFormat("the problem is %s of %s; the row is for bwd_weight of %s",
                           Name(problem.direction), Name(problem.type), Name(config.type));
  }
  const std::int64_t of_group = problem.c_per_group();
  if (std::max<std::int64_t>(of_group, 16) != config.channels) {
    return absl::StrFormat("groups have %d channels; the row is for products of %d", of_group,
                           config.channels);
  }
  for (const std::size_t axis : {1u, 2u}) {
    if (problem.dims[axis].filter == config.filter) continue;
    return absl::StrFormat("the filter has %d taps along %c; the row is for %d",
                           problem.dims[axis].filter, "dhw"[axis], config.filter);
  }
  if (auto reason = RejectHalo(problem)) return reason;
  std::variant<std::string, Halo> made = HaloOf(config, problem, Gfx::kSm90a);
  if (auto* reason = std::get_if<std::string>(&made)) return std::move(*reason);
  return std::nullopt;
}

PartEstimate EstimateLaunch(const NarrowWeightConfig& config, const PartRequest& request) {
  const ConvProblem& problem = request.problem;
  const Halo halo = std::get<Halo>(HaloOf(config, problem, request.device));
  const int splits = request.sharing.splits > 0
                         ? request.sharing.splits
                         : Int(SharersOf(problem, request.device, halo.tiling.tiles));
  constexpr double kLaunch = 8000, kSplit = 4000;
  Cost cost = HaloCost(halo, problem, request.device, splits, kLaunch,
                       /*efficiency=*/config.stages > 2 ? 0.95 : 1.05);
  const auto elements = static_cast<double>(problem.out_elements());
  if (splits > 1) {
    cost.pass_cycles =
        kSplit + PassCycles(request.device, elements * (4 * splits + SizeOf(problem.type)));
  }
  return {.splits = splits, .cost = WithCycles(cost)};
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
