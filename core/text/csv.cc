// SPDX-License-Identifier: MIT
#include "core/text/csv.h"

#include <cstddef>

namespace gridwise {

std::optional<std::vector<std::string>> SplitCsvLine(std::string_view line) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '"') {
      const bool escaped = quoted && i + 1 < line.size() && line[i + 1] == '"';
      if (escaped) {
        fields.back() += line[++i];
      } else {
        quoted = !quoted;
      }
    } else if (line[i] == ',' && !quoted) {
      fields.emplace_back();
    } else {
      fields.back() += line[i];
    }
  }
  if (quoted) return std::nullopt;
  return fields;
}

std::string JoinCsvLine(std::span<const std::string> fields) {
  std::string line;
  for (size_t i = 0; i < fields.size(); ++i) {
    if (i > 0) line += ',';
    if (fields[i].find_first_of(",\"") == std::string::npos) {
      line += fields[i];
      continue;
    }
    line += '"';
    for (const char c : fields[i]) line.append(c == '"' ? 2 : 1, c);
    line += '"';
  }
  return line;
}

}  // namespace gridwise
