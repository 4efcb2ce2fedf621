// SPDX-License-Identifier: MIT
#include "tools/gridwise/commands/problems_command.h"

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_format.h"
#include "core/conv/problem.h"
#include "core/conv/problem_io.h"
#include "tools/gridwise/problem/problem_request.h"
#include "tools/gridwise/problem/text_file.h"
#include "tools/tune/problem_generator.h"

namespace gridwise {
namespace {

absl::StatusOr<GeneratorOptions> Parse(const ProblemsOptions& options) {
  GeneratorOptions parsed = {.seed = options.seed, .count = options.number};
  if (options.number < 1) {
    return absl::InvalidArgumentError(
        absl::StrFormat("--number is %d; must be >= 1", options.number));
  }
  if (options.max_flops > 0) parsed.max_flops = options.max_flops;
  const absl::StatusOr<Direction> direction =
      ParseDirectionWord(options.direction.empty() ? "fwd" : options.direction);
  if (!direction.ok()) return direction.status();
  parsed.direction = *direction;
  for (const ProblemUse use : kAllProblemUses) {
    if (options.use != Name(use)) continue;
    parsed.use = use;
    return parsed;
  }
  return absl::InvalidArgumentError(
      absl::StrFormat("--use is '%s'; must be training, validation or test", options.use));
}

}  // namespace

ExitCode ProblemsCommand(const ProblemsOptions& options) {
  const absl::StatusOr<GeneratorOptions> parsed = Parse(options);
  absl::Status status = parsed.status();
  if (status.ok()) {
    status = WriteTextFile(options.csv.empty() ? "-" : options.csv,
                           PrintProblems(GenerateProblems(*parsed)));
  }
  return status.ok() ? kSuccess : Fail(status);
}

}  // namespace gridwise
