// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "absl/status/statusor.h"

namespace gridwise {

/// Returns all bytes of a file, or of a pipe or similar that can be read to its end. If it cannot
/// be opened or read (a folder opens, but cannot be read), the error has the path and the system's
/// reason.
absl::StatusOr<std::string> ReadFile(const std::string& path);

}  // namespace gridwise
