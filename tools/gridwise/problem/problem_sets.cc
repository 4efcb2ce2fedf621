// SPDX-License-Identifier: MIT
#include "tools/gridwise/problem/problem_sets.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "core/text/csv_table.h"
#include "core/text/nearest.h"
#include "tools/build/user_folder.h"
#include "tools/cpp/runfiles/runfiles.h"
#include "tools/gridwise/import/import.h"

namespace gridwise {
namespace {

using ::bazel::tools::cpp::runfiles::Runfiles;

constexpr absl::string_view kBuiltIn[] = {"regressions", "retinanet", "transformers"};
/// Sets whose problems are in other sets, too.
constexpr absl::string_view kByNameAlone[] = {"strided"};

/// Returns whether a text is a table of problems, by a column that its first line names.
bool IsTable(std::string_view text) {
  const std::string_view header = text.substr(0, text.find_first_of("\r\n"));
  const std::vector<std::string_view> columns = absl::StrSplit(header, ',');
  return std::ranges::any_of(columns, [](std::string_view column) {
    return column == "name" || column == "ndim" || column == "M";
  });
}

absl::StatusOr<ProblemSet> LoadFile(const std::string& name, const std::string& path,
                                    const std::string& argv0) {
  absl::StatusOr<std::string> read = ReadText(path, "problem set");
  if (!read.ok()) return read.status();
  const std::string_view text = absl::StripPrefix(*read, "\xef\xbb\xbf");
  ProblemSet set = {.name = name};
  if (!IsTable(text)) {
    absl::StatusOr<ImportedSet> imported = Import({{name, *std::move(read)}}, argv0);
    if (!imported.ok()) return imported.status();
    set.problems = std::move(imported->problems);
    set.report = std::move(imported->report);
  } else if (IsGemmSet(text)) {
    absl::StatusOr<std::vector<NamedGemm>> gemms = ParseGemms(text, path);
    if (!gemms.ok()) return gemms.status();
    set.gemms = *std::move(gemms);
  } else {
    absl::StatusOr<std::vector<NamedProblem>> problems = ParseProblems(text, path);
    if (!problems.ok()) return problems.status();
    set.problems = *std::move(problems);
  }
  return set;
}

/// Returns the problem called `name` in the member `list` of the sets.
template <class Named>
absl::StatusOr<Named> Find(const std::vector<ProblemSet>& sets,
                           std::vector<Named> ProblemSet::* list, absl::string_view name) {
  std::vector<std::string_view> names, searched;
  for (const ProblemSet& set : sets) {
    if (!(set.*list).empty()) searched.push_back(set.name);
    for (const Named& problem : set.*list) {
      if (problem.name == name) return problem;
      names.push_back(problem.name);
    }
  }
  return absl::InvalidArgumentError(
      absl::StrCat("no problem is called '", name, "' in ", absl::StrJoin(searched, ", "),
                   "; the nearest are ", absl::StrJoin(NearestNames(name, names, 3), ", "),
                   ", and `gridwise list problems` prints those that come with this program"));
}

absl::StatusOr<ProblemSet> LoadBuiltIn(absl::string_view name, const std::string& argv0) {
  std::string error;
  const std::unique_ptr<Runfiles> runfiles(
      Runfiles::Create(argv0, BAZEL_CURRENT_REPOSITORY, &error));
  if (runfiles == nullptr) {
    return absl::NotFoundError(
        absl::StrCat("the problem set ", name, " is not next to this program: ", error));
  }
  return LoadFile(std::string(name),
                  runfiles->Rlocation(absl::StrCat("gridwise/tests/problems/", name, ".csv")),
                  argv0);
}

/// Reads a line of another program.
absl::StatusOr<NamedProblem> ReadLine(const std::string& line, const std::string& argv0) {
  absl::StatusOr<ImportedSet> set = Import({{"--problem", line}}, argv0);
  if (!set.ok()) return set.status();
  if (set->problems.size() != 1) {
    return absl::InvalidArgumentError(absl::StrCat("--problem: it has ", set->problems.size(),
                                                   " problems; must be the line of one"));
  }
  NamedProblem& problem = set->problems.front();
  problem.name = line;
  return std::move(problem);
}

}  // namespace

std::string UserPath(const std::string& path) {
  const std::string folder = UserFolder();
  if (folder.empty() || path.empty() || path[0] == '/') return path;
  return absl::StrCat(folder, "/", path);
}

absl::StatusOr<std::vector<ProblemSet>> LoadProblemSets(const std::string& source,
                                                        const std::string& argv0) {
  std::vector<ProblemSet> sets;
  for (absl::string_view name : kBuiltIn) {
    if (!source.empty() && source != name) continue;
    absl::StatusOr<ProblemSet> set = LoadBuiltIn(name, argv0);
    if (!set.ok()) return set.status();
    sets.push_back(*std::move(set));
  }
  if (!sets.empty()) return sets;
  const bool comes_with_program =
      std::find(std::begin(kByNameAlone), std::end(kByNameAlone), source) != std::end(kByNameAlone);
  absl::StatusOr<ProblemSet> set =
      comes_with_program ? LoadBuiltIn(source, argv0) : LoadFile(source, UserPath(source), argv0);
  if (!set.ok()) return set.status();
  sets.push_back(*std::move(set));
  return sets;
}

absl::StatusOr<NamedProblem> FindProblem(const std::vector<ProblemSet>& sets,
                                         absl::string_view name) {
  return Find(sets, &ProblemSet::problems, name);
}

absl::StatusOr<NamedProblem> FindOrReadProblem(const std::vector<ProblemSet>& sets,
                                               const std::string& name, const std::string& argv0) {
  absl::StatusOr<NamedProblem> named = FindProblem(sets, name);
  if (named.ok() || name.find_first_of(" =") == name.npos) return named;
  const absl::StatusOr<NamedProblem> line = ReadLine(name, argv0);
  return absl::IsNotFound(line.status()) ? named : line;  // one of no kind is a misspelled name
}

absl::StatusOr<NamedGemm> FindGemm(const std::vector<ProblemSet>& sets, absl::string_view name) {
  return Find(sets, &ProblemSet::gemms, name);
}

}  // namespace gridwise
