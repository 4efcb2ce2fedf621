#pragma once

#include <optional>
#include <string>

#include "core/arch/target.h"
#include "core/conv/problem.h"
#include "tile/bwd_weight_args.h"
#include "tile/config.h"
#include "tile/launch_plan.h"

namespace gridwise::tile {

/// How one row computes one backward-weight problem: everything a launch needs but the tensors.
struct BwdWeightPlan : LaunchPlan {
  BwdWeightArgs args;  // pointers null
};

/// The reason why backward-weight kernels of `config` cannot compute `problem` of any size, with
/// the values that matter; nothing if they can.
std::optional<std::string> RejectBwdWeight(const TileConfig& config, const ConvProblem& problem);

/// Why they can only compute parts of it; nothing if they can compute it at once. Images, and
/// groups of dw, may have `limit` bytes, at most kOffsetLimit.
std::optional<Excess> TooLargeForBwdWeight(const TileConfig& config, const ConvProblem& problem,
                                           std::int64_t limit = kOffsetLimit);

/// Plans a valid backward-weight problem that `config` accepts.
BwdWeightPlan PlanBwdWeight(const TileConfig& config, Gfx gfx, const ConvProblem& problem,
                            Sharing sharing = {});

/// Symbol of the kernel of row `index` in the code objects of the backward-weight table.
std::string BwdWeightSymbol(int index);

}  // namespace gridwise::tile
