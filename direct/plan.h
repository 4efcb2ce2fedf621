#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/conv/problem.h"
#include "core/launch/part_kernel.h"
#include "direct/args.h"
#include "direct/config.h"

namespace gridwise::direct {

/// How a row computes a forward or backward-data problem: everything a launch needs but the
/// tensors.
struct DirectGatherPlan {
  LaunchShape shape;
  DirectGatherArgs args;       // pointers null; the table inline when it fits
  std::vector<SubGemm> table;  // all sub-GEMMs, first tiles assigned
  bool is_inline = true;
};

/// The same for backward-weight.
struct DirectWeightPlan {
  LaunchShape shape;
  DirectWeightArgs args;
};

/// The reason why direct kernels of `config` cannot compute `problem` in `splits` splits (0: any
/// number), with the values that matter; nothing if they can. They write sums: an epilogue is
/// somebody else's.
std::optional<Refusal> RejectDirect(const DirectConfig& config, const ConvProblem& problem,
                                    int splits);

/// Why they can only compute parts of it; nothing if they can compute it at once. Images, and w,
/// may have `limit` bytes, at most kOffsetLimit.
std::optional<Excess> TooLargeForDirect(const DirectConfig& config, const ConvProblem& problem,
                                        std::int64_t limit = kOffsetLimit);

/// Plans a valid forward or backward-data problem that `config` accepts. K is not split unless the
/// request says so.
DirectGatherPlan PlanDirectGather(const DirectConfig& config, const PartRequest& request);
PartEstimate EstimateDirectGather(const DirectConfig& config, const PartRequest& request);

/// Plans a valid backward-weight problem that `config` accepts.
DirectWeightPlan PlanDirectWeight(const DirectConfig& config, const PartRequest& request);
PartEstimate EstimateDirectWeight(const DirectConfig& config, const PartRequest& request);

}  // namespace gridwise::direct
