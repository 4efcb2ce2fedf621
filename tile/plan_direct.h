#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/arch/target.h"
#include "core/conv/problem.h"
#include "tile/direct_args.h"
#include "tile/direct_config.h"
#include "tile/launch_plan.h"

namespace gridwise::tile {

/// How a direct row computes a forward or backward-data problem: everything a launch needs but the
/// tensors. As GatherPlan.
struct DirectGatherPlan : LaunchPlan {
  DirectGatherArgs args;
  std::vector<SubGemm> table;
};

/// The same for backward-weight.
struct DirectWeightPlan : LaunchPlan {
  DirectWeightArgs args;
};

/// The reason why direct kernels of `config` cannot compute `problem` in `splits` splits (0: any
/// number), with the values that matter; nothing if they can. They write sums: an epilogue is
/// somebody else's.
std::optional<std::string> RejectDirect(const DirectConfig& config, const ConvProblem& problem,
                                        int splits);

/// Why they can only compute parts of it; nothing if they can compute it at once. Images, and w,
/// may have `limit` bytes, at most kOffsetLimit.
std::optional<Excess> TooLargeForDirect(const DirectConfig& config, const ConvProblem& problem,
                                        std::int64_t limit = kOffsetLimit);

/// Plans a valid forward or backward-data problem that `config` accepts. `sub_gemms` is
/// MakeSubGemms(problem). K is not split unless `sharing` says so.
DirectGatherPlan PlanDirectGather(const DirectConfig& config, Gfx gfx, const ConvProblem& problem,
                                  std::span<const SubGemm> sub_gemms, Sharing sharing = {});

/// Plans a valid backward-weight problem that `config` accepts.
DirectWeightPlan PlanDirectWeight(const DirectConfig& config, Gfx gfx, const ConvProblem& problem,
                                  Sharing sharing = {});

/// Symbol of the kernel of row `index` for a direction.
std::string DirectSymbol(Direction direction, int index);

}  // namespace gridwise::tile
