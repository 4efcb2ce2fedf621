// SPDX-License-Identifier: MIT
// Shows what check mode has found in several processes, from their reports in SARIF
// (GRIDWISE_SIM_REPORT=folder/%p.sarif, run --report):
//
//   findings [--github] [--sarif=file] report...
//
// A line for each finding goes to stdout; with --github, a command that shows it at its line.
// --sarif writes one report of all. The exit code is 0 if there is no finding, 1 if there is one,
// 2 if something cannot be read or written.

#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "tools/build/user_folder.h"
#include "tools/sim/view/sarif.h"
#include "tools/text/read_file.h"

namespace gridwise::sim {
namespace {

constexpr std::string_view kUsage = "usage: findings [--github] [--sarif=file] report...";

struct Options {
  bool github = false;
  std::string sarif;
  std::vector<std::string> reports;
};

absl::StatusOr<Options> ParseOptions(const std::vector<std::string>& arguments) {
  Options options;
  for (std::string_view argument : arguments) {
    if (argument == "--github") {
      options.github = true;
    } else if (absl::ConsumePrefix(&argument, "--sarif=")) {
      options.sarif = argument;
    } else if (absl::StartsWith(argument, "--")) {
      return absl::InvalidArgumentError(absl::StrCat("'", argument, "' is no option; ", kUsage));
    } else {
      options.reports.emplace_back(argument);
    }
  }
  if (options.reports.empty()) return absl::InvalidArgumentError(kUsage);
  return options;
}

/// The number of findings.
absl::StatusOr<size_t> Show(const std::vector<std::string>& arguments) {
  const absl::StatusOr<Options> options = ParseOptions(arguments);
  if (!options.ok()) return options.status();
  if (const std::string folder = UserFolder(); !folder.empty() && chdir(folder.c_str()) != 0)
    return absl::NotFoundError(absl::StrCat(folder, ": ", std::strerror(errno)));
  SarifReports reports;
  for (const std::string& path : options->reports) {
    const absl::StatusOr<std::string> text = ReadFile(path);
    if (!text.ok()) return text.status();
    const absl::Status status = reports.Add(*text);
    if (!status.ok()) return absl::InvalidArgumentError(absl::StrCat(path, ": ", status.message()));
  }
  std::fputs((options->github ? reports.GithubCommands() : reports.Text()).c_str(), stdout);
  if (!options->sarif.empty()) {
    std::ofstream file(options->sarif, std::ios::binary);
    file << reports.Sarif() << '\n' << std::flush;
    if (!file) return absl::UnavailableError(absl::StrCat(options->sarif, " cannot be written"));
  }
  return reports.size();
}

}  // namespace
}  // namespace gridwise::sim

int main(int argc, char** argv) {
  const absl::StatusOr<size_t> findings = gridwise::sim::Show({argv + 1, argv + argc});
  if (findings.ok()) return *findings == 0 ? 0 : 1;
  std::fprintf(stderr, "findings: %s\n", std::string(findings.status().message()).c_str());
  return 2;
}
