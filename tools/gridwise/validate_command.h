#pragma once

#include <string>
#include <vector>

#include "tools/gridwise/exit_code.h"

namespace gridwise {

/// Prints how near the planner's choices come to the best kernels of sweeps' tables.
ExitCode ValidateCommand(const std::vector<std::string>& tables);

}  // namespace gridwise
