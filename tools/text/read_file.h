// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "absl/status/statusor.h"

namespace gridwise {

/// Returns all bytes of a file, or of what else can be read from its beginning to its end, such as
/// a pipe. A file that cannot be opened or read is an error with its path and the system's reason;
/// so is a folder, which opens but cannot be read.
absl::StatusOr<std::string> ReadFile(const std::string& path);

}  // namespace gridwise
