#include "tools/gridwise/explain_command.h"

#include <cstdio>

#include "absl/status/statusor.h"
#include "absl/strings/str_format.h"
#include "ck/arch/target.h"
#include "ck/conv/problem_io.h"
#include "instances/conv.h"

namespace gridwise {

ExitCode ExplainCommand(const ProblemRequest& request) {
  const absl::StatusOr<ResolvedProblem> resolved = Resolve(request);
  if (!resolved.ok()) {
    absl::FPrintF(stderr, "gridwise: %s\n", resolved.status().message());
    return kBadUsage;
  }
  absl::PrintF("problem    %s\n", ToString(resolved->problem));
  const double clock_ghz = TraitsOf(resolved->gfx).clock_ghz;
  for (const RowVerdict& verdict : ExplainRows(resolved->problem, resolved->gfx)) {
    absl::PrintF("%s\n           %s\n", verdict.row,
                 verdict.reason ? *verdict.reason : verdict.cost.ToString(clock_ghz));
  }
  return kSuccess;
}

}  // namespace gridwise
