#include "tools/gridwise/explain_command.h"

#include <cstdio>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_format.h"
#include "core/arch/target.h"
#include "core/conv/problem_io.h"
#include "instances/conv.h"
#include "tools/gridwise/problem_sets.h"

namespace gridwise {
namespace {

/// An error where no row is for the problem's type.
absl::Status Explain(const ConvProblem& problem, Gfx gfx) {
  const double clock_ghz = TraitsOf(gfx).clock_ghz;
  const absl::StatusOr<Plan> plan = MakePlan(problem, gfx);
  const std::vector<RowVerdict> rows = ExplainRows(problem, gfx);
  if (rows.empty()) return plan.status();
  absl::PrintF("problem    %s\n", ToString(problem));
  for (const RowVerdict& verdict : rows) {
    const bool chosen = plan.ok() && verdict.row == plan->row();
    absl::PrintF("%s %s\n           %s\n", chosen ? "*" : " ", verdict.row,
                 verdict.reason ? *verdict.reason : verdict.cost.ToString(clock_ghz));
  }
  return absl::OkStatus();
}

ExitCode Refuse(const absl::Status& status) {
  absl::FPrintF(stderr, "gridwise: %s\n", status.message());
  return kBadUsage;
}

}  // namespace

ExitCode ExplainCommand(const ProblemRequest& request) {
  const absl::StatusOr<ResolvedProblem> resolved = Resolve(request);
  if (!resolved.ok()) return Refuse(resolved.status());
  if (absl::Status status = Explain(resolved->problem, resolved->gfx); !status.ok())
    return Refuse(status);
  return kSuccess;
}

ExitCode ExplainNamed(const ProblemRequest& request, const std::vector<std::string>& names) {
  const absl::StatusOr<std::vector<ProblemSet>> sets =
      LoadProblemSets(request.problems, request.program);
  if (!sets.ok()) return Refuse(sets.status());
  for (const std::string& name : names) {
    const absl::StatusOr<NamedProblem> named = FindProblem(*sets, name);
    if (!named.ok()) return Refuse(named.status());
    std::vector<std::string> directions = {request.direction};
    if (request.direction.empty()) {
      directions.clear();
      for (const Direction direction : named->directions) directions.push_back(Name(direction));
    }
    for (const std::string& direction : directions) {
      ProblemRequest one = request;
      one.problem = name;
      one.direction = direction;
      const ExitCode code = ExplainCommand(one);
      if (code != kSuccess) return code;
    }
  }
  return kSuccess;
}

}  // namespace gridwise
