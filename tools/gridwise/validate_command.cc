#include "tools/gridwise/validate_command.h"

#include <cstdio>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_format.h"
#include "tools/gridwise/text_file.h"
#include "tools/tune/validation.h"

namespace gridwise {
namespace {

absl::StatusOr<std::vector<ValidatedGroup>> Validate(const std::vector<std::string>& tables) {
  if (tables.empty()) return absl::InvalidArgumentError("no table is named");
  std::string all;
  for (const std::string& path : tables) {
    const absl::StatusOr<std::string> text = ReadTextFile(path);
    if (!text.ok()) return text.status();
    all += *text;
  }
  return ValidateTable(all);
}

}  // namespace

ExitCode ValidateCommand(const std::vector<std::string>& tables) {
  const absl::StatusOr<std::vector<ValidatedGroup>> groups = Validate(tables);
  if (!groups.ok()) {
    absl::FPrintF(stderr, "gridwise: %s\n", groups.status().message());
    return kBadUsage;
  }
  std::fputs(ToString(*groups).c_str(), stdout);
  return kSuccess;
}

}  // namespace gridwise
