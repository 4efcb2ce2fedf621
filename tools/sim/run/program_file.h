// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace gridwise::sim {

/// What the file of a program says about how it can be run.
struct ProgramFile {
  bool is_elf = false;      // else a script, whose interpreter the system finds
  bool is_dynamic = false;  // has a dynamic section: the loader looks for its libraries
  std::string interpreter;  // PT_INTERP: the loader that it was linked for; "" if it names none
  std::string rpath;        // DT_RPATH, which is searched before LD_LIBRARY_PATH
  std::string hip_library;  // "libamdhip64.so.6", the name that it asks for; "" if it asks for none
  std::vector<std::string> targets;  // "gfx942": what it has device code for
};

/// Reads the file at `path`.
absl::StatusOr<ProgramFile> ReadProgramFile(const std::string& path);

}  // namespace gridwise::sim
