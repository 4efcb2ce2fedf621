#include "tools/gridwise/list_command.h"

#include <cstdio>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "core/arch/target.h"
#include "core/conv/problem.h"
#include "core/conv/problem_io.h"
#include "instances/conv.h"
#include "tools/gridwise/problem_sets.h"

namespace gridwise {
namespace {

void ListTargets() {
  absl::PrintF("targets\n");
  for (Gfx gfx : kAllGfx) absl::PrintF("  %s  %s\n", Name(gfx), TraitsOf(gfx).product);
}

/// Rows by target and direction: how many, or each.
void PrintRows(bool each) {
  const std::vector<RowInfo> rows = ListRows();
  for (Gfx gfx : kAllGfx) {
    for (const Direction direction : kAllDirections) {
      std::vector<std::string> names;
      for (const RowInfo& row : rows) {
        if (row.gfx == gfx && row.direction == direction) names.push_back(row.name);
      }
      absl::PrintF("rows %s %s: %d\n", Name(gfx), Name(direction), names.size());
      if (!each) continue;
      for (const std::string& name : names) absl::PrintF("  %s\n", name);
    }
  }
}

void ListProblems(const std::vector<ProblemSet>& sets, bool each) {
  for (const ProblemSet& set : sets) {
    absl::PrintF("problem set %s: %d problems\n", set.name, set.problems.size());
    if (!each) continue;
    for (const NamedProblem& named : set.problems) {
      const std::string directions = absl::StrJoin(
          named.directions, ", ",
          [](std::string* out, Direction direction) { out->append(Name(direction)); });
      ConvProblem problem = named.problem;
      if (!named.directions.empty()) problem.direction = named.directions.front();
      absl::PrintF("  %s (%s)\n    %s\n", named.name, directions, ToString(problem));
    }
  }
}

}  // namespace

ExitCode ListCommand(const std::string& what, const std::string& problem_sets,
                     const std::string& program) {
  if (!what.empty() && what != "targets" && what != "rows" && what != "problems") {
    absl::FPrintF(stderr, "gridwise: nothing is called '%s'; list targets, rows or problems\n",
                  what);
    return kBadUsage;
  }
  const absl::StatusOr<std::vector<ProblemSet>> sets = LoadProblemSets(problem_sets, program);
  if (!sets.ok()) {
    absl::FPrintF(stderr, "gridwise: %s\n", sets.status().message());
    return kBadUsage;
  }
  if (what.empty() || what == "targets") ListTargets();
  if (what.empty() || what == "rows") PrintRows(what == "rows");
  if (what.empty() || what == "problems") ListProblems(*sets, what == "problems");
  return kSuccess;
}

}  // namespace gridwise
