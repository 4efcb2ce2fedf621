// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>

#include "core/conv/problem.h"
#include "core/launch/part_kernel.h"
#include "tile/bwd_weight_args.h"
#include "tile/config.h"

namespace gridwise::tile {

/// How one instance computes one backward-weight problem: everything that a launch needs except the
/// tensors.
struct BwdWeightPlan {
  LaunchShape shape;
  BwdWeightArgs args;  // pointers null
};

/// Why backward-weight kernels of `config` cannot compute `problem` of any size, with the values
/// that matter. Returns nullopt if they can.
std::optional<Refusal> RejectBwdWeight(const TileConfig& config, const ConvProblem& problem);

/// Why they can only compute parts of the problem. Returns nullopt if they can compute it at once.
/// Images, and groups of dw, may have `limit` bytes, at most kOffsetLimit.
std::optional<Excess> TooLargeForBwdWeight(const TileConfig& config, const ConvProblem& problem,
                                           std::int64_t limit = kOffsetLimit);

/// Plans a valid backward-weight problem that `config` accepts.
BwdWeightPlan PlanBwdWeight(const TileConfig& config, const PartRequest& request);

/// The estimated number of splits and cost.
PartEstimate EstimateBwdWeight(const TileConfig& config, const PartRequest& request);

}  // namespace gridwise::tile
