// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "tools/gridwise/import/import.h"
#include "tools/gridwise/import/line.h"

namespace gridwise {

/// Joins equal problems, and counts what else there is.
class Collector {
 public:
  /// What is added from now on is from this file.
  void Begin(const std::string& source) { sources_.push_back(source); }
  /// Adds what the line, event or node (`unit`) called `place` says.
  void Add(const char* unit, const std::string& place, const ImportedLine& line);
  /// Adds an error about the whole file.
  void AddFault(const absl::Status& status);
  /// Counts things that were left out.
  void Skip(const std::string& what, std::int64_t count) { skipped_[what] += count; }

  /// How many convolutions and errors there are so far.
  std::int64_t found() const { return occurrences_ + fault_count_; }

  absl::StatusOr<ImportedSet> Finish() const;

 private:
  /// A geometry, with its occurrences in each direction.
  struct Joined {
    ConvProblem problem;
    std::string name, note;
    std::array<std::int64_t, 3> runs = {}, searches = {};
  };

  void AddProblem(const char* unit, const std::string& place, const ImportedItem& item,
                  const ConvProblem& problem);
  void AddFault(const std::string& where, std::string_view message);
  /// "log.txt:12" or "trace.json, event 12".
  std::string Where(const char* unit, const std::string& place) const;
  std::vector<NamedProblem> Problems() const;

  std::vector<std::string> sources_;  // at least one when something is added
  std::vector<Joined> joined_;
  std::unordered_map<std::string, std::size_t> index_;  // in joined_, by the problem's text
  std::map<std::string, std::int64_t> kinds_, skipped_;
  std::vector<std::string> faults_;  // the first ones
  std::int64_t occurrences_ = 0, fault_count_ = 0;
};

}  // namespace gridwise
