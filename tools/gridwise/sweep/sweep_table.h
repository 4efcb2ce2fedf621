// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <cstdio>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/reference/compare.h"
#include "tools/gridwise/problem/problem.h"
#include "tools/gridwise/run/sim_report.h"
#include "tools/gridwise/run/timing.h"

namespace gridwise {

/// One line of a sweep's CSV file: a problem on an instance of a target.
struct SweepRecord {
  // The run. These fields are the record's key.
  std::string problem;   // its name in the problem set
  std::string device;    // "gfx942"
  std::string sizes;     // ToString(ConvProblem), with direction and type
  std::string instance;  // empty if none computes the problem
  uint64_t seed = 0;
  int splits = 0;  // workgroups that share the K of a tile; 0 if no instance computes the problem

  // The same information, for readers of single columns.
  std::string family;  // of the instance
  int problem_index = 0;
  std::optional<Problem> shape;

  // The result of the run.
  enum class Result { kPass, kFail, kUnverified, kTimed, kSlower, kError };
  Result result = Result::kError;
  std::string message;                   // why it is kFail or kError
  std::optional<std::int64_t> non_zero;  // nonzero elements of a computed output
  double gflop = 0;
  double estimate_us = 0;           // planner's estimate; 0 if no instance computes it
  double seconds = 0;               // of the launch; on a simulated device, of the simulation
  std::optional<ErrorStats> error;  // kPass and kFail
  std::optional<SimRun> sim;
  std::optional<Timing> timing;  // kTimed; a lower bound for kSlower

  bool failed() const { return result == Result::kFail || result == Result::kError; }
};

/// Returns "pass", "fail", "unverified", "timed", "slower" (than another instance, and not timed to
/// the end) or "error".
const char* Name(SweepRecord::Result result);

/// The CSV file of a sweep. Each record is written to the file at once, as one line, so that an
/// interrupted sweep can continue.
class SweepTable {
 public:
  /// Returns the first line of the file: the names of the columns.
  static std::string Header();

  /// Makes a table without a file. It keeps the records in memory.
  SweepTable() = default;

  /// Opens the table at `path`, or creates it; "-" is stdout. Pipes and devices are written but not
  /// read. Removes an incomplete last line, which an interruption may leave.
  ///
  /// Returns an error if the file is not such a table, and then does not change it; or if it cannot
  /// be read or written.
  static absl::StatusOr<SweepTable> Open(const std::string& path);

  /// Returns the result of the record with the key of `record`, if the table has it and the result
  /// is one of `wanted`.
  std::optional<SweepRecord::Result> Find(const SweepRecord& record,
                                          std::span<const SweepRecord::Result> wanted) const;

  /// Returns the time in ms of the record with the key of `record`, if the table has it and it is
  /// kTimed.
  std::optional<double> FindMs(const SweepRecord& record) const;

  absl::Status Add(const SweepRecord& record);
  /// Adds a line of another such table, without its newline. Returns its result.
  absl::StatusOr<SweepRecord::Result> AddLine(const std::string& line);
  /// Like AddLine, unless the table has a record of that key and result. Returns whether it added
  /// the line.
  absl::StatusOr<bool> AddNewLine(const std::string& line);

 private:
  struct Close {
    void operator()(std::FILE* file) const {
      if (file != stdout) std::fclose(file);
    }
  };
  /// Stores a line's key and result. Errors begin with `where`.
  absl::StatusOr<SweepRecord::Result> Remember(std::string_view line, std::string_view where);
  absl::Status Write(const std::string& line);
  /// Reads the content of the file, without an incomplete last line.
  absl::Status Read(const std::string& path, std::string_view text);

  std::string path_;
  std::unique_ptr<std::FILE, Close> file_;
  /// Times in ms by key and result; 0 if the run was not timed.
  std::map<std::pair<std::vector<std::string>, SweepRecord::Result>, double> done_;
};

}  // namespace gridwise
