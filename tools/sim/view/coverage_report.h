// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tools/sim/view/coverage.h"

namespace gridwise::sim {

/// Sums of what was executed.
struct CoverageTotals {
  int64_t instructions = 0, executed = 0;
  /// Conditional branches that were executed, and those of them that went both ways.
  int64_t branches = 0, both_ways = 0;
  int64_t lines = 0, executed_lines = 0;  // source lines

  void Add(const CoverageTotals& other);
};
CoverageTotals CountTotals(const FunctionCoverage& function);

/// Instructions that lie one after the other and were never executed.
struct NeverRun {
  uint64_t begin = 0, end = 0;  // bytes from the function's first: the first and the last one
  int64_t instructions = 0;
  std::vector<std::string> sources;  // "file.hip:12-14", in the order of their first instruction
};
std::vector<NeverRun> FindNeverRun(const FunctionCoverage& function);

/// A table of the functions that were entered, what of them was never executed, and the kernels
/// that were never launched. `listing`: with every instruction.
std::string CoverageText(const Coverage& coverage, bool listing);
/// The same with listings as a page (PageKind::kCoverage).
std::string CoverageHtml(const Coverage& coverage);
/// LCOV's tracefile (geninfo(1)). A line was executed as often as the instruction of it that was
/// executed most, summed over functions. Branch 0 of a conditional branch is the jump, branch 1
/// going on. Functions without source lines are not in it.
std::string CoverageLcov(const Coverage& coverage);

}  // namespace gridwise::sim
