// SPDX-License-Identifier: MIT
// Reports what a coverage file says (GRIDWISE_SIM_COVERAGE, run --coverage):
//
//   coverage [--kernel=regular expression] [--listing] [--html=file] [--lcov=file] file...
//
// Text goes to stdout. Several files are summed.

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <optional>
#include <regex>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "tools/build/user_folder.h"
#include "tools/sim/elf/kernel_name.h"
#include "tools/sim/view/coverage.h"
#include "tools/sim/view/coverage_report.h"

namespace gridwise::sim {
namespace {

constexpr std::string_view kUsage =
    "usage: coverage [--kernel=regular expression] [--listing] [--html=file] [--lcov=file] file...";

struct Options {
  std::string html, lcov;
  std::optional<std::regex> kernel;
  bool listing = false;
  std::vector<std::string> files;
};

absl::StatusOr<Options> ParseOptions(const std::vector<std::string>& arguments) {
  Options options;
  for (std::string_view argument : arguments) {
    if (absl::ConsumePrefix(&argument, "--html=")) {
      options.html = argument;
    } else if (absl::ConsumePrefix(&argument, "--lcov=")) {
      options.lcov = argument;
    } else if (absl::ConsumePrefix(&argument, "--kernel=")) {
      options.kernel.emplace(std::string(argument));
    } else if (argument == "--listing") {
      options.listing = true;
    } else if (absl::StartsWith(argument, "--")) {
      return absl::InvalidArgumentError(absl::StrCat("'", argument, "' is no option; ", kUsage));
    } else {
      options.files.emplace_back(argument);
    }
  }
  if (options.files.empty()) return absl::InvalidArgumentError(kUsage);
  return options;
}

absl::Status Write(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (!file) return absl::UnavailableError(absl::StrCat(path, " cannot be written"));
  return absl::OkStatus();
}

absl::Status Report(const std::vector<std::string>& arguments) {
  const absl::StatusOr<Options> options = ParseOptions(arguments);
  if (!options.ok()) return options.status();
  if (const std::string folder = UserFolder(); !folder.empty() && chdir(folder.c_str()) != 0)
    return absl::NotFoundError(absl::StrCat(folder, ": ", std::strerror(errno)));
  Coverage coverage;
  for (const std::string& path : options->files) {
    const absl::StatusOr<Coverage> read = ReadCoverage(path);
    if (!read.ok()) return read.status();
    coverage.Add(*read);
  }
  if (options->kernel) {
    std::erase_if(coverage.functions, [&](const auto& function) {
      return !std::regex_search(ShownName(function.first.name), *options->kernel);
    });
  }
  if (coverage.functions.empty()) return absl::NotFoundError("there is no such function in it");
  std::fputs(CoverageText(coverage, options->listing).c_str(), stdout);
  if (!options->html.empty()) {
    if (absl::Status status = Write(options->html, CoverageHtml(coverage)); !status.ok())
      return status;
  }
  return options->lcov.empty() ? absl::OkStatus() : Write(options->lcov, CoverageLcov(coverage));
}

}  // namespace
}  // namespace gridwise::sim

int main(int argc, char** argv) {
  const absl::Status status = gridwise::sim::Report({argv + 1, argv + argc});
  if (status.ok()) return 0;
  std::fprintf(stderr, "coverage: %s\n", std::string(status.message()).c_str());
  return 1;
}
