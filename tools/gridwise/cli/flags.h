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
  std::vector<std::string> words;  // what is no flag; the program's name first
  std::vector<std::string> flags;  // names of the flags that were given, as "pad_end"
};

/// Sets Abseil's flags from `arguments`, the program's name first. "--pad-end=1", "--pad-end 1" and
/// "--pad_end=1" are the same, but a value that begins with "--" wants the first form; switches
/// take no value, or true or false; behind "--" there are no flags. `known` are the flags that a
/// user may give. Errors name the flag, its value and what it must be. (Abseil's own parser ends
/// the program, and with a status that means something else here.)
absl::StatusOr<CommandLine> ParseCommandLine(const std::vector<std::string>& arguments,
                                             const std::vector<std::string_view>& known);

/// "--pad-end", as users write the flag "pad_end".
std::string Spelling(std::string_view flag);

}  // namespace gridwise
