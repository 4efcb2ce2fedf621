// SPDX-License-Identifier: MIT
#include "tools/gridwise/commands/table_commands.h"

#include <cstdio>
#include <optional>
#include <set>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "core/arch/parse_gfx.h"
#include "core/arch/target.h"
#include "gridwise/planner/model.h"
#include "tools/gridwise/problem/problem_sets.h"
#include "tools/gridwise/problem/text_file.h"
#include "tools/gridwise/sweep/read_tables.h"
#include "tools/gridwise/sweep/sweep_table.h"
#include "tools/tune/judges.h"
#include "tools/tune/report.h"
#include "tools/tune/times.h"
#include "tools/tune/validation.h"

namespace gridwise {
namespace {

/// Returns the model of a file for every target, or the built-in models.
absl::StatusOr<ModelOf> FindModel(const std::string& path, std::optional<model::Model>& read) {
  if (path.empty()) return model::BuiltInModel;
  const absl::StatusOr<std::string> text = ReadTextFile(path);
  if (!text.ok()) return text.status();
  absl::StatusOr<model::Model> parsed = model::Model::Parse(*text);
  if (!parsed.ok()) {
    return absl::InvalidArgumentError(absl::StrCat(path, ": ", parsed.status().message()));
  }
  read = *std::move(parsed);
  return [&read](Gfx) { return &*read; };
}

absl::Status PrintValidation(const ValidateOptions& options) {
  if (options.against != "oracle") {
    return absl::InvalidArgumentError(
        absl::StrFormat("--against is '%s'; must be oracle", options.against));
  }
  std::optional<model::Model> read;
  const absl::StatusOr<ModelOf> model_of = FindModel(options.model, read);
  if (!model_of.ok()) return model_of.status();
  const absl::StatusOr<std::vector<TimedProblem>> problems = ReadTables(options.tables);
  if (!problems.ok()) return problems.status();
  const std::vector<Judge> judges = StandardJudges(*model_of);
  const absl::StatusOr<std::vector<ValidatedGroup>> groups = Validate(*problems, judges);
  if (!groups.ok()) return groups.status();
  std::set<const model::Model*> models;
  for (const TimedProblem& problem : *problems) {
    const std::optional<Gfx> gfx = ParseGfx(problem.device);
    const model::Model* const model = gfx ? (*model_of)(*gfx) : nullptr;
    if (models.insert(model).second) {
      absl::PrintF("model: %s\n", model == nullptr ? "none" : model->about());
    }
  }
  std::fputs(ToString(*groups).c_str(), stdout);
  return absl::OkStatus();
}

absl::Status WriteFeatures(const std::vector<std::string>& tables, const std::string& csv) {
  const absl::StatusOr<std::vector<TimedProblem>> problems = ReadTables(tables);
  if (!problems.ok()) return problems.status();
  int unknown = 0;
  const absl::StatusOr<std::string> text = PrintTrainingTable(*problems, unknown);
  if (!text.ok()) return text.status();
  if (unknown > 0) {
    absl::FPrintF(stderr, "%d times are left out: this library has no such kernels\n", unknown);
  }
  return WriteTextFile(csv.empty() ? "-" : csv, *text);
}

absl::Status WriteReport(const std::vector<std::string>& tables, const std::string& html) {
  const absl::StatusOr<std::vector<TimedProblem>> problems = ReadTables(tables);
  if (!problems.ok()) return problems.status();
  const absl::StatusOr<std::string> page = MakeReport(*problems);
  if (!page.ok()) return page.status();
  return WriteTextFile(html.empty() ? "-" : html, *page);
}

absl::Status Merge(const std::vector<std::string>& tables, const std::string& csv) {
  if (tables.empty())
    return absl::InvalidArgumentError(
        "no table is named; `gridwise sweep --time --all-instances --csv=TABLE` makes one");
  absl::StatusOr<SweepTable> merged = SweepTable::Open(csv.empty() ? "-" : UserPath(csv));
  if (!merged.ok()) return merged.status();
  for (const std::string& path : tables) {
    const absl::StatusOr<std::string> text = ReadTextFile(path);
    if (!text.ok()) return text.status();
    const std::vector<std::string> lines = absl::StrSplit(*text, '\n');
    if (lines.front() != SweepTable::Header() || !lines.back().empty()) {
      return absl::InvalidArgumentError(absl::StrCat(path, " is not the whole table of a sweep"));
    }
    for (std::size_t i = 1; i + 1 < lines.size(); ++i) {
      const absl::StatusOr<bool> is_new = merged->AddNewLine(lines[i]);
      if (!is_new.ok()) {
        return absl::InvalidArgumentError(
            absl::StrFormat("%s:%d: %s", path, i + 1, is_new.status().message()));
      }
    }
  }
  return absl::OkStatus();
}

ExitCode Finish(const absl::Status& status) { return status.ok() ? kSuccess : Fail(status); }

}  // namespace

ExitCode ValidateCommand(const ValidateOptions& options) {
  return Finish(PrintValidation(options));
}

ExitCode FeaturesCommand(const std::vector<std::string>& tables, const std::string& csv) {
  return Finish(WriteFeatures(tables, csv));
}

ExitCode ReportCommand(const std::vector<std::string>& tables, const std::string& html) {
  return Finish(WriteReport(tables, html));
}

ExitCode MergeCommand(const std::vector<std::string>& tables, const std::string& csv) {
  return Finish(Merge(tables, csv));
}

}  // namespace gridwise
