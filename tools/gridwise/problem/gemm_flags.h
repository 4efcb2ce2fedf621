#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "core/gemm/problem.h"

namespace gridwise {

/// The sizes and orders of a matrix multiplication that the user gave; what was not given is empty.
struct GemmFlags {
  std::optional<int64_t> batch, m, n, k;
  std::string a, b, c;  // "row", "col" or "row:PITCH", see ParseOrder
};

/// The problem that the flags describe: `base`, or if any flag is given, one of these sizes and
/// orders, in place of base's, that is packed where they say nothing else. Without `base` it needs
/// m, n and k.
absl::StatusOr<GemmProblem> BuildGemm(const std::optional<GemmProblem>& base,
                                      const GemmFlags& flags);

}  // namespace gridwise
