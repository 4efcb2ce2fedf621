#include "benchmarks/timed_rows.h"

#include <fstream>
#include <iterator>
#include <map>
#include <optional>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "core/base/csv.h"
#include "tools/gridwise/problem_sets.h"

namespace gridwise {

absl::StatusOr<std::vector<TimedRow>> ReadTimedRows(const std::string& path) {
  std::ifstream file(UserPath(path), std::ios::binary);
  if (!file) return absl::NotFoundError(absl::StrCat("the table ", path, " cannot be opened"));
  const std::string text(std::istreambuf_iterator<char>(file), {});
  std::vector<TimedRow> rows;
  std::map<std::string, size_t> columns;
  for (const absl::string_view line : absl::StrSplit(text, '\n', absl::SkipEmpty())) {
    const std::optional<std::vector<std::string>> fields = SplitCsvLine(line);
    if (!fields) return absl::InvalidArgumentError(absl::StrCat(path, ": no CSV: ", line));
    if (columns.empty()) {
      for (size_t i = 0; i < fields->size(); ++i) columns[(*fields)[i]] = i;
      for (const char* name : {"problem", "device", "sizes", "row", "estimate_us", "ms"}) {
        if (!columns.contains(name))
          return absl::InvalidArgumentError(absl::StrCat(path, " has no column ", name));
      }
      continue;
    }
    if (fields->size() < columns.size()) continue;
    const auto field = [&](const char* name) { return fields->at(columns.at(name)); };
    TimedRow row = {.problem = field("problem"),
                    .device = field("device"),
                    .sizes = field("sizes"),
                    .row = field("row")};
    if (absl::SimpleAtod(field("ms"), &row.ms) &&
        absl::SimpleAtod(field("estimate_us"), &row.estimate_us))
      rows.push_back(row);
  }
  return rows;
}

}  // namespace gridwise
