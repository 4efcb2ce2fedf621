/// What a kernel must write, in the order that it is in memory: the reference with the problem's
/// layouts and epilogue.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "core/conv/problem.h"

namespace gridwise {

/// Elements from the first of the epilogue's tensor `index` to its last.
std::int64_t EpilogueElements(const ConvProblem& problem, int index);

struct Expected {
  std::vector<double> out;
  /// SumRms() of the largest values that the epilogue comes by, from alpha * sum to the one that it
  /// clamps: what rounding errors are relative to.
  double sum_rms = 0;
};

/// The output from operands in the problem's layouts and the epilogue's tensors, of which it has
/// problem.epilogue.tensors. Errors: those of Reference().
absl::StatusOr<Expected> ExpectedOutput(const ConvProblem& problem, std::span<const float> a,
                                        std::span<const float> b,
                                        const std::array<std::span<const float>, 2>& d = {});

}  // namespace gridwise
