// SPDX-License-Identifier: MIT
#include "tools/gridwise/sweep/read_tables.h"

#include "absl/status/status.h"
#include "tools/gridwise/problem/text_file.h"

namespace gridwise {

absl::StatusOr<std::vector<TimedProblem>> ReadTables(const std::vector<std::string>& paths) {
  if (paths.empty())
    return absl::InvalidArgumentError(
        "no table is named; `gridwise sweep --time --all-instances --csv=TABLE` makes one");
  std::string all;
  for (const std::string& path : paths) {
    const absl::StatusOr<std::string> text = ReadTextFile(path);
    if (!text.ok()) return text.status();
    all += *text;
  }
  return ReadTimes(all);
}

}  // namespace gridwise
