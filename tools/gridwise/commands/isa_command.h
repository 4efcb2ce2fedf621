// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "tools/gridwise/cli/exit_code.h"

namespace gridwise {

/// The flags of `gridwise isa`.
struct IsaOptions {
  std::string program;  // argv[0]
  std::string instance;
  std::string family;     // family of the instance; empty: any
  std::string device;     // "gfx942"
  std::string direction;  // direction of the instance; empty: any
};

/// Prints the resources, the main loop and the disassembly of an instance's kernel. If several
/// instances match the options, prints all of them. If no instance has the name but it is that of a
/// config, compiles the config; this requires a direction.
ExitCode IsaCommand(const IsaOptions& options);

}  // namespace gridwise
