#include "tools/gridwise/compare_command.h"

#include <cmath>
#include <cstdio>
#include <fstream>
#include <optional>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "core/arch/machine_facts.h"
#include "core/arch/target.h"
#include "core/base/csv.h"
#include "core/runtime/device.h"
#include "tools/gridwise/computation.h"
#include "tools/gridwise/problem.h"
#include "tools/gridwise/problem_sets.h"
#include "tools/gridwise/selection.h"
#include "tools/gridwise/terminal.h"

namespace gridwise {
namespace {

/// What a choice makes of a problem.
struct Side {
  std::optional<RowPlan> plan;
  std::string reason;  // why there is no plan, or what was wrong with the result
  double us = 0;       // estimated
  std::optional<SimRun> sim;
  bool failed = false;  // to compute it, or to compute it right
};

struct Comparison {
  const SelectedProblem* problem;
  Side a, b;

  bool both() const { return a.plan && b.plan; }
  double ratio() const { return a.us / b.us; }
  const char* winner() const {
    if (!both()) return a.plan ? "a" : b.plan ? "b" : "-";
    return ratio() < 0.995 ? "a" : ratio() > 1.005 ? "b" : "=";
  }
};

int64_t Count(const SimRun& run, std::string_view kind) {
  for (const auto& [name, count] : run.instructions) {
    if (name == kind) return static_cast<int64_t>(count);
  }
  return 0;
}

/// "12.3 us", and where it was computed the vector instructions for each matrix instruction.
std::string TimeOf(const Side& side) {
  if (!side.plan) return "-";
  std::string text = absl::StrFormat("%.1f us", side.us);
  if (side.sim && Count(*side.sim, "mma") > 0) {
    absl::StrAppendFormat(&text, " (%.2f valu/mma)",
                          static_cast<double>(Count(*side.sim, "valu")) /
                              static_cast<double>(Count(*side.sim, "mma")));
  }
  return text;
}

Side PlanSide(const Problem& problem, Gfx gfx, const PlanOptions& choice) {
  Side side;
  absl::StatusOr<RowPlan> plan = MakePlan(problem, gfx, choice);
  if (!plan.ok()) {
    side.reason = plan.status().message();
    return side;
  }
  side.us = plan->cost().cycles / EstimateGhz(plan->device()) * 1e-3;
  side.plan = *std::move(plan);
  return side;
}

void Verify(const Problem& problem, const Operands& operands, const Expected& expected,
            Side& side) {
  if (!side.plan) return;
  const absl::StatusOr<Outcome> outcome = Compute(problem, *side.plan, operands);
  absl::Status status = outcome.status();
  if (outcome.ok()) {
    side.sim = outcome->sim;
    status = Judge(problem, *outcome, expected).status;
  } else {
    ResetDevice().IgnoreError();  // a fault stays with the device until then
  }
  side.failed = !status.ok();
  side.reason = status.message();
}

std::vector<std::string> Columns() {
  return {"problem", "direction", "sizes",  "a_row", "a_us",  "a_valu", "a_mma",
          "b_row",   "b_us",      "b_valu", "b_mma", "ratio", "winner"};
}

std::vector<std::string> Fields(const Comparison& c) {
  std::vector<std::string> fields = {c.problem->name, KindOf(c.problem->problem),
                                     ToString(c.problem->problem)};
  for (const Side* side : {&c.a, &c.b}) {
    fields.push_back(side->plan ? side->plan->row() : "");
    fields.push_back(side->plan ? absl::StrFormat("%.3f", side->us) : "");
    fields.push_back(side->sim ? absl::StrCat(Count(*side->sim, "valu")) : "");
    fields.push_back(side->sim ? absl::StrCat(Count(*side->sim, "mma")) : "");
  }
  fields.push_back(c.both() ? absl::StrFormat("%.4f", c.ratio()) : "");
  fields.push_back(c.winner());
  return fields;
}

void Print(const Comparison& c) {
  absl::PrintF("%-18s %-10s  a %-28s b %-28s %s %s\n", c.problem->name, KindOf(c.problem->problem),
               TimeOf(c.a), TimeOf(c.b), c.both() ? absl::StrFormat("%.3f", c.ratio()) : "    -",
               c.winner());
  for (const auto& [name, side] : {std::pair("a", &c.a), {"b", &c.b}}) {
    if (side->reason.empty()) continue;
    absl::PrintF("    %s: %s\n", name, side->reason.substr(0, side->reason.find('\n')));
  }
}

/// Counts, and the geometric mean of the ratios. Returns whether all that was computed was right.
bool PrintSummary(const std::vector<Comparison>& comparisons, bool verified) {
  double logs = 0;
  int both = 0, a = 0, b = 0, failed = 0;
  for (const Comparison& c : comparisons) {
    failed += c.a.failed + c.b.failed;
    if (!c.both()) continue;
    ++both;
    logs += std::log(c.ratio());
    a += *c.winner() == 'a';
    b += *c.winner() == 'b';
  }
  absl::PrintF("%d problems, of which both compute %d: a is faster on %d, b on %d, equal on %d\n",
               comparisons.size(), both, a, b, both - a - b);
  if (both > 0) absl::PrintF("geometric mean of a/b: %.3f\n", std::exp(logs / both));
  absl::PrintF("Times are the planner's estimates, not measurements%s.\n",
               !verified     ? ""
               : failed == 0 ? "; all results are right"
                             : absl::StrCat("; ", failed, " results are wrong or missing"));
  return failed == 0;
}

absl::Status WriteCsv(const std::string& path, const std::vector<Comparison>& comparisons) {
  std::ofstream file(UserPath(path));
  file << JoinCsvLine(Columns()) << "\n";
  for (const Comparison& c : comparisons) file << JoinCsvLine(Fields(c)) << "\n";
  file.close();
  if (file) return absl::OkStatus();
  return absl::UnavailableError(absl::StrCat("cannot write ", path));
}

ExitCode Fail(ExitCode code, const absl::Status& status) {
  std::fflush(stdout);
  absl::FPrintF(stderr, "gridwise: %s\n", status.message());
  return code;
}

}  // namespace

absl::StatusOr<PlanOptions> ParseChoice(std::string_view text) {
  PlanOptions options;
  for (const std::string_view part : absl::StrSplit(text, ',', absl::SkipEmpty())) {
    const std::pair<std::string, std::string> word = absl::StrSplit(part, absl::MaxSplits('=', 1));
    if (word.first == "family") {
      options.family = word.second;
    } else if (word.first == "op") {
      options.op = word.second;
    } else if (word.first == "row") {
      options.row = word.second;
    } else if (word.first != "splits" || !absl::SimpleAtoi(word.second, &options.splits)) {
      return absl::InvalidArgumentError(
          absl::StrCat("a choice is '", part,
                       "'; must be family=, op=, row= or splits=NUMBER, joined by commas"));
    }
  }
  return options;
}

ExitCode CompareCommand(const CompareOptions& options) {
  const absl::StatusOr<PlanOptions> a = ParseChoice(options.a), b = ParseChoice(options.b);
  if (!a.ok()) return Fail(kBadUsage, a.status());
  if (!b.ok()) return Fail(kBadUsage, b.status());
  const absl::StatusOr<RequestedTarget> target = ResolveTarget(options.request);
  if (!target.ok()) return Fail(kBadUsage, target.status());
  const absl::StatusOr<Selection> selection =
      SelectProblems(options.request, *target, options.max_flops);
  if (!selection.ok()) return Fail(kBadUsage, selection.status());
  std::vector<Comparison> comparisons;
  for (const SelectedProblem& selected : selection->problems) {
    const Problem& problem = selected.problem;
    Comparison& c = comparisons.emplace_back(Comparison{
        &selected, PlanSide(problem, target->gfx, *a), PlanSide(problem, target->gfx, *b)});
    if (options.verify && (c.a.plan || c.b.plan)) {
      const Operands operands = RandomOperands(problem, options.seed);
      const absl::StatusOr<Expected> expected = Expect(problem, operands);
      if (!expected.ok()) return Fail(kBadUsage, expected.status());
      Verify(problem, operands, *expected, c.a);
      Verify(problem, operands, *expected, c.b);
    }
    Print(c);
    std::fflush(stdout);
  }
  const bool passed = PrintSummary(comparisons, options.verify);
  if (!options.csv.empty()) {
    if (absl::Status status = WriteCsv(options.csv, comparisons); !status.ok()) {
      return Fail(kBadUsage, status);
    }
  }
  return passed ? kSuccess : kVerificationFailed;
}

}  // namespace gridwise
