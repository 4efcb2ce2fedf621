// SPDX-License-Identifier: MIT
#include "tools/sim/time/calibrate/csv.h"

#include <cstddef>

namespace gridwise::sim::time {
namespace {

/// The fields of the record at the front of `text`, which is taken off it.
std::vector<std::string> TakeRecord(std::string_view& text) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  size_t i = 0;
  for (; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted && c == '"' && i + 1 < text.size() && text[i + 1] == '"') {
      fields.back() += text[++i];
    } else if (c == '"') {
      quoted = !quoted;
    } else if (!quoted && c == ',') {
      fields.emplace_back();
    } else if (!quoted && c == '\n') {
      ++i;
      break;
    } else if (quoted || c != '\r') {
      fields.back() += c;
    }
  }
  text.remove_prefix(i);
  return fields;
}

}  // namespace

std::vector<std::map<std::string, std::string>> ParseCsv(std::string_view text) {
  const std::vector<std::string> names = TakeRecord(text);
  std::vector<std::map<std::string, std::string>> rows;
  while (!text.empty()) {
    const std::vector<std::string> fields = TakeRecord(text);
    if (fields.size() == 1 && fields[0].empty()) continue;
    auto& row = rows.emplace_back();
    for (size_t i = 0; i < fields.size() && i < names.size(); ++i) row[names[i]] = fields[i];
  }
  return rows;
}

}  // namespace gridwise::sim::time
