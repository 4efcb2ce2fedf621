#pragma once

#include <optional>
#include <string>

#include "core/conv/problem.h"
#include "core/launch/part_kernel.h"
#include "hopper/plan.h"
#include "hopper/simple.h"

namespace gridwise::hopper {

/// As those of plan.h, of simple instances.
std::optional<std::string> RejectProblem(const SimpleConfig& config, const ConvProblem& problem);
PartEstimate EstimateLaunch(const SimpleConfig& config, const PartRequest& request);
Plan<SimpleArgs> PlanSimple(const SimpleConfig& config, const PartRequest& request);

}  // namespace gridwise::hopper
