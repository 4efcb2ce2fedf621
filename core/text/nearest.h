#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace gridwise {

/// What somebody may have meant by `name`: of `names` the `count` ones that it is the beginning of,
/// or that take the fewest insertions, deletions and changes of a character to become it, the
/// nearest first.
std::vector<std::string> NearestNames(std::string_view name,
                                      const std::vector<std::string_view>& names,
                                      std::size_t count);

/// A list for an error: all of `names` if there are at most `count`, else the nearest to `name` and
/// how many there are: "a, b, c, and 57 others".
std::string NearestList(std::string_view name, const std::vector<std::string_view>& names,
                        std::size_t count = 5);

}  // namespace gridwise
