// SPDX-License-Identifier: MIT
#include "core/text/csv_table.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <memory>
#include <optional>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "core/text/csv.h"

namespace gridwise {
namespace {

absl::StatusOr<CsvRow::Columns> ParseHeader(const std::vector<std::string>& header,
                                            const std::vector<std::string>& required,
                                            const std::vector<std::string>& optional,
                                            const std::string& where) {
  std::vector<std::string> known = required;
  known.insert(known.end(), optional.begin(), optional.end());
  CsvRow::Columns columns;
  for (std::size_t i = 0; i < header.size(); ++i) {
    if (std::find(known.begin(), known.end(), header[i]) == known.end()) {
      return absl::InvalidArgumentError(absl::StrCat(where, "column ", i + 1, " is \"", header[i],
                                                     "\"; no such column is known"));
    }
    if (!columns.emplace(header[i], i).second) {
      return absl::InvalidArgumentError(
          absl::StrCat(where, "column ", header[i], " appears twice; must appear once"));
    }
  }
  for (const std::string& name : required) {
    if (!columns.contains(name)) {
      return absl::InvalidArgumentError(absl::StrCat(where, "column ", name,
                                                     " is missing; the first line must name ",
                                                     absl::StrJoin(required, ", ")));
    }
  }
  return columns;
}

}  // namespace

absl::Status CsvRow::Error(std::string_view what) const {
  return absl::InvalidArgumentError(absl::StrCat(where_, what));
}

absl::Status CsvRow::ReadInt(std::string_view column, std::int64_t& value) const {
  if (absl::SimpleAtoi(Field(column), &value)) return absl::OkStatus();
  return Error(
      absl::StrFormat("column %s is \"%s\"; must be a 64-bit integer", column, Field(column)));
}

absl::Status ForEachCsvRow(std::string_view csv, std::string_view source,
                           const std::vector<std::string>& required,
                           const std::vector<std::string>& optional,
                           absl::FunctionRef<absl::Status(const CsvRow&)> visit) {
  std::optional<CsvRow::Columns> columns;
  std::map<std::string, int> line_of_name;
  int line_number = 0;
  for (std::string_view line : absl::StrSplit(csv, '\n')) {
    const std::string where = absl::StrFormat("%s:%d: ", source, ++line_number);
    line = absl::StripSuffix(line, "\r");
    if (line.empty()) continue;
    std::optional<std::vector<std::string>> fields = SplitCsvLine(line);
    if (!fields) {
      return absl::InvalidArgumentError(
          absl::StrCat(where, "a quoted field is not closed; must end on its line"));
    }
    if (!columns) {
      absl::StatusOr<CsvRow::Columns> header = ParseHeader(*fields, required, optional, where);
      if (!header.ok()) return header.status();
      columns = *std::move(header);
      continue;
    }
    const std::size_t count = fields->size();
    const CsvRow row(*columns, *std::move(fields), where);
    if (count != columns->size()) {
      return row.Error(absl::StrFormat("the line has %d fields; must have %d, as the header", count,
                                       columns->size()));
    }
    const std::string& name = row.Field("name");
    if (name.empty()) return row.Error("column name is \"\"; must not be empty");
    if (absl::Status status = visit(row); !status.ok()) return status;
    const auto [first, is_new] = line_of_name.emplace(name, line_number);
    if (!is_new) {
      return row.Error(absl::StrFormat("column name is \"%s\"; must differ from that of line %d",
                                       name, first->second));
    }
  }
  if (columns) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(source, ": there is no header line"));
}

absl::StatusOr<std::string> ReadText(const std::string& path, std::string_view what) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"),
                                                             &std::fclose);
  if (!file) return absl::ErrnoToStatus(errno, absl::StrCat("cannot open the ", what, " ", path));
  std::string text;
  std::array<char, 4096> buffer;
  while (const std::size_t bytes = std::fread(buffer.data(), 1, buffer.size(), file.get())) {
    text.append(buffer.data(), bytes);
  }
  if (std::ferror(file.get())) {
    return absl::ErrnoToStatus(errno, absl::StrCat("cannot read the ", what, " ", path));
  }
  return text;
}

}  // namespace gridwise
