// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/conv/problem.h"
#include "core/launch/part_kernel.h"
#include "tile/config.h"
#include "tile/gather_args.h"

namespace gridwise::tile {

/// How one instance computes one problem: everything that a launch needs except the tensors.
struct GatherPlan {
  LaunchShape shape;
  GatherArgs args;             // pointers null; the table is inline if it fits
  std::vector<SubGemm> table;  // all sub-GEMMs, with first tiles assigned; if it is not inline, the
                               // device has a copy
  bool is_inline = true;
};

/// The direction whose layout of w the instance loads.
constexpr Direction DirectionOf(const TileConfig& config) {
  return config.patch_b.n == 1 ? Direction::kForward : Direction::kBackwardData;
}

/// Why gathering kernels of `config` cannot compute `problem` of any size, with the values that
/// matter. Returns nullopt if they can.
std::optional<Refusal> RejectGather(const TileConfig& config, const ConvProblem& problem);

/// Why they can only compute parts of the problem. Returns nullopt if they can compute it at once.
/// Tiles may reach over `limit` bytes of a tensor, at most kOffsetLimit.
std::optional<Excess> TooLargeForGather(const TileConfig& config, const ConvProblem& problem,
                                        std::int64_t limit = kOffsetLimit);

/// Plans a valid forward or backward-data problem that `config` accepts.
GatherPlan PlanGather(const TileConfig& config, const PartRequest& request);

/// The estimated number of splits and cost.
PartEstimate EstimateGather(const TileConfig& config, const PartRequest& request);

}  // namespace gridwise::tile
