#pragma once

#include <string>

#include "tools/gridwise/cli/exit_code.h"

namespace gridwise {

/// The flags of `gridwise isa`.
struct IsaOptions {
  std::string program;  // argv[0]
  std::string instance;
  std::string family;     // of the instance; empty: any
  std::string device;     // "gfx942"
  std::string direction;  // of the instance; empty: any
};

/// Prints what an instance's kernel needs, what its main loop consists of, and its disassembly. Of
/// several instances that the options fit, all. A config's name that is no instance is compiled, if
/// the direction is given.
ExitCode IsaCommand(const IsaOptions& options);

}  // namespace gridwise
