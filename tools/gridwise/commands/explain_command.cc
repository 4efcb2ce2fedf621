// SPDX-License-Identifier: MIT
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
#include "core/text/parse_device.h"
#include "gridwise/conv.h"
#include "gridwise/plan.h"
#include "llvm/Support/JSON.h"
#include "tools/gridwise/cli/terminal.h"
#include "tools/gridwise/problem/problem.h"
#include "tools/gridwise/problem/problem_sets.h"
#include "tools/gridwise/report/json.h"

namespace gridwise {
namespace {

/// The instances for a problem: cheapest first, then those that cannot compute it.
struct Explanation {
  Problem problem;
  DeviceFacts device;
  std::vector<InstanceExplanation> instances;
  size_t able = 0;  // number of instances that compute it
  std::string ranked_by = {};

  /// Returns the planner's choice: the first of the instances that rank first.
  bool IsChosen(size_t instance) const { return instance == 0 && able > 0; }
};

/// Returns an error if no instance has the problem's type.
absl::StatusOr<Explanation> Explain(const ExplainOptions& options,
                                    const ResolvedProblem& resolved) {
  const PlanOptions wanted = {
      .instance = options.instance, .family = options.family, .op = options.op};
  Explanation explanation = {
      .problem = resolved.problem,
      .device = resolved.device,
      .instances = ExplainInstances(resolved.problem, resolved.device, wanted)};
  if (explanation.instances.empty()) {
    return MakePlan(resolved.problem, resolved.device, wanted).status();
  }
  const auto unable =
      std::stable_partition(explanation.instances.begin(), explanation.instances.end(),
                            [](const InstanceExplanation& instance) { return !instance.reason; });
  explanation.able = static_cast<size_t>(unable - explanation.instances.begin());
  std::stable_sort(explanation.instances.begin(), unable,
                   [](const InstanceExplanation& a, const InstanceExplanation& b) {
                     return a.ranked_cycles < b.ranked_cycles;
                   });
  if (const auto* const conv = std::get_if<ConvProblem>(&resolved.problem)) {
    explanation.ranked_by = RankedBy(*conv, resolved.device, wanted);
  }
  return explanation;
}

/// Returns the workspace of an instance that computes the problem; "" if it needs none.
std::string FormatWorkspace(const Explanation& explanation, const InstanceExplanation& instance) {
  if (instance.workspace_bytes == 0) return "";
  std::string text = absl::StrFormat("; workspace %d bytes", instance.workspace_bytes);
  const auto* const conv = std::get_if<ConvProblem>(&explanation.problem);
  const std::int64_t tensors = conv == nullptr ? 0 : TensorBytes(*conv);
  if (instance.workspace_bytes > explanation.device.memory_bytes - tensors) {
    absl::StrAppend(&text, ", which does not fit in the device's memory next to the tensors");
  }
  return text;
}

/// Returns an instance's explanation, for people.
std::string Answer(const Explanation& explanation, const InstanceExplanation& instance) {
  if (instance.reason) return *instance.reason;
  return absl::StrCat(instance.cost.ToString(explanation.device.clock_ghz),
                      FormatWorkspace(explanation, instance),
                      instance.ranked_cycles == kNotRanked ? " (on request)" : "");
}

void Print(const Explanation& explanation) {
  const std::vector<InstanceExplanation>& instances = explanation.instances;
  size_t family_width = 0, instance_width = 0;
  for (const InstanceExplanation& instance : instances) {
    family_width = std::max(family_width, instance.family.size());
    instance_width = std::max(instance_width, instance.instance.size());
  }
  absl::PrintF("problem    %s\n", ToString(explanation.problem));
  if (!explanation.ranked_by.empty()) absl::PrintF("ranked by  %s\n", explanation.ranked_by);
  if (const std::string note = CalibrationNote(explanation.device); !note.empty())
    absl::PrintF("estimates  %s\n", note);
  absl::PrintF("%d of %d instances compute it\n", explanation.able, instances.size());
  for (size_t i = 0; i < instances.size(); ++i) {
    const InstanceExplanation& instance = instances[i];
    if (i == explanation.able)
      absl::PrintF("%d instances cannot compute it\n", instances.size() - i);
    const std::string line = absl::StrFormat(
        "%s %-*s %-*s  %s", explanation.IsChosen(i) ? "*" : " ", family_width, instance.family,
        instance_width, instance.instance, Answer(explanation, instance));
    absl::PrintF("%s\n", explanation.IsChosen(i) ? Bold(stdout, line) : line);
  }
}

llvm::json::Object ToJson(const Explanation& explanation) {
  llvm::json::Array instances;
  for (size_t i = 0; i < explanation.instances.size(); ++i) {
    const InstanceExplanation& instance = explanation.instances[i];
    llvm::json::Object object{{"family", instance.family}, {"instance", instance.instance}};
    if (instance.reason) {
      object["reason"] = *instance.reason;
      object["refusal"] = Name(instance.code);
    } else {
      object["estimate"] = ToJson(instance.cost, explanation.device.clock_ghz);
      object["ranked_cycles"] = JsonNumber(instance.ranked_cycles);
      object["workspace_bytes"] = instance.workspace_bytes;
      object["chosen"] = explanation.IsChosen(i);
    }
    instances.push_back(std::move(object));
  }
  return llvm::json::Object{{"problem", ToJson(explanation.problem)},
                            {"target", Name(explanation.device.gfx)},
                            {"device", NameOf(explanation.device)},
                            {"calibrated", CalibrationNote(explanation.device).empty()},
                            {"ranked_by", explanation.ranked_by},
                            {"instances", std::move(instances)}};
}

absl::StatusOr<Explanation> ExplainRequest(const ExplainOptions& options) {
  const absl::StatusOr<ResolvedProblem> resolved = Resolve(options.request);
  if (!resolved.ok()) return resolved.status();
  return Explain(options, *resolved);
}

/// Returns the explanations of named problems, each in the directions that its set names.
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
