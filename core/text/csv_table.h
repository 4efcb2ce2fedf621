// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace gridwise {

/// A line of a table, with what is needed to read it and to report errors in it.
class CsvRow {
 public:
  using Columns = std::map<std::string, std::size_t, std::less<>>;

  CsvRow(const Columns& columns, std::vector<std::string> fields, std::string where)
      : columns_(columns), fields_(std::move(fields)), where_(std::move(where)) {}

  bool Has(std::string_view column) const { return columns_.contains(column); }
  /// Returns the field of a column. Requires that the table has it.
  const std::string& Field(std::string_view column) const {
    return fields_[columns_.find(column)->second];
  }
  /// Returns kInvalidArgument: "<source>:<line>: `what`".
  absl::Status Error(std::string_view what) const;
  absl::Status ReadInt(std::string_view column, std::int64_t& value) const;

 private:
  const Columns& columns_;
  std::vector<std::string> fields_;
  std::string where_;
};

/// Calls visit(row) for each line but the first, which names the columns in any order: all that are
/// `required`, and some that are `optional`. The column "name" is required, and its values must
/// differ. Fields may be quoted ("" is a quote), but not span lines; empty lines are skipped. The
/// first error, also one of `visit`, ends the loop. Errors start with "<source>:<line>: " and name
/// the column and the value.
absl::Status ForEachCsvRow(std::string_view csv, std::string_view source,
                           const std::vector<std::string>& required,
                           const std::vector<std::string>& optional,
                           absl::FunctionRef<absl::Status(const CsvRow&)> visit);

/// The text of the file at `path`; errors call it `what`.
absl::StatusOr<std::string> ReadText(const std::string& path, std::string_view what);

}  // namespace gridwise
