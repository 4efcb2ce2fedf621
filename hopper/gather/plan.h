// SPDX-License-Identifier: MIT
#pragma once

#include <optional>

#include "core/conv/problem.h"
#include "core/launch/part_kernel.h"
#include "hopper/base/config.h"
#include "hopper/base/plan.h"
#include "hopper/gather/args.h"

/// Forward and backward-data; rejection and estimates also of backward-weight, see hopper/weight.

namespace gridwise::hopper {

/// Why kernels of `config` cannot compute `problem`, with the values that matter. Returns nullopt
/// if they can. Most reasons are limits of tensor maps.
std::optional<Refusal> RejectProblem(const Config& config, const ConvProblem& problem);

/// See PartKernel. Not for backward-weight, whose tiles belong to all images.
std::int64_t ImagesOfWholeRounds(const Config& config, const PartRequest& request);

/// The least estimate over all numbers of splits, or for the one in the request.
PartEstimate EstimateLaunch(const Config& config, const PartRequest& request);

Plan<GatherArgs> PlanGather(const Config& config, const PartRequest& request);

}  // namespace gridwise::hopper
