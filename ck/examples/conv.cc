// SPDX-License-Identifier: MIT
/// A grouped convolution by one of the classic family's ops:
///
///   bazel run //ck/examples:grouped_conv_bwd_weight_xdl_f16 -- VERIFY INIT TIME
///       [NDIM G N K C filter... input... strides... dilations... left pads... right pads...]
///
/// K and C are those of a group. Without sizes a small problem is computed. What is done with the
/// sums is said as on the command line, --alpha=2 --d0=add:0.5.

#include "gridwise/conv.h"

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "ck/examples/run.h"
#include "core/arch/parse_gfx.h"
#include "core/arch/target.h"
#include "core/base/parse_type.h"
#include "core/base/types.h"
#include "core/conv/problem.h"
#include "core/conv/problem_io.h"
#include "core/reference/expected.h"
#include "tools/gridwise/problem/variant_flags.h"

namespace gridwise::examples {
namespace {

/// The index of the first size, and the largest number of arguments.
constexpr std::size_t kFirst = 3, kMax = kFirst + 5 + 6 * 3;

/// The sizes after verify, init and time.
absl::StatusOr<ConvProblem> ReadSizes(const Words& words, const Dim& otherwise) {
  ConvProblem problem = {.rank = static_cast<int>(words.Number(kFirst, 2))};
  if (problem.rank < 1 || problem.rank > 3) {
    return absl::InvalidArgumentError(absl::StrCat("NDIM is ", problem.rank, "; must be 1 to 3"));
  }
  const auto rank = static_cast<std::size_t>(problem.rank);
  if (words.numbers() > kFirst && words.numbers() != kFirst + 5 + 6 * rank) {
    return absl::InvalidArgumentError(absl::StrCat("there are ", words.numbers(),
                                                   " numbers; NDIM = ", rank, " takes 3 or ",
                                                   kFirst + 5 + 6 * rank));
  }
  problem.groups = words.Number(kFirst + 1, 2);
  problem.batch = words.Number(kFirst + 2, 2);
  problem.k = problem.groups * words.Number(kFirst + 3, 32);
  problem.c = problem.groups * words.Number(kFirst + 4, 32);
  for (std::size_t axis = 0; axis < rank; ++axis) {
    const auto number = [&](std::size_t field, std::int64_t value) {
      return words.Number(kFirst + 5 + field * rank + axis, value);
    };
    problem.dims[3 - rank + axis] = {.in = number(1, otherwise.in),
                                     .filter = number(0, otherwise.filter),
                                     .stride = number(2, otherwise.stride),
                                     .dilation = number(3, otherwise.dilation),
                                     .pad_begin = number(4, otherwise.pad_begin),
                                     .pad_end = number(5, otherwise.pad_end)};
  }
  return problem;
}

/// What is done with the sums.
absl::Status ReadEpilogue(const Words& words, ConvProblem& problem) {
  VariantFlags flags = {.d0 = words.Flag("d0", ""), .d1 = words.Flag("d1", "")};
  const std::string alpha = words.Flag("alpha", "1");
  if (!absl::SimpleAtod(alpha, &flags.alpha)) {
    return absl::InvalidArgumentError(absl::StrCat("--alpha is '", alpha, "'; must be a number"));
  }
  return ApplyVariant(flags, problem);
}

absl::Status Example(int argc, char** argv) {
  const absl::StatusOr<Words> parsed =
      Words::Parse(argc, argv, {"type", "device", "direction", "op", "alpha", "d0", "d1"}, kMax);
  if (!parsed.ok()) return parsed.status();
  const Words& words = *parsed;
  const absl::StatusOr<Settings> settings = Settings::Of(words);
  if (!settings.ok()) return settings.status();
  const std::string op = words.Flag("op", "");
  const Dim plain = {.in = 14}, padded = {.in = 14, .filter = 3, .pad_begin = 1, .pad_end = 1};
  absl::StatusOr<ConvProblem> problem = ReadSizes(words, op == "explicit" ? plain : padded);
  if (!problem.ok()) return problem.status();
  const auto direction = ParseDirection(words.Flag("direction", "fwd"));
  const auto type = ParseDataType(words.Flag("type", "f16"));
  const auto gfx = ParseGfx(words.Flag("device", "gfx942"));
  if (!direction || !type || !gfx) {
    return absl::InvalidArgumentError("--direction, --type or --device is not known");
  }
  problem->direction = *direction;
  problem->type = *type;
  if (absl::Status status = ReadEpilogue(words, *problem); !status.ok()) return status;
  const absl::StatusOr<Plan> plan = MakePlan(*problem, *gfx, {.family = "ck", .op = op});
  if (!plan.ok()) return plan.status();
  return Run(*problem, *plan, *settings);
}

}  // namespace
}  // namespace gridwise::examples

int main(int argc, char** argv) {
  return gridwise::examples::Finish(gridwise::examples::Example(argc, argv));
}
