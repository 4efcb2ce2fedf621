// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace gridwise {

/// Returns the text of a file. `path` is relative to the user's folder.
absl::StatusOr<std::string> ReadTextFile(const std::string& path);

/// Writes `text` to a file, or to stdout if `path` is "-".
absl::Status WriteTextFile(const std::string& path, const std::string& text);

}  // namespace gridwise
