#pragma once

#include <string>

#include "tools/gridwise/cli/exit_code.h"

namespace gridwise {

/// Prints what of `target`'s instruction set the simulator executes and what it refuses.
ExitCode SimIsaCommand(const std::string& target);

}  // namespace gridwise
