// SPDX-License-Identifier: MIT
/// Named problems.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "core/conv/problem_io.h"
#include "core/gemm/problem_io.h"

namespace gridwise {

/// A named set of convolutions or matrix multiplications.
struct ProblemSet {
  std::string name;
  std::vector<NamedProblem> problems = {};
  std::vector<NamedGemm> gemms = {};
  std::vector<std::string> report = {};  // of a set that was imported: lines for people
};

/// Returns the set that `source` names: a built-in set ("regressions", "retinanet", "strided",
/// "transformers") or the path of a CSV file, or of a file of another program (import/import.h).
/// Empty: all built-in sets except "strided", whose problems are in the other sets. `argv0` is the
/// program's argv[0].
absl::StatusOr<std::vector<ProblemSet>> LoadProblemSets(const std::string& source,
                                                        const std::string& argv0);

/// Returns the problem called `name`. The error lists the sets that were searched.
absl::StatusOr<NamedProblem> FindProblem(const std::vector<ProblemSet>& sets,
                                         absl::string_view name);
/// The same, or the problem of `name` if that is a line of another program, as a command line of
/// MIOpenDriver, with one convolution (import/import.h). Then the line is its name.
absl::StatusOr<NamedProblem> FindOrReadProblem(const std::vector<ProblemSet>& sets,
                                               const std::string& name, const std::string& argv0);
absl::StatusOr<NamedGemm> FindGemm(const std::vector<ProblemSet>& sets, absl::string_view name);

/// Returns `path`, relative to the user's folder: `bazel run` changes the current folder.
std::string UserPath(const std::string& path);

}  // namespace gridwise
