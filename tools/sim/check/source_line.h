// SPDX-License-Identifier: MIT
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <string>

namespace gridwise::sim {

/// A line of a source file.
struct SourceLine {
  std::string file;  // with its folders, as far as the debug information has them
  int line = 0;      // 0: there is none

  /// "file.hip:12", without folders; "" if there is none.
  std::string ToString() const;

  friend auto operator<=>(const SourceLine&, const SourceLine&) = default;
};

/// Which line of an address is meant: the instruction's own, in the innermost inlined function; or
/// the beginning of the function that everything was inlined into.
enum class LineOf : uint8_t { kInstruction, kFunction };

/// The line of an address of a code object.
using SourceLineFn = std::function<SourceLine(uint64_t pc, LineOf of)>;

}  // namespace gridwise::sim
