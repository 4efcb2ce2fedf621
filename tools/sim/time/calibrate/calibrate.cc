// SPDX-License-Identifier: MIT
// Scores the clock against measurements:
//
//   calibrate --rows=measurements.csv [--split=tune] [--clock=burst] folder
//
// The folder has a program for each row that is to be scored, called as the row's id; it launches
// the row's kernels once, and is executed in time mode. Columns: id, target, problem, measured_ms,
// notes; ranks are among rows of a family that compute the same problem. A
// program's time is that of all its launches; where the notes say "kernel only", of the longest.
// Rows whose notes speak of a steady clock or of hundreds of warm-ups are compared with the time of
// long runs, unless --clock says which. A program that is not the one that was measured (parity.h)
// is set aside, with the reason.

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "core/text/csv.h"
#include "llvm/Support/JSON.h"
#include "tools/sim/time/calibrate/parity.h"
#include "tools/sim/time/calibrate/score.h"
#include "tools/text/read_file.h"

namespace gridwise::sim::time {
namespace {

namespace fs = std::filesystem;
using Row = std::map<std::string, std::string>;

struct Options {
  std::string rows, folder, split, clock;
};

/// The rows of a table, by the names in its first line. Lines that are shorter than that lack the
/// columns after their end.
absl::StatusOr<std::vector<Row>> ReadRows(const std::string& path) {
  const absl::StatusOr<std::string> text = ReadFile(path);
  if (!text.ok()) return text.status();
  std::vector<std::string> names;
  std::vector<Row> rows;
  int number = 0;
  for (std::string_view line : absl::StrSplit(*text, '\n')) {
    ++number;
    absl::ConsumeSuffix(&line, "\r");
    if (line.empty()) continue;
    const std::optional<std::vector<std::string>> fields = SplitCsvLine(line);
    if (!fields) {
      return absl::InvalidArgumentError(
          absl::StrCat(path, ", line ", number, ": a quote is not closed"));
    }
    if (names.empty()) {
      names = *fields;
      continue;
    }
    Row& row = rows.emplace_back();
    for (size_t i = 0; i < std::min(fields->size(), names.size()); ++i)
      row[names[i]] = (*fields)[i];
  }
  return rows;
}

/// Executes `program` in time mode for a device of `target`; its exit code, or -1.
int Execute(const fs::path& program, const std::string& target, const fs::path& report) {
  const pid_t child = fork();
  if (child == 0) {
    setenv("GRIDWISE_SIM", "time", 1);
    setenv("GRIDWISE_SIM_DEVICES", target.c_str(), 1);
    setenv("GRIDWISE_SIM_TIME_REPORT", report.c_str(), 1);
    const int nowhere = open("/dev/null", O_WRONLY);
    dup2(nowhere, STDOUT_FILENO);
    dup2(nowhere, STDERR_FILENO);
    execl(program.c_str(), program.c_str(), static_cast<char*>(nullptr));
    _exit(127);
  }
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child) return -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

std::string ClockOf(const Row& row, const Options& options) {
  if (!options.clock.empty()) return options.clock;
  const std::string& notes = row.at("notes");
  return absl::StrContains(notes, "steady") || absl::StrContains(notes, "00 warm-up") ? "sustained"
                                                                                      : "burst";
}

/// Milliseconds of a program: by the model, and by what the ports have to do alone.
struct Times {
  double model = 0, ports = 0;
};

/// Milliseconds of the launches in `report`, or a sentence.
std::optional<Times> TimeIn(const std::string& report, const Row& row, const std::string& clock,
                            std::string& problem) {
  llvm::Expected<llvm::json::Value> json = llvm::json::parse(report);
  const llvm::json::Array* launches = json ? json->getAsArray() : nullptr;
  if (!json) llvm::consumeError(json.takeError());
  if (launches == nullptr || launches->empty()) {
    problem = "launched nothing";
    return std::nullopt;
  }
  Times sum, longest;
  for (const llvm::json::Value& value : *launches) {
    const llvm::json::Object& launch = *value.getAsObject();
    const auto number = [&](const char* name) {
      return static_cast<int>(launch.getInteger(name).value_or(0));
    };
    const std::optional<std::string> differs =
        Differs(row, {.registers = number("registers"),
                      .spills = number("spills"),
                      .scratch_bytes = number("scratch_bytes")});
    if (differs) {
      problem = "set aside: " + *differs;
      return std::nullopt;
    }
    const llvm::json::Object& at = *launch.getObject(clock);
    const double ms = at.getNumber("ms").value_or(0);
    const double ports = at.getNumber("bound_ms").value_or(0);
    sum = {sum.model + ms, sum.ports + ports};
    if (ms > longest.model) longest = {ms, ports};
  }
  return absl::StrContains(row.at("notes"), "kernel only") ? longest : sum;
}

void Print(const std::string& family, const Score& score) {
  std::printf(
      "%-28s %3d rows  median %5.1f %%  largest %5.1f %%  bias %+5.1f %%  tau %5.2f  "
      "regret %5.1f %%  pairs in order %5.1f %%\n",
      family.c_str(), score.rows, 100 * score.median, 100 * score.largest, 100 * score.bias,
      score.tau, 100 * score.regret, 100 * score.order);
}

int Calibrate(const Options& options) {
  std::map<std::string, std::vector<Prediction>> families;
  std::vector<Prediction> all, by_ports;
  const fs::path report = fs::temp_directory_path() / absl::StrCat("calibrate.", getpid());
  const absl::StatusOr<std::vector<Row>> rows = ReadRows(options.rows);
  if (!rows.ok()) {
    std::fprintf(stderr, "calibrate: %s\n", std::string(rows.status().message()).c_str());
    return 1;
  }
  for (const Row& row : *rows) {
    const fs::path program = fs::path(options.folder) / row.at("id");
    double measured = 0;
    if (!fs::exists(program) || !absl::SimpleAtod(row.at("measured_ms"), &measured)) continue;
    const std::string split = absl::StrCat("split=", options.split);
    if (!options.split.empty() && !absl::StrContains(row.at("notes"), split)) continue;
    const std::string& id = row.at("id");
    fs::remove(report.string() + ".json");
    const int code = Execute(fs::absolute(program), row.at("target"), report);
    std::string problem = absl::StrCat("exit code ", code);
    const std::string clock = ClockOf(row, options);
    const std::optional<Times> predicted =
        code == 0 ? TimeIn(ReadFile(report.string() + ".json").value_or(""), row, clock, problem)
                  : std::nullopt;
    if (!predicted) {
      std::printf("%-60s %s\n", id.c_str(), problem.c_str());
      continue;
    }
    std::printf("%-60s measured %10.4f ms  predicted %10.4f ms (%s)  x %.3f  ports x %.3f\n",
                id.c_str(), measured, predicted->model, clock.c_str(), predicted->model / measured,
                predicted->ports / measured);
    std::fflush(stdout);
    all.push_back({id, measured, predicted->model, row.at("problem")});
    by_ports.push_back({id, measured, predicted->ports, row.at("problem")});
    families[FamilyOf(id)].push_back(all.back());
  }
  for (const auto& [family, predictions] : families) Print(family, ComputeScore(predictions));
  if (all.empty()) {
    std::fprintf(stderr, "calibrate: no row of %s has a program in %s\n", options.rows.c_str(),
                 options.folder.c_str());
    return 1;
  }
  // Orders between families mean nothing.
  for (const auto& [name, predictions] :
       {std::pair("all", all), std::pair("ports alone", by_ports)}) {
    const Score score = ComputeScore(predictions);
    std::printf("%-28s %3d rows  median %5.1f %%  largest %5.1f %%  bias %+5.1f %%\n", name,
                score.rows, 100 * score.median, 100 * score.largest, 100 * score.bias);
  }
  return 0;
}

int Main(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    std::string_view argument = argv[i];
    if (absl::ConsumePrefix(&argument, "--rows=")) {
      options.rows = argument;
    } else if (absl::ConsumePrefix(&argument, "--split=")) {
      options.split = argument;
    } else if (absl::ConsumePrefix(&argument, "--clock=")) {
      options.clock = argument;
    } else {
      options.folder = argument;
    }
  }
  if (const char* from = std::getenv("BUILD_WORKING_DIRECTORY"); from != nullptr) {
    std::error_code error;
    fs::current_path(from, error);
  }
  const bool known =
      options.clock.empty() || options.clock == "burst" || options.clock == "sustained";
  if (options.rows.empty() || options.folder.empty() || !known) {
    std::fputs(
        "usage: calibrate --rows=measurements.csv [--split=tune] [--clock=burst|sustained] "
        "folder\n",
        stderr);
    return 2;
  }
  return Calibrate(options);
}

}  // namespace
}  // namespace gridwise::sim::time

int main(int argc, char** argv) { return gridwise::sim::time::Main(argc, argv); }
