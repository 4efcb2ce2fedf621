// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "tools/gridwise/cli/exit_code.h"

namespace gridwise {

/// Prints which instructions of `target` the simulator executes, and which it does not.
ExitCode SimIsaCommand(const std::string& target);

}  // namespace gridwise
