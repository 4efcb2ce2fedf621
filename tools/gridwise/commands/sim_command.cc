// SPDX-License-Identifier: MIT
#include "tools/gridwise/commands/sim_command.h"

#include <cstdio>

#include "absl/status/statusor.h"
#include "absl/strings/str_format.h"
#include "tools/sim/isa/exec/coverage.h"

namespace gridwise {

ExitCode SimIsaCommand(const std::string& target) {
  const absl::StatusOr<sim::IsaCoverage> coverage = sim::MeasureCoverage(target);
  if (!coverage.ok()) {
    absl::FPrintF(stderr, "gridwise: %s\n", coverage.status().message());
    return kBadUsage;
  }
  std::fputs(coverage->ToString().c_str(), stdout);
  return kSuccess;
}

}  // namespace gridwise
