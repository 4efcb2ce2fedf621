#include "tools/gridwise/commands/explain_command.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <utility>
#include <variant>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "core/conv/tensor_bytes.h"
#include "gridwise/conv.h"
#include "gridwise/plan.h"
#include "llvm/Support/JSON.h"
#include "tools/gridwise/cli/terminal.h"
#include "tools/gridwise/problem/problem.h"
#include "tools/gridwise/problem/problem_sets.h"
#include "tools/gridwise/report/json.h"

namespace gridwise {
namespace {

/// What the rows say to a problem: the cheapest first, then those that cannot compute it.
struct Explanation {
  Problem problem;
  DeviceFacts device;
  std::vector<RowVerdict> rows;
  size_t able = 0;  // how many can
  std::string ranked_by = {};

  /// The planner's choice is the one that is ranked first: of equal ones the first.
  bool IsChosen(size_t row) const { return row == 0 && able > 0; }
};

/// An error where no row is for the problem's type.
absl::StatusOr<Explanation> Explain(const ExplainOptions& options,
                                    const ResolvedProblem& resolved) {
  const PlanOptions wanted = {.row = options.row, .family = options.family, .op = options.op};
  Explanation explanation = {.problem = resolved.problem,
                             .device = resolved.gfx,
                             .rows = ExplainRows(resolved.problem, resolved.gfx, wanted)};
  if (explanation.rows.empty()) {
    return MakePlan(resolved.problem, resolved.gfx, wanted).status();
  }
  const auto unable = std::stable_partition(explanation.rows.begin(), explanation.rows.end(),
                                            [](const RowVerdict& row) { return !row.reason; });
  explanation.able = static_cast<size_t>(unable - explanation.rows.begin());
  std::stable_sort(explanation.rows.begin(), unable, [](const RowVerdict& a, const RowVerdict& b) {
    return a.ranked_cycles < b.ranked_cycles;
  });
  if (const auto* const conv = std::get_if<ConvProblem>(&resolved.problem)) {
    explanation.ranked_by = RankedBy(*conv, resolved.gfx, wanted);
  }
  return explanation;
}

/// What a row that computes the problem needs beside the tensors; nothing if it needs nothing.
std::string WorkspaceOf(const Explanation& explanation, const RowVerdict& row) {
  if (row.workspace_bytes == 0) return "";
  std::string text = absl::StrFormat("; workspace %d bytes", row.workspace_bytes);
  const auto* const conv = std::get_if<ConvProblem>(&explanation.problem);
  const std::int64_t tensors = conv == nullptr ? 0 : TensorBytes(*conv);
  if (row.workspace_bytes > explanation.device.memory_bytes - tensors) {
    absl::StrAppend(&text, ", for which the device's memory has no room beside the tensors");
  }
  return text;
}

/// What a row says, for people.
std::string Answer(const Explanation& explanation, const RowVerdict& row) {
  if (row.reason) return *row.reason;
  return absl::StrCat(row.cost.ToString(explanation.device.clock_ghz),
                      WorkspaceOf(explanation, row),
                      row.ranked_cycles == kNotRanked ? " (on request)" : "");
}

void Print(const Explanation& explanation) {
  const std::vector<RowVerdict>& rows = explanation.rows;
  size_t family_width = 0, row_width = 0;
  for (const RowVerdict& row : rows) {
    family_width = std::max(family_width, row.family.size());
    row_width = std::max(row_width, row.row.size());
  }
  absl::PrintF("problem    %s\n", ToString(explanation.problem));
  if (!explanation.ranked_by.empty()) absl::PrintF("ranked by  %s\n", explanation.ranked_by);
  absl::PrintF("%d of %d rows compute it\n", explanation.able, rows.size());
  for (size_t i = 0; i < rows.size(); ++i) {
    const RowVerdict& row = rows[i];
    if (i == explanation.able) absl::PrintF("%d rows cannot compute it\n", rows.size() - i);
    const std::string line =
        absl::StrFormat("%s %-*s %-*s  %s", explanation.IsChosen(i) ? "*" : " ", family_width,
                        row.family, row_width, row.row, Answer(explanation, row));
    absl::PrintF("%s\n", explanation.IsChosen(i) ? Bold(stdout, line) : line);
  }
}

llvm::json::Object ToJson(const Explanation& explanation) {
  llvm::json::Array rows;
  for (size_t i = 0; i < explanation.rows.size(); ++i) {
    const RowVerdict& row = explanation.rows[i];
    llvm::json::Object object{{"family", row.family}, {"row", row.row}};
    if (row.reason) {
      object["reason"] = *row.reason;
      object["refusal"] = Name(row.code);
    } else {
      object["estimate"] = ToJson(row.cost, explanation.device.clock_ghz);
      object["ranked_cycles"] = JsonNumber(row.ranked_cycles);
      object["workspace_bytes"] = row.workspace_bytes;
      object["chosen"] = explanation.IsChosen(i);
    }
    rows.push_back(std::move(object));
  }
  return llvm::json::Object{{"problem", ToJson(explanation.problem)},
                            {"target", Name(explanation.device.gfx)},
                            {"ranked_by", explanation.ranked_by},
                            {"rows", std::move(rows)}};
}

absl::StatusOr<Explanation> ExplainRequest(const ExplainOptions& options) {
  const absl::StatusOr<ResolvedProblem> resolved = Resolve(options.request);
  if (!resolved.ok()) return resolved.status();
  return Explain(options, *resolved);
}

/// The explanations of named problems, each in the directions that its set names.
absl::StatusOr<std::vector<Explanation>> ExplainAll(const ExplainOptions& options,
                                                    const std::vector<std::string>& names) {
  const ProblemRequest& request = options.request;
  const absl::StatusOr<std::vector<ProblemSet>> sets =
      LoadProblemSets(request.problems, request.program);
  if (!sets.ok()) return sets.status();
  std::vector<Explanation> explanations;
  for (const std::string& name : names) {
    const absl::StatusOr<NamedProblem> named = FindProblem(*sets, name);
    if (!named.ok()) return named.status();
    std::vector<std::string> directions = {request.direction};
    if (request.direction.empty()) {
      directions.clear();
      for (const Direction direction : named->directions) directions.push_back(Name(direction));
    }
    for (const std::string& direction : directions) {
      ExplainOptions one = options;
      one.request.problem = name;
      one.request.direction = direction;
      absl::StatusOr<Explanation> explanation = ExplainRequest(one);
      if (!explanation.ok()) return explanation.status();
      explanations.push_back(*std::move(explanation));
    }
  }
  return explanations;
}

}  // namespace

ExitCode ExplainCommand(const ExplainOptions& options) {
  const absl::StatusOr<Explanation> explanation = ExplainRequest(options);
  if (!explanation.ok()) return Fail(explanation.status());
  if (options.json) {
    PrintJson(ToJson(*explanation));
  } else {
    Print(*explanation);
  }
  return kSuccess;
}

ExitCode ExplainNamed(const ExplainOptions& options, const std::vector<std::string>& names) {
  const absl::StatusOr<std::vector<Explanation>> explanations = ExplainAll(options, names);
  if (!explanations.ok()) return Fail(explanations.status());
  llvm::json::Array documents;
  for (const Explanation& explanation : *explanations) {
    if (options.json) {
      documents.push_back(ToJson(explanation));
    } else {
      Print(explanation);
    }
  }
  if (options.json) PrintJson(std::move(documents));
  return kSuccess;
}

}  // namespace gridwise
