#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "tools/tune/times.h"

namespace gridwise {

/// The times of tables of `gridwise sweep --time` that the user names (text_file.h), as ReadTimes
/// reads them one behind the other. kInvalidArgument for none.
absl::StatusOr<std::vector<TimedProblem>> ReadTables(const std::vector<std::string>& paths);

}  // namespace gridwise
