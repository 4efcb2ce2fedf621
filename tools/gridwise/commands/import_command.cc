// SPDX-License-Identifier: MIT
#include "tools/gridwise/commands/import_command.h"

#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/conv/problem_io.h"
#include "core/conv/validate.h"
#include "tools/gridwise/import/import.h"
#include "tools/gridwise/problem/text_file.h"

namespace gridwise {
namespace {

absl::Status ImportFiles(const ImportOptions& options) {
  if (options.files.empty()) {
    return absl::InvalidArgumentError(
        "no file is named; it is written `gridwise import FILE... [--csv=SET]`");
  }
  std::vector<ImportedFile> files;
  for (const std::string& name : options.files) {
    absl::StatusOr<std::string> content = ReadTextFile(name);
    if (!content.ok()) return content.status();
    files.push_back({name, *std::move(content)});
  }
  absl::StatusOr<ImportedSet> set = Import(std::move(files), options.program);
  if (!set.ok()) return set.status();
  for (NamedProblem& named : set->problems) {
    named.problem.batch = options.batch.value_or(named.problem.batch);
    if (absl::Status status = Validate(named.problem); !status.ok()) return status;
  }
  for (const std::string& line : set->report) std::fprintf(stderr, "%s\n", line.c_str());
  return WriteTextFile(options.csv.empty() ? "-" : options.csv, PrintProblems(set->problems));
}

}  // namespace

ExitCode ImportCommand(const ImportOptions& options) {
  const absl::Status status = ImportFiles(options);
  return status.ok() ? kSuccess : Fail(status);
}

}  // namespace gridwise
