// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>

#include "absl/status/status.h"
#include "core/conv/problem.h"
#include "core/gemm/problem.h"

namespace gridwise {

/// Layouts and epilogue of a problem, from the command line. Empty: the default.
struct VariantFlags {
  std::string layout = {};         // "nhwgc", "gnhwc", "ngchw"
  std::string weight_layout = {};  // "gkyxc", "kyxgc"
  double alpha = 1;
  bool relu = false;
  std::optional<double> low = {}, high = {};
  std::string d0 = {},
              d1 = {};     // "add" or "mul", then ":channel" for a value per channel, then ":SCALE"
  std::string unary = {};  // name of a function, then ":PARAMETER"
  std::optional<double> a1 = {}, b1 = {};  // factors of operands that are sums
};

/// Sets the layouts of `problem` from `flags`, and nothing else.
absl::Status ApplyLayouts(const VariantFlags& flags, ConvProblem& problem);

/// Sets the layouts and the epilogue of `problem` from `flags`. Requires that its sizes, type and
/// direction are set. Errors name the flag, its value and the accepted values.
absl::Status ApplyVariant(const VariantFlags& flags, ConvProblem& problem);
/// The same for a matrix multiplication. Its channels are columns, and it has no layouts.
absl::Status ApplyVariant(const VariantFlags& flags, GemmProblem& problem);

}  // namespace gridwise
