// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace gridwise {

/// An instruction of a kernel, as LLVM prints it.
struct CodeLine {
  uint64_t pc = 0;  // bytes from the kernel's entry
  uint32_t bytes = 0;
  std::string text;
};

/// The classes of instructions that the report counts.
enum class CodeClass { kMatrix, kFma, kValu, kSalu, kLds, kVmem, kSmem, kBranch, kOther };

/// The class of an instruction's text. kFma are vector multiply-adds, which count as vector-ALU
/// instructions as well; waits, barriers and hints are kOther.
CodeClass Classify(std::string_view text);

/// Instructions of a loop, counted in the code, whether or not branches skip them.
struct MainLoop {
  uint64_t begin = 0, end = 0;  // its instructions have begin <= pc < end
  int matrix = 0;
  int fma = 0;   // vector multiply-adds
  int valu = 0;  // vector ALU without matrix instructions, multiply-adds included
  int salu = 0, lds = 0, vmem = 0;

  /// Whether the loop has matrix instructions; else multiply-adds count.
  bool has_matrix() const { return matrix > 0; }
};

/// The innermost loop with matrix instructions or, if the kernel has none, with multiply-adds. A
/// loop is what lies between a backward branch and its target. If there are several, the loop with
/// the most such instructions is meant; among equals, the one with the fewest vector-ALU
/// instructions.
std::optional<MainLoop> FindMainLoop(std::span<const CodeLine> code);

}  // namespace gridwise
