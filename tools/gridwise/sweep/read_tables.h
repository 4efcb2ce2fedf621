// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "tools/tune/times.h"

namespace gridwise {

/// Reads the tables of `gridwise sweep --time` at `paths` (text_file.h), as ReadTimes reads their
/// concatenation.
///
/// Errors: kInvalidArgument if there are no paths.
absl::StatusOr<std::vector<TimedProblem>> ReadTables(const std::vector<std::string>& paths);

}  // namespace gridwise
