// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gridwise {

/// The fields of one line of CSV, as in RFC 4180, except that a quoted field does not span lines.
/// Returns nullopt if a quote is not closed.
std::optional<std::vector<std::string>> SplitCsvLine(std::string_view line);

/// The line with these fields, without a line end: fields with commas or quotes are quoted. Fields
/// must not have line ends. SplitCsvLine(JoinCsvLine(fields)) == fields.
std::string JoinCsvLine(std::span<const std::string> fields);

}  // namespace gridwise
