// SPDX-License-Identifier: MIT
#include "tools/gridwise/problem/gemm_flags.h"

#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "core/gemm/problem_io.h"
#include "core/gemm/validate.h"

namespace gridwise {
namespace {

/// Sets the order from `flag`, or keeps that of the base's strides.
absl::Status SetOrder(const char* flag, const std::string& text, int64_t rows, int64_t columns,
                      MatrixStrides& strides) {
  const bool by_column = strides.column > strides.row;
  const absl::StatusOr<MatrixStrides> parsed =
      ParseOrder(text.empty() ? Name(by_column ? MatrixOrder::kColumn : MatrixOrder::kRow) : text,
                 rows, columns);
  if (!parsed.ok()) {
    return absl::InvalidArgumentError(absl::StrCat("--", flag, ": ", parsed.status().message()));
  }
  strides = *parsed;
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<GemmProblem> BuildGemm(const std::optional<GemmProblem>& base,
                                      const GemmFlags& flags) {
  const bool any = flags.batch || flags.m || flags.n || flags.k || !flags.a.empty() ||
                   !flags.b.empty() || !flags.c.empty();
  if (base && !any) return *base;
  if (!base && (!flags.m || !flags.n || !flags.k)) {
    return absl::InvalidArgumentError("give --m, --n and --k, or --problem");
  }
  GemmProblem problem = base.value_or(GemmProblem{});
  problem.batch = flags.batch.value_or(problem.batch);
  problem.m = flags.m.value_or(problem.m);
  problem.n = flags.n.value_or(problem.n);
  problem.k = flags.k.value_or(problem.k);
  for (const auto& [name, size] :
       {std::pair("batch", problem.batch), {"m", problem.m}, {"n", problem.n}, {"k", problem.k}}) {
    if (size >= 1 && size <= kMaxGemmLength) continue;  // otherwise strides would overflow
    return absl::InvalidArgumentError(
        absl::StrCat(name, " is ", size, "; must be 1 to ", kMaxGemmLength));
  }
  absl::Status status = SetOrder("a", flags.a, problem.m, problem.k, problem.a);
  if (status.ok()) status = SetOrder("b", flags.b, problem.k, problem.n, problem.b);
  if (status.ok()) status = SetOrder("out-order", flags.c, problem.m, problem.n, problem.c);
  if (!status.ok()) return status;
  return problem;
}

}  // namespace gridwise
