// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace gridwise {

/// A number of operations: "5e9", "5G", "1.5T". Usable as the type of an Abseil flag.
struct OperationCount {
  double value = 0;
};
bool AbslParseFlag(absl::string_view text, OperationCount* count, std::string* error);
std::string AbslUnparseFlag(const OperationCount& count);

/// A command line, taken apart.
struct CommandLine {
  std::vector<std::string> words;  // arguments that are not flags; the program's name is first
  std::vector<std::string> flags;  // names of the given flags, such as "pad_end"
};

/// Sets Abseil's flags from `arguments`. The first argument is the program's name. `known` lists
/// the flags that a user may give.
///
///   - "--pad-end=1", "--pad-end 1" and "--pad_end=1" are the same. A value that begins with "--"
///     requires the first form.
///   - Switches take no value, or true or false.
///   - There are no flags after "--".
///
/// Errors name the flag, its value and the rule. Abseil's own parser is not used because it exits
/// with a status that has another meaning here.
absl::StatusOr<CommandLine> ParseCommandLine(const std::vector<std::string>& arguments,
                                             const std::vector<std::string_view>& known);

/// Returns the flag "pad_end" as users write it: "--pad-end".
std::string Spelling(std::string_view flag);

}  // namespace gridwise
