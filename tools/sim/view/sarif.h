// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "llvm/Support/JSON.h"

namespace gridwise::sim {

/// The findings of several processes: the results of check mode's reports in SARIF
/// (check/report.h), each of which one process has written.
class SarifReports {
 public:
  /// Adds a report's results. One of the same rule, place and instruction as an earlier one adds
  /// its occurrenceCount to that, and is no result of its own.
  ///
  /// Errors: kInvalidArgument, and nothing is added, if `text` is no JSON, or has no runs with
  /// results as check mode writes them.
  absl::Status Add(std::string_view text);

  /// The number of different results.
  size_t size() const { return results_.size(); }

  /// A line for each result: its sentence, and how often it was seen if not once.
  std::string Text() const;

  /// One log with one run, in SARIF 2.1.0.
  std::string Sarif() const;

  /// The results as GitHub's workflow commands, which show them at their lines:
  /// "::error file=...,line=...,title=...::sentence" and "::warning ...", one a line.
  std::string GithubCommands() const;

 private:
  std::vector<llvm::json::Object> results_;  // in the order of their first occurrence
  std::map<std::string, size_t> known_;      // rule, place and instruction -> index
};

}  // namespace gridwise::sim
