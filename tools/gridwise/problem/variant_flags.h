#pragma once

#include <optional>
#include <string>

#include "absl/status/status.h"
#include "core/conv/problem.h"
#include "core/gemm/problem.h"

namespace gridwise {

/// What the user wants of a problem beyond its sizes, as text; empty: the default.
struct VariantFlags {
  std::string layout = {};         // "nhwgc", "gnhwc", "ngchw"
  std::string weight_layout = {};  // "gkyxc", "kyxgc"
  double alpha = 1;
  bool relu = false;
  std::optional<double> low = {}, high = {};
  std::string d0 = {},
              d1 = {};     // "add" or "mul", then ":channel" for a value per channel, then ":SCALE"
  std::string unary = {};  // a function's name, then ":PARAMETER"
  std::optional<double> a1 = {}, b1 = {};  // the factors of operands that are sums
};

/// Gives `problem` the layouts of `flags` alone.
absl::Status ApplyLayouts(const VariantFlags& flags, ConvProblem& problem);

/// Gives `problem`, whose sizes, type and direction are set, the layouts and the epilogue of
/// `flags`. Errors name the flag, its value and what it may be.
absl::Status ApplyVariant(const VariantFlags& flags, ConvProblem& problem);
/// The same of a matrix multiplication, whose channels are columns; it has no layouts.
absl::Status ApplyVariant(const VariantFlags& flags, GemmProblem& problem);

}  // namespace gridwise
