// SPDX-License-Identifier: MIT
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "tools/sim/check/source_line.h"

namespace gridwise::sim {

/// How often waves have executed an instruction.
struct InstructionCoverage {
  std::string text;
  SourceLine source;  // none without debug information
  int64_t executions = 0;
  bool branches = false;  // if a condition holds
  int64_t taken = 0;      // how often it was taken

  int64_t not_taken() const { return executions - taken; }
};

/// A function: the same one in all processes that load the same code.
struct FunctionKey {
  std::string gfx;    // "gfx942"
  std::string name;   // as the linker knows it
  uint64_t code = 0;  // a hash of its bytes

  friend auto operator<=>(const FunctionKey&, const FunctionKey&) = default;
};

struct FunctionCoverage {
  bool kernel = false;
  uint64_t bytes = 0;
  SourceLine source;  // where it begins; none without debug information of functions
  /// All of them, by bytes from the function's first; none of a function that was never entered.
  std::map<uint64_t, InstructionCoverage> instructions;
};

/// What runs have executed of the code objects that they loaded.
struct Coverage {
  int64_t runs = 0;
  std::map<FunctionKey, FunctionCoverage> functions;

  /// Adds runs, executions and taken branches. A function that only one of the two has stays as it
  /// is.
  void Add(const Coverage& other);
};

/// A block of a coverage file. Each run appends a block of text to the file, from "gridwise
/// coverage 1" to "end". Readers skip a block without its end, which a killed process has left.
std::string CoverageBlock(const Coverage& coverage);
/// The sum of all blocks. The error names the line that is not understood.
absl::StatusOr<Coverage> ParseCoverage(std::string_view text);

/// Appends a block to the file `path`, which other processes may append to at the same time.
absl::Status AppendCoverage(const std::string& path, const Coverage& coverage);
absl::StatusOr<Coverage> ReadCoverage(const std::string& path);

}  // namespace gridwise::sim
