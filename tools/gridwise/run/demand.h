#pragma once

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/arch/target.h"
#include "core/conv/problem.h"
#include "tools/tune/on_demand.h"

namespace gridwise {

/// The compiler of the instances that are not built in; `program` is argv[0], beside which the
/// headers are.
absl::StatusOr<Compiler> OpenCompiler(const std::string& program);

/// Compiles the instance and adds it to those that plans choose from, if it is a config's name and
/// is not there. `family` may be empty. Other names are left to those who look for the instance.
absl::Status AddInstanceOnDemand(const std::string& program, const std::string& family,
                                 const std::string& instance, Direction direction, Gfx gfx);

}  // namespace gridwise
