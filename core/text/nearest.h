// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace gridwise {

/// Suggestions for the misspelled `name`: up to `count` of `names` that begin with it, or that need
/// the fewest insertions, deletions and changes of a character, nearest first.
std::vector<std::string> NearestNames(std::string_view name,
                                      const std::vector<std::string_view>& names,
                                      std::size_t count);

/// A list for an error: all of `names` if there are at most `count`, else the nearest to `name` and
/// the number of others: "a, b, c, and 57 others".
std::string NearestList(std::string_view name, const std::vector<std::string_view>& names,
                        std::size_t count = 5);

}  // namespace gridwise
