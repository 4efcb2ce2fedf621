// SPDX-License-Identifier: MIT
#include "tools/gridwise/commands/compare_command.h"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "core/arch/target.h"
#include "core/runtime/device.h"
#include "core/text/parse_device.h"
#include "tools/gridwise/problem/problem.h"
#include "tools/gridwise/problem/problem_sets.h"
#include "tools/gridwise/problem/selection.h"
#include "tools/gridwise/report/comparison.h"
#include "tools/gridwise/report/published.h"
#include "tools/gridwise/run/computation.h"
#include "tools/gridwise/run/memory_need.h"
#include "tools/gridwise/run/time_plan.h"

namespace gridwise {
namespace {

/// Returns the cheapest plan of the choices.
ComparedSide PlanSide(const Problem& problem, const DeviceFacts& device,
                      const std::vector<PlanOptions>& choices) {
  ComparedSide side;
  for (const PlanOptions& choice : choices) {
    absl::StatusOr<InstancePlan> plan = MakePlan(problem, device, choice);
    if (!plan.ok()) {
      side.reason = plan.status().message();
      continue;
    }
    const double us = plan->cost().cycles / plan->device().clock_ghz * 1e-3;
    if (side.plan && side.estimated_us <= us) continue;
    side.estimated_us = us;
    side.plan = *std::move(plan);
  }
  if (side.plan) side.reason.clear();
  return side;
}

void Verify(const Problem& problem, const Operands& operands, const Expected& expected,
            ComparedSide& side) {
  if (!side.plan) return;
  const absl::StatusOr<Outcome> outcome = Compute(problem, *side.plan, operands);
  absl::Status status = outcome.status();
  if (outcome.ok()) {
    side.sim = outcome->sim;
    status = Judge(problem, *outcome, expected).status;
  } else {
    ResetDevice().IgnoreError();  // the device keeps a fault until then
  }
  side.failed = !status.ok();
  side.reason = status.message();
}

void Time(const Problem& problem, bool quick, ComparedSide& side) {
  if (!side.plan) return;
  absl::StatusOr<Timing> timing =
      TimePlan(problem, *side.plan, {.simulated = quick ? SimTiming::kQuick : SimTiming::kQuiet});
  side.failed = !timing.ok();
  if (timing.ok()) {
    side.timing = *std::move(timing);
  } else {
    side.reason = timing.status().message();
  }
}

absl::Status Write(const std::string& path, const std::string& text) {
  if (path.empty()) return absl::OkStatus();
  if (path == "-") {
    std::fputs(text.c_str(), stdout);
    return absl::OkStatus();
  }
  std::ofstream file(UserPath(path));
  file << text;
  file.close();
  if (file) return absl::OkStatus();
  return absl::UnavailableError(absl::StrCat("cannot write ", path));
}

absl::StatusOr<const PublishedComparison*> FindPublished(std::string_view name) {
  const auto all = PublishedComparisons();
  for (const PublishedComparison& each : all) {
    if (each.name == name) return &each;
  }
  return absl::InvalidArgumentError(
      absl::StrCat("--published is '", name, "'; must be one of ",
                   absl::StrJoin(all, ", ", [](std::string* out, const PublishedComparison& each) {
                     absl::StrAppend(out, each.name);
                   })));
}

/// Returns the options; empty ones come from a published comparison.
CompareOptions WithPublished(CompareOptions options, const PublishedComparison& published) {
  const auto set = [](std::string& field, std::string_view value) {
    if (field.empty()) field = value;
  };
  set(options.a, published.a);
  set(options.b, published.b);
  set(options.request.problems, published.problems);
  set(options.request.direction, published.direction);
  set(options.request.device, published.device);
  return options;
}

/// Returns an error if no problem of the selection accepts a choice.
absl::Status CheckChoice(const char* side, const std::vector<PlanOptions>& choices,
                         const DeviceFacts& device, const Selection& selection) {
  absl::Status first;
  for (const SelectedProblem& selected : selection.problems) {
    for (const PlanOptions& choice : choices) {
      const absl::Status status = MakePlan(selected.problem, device, choice).status();
      if (!absl::IsInvalidArgument(status)) return absl::OkStatus();
      if (first.ok()) first = status;
    }
  }
  return absl::InvalidArgumentError(absl::StrCat(side, ": ", first.message()));
}

/// Compares the choices on a problem.
absl::StatusOr<Comparison> Compare(const SelectedProblem& selected, const DeviceFacts& device,
                                   const std::vector<PlanOptions>& a,
                                   const std::vector<PlanOptions>& b,
                                   const CompareOptions& options) {
  const Problem& problem = selected.problem;
  Comparison c = {selected.name, problem, PlanSide(problem, device, a),
                  PlanSide(problem, device, b)};
  if (options.time) {
    Time(problem, options.quick, c.a);
    Time(problem, options.quick, c.b);
  }
  if (options.verify && (c.a.plan || c.b.plan)) {
    for (const ComparedSide* side : {&c.a, &c.b}) {
      if (!side->plan) continue;
      absl::Status status = CheckMemory(problem, *side->plan, /*verify=*/true);
      if (!status.ok()) return status;
    }
    const Operands operands = RandomOperands(problem, device.gfx, options.seed);
    const absl::StatusOr<Expected> expected = Expect(problem, operands);
    if (!expected.ok()) return expected.status();
    Verify(problem, operands, *expected, c.a);
    Verify(problem, operands, *expected, c.b);
  }
  return c;
}

}  // namespace

absl::StatusOr<std::vector<PlanOptions>> ParseChoice(std::string_view text) {
  PlanOptions options;
  std::vector<std::string> ops = {""};
  for (const std::string_view part : absl::StrSplit(text, ',', absl::SkipEmpty())) {
    const std::pair<std::string, std::string> word = absl::StrSplit(part, absl::MaxSplits('=', 1));
    if (word.first == "family") {
      options.family = word.second;
    } else if (word.first == "op") {
      ops = absl::StrSplit(word.second, '+');
    } else if (word.first == "instance") {
      options.instance = word.second;
    } else if (part == "launches=per_sub_gemm") {
      options.launch_per_sub_gemm = true;
    } else if (word.first != "splits" || !absl::SimpleAtoi(word.second, &options.splits)) {
      return absl::InvalidArgumentError(absl::StrCat(
          "a choice is '", part,
          "'; must be family=, op=, instance=, splits=NUMBER or launches=per_sub_gemm, "
          "joined by commas"));
    }
  }
  std::vector<PlanOptions> choices;
  for (const std::string& op : ops) {
    options.op = op;
    choices.push_back(options);
  }
  return choices;
}

ExitCode CompareCommand(const CompareOptions& given) {
  ComparisonTable table;
  CompareOptions options = given;
  if (!given.published.empty()) {
    const auto published = FindPublished(given.published);
    if (!published.ok()) return Fail(published.status());
    table.published = *published;
    options = WithPublished(given, **published);
  }
  if (options.request.device.empty()) options.request.device = kDefaultDevice;
  if (options.a.empty() && options.b.empty()) {
    return Fail(absl::InvalidArgumentError(
        "neither --a nor --b is given; give a choice, as in --a=family=ck,op=wavelet"));
  }
  if (options.time && options.verify) {
    return Fail(
        absl::InvalidArgumentError("--time computes at most a part of the result; it excludes "
                                   "--verify"));
  }
  const auto a = ParseChoice(options.a), b = ParseChoice(options.b);
  if (!a.ok()) return Fail(a.status());
  if (!b.ok()) return Fail(b.status());
  const absl::StatusOr<RequestedTarget> target = ResolveTarget(options.request);
  if (!target.ok()) return Fail(target.status());
  const absl::StatusOr<Selection> selection =
      SelectProblems(options.request, *target, options.max_flops);
  if (!selection.ok()) return Fail(selection.status());
  for (const auto& [side, choices] : {std::pair("a", &*a), {"b", &*b}}) {
    absl::Status status = CheckChoice(side, *choices, target->device, *selection);
    if (!status.ok()) return Fail(status);
  }
  table.a = options.a;
  table.b = options.b;
  table.device = NameOf(target->device);
  table.note = CalibrationNote(target->device);
  table.verified = options.verify;
  table.timed = options.time;
  // stdout is for machine-readable output, if there is any.
  const bool is_read = options.csv == "-" || options.markdown == "-" || options.page == "-";
  std::FILE* const people = is_read ? stderr : stdout;
  for (const SelectedProblem& selected : selection->problems) {
    absl::StatusOr<Comparison> c = Compare(selected, target->device, *a, *b, options);
    if (!c.ok()) return Fail(c.status());
    if (table.published != nullptr) c->published = table.published->Find(c->name);
    std::fputs(ToText(*c).c_str(), people);
    std::fflush(people);
    table.rows.push_back(*std::move(c));
  }
  std::fputs(table.Summary().c_str(), people);
  absl::Status status = Write(options.csv, table.ToCsv());
  status.Update(Write(options.markdown, table.ToMarkdown()));
  status.Update(Write(options.page, table.ToPage()));
  if (!status.ok()) return Fail(status);
  return table.failed() == 0 ? kSuccess : kVerificationFailed;
}

}  // namespace gridwise
