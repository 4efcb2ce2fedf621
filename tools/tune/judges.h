// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "core/arch/target.h"
#include "gridwise/planner/model.h"
#include "gridwise/planner/ranking.h"
#include "tools/tune/times.h"
#include "tools/tune/validation.h"

namespace gridwise {

/// A problem of a table as the library sees it now.
struct AskedProblem {
  ConvProblem problem;
  DeviceFacts device;
  std::vector<model::RankedInstance> instances;  // those with times, in their order
};

/// The kernels' answers to the problem. kInvalidArgument for a name that is no config's, or whose
/// instance does not compute the problem.
absl::StatusOr<AskedProblem> CheckTimedInstances(const TimedProblem& problem);

/// A target's model; null, or it outlives the caller.
using ModelOf = std::function<const model::Model*(Gfx)>;

/// Four judges: the planner with the models; the instances' estimates; the models wherever they
/// were trained; and the rule that takes the largest tile.
std::vector<Judge> StandardJudges(const ModelOf& model_of);

/// The input of tools/tune/train.py: a line for each time, with the problem and the instance's
/// features. Kernels that the library does not know are left out, and counted in `unknown`.
absl::StatusOr<std::string> PrintTrainingTable(const std::vector<TimedProblem>& problems,
                                               int& unknown);

}  // namespace gridwise
