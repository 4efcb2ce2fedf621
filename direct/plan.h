// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/arch/target.h"
#include "core/conv/problem.h"
#include "core/launch/part_kernel.h"
#include "direct/args.h"
#include "direct/config.h"

namespace gridwise::direct {

/// How an instance computes a forward or backward-data problem: everything that a launch needs
/// except the tensors.
struct DirectGatherPlan {
  LaunchShape shape;
  DirectGatherArgs args;       // pointers null; the table is inline if it fits
  std::vector<SubGemm> table;  // all sub-GEMMs, with first tiles assigned
  bool is_inline = true;
};

/// The same for backward-weight.
struct DirectWeightPlan {
  LaunchShape shape;
  DirectWeightArgs args;
};

/// Why direct kernels of `config` cannot compute `problem` in `splits` splits (0: any number), with
/// the values that matter. Returns nullopt if they can. The kernels write sums; a pass applies an
/// epilogue, unless it is a bias with which sums begin.
std::optional<Refusal> RejectDirect(const DirectConfig& config, const ConvProblem& problem,
                                    int splits);

/// The same for a target. Refuses vectors that must be aligned to their size where those of a
/// lane's channels are not (tensors begin at multiples of 16 bytes there). Also refuses one group
/// if gather instances (hopper/README.md) have the type, because lanes would load lines of few
/// channels a sector at a time.
std::optional<Refusal> RejectOnTarget(const DirectConfig& config, Gfx gfx,
                                      const ConvProblem& problem);

/// Whether the epilogue is a bias in the operands' type, and nothing else.
bool HasOnlyBias(const ConvProblem& problem);

/// Why they can only compute parts of the problem. Returns nullopt if they can compute it at once.
/// Images, and w, may have `limit` bytes, at most kOffsetLimit.
std::optional<Excess> TooLargeForDirect(const DirectConfig& config, const ConvProblem& problem,
                                        std::int64_t limit = kOffsetLimit);

/// Plans a valid forward or backward-data problem that `config` accepts. K is split only if the
/// request says so.
DirectGatherPlan PlanDirectGather(const DirectConfig& config, const PartRequest& request);
PartEstimate EstimateDirectGather(const DirectConfig& config, const PartRequest& request);

/// Plans a valid backward-weight problem that `config` accepts.
DirectWeightPlan PlanDirectWeight(const DirectConfig& config, const PartRequest& request);
PartEstimate EstimateDirectWeight(const DirectConfig& config, const PartRequest& request);

}  // namespace gridwise::direct
