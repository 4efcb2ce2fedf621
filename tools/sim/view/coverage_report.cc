// SPDX-License-Identifier: MIT
#include "tools/sim/view/coverage_report.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "llvm/Support/JSON.h"
#include "tools/page/page.h"
#include "tools/sim/elf/kernel_name.h"
#include "tools/text/json.h"

namespace gridwise::sim {
namespace {

using Functions = std::vector<std::pair<const FunctionKey*, const FunctionCoverage*>>;

/// The functions that were entered or, if `entered` is false, the kernels that never were.
Functions CollectFunctions(const Coverage& coverage, bool entered) {
  Functions functions;
  for (const auto& [key, function] : coverage.functions) {
    if (function.instructions.empty() != entered) functions.emplace_back(&key, &function);
  }
  return functions;
}

std::string Part(int64_t part, int64_t whole) {
  if (whole == 0) return "-";
  return absl::StrFormat("%d of %d (%.1f %%)", part, whole,
                         100. * static_cast<double>(part) / static_cast<double>(whole));
}

/// One row: instructions, branches, lines.
std::vector<std::string> Cells(const CoverageTotals& totals) {
  return {Part(totals.executed, totals.instructions), Part(totals.both_ways, totals.branches),
          Part(totals.executed_lines, totals.lines)};
}

/// Source lines, and whether an instruction of theirs was executed.
using Lines = std::map<SourceLine, bool>;

void AddLines(const FunctionCoverage& function, Lines& lines) {
  for (const auto& [offset, i] : function.instructions) {
    if (i.source.line != 0) lines[i.source] |= i.executions != 0;
  }
}

void CountLines(const Lines& lines, CoverageTotals& totals) {
  totals.lines = static_cast<int64_t>(lines.size());
  totals.executed_lines =
      std::count_if(lines.begin(), lines.end(), [](const auto& line) { return line.second; });
}

Lines CollectLines(const Functions& functions) {
  Lines lines;
  for (const auto& [key, function] : functions) AddLines(*function, lines);
  return lines;
}

/// Instructions and branches are summed; a line of several functions is one line.
CoverageTotals CountTotals(const Functions& functions) {
  CoverageTotals totals;
  for (const auto& [key, function] : functions) totals.Add(sim::CountTotals(*function));
  CountLines(CollectLines(functions), totals);
  return totals;
}

/// A file a row, "a.hip: 12, 40-43": lines that have instructions and were executed nowhere.
std::string LinesNeverRun(const Functions& functions) {
  std::map<std::string, std::vector<std::pair<int, int>>> files;  // first and last lines
  bool before = false;
  for (const auto& [line, executed] : CollectLines(functions)) {
    if (!executed) {
      std::vector<std::pair<int, int>>& ranges = files[line.file];
      if (before && !ranges.empty()) {
        ranges.back().second = line.line;
      } else {
        ranges.emplace_back(line.line, line.line);
      }
    }
    before = !executed;
  }
  std::string text;
  for (const auto& [file, ranges] : files) {
    absl::StrAppend(&text, "  ", file, ": ",
                    absl::StrJoin(ranges, ", ",
                                  [](std::string* out, const auto& range) {
                                    absl::StrAppend(out, range.first);
                                    if (range.second != range.first)
                                      absl::StrAppend(out, "-", range.second);
                                  }),
                    "\n");
  }
  return text;
}

std::string TextRow(const std::vector<std::string>& cells, std::string_view last) {
  return absl::StrFormat("%-26s %-24s %-24s %s\n", cells[0], cells[1], cells[2], last);
}

std::string NeverRunText(const NeverRun& never) {
  return absl::StrFormat("+0x%x to +0x%x, %d %s%s%s", never.begin, never.end, never.instructions,
                         never.instructions == 1 ? "instruction" : "instructions",
                         never.sources.empty() ? "" : ": ", absl::StrJoin(never.sources, ", "));
}

std::string BranchText(const InstructionCoverage& i) {
  return i.branches ? absl::StrFormat("jumps %d, goes on %d", i.taken, i.not_taken()) : "";
}

std::string ListingText(const FunctionCoverage& function) {
  std::string text;
  for (const auto& [offset, i] : function.instructions) {
    absl::StrAppendFormat(&text, "  %12s  +0x%-6x %-24s %s",
                          i.executions == 0 ? "-" : absl::StrCat(i.executions), offset,
                          i.source.ToString(), i.text);
    if (i.branches) absl::StrAppend(&text, "  [", BranchText(i), "]");
    absl::StrAppend(&text, "\n");
  }
  return text;
}

llvm::json::Object ToJson(const CoverageTotals& totals) {
  return llvm::json::Object{{"instructions", totals.instructions},
                            {"executed", totals.executed},
                            {"branches", totals.branches},
                            {"both_ways", totals.both_ways},
                            {"lines", totals.lines},
                            {"executed_lines", totals.executed_lines}};
}

llvm::json::Object ToJson(const FunctionKey& key, const FunctionCoverage& function) {
  llvm::json::Array instructions;
  for (const auto& [offset, i] : function.instructions) {
    llvm::json::Object object{{"pc", static_cast<int64_t>(offset)},
                              {"text", i.text},
                              {"source", i.source.ToString()},
                              {"executions", i.executions}};
    if (i.branches) object["taken"] = i.taken;
    instructions.push_back(std::move(object));
  }
  return llvm::json::Object{{"target", key.gfx},
                            {"name", ShownName(key.name)},
                            {"totals", ToJson(sim::CountTotals(function))},
                            {"instructions", std::move(instructions)}};
}

/// The data of a source file for LCOV.
struct LcovFile {
  struct Branch {
    size_t number;  // which of the function's conditional branches on this line
    const InstructionCoverage* instruction;
  };
  std::map<std::string, std::pair<int, int64_t>> functions;  // line, executions
  std::map<int, int64_t> lines;
  std::map<int, std::vector<Branch>> branches;
};

void AddTo(std::map<std::string, LcovFile>& files, const FunctionKey& key,
           const FunctionCoverage& function) {
  if (function.instructions.empty()) return;
  std::map<SourceLine, int64_t> lines;
  for (const auto& [offset, i] : function.instructions) {
    if (i.source.line == 0) continue;
    int64_t& executions = lines[i.source];
    executions = std::max(executions, i.executions);
    if (!i.branches) continue;
    std::vector<LcovFile::Branch>& branches = files[i.source.file].branches[i.source.line];
    branches.push_back({branches.size(), &i});
  }
  for (const auto& [line, executions] : lines) files[line.file].lines[line.line] += executions;
  // A function without a line of its own has that of its first instruction.
  const InstructionCoverage& first = function.instructions.begin()->second;
  const SourceLine& begin = function.source.line != 0 ? function.source : first.source;
  if (begin.line == 0) return;
  auto& [line, executions] = files[begin.file].functions[key.name];
  line = begin.line;
  executions += first.executions;
}

/// Keys and counts of one file's part of the tracefile.
std::string LcovSection(const std::string& name, const LcovFile& file) {
  std::string text = absl::StrCat("SF:", name, "\n");
  for (const auto& [function, at] : file.functions)
    absl::StrAppend(&text, "FN:", at.first, ",", function, "\n");
  int64_t hit = 0;
  for (const auto& [function, at] : file.functions) {
    absl::StrAppend(&text, "FNDA:", at.second, ",", function, "\n");
    hit += at.second != 0;
  }
  absl::StrAppend(&text, "FNF:", file.functions.size(), "\nFNH:", hit, "\n");
  int64_t found = hit = 0;
  for (const auto& [line, branches] : file.branches) {
    for (const LcovFile::Branch& branch : branches) {
      const InstructionCoverage& i = *branch.instruction;
      for (const auto& [way, count] : {std::pair(0, i.taken), std::pair(1, i.not_taken())}) {
        absl::StrAppendFormat(&text, "BRDA:%d,%d,%d,%s\n", line, branch.number, way,
                              i.executions == 0 ? "-" : absl::StrCat(count));
        ++found;
        hit += count != 0;
      }
    }
  }
  absl::StrAppend(&text, "BRF:", found, "\nBRH:", hit, "\n");
  hit = 0;
  for (const auto& [line, executions] : file.lines) {
    absl::StrAppend(&text, "DA:", line, ",", executions, "\n");
    hit += executions != 0;
  }
  absl::StrAppend(&text, "LF:", file.lines.size(), "\nLH:", hit, "\nend_of_record\n");
  return text;
}

}  // namespace

void CoverageTotals::Add(const CoverageTotals& other) {
  instructions += other.instructions;
  executed += other.executed;
  branches += other.branches;
  both_ways += other.both_ways;
  lines += other.lines;
  executed_lines += other.executed_lines;
}

CoverageTotals CountTotals(const FunctionCoverage& function) {
  CoverageTotals totals;
  for (const auto& [offset, i] : function.instructions) {
    const bool executed = i.executions != 0;
    ++totals.instructions;
    totals.executed += executed;
    totals.branches += i.branches && executed;
    totals.both_ways += i.branches && i.taken != 0 && i.not_taken() != 0;
  }
  Lines lines;
  AddLines(function, lines);
  CountLines(lines, totals);
  return totals;
}

std::vector<NeverRun> FindNeverRun(const FunctionCoverage& function) {
  std::vector<NeverRun> all;
  std::vector<std::vector<SourceLine>> sources;
  bool before = false;
  for (const auto& [offset, i] : function.instructions) {
    const bool never = i.executions == 0;
    if (never && !before) {
      all.push_back({.begin = offset, .end = offset, .instructions = 0, .sources = {}});
      sources.emplace_back();
    }
    before = never;
    if (!never) continue;
    all.back().end = offset;
    ++all.back().instructions;
    if (i.source.line != 0) sources.back().push_back(i.source);
  }
  for (size_t n = 0; n < all.size(); ++n) {
    std::set<SourceLine> seen;
    for (const SourceLine& line : sources[n]) {
      if (seen.insert(line).second) all[n].sources.push_back(line.ToString());
    }
  }
  return all;
}

std::string CoverageText(const Coverage& coverage, bool listing) {
  const Functions entered = CollectFunctions(coverage, true),
                  never = CollectFunctions(coverage, false);
  std::string text =
      absl::StrFormat("coverage of %d %s\n\n", coverage.runs, coverage.runs == 1 ? "run" : "runs");
  absl::StrAppend(&text,
                  TextRow({"instructions", "branches, both ways", "source lines"}, "function"));
  for (const auto& [key, function] : entered)
    absl::StrAppend(&text, TextRow(Cells(sim::CountTotals(*function)),
                                   absl::StrCat(key->gfx, " ", ShownName(key->name))));
  absl::StrAppend(&text, TextRow(Cells(CountTotals(entered)), "all"), "\nnever executed\n");
  for (const auto& [key, function] : entered) {
    const std::vector<NeverRun> parts = FindNeverRun(*function);
    if (parts.empty()) continue;
    absl::StrAppend(&text, key->gfx, " ", ShownName(key->name), "\n");
    for (const NeverRun& part : parts) absl::StrAppend(&text, "  ", NeverRunText(part), "\n");
  }
  if (const std::string lines = LinesNeverRun(entered); !lines.empty())
    absl::StrAppend(&text, "\nsource lines that no function executed\n", lines);
  absl::StrAppend(&text, "\nnever launched: ", never.size(), "\n");
  for (const auto& [key, function] : never)
    absl::StrAppend(&text, "  ", key->gfx, " ", ShownName(key->name), "\n");
  if (!listing) return text;
  for (const auto& [key, function] : entered)
    absl::StrAppend(&text, "\n", key->gfx, " ", ShownName(key->name), "\n", ListingText(*function));
  return text;
}

std::string CoverageHtml(const Coverage& coverage) {
  const Functions entered = CollectFunctions(coverage, true);
  llvm::json::Array functions, never;
  for (const auto& [key, function] : entered) functions.push_back(ToJson(*key, *function));
  for (const auto& [key, function] : CollectFunctions(coverage, false))
    never.push_back(absl::StrCat(key->gfx, " ", ShownName(key->name)));
  return MakePage(PageKind::kCoverage, "Coverage",
                  JsonText(llvm::json::Object{{"runs", coverage.runs},
                                              {"functions", std::move(functions)},
                                              {"all", ToJson(CountTotals(entered))},
                                              {"never_launched", std::move(never)}}));
}

std::string CoverageLcov(const Coverage& coverage) {
  std::map<std::string, LcovFile> files;
  for (const auto& [key, function] : coverage.functions) AddTo(files, key, function);
  std::string text;
  for (const auto& [name, file] : files) absl::StrAppend(&text, "TN:\n", LcovSection(name, file));
  return text;
}

}  // namespace gridwise::sim
