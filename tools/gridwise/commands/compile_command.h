// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "tools/gridwise/cli/exit_code.h"

namespace gridwise {

/// The words and flags of `gridwise compile`.
struct CompileOptions {
  std::string program;             // argv[0]
  std::vector<std::string> names;  // names of instances, for the flags below
  std::string family;              // family of the names; empty: any
  std::string device;              // "gfx942"
  std::string direction;           // empty: fwd
  std::string instances;  // file of instances; it has its own families, directions and target
  int jobs = 0;           // compilations at the same time; 0: one per core
};

/// Compiles instances. Prints a line for each: the path of its code object, or why there is none.
ExitCode CompileCommand(const CompileOptions& options);

}  // namespace gridwise
