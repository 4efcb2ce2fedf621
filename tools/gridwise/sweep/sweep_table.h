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
  // What was asked. These are the record's key.
  std::string problem;   // its name in the problem set
  std::string device;    // "gfx942"
  std::string sizes;     // ToString(ConvProblem), with direction and type
  std::string instance;  // empty where none computes the problem
  uint64_t seed = 0;
  int splits =
      0;  // workgroups that share the K of a tile; 0 where no instance computes the problem

  // The same once more, for who reads a table by columns.
  std::string family;  // of the instance
  int problem_index = 0;
  std::optional<Problem> shape;

  // What came of it.
  enum class Result { kPass, kFail, kUnverified, kTimed, kSlower, kError };
  Result result = Result::kError;
  std::string message;                   // why it is kFail or kError
  std::optional<std::int64_t> non_zero;  // elements of a computed output
  double gflop = 0;
  double estimate_us = 0;           // the planner's, of the launch; 0 where no instance computes it
  double seconds = 0;               // of the launch: of the simulation, where it is simulated
  std::optional<ErrorStats> error;  // kPass and kFail
  std::optional<SimRun> sim;
  std::optional<Timing> timing;  // kTimed; kSlower, where it is a lower bound

  bool failed() const { return result == Result::kFail || result == Result::kError; }
};

/// "pass", "fail", "unverified", "timed", "slower" (than another instance, and not timed to the
/// end) or "error".
const char* Name(SweepRecord::Result result);

/// The CSV file of a sweep: records are added a line at a time and reach the file at once, so that
/// an interrupted sweep can go on where it was.
class SweepTable {
 public:
  /// The columns, as the file's first line names them.
  static std::string Header();

  /// A table without a file: it remembers what is added.
  SweepTable() = default;

  /// Opens the table at `path`, or begins it; "-" is stdout. Pipes and devices are written and not
  /// read. An incomplete last line, which an interruption leaves, is removed. Errors: a file that
  /// is not such a table, which is left alone, or one that cannot be read or written.
  static absl::StatusOr<SweepTable> Open(const std::string& path);

  /// The result of the record with the key of `record`, if the table has it and it is one of
  /// `wanted`.
  std::optional<SweepRecord::Result> Find(const SweepRecord& record,
                                          std::span<const SweepRecord::Result> wanted) const;

  /// The time in ms of the record with the key of `record`, if the table has it and it is kTimed.
  std::optional<double> FindMs(const SweepRecord& record) const;

  absl::Status Add(const SweepRecord& record);
  /// Adds a line of another such table, without its end; its result.
  absl::StatusOr<SweepRecord::Result> AddLine(const std::string& line);
  /// The same, unless the table has a record of that key and result; whether it had not.
  absl::StatusOr<bool> AddNewLine(const std::string& line);

 private:
  struct Close {
    void operator()(std::FILE* file) const {
      if (file != stdout) std::fclose(file);
    }
  };
  /// Remembers a line's key and result; `where` is what errors begin with.
  absl::StatusOr<SweepRecord::Result> Remember(std::string_view line, std::string_view where);
  absl::Status Write(const std::string& line);
  /// Takes in what the file held, without an incomplete last line.
  absl::Status Read(const std::string& path, std::string_view text);

  std::string path_;
  std::unique_ptr<std::FILE, Close> file_;
  /// By keys and results, ms; 0 where nothing was timed.
  std::map<std::pair<std::vector<std::string>, SweepRecord::Result>, double> done_;
};

}  // namespace gridwise
