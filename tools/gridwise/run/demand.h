// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/arch/target.h"
#include "core/conv/problem.h"
#include "tools/tune/on_demand.h"

namespace gridwise {

/// Returns the compiler for instances that are not built in. `program` is argv[0]; the headers are
/// next to it.
absl::StatusOr<Compiler> OpenCompiler(const std::string& program);

/// Compiles the instance and registers it for plans, if `instance` is the name of a config and is
/// not registered yet. `family` may be empty. Does nothing for other names: the later lookup of the
/// instance reports them.
absl::Status AddInstanceOnDemand(const std::string& program, const std::string& family,
                                 const std::string& instance, Direction direction, Gfx gfx);

}  // namespace gridwise
