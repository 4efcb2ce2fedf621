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

/// The reason why kernels of `config` cannot compute `problem`, with the values that matter;
/// nothing if they can. Most reasons are limits of tensor maps.
std::optional<std::string> RejectProblem(const Config& config, const ConvProblem& problem);

/// Why they can only compute parts of it; nothing if they can compute it at once.
std::optional<Excess> TooLargeForLaunch(const ConvProblem& problem);

/// See PartKernel. Not of backward-weight, whose tiles are those of all images.
std::int64_t ImagesOfWholeRounds(const Config& config, const PartRequest& request);

/// The least estimate of any number of splits, or of as many as the request says.
PartEstimate EstimateLaunch(const Config& config, const PartRequest& request);

/// How lanes store the output: by vectors where that can be.
Stores LaneStoresOf(const ConvProblem& problem, const EpilogueArgs& epilogue);

/// How an instance computes a problem: everything a launch needs but the tensors.
template <class Args>
struct Plan {
  LaunchShape shape;
  Args args = {};
  std::vector<KernelLaunch::Map> maps;
  std::vector<KernelLaunch::Address> addresses = {};  // but for those of the epilogue
};
Plan<GatherArgs> PlanGather(const Config& config, const PartRequest& request);
Plan<WeightArgs> PlanWeight(const Config& config, const PartRequest& request);

}  // namespace gridwise::hopper
