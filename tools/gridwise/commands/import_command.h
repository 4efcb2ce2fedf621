// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tools/gridwise/cli/exit_code.h"

namespace gridwise {

/// The flags of `gridwise import`.
struct ImportOptions {
  std::string program;                // argv[0]
  std::vector<std::string> files;     // at least one
  std::optional<std::int64_t> batch;  // images, in place of those in the files
  std::string csv;                    // file for the problems; empty or -: stdout
};

/// Writes the convolutions of other programs' files (import/import.h) as a problem set, and to
/// stderr what was read, left out and wrong.
ExitCode ImportCommand(const ImportOptions& options);

}  // namespace gridwise
