// SPDX-License-Identifier: MIT
#include "hopper/weight/plan.h"

#include <cstddef>
#include <cstdint>

#include "core/base/math.h"
#include "core/base/types.h"
#include "core/conv/problem.h"
#include "core/conv/sub_gemms.h"
#include "core/launch/plan_epilogue.h"
#include "hopper/base/maps.h"
#include "hopper/base/tile_order.h"
#include "hopper/gather/estimate.h"
#include "hopper/gather/launch_parts.h"

namespace gridwise::hopper {

Plan<WeightArgs> PlanWeight(const Config& config, const PartRequest& request) {
  const ConvProblem& problem = request.problem;
  const Shared shared = MinShared(config, request);
  const SplitK split_k = SplitKOf(request, shared);
  const Grid grid = GridOf(config, request);
  Plan<WeightArgs> plan;
  WeightArgs& args = plan.args;
  args.epilogue = MakeEpilogue(problem, split_k);
  SetStrides(problem, args);
  args.is_3d = Is3d(problem);
  args.gemm = MakeSubGemms(problem).front();
  args.splits = shared.splits;
  args.in_cluster = shared.in_cluster;
  const std::int64_t groups = GroupsOfTile(config, problem);
  args.groups = Int(problem.groups / groups);
  // Consecutive tiles read the same pixels of the larger tensor.
  args.order =
      MakeTileOrder(Int(grid.m_tiles), Int(grid.n_tiles),
                    problem.k_per_group() > problem.c_per_group(), request.device.compute_units);
  args.tiles = Int(grid.of_group * shared.splits);
  args.adjacent = shared.in_cluster ? shared.splits : Int(grid.of_group);
  args.by_tiles = MakeMagicDiv(static_cast<unsigned>(args.tiles));
  args.by_adjacent = MakeMagicDiv(static_cast<unsigned>(args.adjacent));
  args.of_group_k = Int(problem.k_per_group());
  args.of_group_c = Int(problem.c_per_group());
  args.by_of_group_k = MakeMagicDiv(static_cast<unsigned>(args.of_group_k));
  args.by_of_group_c = MakeMagicDiv(static_cast<unsigned>(args.of_group_c));
  args.k = Int(problem.k_per_group() * groups);
  args.c = Int(problem.c_per_group() * groups);
  const TensorAxes dy = problem.AxesOf(Tensor::kY);
  args.dy_channels = PixelsHaveGroups(dy) ? Int(dy.stride[4] * groups) : 0;
  args.x_channels = Int(problem.groups > 1 ? problem.AxesOf(Tensor::kX).stride[4] * groups : 0);
  args.c_blocks = Int(CeilDiv<std::int64_t>(args.c, config.block_columns()));
  args.by_c_blocks = MakeMagicDiv(static_cast<unsigned>(args.c_blocks));
  for (const std::size_t i : {0u, 1u}) {
    args.by_taps[i] = MakeMagicDiv(static_cast<unsigned>(args.gemm.axis[i + 1].taps));
  }
  args.dy_pitch = Int(dy.stride[3] * SizeOf(problem.type));
  args.dy_pixels = Int(problem.batch * problem.out_pixels());
  const int k_tiles = Int(KTilesOf(config, args.dy_pixels));
  args.k_tiles = k_tiles / shared.splits;
  args.longer = k_tiles % shared.splits;
  args.stores = groups > 1 || config.x_is_a ? Stores::kElements  // columns are apart
                                            : LaneStoresOf(problem, args.epilogue);
  plan.addresses = {{offsetof(WeightArgs, dy_data), {Memory::kA}}};
  plan.maps = {
      {.at = offsetof(WeightArgs, dy),
       .points_to = {Memory::kA},
       .spec = config.lanes ? ElementsMap(problem, Tensor::kY) : PixelMap(problem, config.k_tile)}};
  AddMapsOfB(config, request, offsetof(WeightArgs, x),
             SourceMap(problem, args.gemm, config.box_columns(), config.k_tile), plan);
  SetExact(config, request, plan);
  args.exact.source_group *= Int(groups);
  args.exact.other_group *= Int(groups);
  plan.shape =
      ShapeOf(config, request.device, std::int64_t{args.tiles} * args.groups, 1, shared.cluster());
  return plan;
}

}  // namespace gridwise::hopper
