// Every row on every backward-data problem of the problem sets that it accepts.
//
// GRIDWISE_TEST_MAX_FLOPS bounds the size: larger problems are shrunk to it, which keeps the smoke
// tier short. GRIDWISE_TEST_ROWS is "all" or "planned": every row, or the planner's choice.

#include <cstdlib>
#include <map>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "absl/log/check.h"
#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_format.h"
#include "ck/conv/problem_io.h"
#include "gtest/gtest.h"
#include "instances/conv.h"
#include "tests/conv/bwd_data_case.h"

namespace gridwise {
namespace {

std::string Env(const char* name) {
  const char* const value = std::getenv(name);
  CHECK(value != nullptr) << "set " << name;
  return value;
}

std::vector<NamedProblem> Problems() {
  absl::StatusOr<std::vector<NamedProblem>> all = ReadProblems(Env("GRIDWISE_TEST_PROBLEMS"));
  CHECK_OK(all.status());
  double max_flops = 0;
  CHECK(absl::SimpleAtod(Env("GRIDWISE_TEST_MAX_FLOPS"), &max_flops));
  std::vector<NamedProblem> problems;
  for (NamedProblem& named : *all) {
    if (std::find(named.directions.begin(), named.directions.end(), Direction::kBackwardData) ==
        named.directions.end())
      continue;
    named.problem.direction = Direction::kBackwardData;
    named.problem = Shrink(named.problem, max_flops);
    problems.push_back(named);
  }
  return problems;
}

struct Run {
  NamedProblem named;
  std::string row;  // empty: the planner's choice
};

void PrintTo(const Run& run, std::ostream* out) { *out << run.named.name << " " << run.row; }

std::vector<Run> Runs() {
  const std::optional<Gfx> gfx = ParseGfx(Env("GRIDWISE_TEST_TARGET"));
  CHECK(gfx.has_value());
  const bool all_rows = Env("GRIDWISE_TEST_ROWS") == "all";
  std::vector<Run> runs;
  for (const NamedProblem& named : Problems()) {
    if (!all_rows) {
      runs.push_back({.named = named, .row = ""});
      continue;
    }
    for (const RowVerdict& verdict : ExplainRows(named.problem, *gfx)) {
      if (!verdict.reason.has_value()) runs.push_back({.named = named, .row = verdict.row});
    }
  }
  return runs;
}

std::string TestName(const testing::TestParamInfo<Run>& info) {
  std::string name = info.param.named.name + "_" + info.param.row;
  for (char& c : name) {
    if (!absl::ascii_isalnum(c)) c = '_';
  }
  return name;
}

class BwdDataProblemSet : public testing::TestWithParam<Run> {};

TEST_P(BwdDataProblemSet, MatchesReference) {
  const auto& [named, row] = GetParam();
  const absl::StatusOr<Gfx> gfx = UseTestTarget();
  ASSERT_TRUE(gfx.ok()) << gfx.status();
  // Rows of one problem follow each other: its reference is computed once.
  static std::optional<BwdDataCase> last;
  if (!last.has_value() || last->problem() != named.problem) {
    absl::StatusOr<BwdDataCase> made = BwdDataCase::Make(named.problem, /*seed=*/1);
    ASSERT_TRUE(made.ok()) << made.status();
    last.emplace(*std::move(made));
  }
  const absl::StatusOr<Plan> plan = MakePlan(named.problem, *gfx, {.row = row});
  ASSERT_TRUE(plan.ok()) << plan.status();
  const absl::Status status = last->CheckPlan(*plan);
  EXPECT_TRUE(status.ok()) << named.name << " on " << plan->row() << ": " << ToString(named.problem)
                           << "\n"
                           << status;
}

INSTANTIATE_TEST_SUITE_P(ProblemSet, BwdDataProblemSet, testing::ValuesIn(Runs()), TestName);

}  // namespace
}  // namespace gridwise
