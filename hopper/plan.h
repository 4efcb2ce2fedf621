// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/conv/problem.h"
#include "core/launch/launch.h"
#include "core/launch/part_kernel.h"
#include "hopper/args.h"
#include "hopper/config.h"

namespace gridwise::hopper {

/// Why kernels of `config` cannot compute `problem`, with the values that matter. Returns nullopt
/// if they can. Most reasons are limits of tensor maps.
std::optional<std::string> RejectProblem(const Config& config, const ConvProblem& problem);

/// Why they can only compute parts of the problem. Returns nullopt if they can compute it at once.
std::optional<Excess> TooLargeForLaunch(const ConvProblem& problem);

/// See PartKernel. Not for backward-weight, whose tiles belong to all images.
std::int64_t ImagesOfWholeRounds(const Config& config, const PartRequest& request);

/// The least estimate over all numbers of splits, or for the one in the request.
PartEstimate EstimateLaunch(const Config& config, const PartRequest& request);

/// How lanes store the output: by vectors if possible.
Stores LaneStoresOf(const ConvProblem& problem, const EpilogueArgs& epilogue);

/// How an instance computes a problem: everything that a launch needs except the tensors.
template <class Args>
struct Plan {
  LaunchShape shape;
  Args args = {};
  std::vector<KernelLaunch::Map> maps;
  std::vector<KernelLaunch::Address> addresses = {};  // without those of the epilogue
};
Plan<GatherArgs> PlanGather(const Config& config, const PartRequest& request);
Plan<WeightArgs> PlanWeight(const Config& config, const PartRequest& request);

}  // namespace gridwise::hopper
