/// Where problems come from by name.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "core/conv/problem_io.h"
#include "core/gemm/problem_io.h"

namespace gridwise {

/// A set of problems and what it is called. They are convolutions, or matrix multiplications.
struct ProblemSet {
  std::string name;
  std::vector<NamedProblem> problems;
  std::vector<NamedGemm> gemms;
};

/// The set that `source` names: one that comes with the program ("regressions", "retinanet",
/// "strided", "transformers"), or a CSV file's path. Empty: all that come with the program, but for
/// "strided", whose problems are in the others. `argv0` is how the program was called.
absl::StatusOr<std::vector<ProblemSet>> LoadProblemSets(const std::string& source,
                                                        const std::string& argv0);

/// The problem called `name`; the error says where it was looked for.
absl::StatusOr<NamedProblem> FindProblem(const std::vector<ProblemSet>& sets,
                                         absl::string_view name);
absl::StatusOr<NamedGemm> FindGemm(const std::vector<ProblemSet>& sets, absl::string_view name);

/// `path` as the user means it: `bazel run` changes the current folder, and tells the user's.
std::string UserPath(const std::string& path);

}  // namespace gridwise
