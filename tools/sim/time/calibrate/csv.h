// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace gridwise::sim::time {

/// The rows of a comma-separated file (RFC 4180), by the names in its first line. Lines that are
/// shorter than that lack the columns after their end.
std::vector<std::map<std::string, std::string>> ParseCsv(std::string_view text);

}  // namespace gridwise::sim::time
