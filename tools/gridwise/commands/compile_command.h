#pragma once

#include <string>
#include <vector>

#include "tools/gridwise/cli/exit_code.h"

namespace gridwise {

/// The words and flags of `gridwise compile`.
struct CompileOptions {
  std::string program;             // argv[0]
  std::vector<std::string> names;  // of instances, for the flags below
  std::string family;              // of them; empty: any
  std::string device;              // "gfx942"
  std::string direction;           // empty: fwd
  std::string instances;  // file of instances, with families, directions and a target of its own
  int jobs = 0;           // at a time; 0: one a core
};

/// Compiles instances, and prints a line for each: where its code object is, or why there is none.
ExitCode CompileCommand(const CompileOptions& options);

}  // namespace gridwise
