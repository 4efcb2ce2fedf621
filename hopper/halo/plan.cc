// SPDX-License-Identifier: MIT
#include "hopper/halo/plan.h"

#include <algorithm>
#include <cstddef>
#include <span>
#include <variant>

#include "core/arch/mma_shape.h"
#include "core/base/math.h"
#include "core/launch/plan_epilogue.h"
#include "hopper/base/maps.h"
#include "hopper/fit/fit.h"
#include "hopper/halo/tiling.h"

namespace gridwise::hopper {
namespace {

int Int(std::int64_t value) { return static_cast<int>(value); }

/// Whether boxes can be stored: the epilogue has no tensors, the output is that of one split and
/// has the operands' type, and its channels fill multiples of 16 bytes, all of which TMA stores.
bool StoresBoxes(const ConvProblem& problem, const EpilogueArgs& epilogue) {
  const TensorAxes axes = problem.AxesOf(problem.out());
  const std::int64_t bytes = SizeOf(problem.type);
  return axes.size[4] * axes.size[5] * bytes % 16 == 0 && epilogue.tensors == 0 &&
         epilogue.adds == 0 && epilogue.split_bytes == 0 &&
         epilogue.out_type == static_cast<int>(StoredType(problem.type)) &&
         !RejectStrides("the output", axes, bytes, /*of_groups=*/false);
}

/// Whether the output's groups, and those of the epilogue's tensors, are as far apart as those of
/// the source, and without gaps.
bool HasColumnsOfSource(const ConvProblem& problem) {
  const TensorAxes axes = problem.AxesOf(problem.out());
  const std::int64_t pitch = GroupPitch(problem);
  if (axes.size[5] != pitch) return false;
  if (axes.size[4] == 1) return true;
  const auto tensors =
      std::span(problem.epilogue.d).first(static_cast<std::size_t>(problem.epilogue.tensors));
  return axes.stride[4] == pitch && std::ranges::all_of(tensors, [&](const EpilogueTensor& tensor) {
           return tensor.stride[4] == pitch * tensor.stride[5];
         });
}

/// How an instance for groups stores.
Stores StoresOf(const ConvProblem& problem, const EpilogueArgs& epilogue) {
  if (!HasColumnsOfSource(problem)) return LaneStoresOf(problem, epilogue);
  if (StoresBoxes(problem, epilogue)) return Stores::kBoxes;
  ConvProblem as_one = problem;
  as_one.groups = 1;
  return LaneStoresOf(as_one, epilogue);
}

/// Additional cycles, relative to boxes or whole rows, when lanes store 64 x 64 sums while the
/// other team multiplies; measured on an H100.
double StoreCycles(const ConvProblem& problem) {
  constexpr double kElements = 8500, kGroups = 1700;
  if (StoresOf(problem, MakeEpilogue(problem, {})) == Stores::kElements) return kElements;
  return HasColumnsOfSource(problem) ? 0 : kGroups;
}

std::variant<Refusal, Halo> HaloOf(const HaloConfig& config, const ConvProblem& problem,
                                   const DeviceFacts& device, Wanted wanted = Wanted::kBest) {
  // For a pixel's channels at a tap: a product of 64 pixels reads 2 KB of them, and 32 bytes per
  // column, at 128 bytes per cycle.
  const double cycles = (2048 + config.channels * 32) / 128.0 * config.pixel_bytes() / 32 / 64;
  return MakeHalo(
      problem, device,
      {.up = config.up,
       .limits =
           [&](const HaloShape& shape) {
             return HaloLimits{.pixels = config.pixels(),
                               .up = config.up,
                               .stages = config.stages,
                               .other_bytes = config.filter_bytes(shape.tap_count()) +
                                              config.teams * config.staging_bytes() + kBarrierBytes,
                               .channels = config.block()};
           },
       .matrix = [&](const HaloShape& shape,
                     const HaloTiling&) { return shape.tap_count() * config.pixels() * cycles; },
       .alone = 1500 + StoreCycles(problem) * config.reps * config.phases(),
       .pixels_of_other =
           1.0 * config.phases() * SizeOf(problem.output_type()) / SizeOf(config.type)},
      wanted);
}

/// Above 1: teams hide each other's stores, the more so with stages to spare or if a warpgroup
/// waits for no other; and L2 delivers pixels that tiles share faster than estimated.
double EfficiencyOf(const HaloConfig& config, const Fit& fit) {
  if (config.reps > 1) return config.consumers == 1 ? fit.halo_alone : fit.halo_large;
  constexpr double kLoopOverTaps = 0.87;  // from 35 depthwise problems
  if (config.stages >= 4) return fit.halo_stages;
  return (config.filter == 0 ? kLoopOverTaps : 1) * fit.halo;
}

/// By how much EfficiencyOf, which is of 16-bit types, changes for tf32; fitted to 16 layers on an
/// H200.
double EfficiencyOfTF32(const ConvProblem& problem) {
  if (problem.type != DataType::kTF32) return 1;
  const bool is_strided = problem.dims[1].stride > 1 || problem.dims[2].stride > 1;
  return is_strided ? 1.28 : 0.83;
}

/// Whether channels of groups are runs of 16 bytes that begin at multiples of 16.
bool HasRuns(const TensorAxes& axes, std::int64_t bytes) {
  const std::int64_t run = 16 / bytes;
  if (axes.stride[5] != 1 || axes.size[5] % run != 0) return false;
  for (std::size_t axis = 0; axis < 5; ++axis) {
    if (axes.size[axis] != 1 && axes.stride[axis] % run != 0) return false;
  }
  return true;
}

}  // namespace

std::optional<Refusal> RejectProblem(const HaloConfig& config, const ConvProblem& problem) {
  const std::int64_t pitch = GroupPitch(problem);
  if (std::max<std::int64_t>(pitch, WgmmaK(config.type)) != config.channels) {
    return Refuse<"groups are %d channels apart; the instance is for products of %d">(
        pitch, config.channels);
  }
  for (const std::size_t axis : {1u, 2u}) {
    if (config.filter == 0 || problem.dims[axis].filter == config.filter) continue;
    return Refuse<"the filter has %d taps along %c; the instance is for %d">(
        problem.dims[axis].filter, "dhw"[axis], config.filter);
  }
  if (config.filter > 0 && problem.dims[0].filter > 1) {
    return Refuse<"the filter has %d taps along d; the instance is for 1">(problem.dims[0].filter);
  }
  // Gather instances take 0.83 to 0.87 times as long.
  if (problem.groups == 1 && problem.dims[0].filter > 1) {
    return Refuse<
        "the filter has %d taps along d, and there is one group; the instance is for "
        "several">(problem.dims[0].filter);
  }
  if (auto reason = RejectHalo(problem)) return reason;
  return RejectTiles(config, config.direction, problem,
                     [&] { return HaloOf(config, problem, Gfx::kSm90a, Wanted::kAny); });
}

PartEstimate EstimateLaunch(const HaloConfig& config, const PartRequest& request) {
  const ConvProblem& problem = request.problem;
  const Halo halo = std::get<Halo>(HaloOf(config, problem, request.device));
  const std::int64_t workgroups = WorkgroupsOf(problem, request.device, halo);
  constexpr double kLaunch = 10000;  // including the filter
  const int splits = std::max(request.split_k.splits, 1);
  return {.splits = splits,
          .cost = HaloCost(halo, problem, request.device, workgroups, kLaunch,
                           EfficiencyOf(config, FitOf(request)) * EfficiencyOfTF32(problem))};
}

Plan<HaloArgs> PlanHalo(const HaloConfig& config, const PartRequest& request) {
  const ConvProblem& problem = request.problem;
  const Halo halo = std::get<Halo>(HaloOf(config, problem, request.device));
  const Tensor source = GatheredTensor(problem);
  Plan<HaloArgs> plan;
  plan.args = MakeHaloArgs(problem, halo, source, problem.out());
  HaloArgs& args = plan.args;
  args.mixes = args.of_source_group < config.channels || request.split_k.splits > 1;
  args.filter_runs = HasRuns(problem.AxesOf(Tensor::kW), SizeOf(problem.type));
  args.filter_at = config.stages * args.stage_bytes;
  args.staging_at =
      args.filter_at + config.filter_bytes(Int(static_cast<std::int64_t>(halo.shape->taps.size())));
  const int staging = config.teams * config.staging_bytes();
  const int second = halo.tiling.shared_bytes + staging <= TraitsOf(Gfx::kSm90a).lds_bytes;
  args.buffers = 1 + second;
  args.barriers_at = args.staging_at + args.buffers * staging;
  args.workgroups = Int(WorkgroupsOf(problem, request.device, halo));
  args.epilogue = MakeEpilogue(problem, request.split_k);
  args.stores = StoresOf(problem, args.epilogue);
  plan.maps.push_back({.at = offsetof(HaloArgs, source),
                       .points_to = {Memory::kA},
                       .spec = PixelsMap(problem, source, halo.tiling.lines, halo.tiling.pitch,
                                         halo.shape->step, config.block())});
  if (args.stores == Stores::kBoxes) {
    plan.maps.push_back({.at = offsetof(HaloArgs, other),
                         .points_to = {Memory::kOut},
                         .spec = PixelsMap(problem, problem.out(), args.tile_h * config.up,
                                           args.tile_w * config.up, {1, 1}, config.block())});
  }
  plan.addresses = {{offsetof(HaloArgs, source_data), {Memory::kA}},
                    {offsetof(HaloArgs, other_data), {Memory::kB}}};
  const int splits = std::max(request.split_k.splits, 1);
  plan.shape = HaloLaunchShape(std::int64_t{splits} * args.workgroups * args.blocks,
                               config.threads(), halo.tiling.shared_bytes + second * staging);
  return plan;
}

}  // namespace gridwise::hopper
