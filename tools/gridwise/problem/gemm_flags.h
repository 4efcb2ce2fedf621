// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "core/gemm/problem.h"

namespace gridwise {

/// The sizes and orders of a matrix multiplication from the command line. Empty: not given.
struct GemmFlags {
  std::optional<int64_t> batch, m, n, k;
  std::string a, b, c;  // "row", "col" or "row:PITCH" (ParseOrder)
};

/// Returns the problem that the flags describe. Without any flag it is `base`. Otherwise the flags
/// override the sizes and orders of `base`, and matrices are packed unless the flags give a pitch.
/// Without `base`, m, n and k are required.
absl::StatusOr<GemmProblem> BuildGemm(const std::optional<GemmProblem>& base,
                                      const GemmFlags& flags);

}  // namespace gridwise
