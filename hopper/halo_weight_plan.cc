// SPDX-License-Identifier: MIT
#include "hopper/halo_weight_plan.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "core/base/math.h"
#include "core/cost/pass_cycles.h"
#include "core/launch/plan_epilogue.h"
#include "hopper/estimate.h"
#include "hopper/maps.h"

namespace gridwise::hopper {

PartEstimate EstimateHaloWeight(const Halo& halo, const PartRequest& request, double efficiency) {
  constexpr double kLaunch = 14000, kSplit = 8000;
  const ConvProblem& problem = request.problem;
  const std::int64_t workgroups =
      std::max<std::int64_t>(WorkgroupsOf(problem, request.device, halo),
                             std::min<std::int64_t>(MinSplits(problem), halo.tiling.tiles));
  const int splits =
      request.split_k.splits > 0 ? request.split_k.splits : static_cast<int>(workgroups);
  Cost cost = HaloCost(halo, problem, request.device, splits, kLaunch, efficiency);
  cost.splits = splits;
  const auto elements = static_cast<double>(problem.out_elements());
  if (splits > 1) {
    cost.pass_cycles =
        kSplit + PassCycles(request.device, elements * (4 * splits + SizeOf(problem.type)));
  }
  return {.splits = splits, .cost = WithCycles(cost)};
}

Plan<HaloArgs> PlanHaloWeight(const Halo& halo, const PartRequest& request, int splits,
                              const TensorMapSpec& dy) {
  const ConvProblem& problem = request.problem;
  SplitK split_k = request.split_k;
  split_k.splits = splits;
  if (splits > 1 && split_k.partial_elements == 0)
    split_k.partial_elements = problem.out_elements();
  Plan<HaloArgs> plan;
  plan.args = MakeHaloArgs(problem, halo, Tensor::kX, Tensor::kY);
  plan.args.workgroups = splits;
  plan.args.depth = halo.windows;
  plan.args.source_channels = plan.args.channels;
  if (problem.groups == 1) {
    plan.args.channels = static_cast<int>(problem.k);
    plan.args.dy_blocks = static_cast<int>(CeilDiv<std::int64_t>(problem.k, kBlock));
    plan.args.log_group = 30;  // more than there are channels
    plan.args.group_mask = (1 << 30) - 1;
  }
  plan.args.other_at = plan.args.planes * plan.args.plane_bytes;
  plan.args.epilogue = MakeEpilogue(problem, split_k);
  plan.args.stores = Stores::kElements;
  plan.maps = {{.at = offsetof(HaloArgs, source),
                .points_to = {Memory::kB},
                .spec = PixelsMap(problem, Tensor::kX, halo.tiling.lines, halo.tiling.pitch,
                                  halo.shape.step)},
               {.at = offsetof(HaloArgs, other), .points_to = {Memory::kA}, .spec = dy}};
  plan.addresses = {{offsetof(HaloArgs, source_data), {Memory::kB}},
                    {offsetof(HaloArgs, other_data), {Memory::kA}}};
  return plan;
}

}  // namespace gridwise::hopper
