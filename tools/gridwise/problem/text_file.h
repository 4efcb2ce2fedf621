#pragma once

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace gridwise {

/// The text of a file that the user names, relative to the user's folder.
absl::StatusOr<std::string> ReadTextFile(const std::string& path);

/// Makes it the text of such a file; of "-" stdout's.
absl::Status WriteTextFile(const std::string& path, const std::string& text);

}  // namespace gridwise
