#pragma once

#include <string>

#include "tools/gridwise/cli/exit_code.h"

namespace gridwise {

/// The flags of `gridwise isa`.
struct IsaOptions {
  std::string program;  // argv[0]
  std::string row;
  std::string family;     // of the row; empty: any
  std::string device;     // "gfx942"
  std::string direction;  // of the row; empty: any
};

/// Prints what a row's kernel needs, what its main loop consists of, and its disassembly. Of
/// several rows that the options fit, all. A config's name that is no row is compiled, if the
/// direction is given.
ExitCode IsaCommand(const IsaOptions& options);

}  // namespace gridwise
