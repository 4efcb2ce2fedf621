#pragma once

#include <optional>
#include <string>

#include "core/conv/problem.h"
#include "core/launch/part_kernel.h"
#include "hopper/args.h"
#include "hopper/classes.h"
#include "hopper/plan.h"

namespace gridwise::hopper {

/// As those of plan.h, of class instances.
std::optional<std::string> RejectProblem(const ClassesConfig& config, const ConvProblem& problem);
PartEstimate EstimateLaunch(const ClassesConfig& config, const PartRequest& request);
Plan<GatherArgs> PlanClasses(const ClassesConfig& config, const PartRequest& request);

}  // namespace gridwise::hopper
