// SPDX-License-Identifier: MIT
#pragma once

#include <cstdio>

#include "tools/gridwise/cli/commands.h"

namespace gridwise {

/// Prints an overview, with one line per command.
void PrintUsage(std::FILE* file);

/// Prints the help of a command: what it does, examples, flags.
void PrintHelp(std::FILE* file, const CommandHelp& command);

}  // namespace gridwise
