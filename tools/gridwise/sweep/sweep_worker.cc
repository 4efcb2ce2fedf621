// SPDX-License-Identifier: MIT
#include "tools/gridwise/sweep/sweep_worker.h"

#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <system_error>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "tools/gridwise/cli/subprocess.h"

namespace gridwise {
namespace {

/// A unique path, removed by the destructor.
class TemporaryFile {
 public:
  TemporaryFile() {
    static std::atomic<int> number = 0;
    path_ = std::filesystem::temp_directory_path() /
            absl::StrFormat("gridwise_sweep_%d_%d.csv", getpid(), number++);
  }
  TemporaryFile(const TemporaryFile&) = delete;
  ~TemporaryFile() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

/// Returns the line after the table's header; empty if there is no complete line.
std::string FirstRecord(const std::string& path) {
  std::ifstream file(path);
  std::string header, line;
  if (!std::getline(file, header) || !std::getline(file, line) || file.eof()) return "";
  return line;
}

/// Returns the last nonempty line of a text.
std::string_view LastLine(std::string_view text) {
  text = absl::StripTrailingAsciiWhitespace(text);
  return text.substr(text.rfind('\n') + 1);
}

}  // namespace

absl::StatusOr<std::string> RunInWorker(const std::vector<std::string>& sweep, const WorkerRun& run,
                                        double limit_s) {
  const TemporaryFile table;
  std::vector<std::string> arguments = sweep;
  arguments.insert(
      arguments.end(),
      {absl::StrCat("--problem=", run.problem), absl::StrCat("--direction=", run.direction),
       absl::StrCat("--family=", run.family), absl::StrCat("--instance=", run.instance),
       absl::StrCat("--csv=", table.path()), "--workers=0", "--instances=", "--all-instances=false",
       "--first-instances=0", "--random-instances=0", "--shard=", "--json=false",
       absl::StrCat("--quick=", run.quick ? "true" : "false")});
  const absl::StatusOr<Ending> ending = RunProgram(arguments, limit_s);
  if (!ending.ok()) return ending.status();
  std::string line = FirstRecord(table.path());
  if (!line.empty()) return line;
  const std::string_view last = LastLine(ending->last_words);
  return absl::AbortedError(
      absl::StrCat("the process ", ending->ToString(), last.empty() ? "" : ": ", last));
}

}  // namespace gridwise
