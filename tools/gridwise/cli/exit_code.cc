// SPDX-License-Identifier: MIT
#include "tools/gridwise/cli/exit_code.h"

#include <cstdio>

#include "absl/strings/str_format.h"

namespace gridwise {

ExitCode Fail(const absl::Status& status, ExitCode code) {
  std::fflush(stdout);
  absl::FPrintF(stderr, "gridwise: %s\n", status.message());
  return code;
}

}  // namespace gridwise
