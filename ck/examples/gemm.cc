// SPDX-License-Identifier: MIT
/// A batched matrix multiplication, A and B by rows or columns:
///
///   bazel run //ck/examples:batched_gemm_xdl_f16 -- VERIFY INIT TIME [M N K BATCH]

#include "gridwise/gemm.h"

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "ck/examples/run.h"
#include "core/arch/parse_gfx.h"
#include "core/arch/target.h"
#include "core/base/parse_type.h"
#include "core/base/types.h"
#include "core/gemm/problem.h"
#include "core/gemm/problem_io.h"
#include "core/reference/gemm_expected.h"

namespace gridwise::examples {
namespace {

absl::Status Example(int argc, char** argv) {
  const absl::StatusOr<Words> parsed = Words::Parse(argc, argv, {"type", "device", "a", "b"}, 7);
  if (!parsed.ok()) return parsed.status();
  const Words& words = *parsed;
  const absl::StatusOr<Settings> settings = Settings::Of(words);
  if (!settings.ok()) return settings.status();
  const auto type = ParseDataType(words.Flag("type", "f16"));
  const auto gfx = ParseGfx(words.Flag("device", "gfx942"));
  if (!type || !gfx) return absl::InvalidArgumentError("--type or --device is not known");
  const auto order = [&](const char* name) {
    return words.Flag(name, "row") == "col" ? MatrixOrder::kColumn : MatrixOrder::kRow;
  };
  const GemmProblem problem =
      MakeGemm(*type, words.Number(6, 2), words.Number(3, 128), words.Number(4, 96),
               words.Number(5, 64), order("a"), order("b"));
  const absl::StatusOr<GemmPlan> plan = MakePlan(problem, *gfx);
  if (!plan.ok()) return plan.status();
  return Run(problem, *plan, *settings);
}

}  // namespace
}  // namespace gridwise::examples

int main(int argc, char** argv) {
  return gridwise::examples::Finish(gridwise::examples::Example(argc, argv));
}
